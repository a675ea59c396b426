"""Files and folders that are written whole or not at all.

A writer writes to a draft beside the file and renames it at the end. It holds a lock on its
draft, which the system releases when the process dies, however it dies. So the next writer
of the same file deletes drafts without a lock, and leaves the others alone.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from corral.storage.interrupts import hold_interrupts

try:
    import fcntl
except ImportError:  # Windows, where nobody can delete a file that is open
    fcntl = None  # type: ignore[assignment]


@contextmanager
def draft_of(path: str | os.PathLike[str], *, folder: bool = False) -> Iterator[Path]:
    """An empty file or folder to write to, which takes the place of `path` at the end.

    If anything is raised, `path` stays as it was and the draft is deleted. A link is
    followed, so it stays a link. A file that is replaced keeps its permissions.

    Parameters
    ----------
    path : path
        What to write; its folder must exist.
    folder : bool
        Make a folder, which can only take a place that is free.

    Raises
    ------
    OSError
        With the name of `path`, never with that of the draft.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.storage.drafts import draft_of
    >>> place = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with draft_of(place) as draft:
    ...     _ = draft.write_text("hello")
    ...     place.exists()
    False
    >>> place.read_text()
    'hello'
    """
    target = Path(os.path.realpath(path))
    draft: Path | None = None
    lock: int | None = None

    def tidy() -> None:
        nonlocal lock
        held, lock = lock, None  # closed once: its number may be another file's by then
        if held is not None:
            os.close(held)
        if draft is not None:
            _delete(draft)

    try:
        _refuse_special(target)
        _sweep(target)
        with hold_interrupts():
            draft, lock = _new_draft(target, folder)
        mode = None if folder else _mode_of(target)
        if mode is not None:
            draft.chmod(mode | stat.S_IWUSR | stat.S_IRUSR)  # until it is written
        yield draft
        if mode is not None:
            draft.chmod(mode)
        draft.replace(target)
    except OSError as error:
        if draft is None or str(error.filename).startswith(str(draft)):
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        # Errors of tidying up must not hide what went wrong before.
        try:
            with hold_interrupts():
                tidy()
        except KeyboardInterrupt:  # perhaps it came before it could be held
            tidy()
            raise


def _prefix(target: Path) -> str:
    """How the names of the drafts of a file begin; short even if its own name is long."""
    return f".corral-{sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def _new_draft(target: Path, folder: bool) -> tuple[Path, int | None]:
    """A draft and the lock on it; made again if another process deletes it before."""
    while True:
        draft = target.with_name(f"{_prefix(target)}{os.urandom(8).hex()}.draft")
        if folder:
            draft.mkdir()
        else:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if fcntl is None:
            return draft, None
        try:
            lock = os.open(draft, os.O_RDONLY)
        except FileNotFoundError:
            continue
        # Where there are no locks, no process deletes drafts of others.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(draft), os.fstat(lock)):
                return draft, lock
        os.close(lock)


def _refuse_special(target: Path) -> None:
    """Refuse a device, pipe or socket, which a file would replace."""
    if target.exists() and not (target.is_file() or target.is_dir()):
        why = "a device, pipe or socket has that name"
        raise FileExistsError(errno.EEXIST, why, str(target))


def _mode_of(target: Path) -> int | None:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _sweep(target: Path) -> None:
    """Delete the drafts of processes that died."""
    begin = _prefix(target)
    try:
        names = os.listdir(target.parent)
    except OSError:
        return  # making a draft there fails next, and says why
    for name in names:
        if not (name.startswith(begin) and name.endswith(".draft")):
            continue
        draft = target.with_name(name)
        if fcntl is None:
            _delete(draft)
            continue
        with suppress(OSError):
            lock = os.open(draft, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _delete(draft)
            finally:
                os.close(lock)


def _delete(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        with suppress(OSError):
            draft.unlink()
