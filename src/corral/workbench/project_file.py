"""The file of a project: readable JSON, written whole or not at all, by one process."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from corral.errors import CorralError, StorageError
from corral.storage import atomic_write
from corral.workbench.actions import HOW
from corral.workbench.project import (
    MOST_RULES,
    MOST_STEPS,
    SECTIONS,
    Change,
    Project,
    Step,
)
from corral.workbench.rules import Rule

try:
    import fcntl
except ImportError:  # Windows: what another process wrote is noticed before writing
    fcntl = None  # type: ignore[assignment]

FORMAT = "corral workbench 1"
MOST_BYTES = 1 << 26
"""Of a project that is read or written; one hand label takes some hundred."""


class ProjectFile:
    """A project on disk, locked as long as this is open.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = _lock(self.path)
        self._seen: Any = None  # the file as it was when it was last read or written

    def close(self) -> None:
        """Let other processes open it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def read(self) -> tuple[Project, dict[str, Any]] | None:
        """The project and what it says of its data; None if there is no file.

        Raises
        ------
        StorageError
            If the file is broken; it stays as it is.
        """
        try:
            self._refuse_odd_file()
            written = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self.path.name!r}: {error}") from error
        try:
            found = _decode(json.loads(written))
        except (
            *(CorralError, ValueError, TypeError, KeyError, AttributeError),
            RecursionError,
        ) as error:
            raise StorageError(
                f"{str(self.path)!r} is no project of the workbench, or a damaged one "
                f"({type(error).__name__}: {error!s:.300}). It stays as it is: mend it, "
                "restore a copy, or move it away to begin anew."
            ) from error
        self._seen = _signature(self.path)
        return found

    def _refuse_odd_file(self) -> None:
        """Refuse what is read without end, or leads elsewhere: a pipe, a device, a link."""
        if self.path.is_symlink() and not self.path.exists():
            raise StorageError(
                f"{str(self.path)!r} is a link to nothing; what it names would be made. "
                "Name another project."
            )
        found = self.path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise StorageError(f"{str(self.path)!r} is no file; name another project.")
        if found.st_size > MOST_BYTES:
            raise StorageError(
                f"{str(self.path)!r} has {found.st_size:,} bytes, which no project of the "
                "workbench has. Name another one."
            )

    def write(self, project: Project, data: Mapping[str, Any]) -> None:
        """Save; what was there before stays until all of it is on disk.

        Of a project that would be too large to be opened again, the oldest acts can no
        longer be undone once it is opened again.
        """
        if _signature(self.path) != self._seen:
            raise StorageError(
                f"{self.path.name!r} was changed by another program, and would be "
                "overwritten. Open the project anew; the last act was not saved."
            )
        content = _fit(project, data)
        try:
            with (
                atomic_write(self.path, overwrite=True) as temporary,
                open(temporary, "wb") as file,
            ):
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            _sync_folder(self.path)
        except StorageError as error:
            raise StorageError(
                f"the project was not saved, so the last act was not done: {error}"
            ) from error
        self._seen = _signature(self.path)


def _lock(path: Path) -> int | None:
    """A lock beside the file, which the system releases when the process dies."""
    if fcntl is None:
        return None
    beside = path.with_name(f".{path.name}.lock")
    try:
        lock = os.open(beside, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StorageError(
            f"a project cannot be kept in {str(path.parent)!r}: {error.strerror}. Name "
            "another place for it."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.read(lock, 32).decode(errors="replace").strip()
        os.close(lock)
        raise StorageError(
            f"the project {str(path)!r} is open in another process ({owner or 'unknown'}). "
            "Use that one, end it, or name another project."
        ) from error
    except OSError:
        return lock  # no locks on this file system
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def _signature(path: Path) -> Any:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _sync_folder(path: Path) -> None:
    """Make sure that the new name of a file is on disk, too."""
    with suppress(OSError):  # not every system can
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _encode(project: Project, data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": project.version,
        "data": dict(data),
        **project.entries,
        "undo": [_encode_step(step) for step in project.undo_steps],
        "redo": [_encode_step(step) for step in project.redo_steps],
    }


def _fit(project: Project, data: Mapping[str, Any]) -> bytes:
    """What a file holds: the project, and as much of its history as can be read again."""
    content = _dump(_encode(project, data), indent=1)
    while (over := len(content) - MOST_BYTES) > 0:
        undo, redo = list(project.undo_steps), list(project.redo_steps)
        if not (undo or redo):
            raise StorageError(
                f"the project would have {len(content):,} bytes, and at most "
                f"{MOST_BYTES:,} are read. The last act was not done. Delete rules or hand "
                "labels, or begin another project."
            )
        while over > 0 and (undo or redo):  # each is longer still as it is written
            over -= len(_dump(_encode_step((undo or redo).pop(0))))
        project = replace(project, undo_steps=tuple(undo), redo_steps=tuple(redo))
        content = _dump(_encode(project, data), indent=1)
    return content


def _dump(found: Any, indent: int | None = None) -> bytes:
    text = json.dumps(found, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def _encode_step(step: Step) -> dict[str, Any]:
    changes = [[c.section, c.key, c.before, c.after] for c in step.changes]
    return {"what": step.what, "changes": changes}


def _decode(found: Any) -> tuple[Project, dict[str, Any]]:
    if found["format"] != FORMAT:
        raise ValueError(f"its format is {found['format']!r:.80}, not {FORMAT!r}")
    if type(found["version"]) is not int or found["version"] < 0:
        raise ValueError("its version is no number")
    entries = {name: dict(found[name]) for name in SECTIONS}
    if len(entries["rules"]) > MOST_RULES:
        raise ValueError(f"it has {len(entries['rules']):,} rules, over {MOST_RULES:,}")
    project = Project(
        entries,
        found["version"],
        tuple(_decode_step(step) for step in found["undo"][-MOST_STEPS:]),
        tuple(_decode_step(step) for step in found["redo"][-MOST_STEPS:]),
    )
    for section, known in entries.items():
        for key, entry in known.items():
            _check_entry(section, key, entry)
    check_classes(project)
    data = found["data"]
    for key, kind in {"name": str, "rows": int, "text": str, "hash": str}.items():
        if type(data[key]) is not kind:
            raise ValueError(f"data.{key} is no {kind.__name__}")
    return project, data


def check_classes(project: Project) -> None:
    """Refuse what no acts lead to: classes that are not there, a name of two rules."""
    names = [rule.title for rule in project.rules.values()]
    if len(set(names)) < len(names):
        raise ValueError("two of its rules have the same name")
    entries, classes = project.entries, set(project.classes)
    if len(classes) < len(project.classes):
        raise ValueError("two of its classes have the same name")
    used = [rule["class"] for rule in entries["rules"].values()]
    used += [label["class"] for label in entries["hand_labels"].values()]
    for name in (*used, *entries["balance"]):
        if name not in classes:
            raise ValueError(f"{name!r:.80} is none of its classes")


def _decode_step(step: Any) -> Step:
    changes = [Change(*change) for change in step["changes"]]
    for change in changes:
        if change.section not in SECTIONS or not isinstance(change.key, str):
            raise ValueError(f"a step changes {change.key!r:.80}")
        if change.section == "rules":
            _check_id(change.key)
        for entry in (change.before, change.after):
            if entry is not None:
                _check_entry(change.section, change.key, entry)
    return Step(str(step["what"]), tuple(changes))


def _check_entry(section: str, key: str, entry: Any) -> None:
    """Refuse what no act would have made: a file may have been edited by hand."""
    good = section in SECTIONS and isinstance(key, str)
    if section == "settings":
        good &= key == "classes" and isinstance(entry, list)
        good &= all(isinstance(c, str) for c in entry)
    elif section == "rules":
        _check_id(key)
        Rule.from_dict(entry)
    elif section in ("rates", "balance"):
        asked = {"rate", "at_most"} if section == "rates" else {"at_least", "at_most"}
        good &= entry.keys() <= asked and 0 < len(entry) <= len(asked - {"rate"})
        good &= all(type(x) in (int, float) and 0 <= x <= 1 for x in entry.values())
        good &= good and entry.get("at_least", 0) <= entry.get("at_most", 1)
    elif section == "hand_labels":
        good &= key.isdecimal() and len(key) < 16 and entry["how"] in HOW
        good &= all(isinstance(entry[k], str) for k in ("class", "hash", "rules"))
    if not good:
        raise ValueError(f"{section}.{key!s:.20} is {entry!r:.80}")


def _check_id(key: str) -> None:
    """Refuse ids of rules that are no number behind an r."""
    if key[:1] != "r" or not key[1:].isdecimal() or len(key) >= 12:
        raise ValueError(f"{key!r:.40} is no id of a rule")
