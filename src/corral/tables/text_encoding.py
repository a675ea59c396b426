"""Text files: read as UTF-8, and advice on those in other encodings."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path
from typing import IO, Any

from corral.errors import SignalsError
from corral.storage.bounded_lines import LONGEST

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, which begins alike
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""What programs write in front of a text to tell its encoding."""
_PIECE = 1 << 20


def first_lines(file: Path, most: int, newline: str | None = None) -> list[str]:
    """The first lines of a text, plain or in gzip; refused unless it is UTF-8.

    Parameters
    ----------
    file : path
    most : int
        Lines.
    newline : str, optional
        As that of `open`: "" leaves the ends of lines as they are.
    """
    try:
        with _open(file) as raw:
            head = raw.read(4096)
        for mark, encoding in _MARKS.items():
            if head.startswith(mark):
                raise SignalsError(_advice(file, encoding, "as its first bytes say"))
        if head.count(0) > len(head) / 4:
            raise SignalsError(_advice(file, "UTF-16", "as every other byte is zero"))
        with _open(file, "rt", encoding="utf-8-sig", newline=newline) as text:
            return _take_lines(text, most, file)
    except UnicodeDecodeError as error:
        raise SignalsError(other_encoding(file)) from error
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise SignalsError(f"cannot read {file.name!r}: {why}") from error


def _take_lines(text: IO[str], most: int, file: Path) -> list[str]:
    """Lines, as far as they are not longer together than one may be."""
    lines: list[str] = []
    left = LONGEST
    while len(lines) < most and (line := text.readline(left + 1)):
        if len(line) > left:
            if not lines:  # a gzip of a megabyte may be one line of a gigabyte
                raise SignalsError(
                    f"cannot read {file.name!r}: its first line has more than "
                    f"{LONGEST >> 20} MB. Is it another kind of file?"
                )
            break
        lines.append(line)
        left -= len(line)
    return lines


def other_encoding(file: Path) -> str:
    """What to say of a file that is not UTF-8: the first line that shows it."""
    if file.suffix.lower() == ".zst":  # which Python cannot unpack
        return _advice(file, "Latin-1", "perhaps")
    decoder, at = codecs.getincrementaldecoder("utf-8")(), 1
    with _open(file) as raw:
        piece = None
        while piece != b"":
            piece = raw.read(_PIECE)
            try:
                decoder.decode(piece, final=not piece)  # it may end in half a character
            except UnicodeDecodeError as error:
                before, bad = error.object[: error.start], error.object[error.start]
                line = at + before.count(b"\n")
                byte = f"byte 0x{bad:02x} in line {line} is not UTF-8"
                return _advice(file, "Latin-1", f"perhaps; {byte}")
            at += piece.count(b"\n")
    return f"cannot read {file.name!r}: it is not UTF-8."


def _advice(file: Path, encoding: str, why: str) -> str:
    plain = file.name if file.suffix.lower() not in (".gz", ".zst") else file.stem
    return (
        f"{file.name!r} is in {encoding} ({why}), and corral reads UTF-8. Convert it: "
        f"iconv -f {encoding.replace('Latin-1', 'LATIN1')} -t UTF-8 {plain} > "
        f"utf8-{plain}"
    )


def _open(file: Path, mode: str = "rb", **options: Any) -> IO[Any]:
    opener: Any = gzip.open if file.suffix.lower() == ".gz" else open
    stream: IO[Any] = opener(file, mode, **options)
    return stream
