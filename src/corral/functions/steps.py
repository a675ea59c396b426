"""What steps of bytecode do that forbids to keep answers.

They read from outside the program, by the names in `corral.functions.outside`, or change
what is still there at the next row: globals, variables closed over, attributes, containers.
"""

from __future__ import annotations

import dis
import sys
from collections import deque
from collections.abc import MutableMapping, MutableSequence, MutableSet
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from corral.functions.outside import (
    BUILT_IN,
    DATES,
    WORDS,
    CannotHashError,
    refuse_method,
    refuse_module,
    refuse_name,
)

GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
CLOSED_OVER = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
PARTS = ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
"""Steps that change a part of something."""
CHANGING = {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft"}
CHANGING |= {"insert", "pop", "popitem", "popleft", "remove", "reverse", "setdefault"}
CHANGING |= {"sort", "subtract", "update"}
"""Methods that change ..."""
CONTAINERS = (MutableMapping, MutableSequence, MutableSet, deque, bytearray)
"""... such objects."""
SETTING_UP = (
    *("__init__", "__new__", "__post_init__", "__set", "_fit", "_init", "_set"),
    *("fit", "init", "load", "partial_fit", "set", "train"),
)
"""How methods begin that are called before rows come: what they leave is hashed."""


def steps_of(code: CodeType) -> list[dis.Instruction]:
    """The steps of code, those that do two things as two."""
    steps = []
    for step in dis.get_instructions(code):
        if step.opname == "EXTENDED_ARG":
            continue
        if isinstance(step.argval, tuple) and "_FAST_" in step.opname:
            middle = step.opname.index("_FAST_") + len("_FAST")
            kinds = step.opname[:middle], step.opname[middle + 1 :]
            for kind, name in zip(kinds, step.argval, strict=True):
                steps.append(step._replace(opname=kind, argval=name))
        else:
            steps.append(step)
    return steps


@dataclass(frozen=True)
class Body:
    """The code of a function, or of one within it, and what its names stand for.

    Attributes
    ----------
    function : FunctionType
        The outermost function.
    code : CodeType
        Its code, or that of a function within it.
    steps : list of Instruction
    cells : dict
        The variables that the function closes over and that have a value.
    """

    function: FunctionType
    code: CodeType
    steps: list[dis.Instruction]
    cells: dict[str, Any]

    def refuse(self, at: int) -> None:
        """Refuse the step at a position, if for it no answer can be kept."""
        step = self.steps[at]
        known = step.argval in self.function.__globals__
        if step.opname in GLOBAL and not known and step.argval in BUILT_IN:
            if self.code.co_name != "__hash__" or step.argval != "hash":
                raise CannotHashError(f"what {step.argval}() gives it cannot be seen")
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise CannotHashError(f"it changes the global {step.argval!r}")
        elif step.opname in ("STORE_DEREF", "DELETE_DEREF"):
            if step.argval in self.function.__code__.co_freevars:
                raise CannotHashError(f"it changes {step.argval!r} around it")
        elif step.opname in PARTS:
            self._refuse_change(at)
        elif step.opname in ATTRIBUTE and self._is_called(at):
            refuse_method(step.argval)
            if step.argval in CHANGING:
                self._refuse_change(at)

    def refuse_dates(self) -> None:
        """Refuse a text that means the clock, in code that makes dates of texts."""
        words = [
            w for c in self.code.co_consts for w in (c if type(c) is tuple else [c])
        ]
        found = [word for word in words if word in WORDS]
        if found and not DATES.isdisjoint(self.code.co_names):
            raise CannotHashError(f"it reads the clock from outside ({found[0]!r})")

    def refuse_import(self, at: int) -> None:
        """Refuse what is imported while the function runs, if it reads from outside."""
        name = self.steps[at].argval
        top, _, rest = name.partition(".")
        if rest:
            refuse_name(top, rest)
        after = self.steps[at + 1]
        if after.opname == "IMPORT_FROM":
            for step in self.steps[at + 1 :]:
                if step.opname == "IMPORT_FROM":
                    refuse_name(name, step.argval)
                elif step.opname == "IMPORT_NAME":
                    break
        elif after.opname == "STORE_FAST":
            for use, step in enumerate(self.steps):
                if _is_local(step) and step.argval == after.argval:
                    refuse_use(top, self.steps[use + 1 :])
        else:  # for functions within, or all: who uses it how cannot be followed
            refuse_module(top)

    def _is_called(self, at: int) -> bool:
        """Whether an attribute is read to be called at once."""
        step = self.steps[at]
        if any(later.opname == "CALL_FUNCTION_EX" for later in self.steps[at:]):
            return True  # called(*with, **these) looks like an attribute that is read
        if sys.version_info < (3, 12):
            return step.opname == "LOAD_METHOD"
        return bool((step.arg or 0) & 1)

    def _refuse_change(self, at: int) -> None:
        """Refuse to change a part of what is still there at the next row."""
        step, root = self.steps[at], self._root(at)
        if _start(step) is None:  # Python was told to forget it
            raise CannotHashError("what it changes cannot be seen")
        if root is None:
            return
        name = self.steps[root].argval
        lasting = self._lasting(self.steps[root])
        if name not in lasting:
            changes = self._changes_itself(at, name) or name in self._defaults()
        elif step.opname in PARTS:
            changes = True
        else:
            value = lasting[name]
            for following in self.steps[root + 1 : at]:
                if isinstance(value, ModuleType) and following.opname in ATTRIBUTE:
                    value = getattr(value, following.argval, None)
            changes = isinstance(value, CONTAINERS)
        if changes:
            raise CannotHashError(f"it changes {name!r}, which outlives the row")

    def _root(self, at: int) -> int | None:
        """Where the name is read that begins a target, as `a` begins ``a.b[c]``."""
        start = _start(self.steps[at])
        for place in range(at):
            step = self.steps[place]
            if _start(step) == start:
                root = place - 1 if step.opname in ATTRIBUTE else place
                named = _is_local(self.steps[root])
                named |= self.steps[root].opname in GLOBAL + CLOSED_OVER
                if named:
                    return root
        named = _is_local(self.steps[at - 1])  # of a step that does two things
        return at - 1 if named and self.steps[at].opname == "STORE_ATTR" else None

    def _lasting(self, step: dis.Instruction) -> dict[str, Any]:
        """The variables, of those that outlive a call, among which a step reads one."""
        if step.opname in GLOBAL:
            return self.function.__globals__
        return self.cells if step.opname in CLOSED_OVER else {}

    def _defaults(self) -> set[str]:
        """Arguments whose default is one object for all calls."""
        code = self.function.__code__
        given = self.function.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount][code.co_argcount - len(given) :]
        defaults = dict(zip(names, given, strict=True))
        defaults |= self.function.__kwdefaults__ or {}
        return {n for n, value in defaults.items() if isinstance(value, CONTAINERS)}

    def _changes_itself(self, at: int, name: str) -> bool:
        """Whether a method changes its own object, other than to set it up."""
        code = self.function.__code__
        own = (
            code.co_argcount and name == code.co_varnames[0] and name in ("self", "cls")
        )
        if not own or code.co_name.startswith(SETTING_UP):
            return False
        # self.add() is a method of its own, self.seen.add() changes a container.
        inner = self.steps[at - 1].argval != name
        return self.steps[at].opname in PARTS or inner


def refuse_use(name: str, following: list[dis.Instruction]) -> None:
    """Refuse what code does with an installed module, if it reads from outside."""
    for step in following:
        if step.opname not in ATTRIBUTE:
            refuse_module(name)
            return
        refuse_name(name, step.argval)
        value = getattr(sys.modules.get(name), step.argval, None)
        if not isinstance(value, ModuleType):
            return
        name = value.__name__


def _is_local(step: dis.Instruction) -> bool:
    return step.opname.startswith("LOAD_FAST")


def _start(step: dis.Instruction) -> tuple[int, int] | None:
    """Line and column where the source of a step begins, if that is known."""
    place = step.positions
    if place is None or place.lineno is None or place.col_offset is None:
        return None
    return place.lineno, place.col_offset
