"""From what judges wrote to probabilities of the classes."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.errors import SignalsError
from corral.judges.answer_lines import Answer
from corral.signals.abstains import is_missing, is_no_vote

AROUND = " \t\r\n\"'`*.,:;!()[]{}"
"""What may stand around a verdict without changing it."""
REFUSALS = frozenset({"refusal", "refuse", "refused"})
"""Verdicts that say that there is none."""
REFUSES = re.compile(
    r"(i.m|i am) (very )?(sorry|unable)|sorry,|i (can.?t|cannot|can not|won.t)\b"
    r"|as an ai\b|i must decline|i decline"
)
"""How texts begin in which a model declines to answer; in lower case."""
FENCE = re.compile(r"^```\w*\s*|\s*```$")
LONGEST = 60
"""Characters of a verdict, where nobody said which classes there are."""
MOST_CLASSES = 100
LARGEST = 1e300
"""Numbers beyond this are none; whole numbers of JSON may have any length."""
ROUNDING = 1e-3
"""How far above zero rounding may lift a log-probability."""
OFF = 0.01
"""How far from one probabilities may add up to for each of them, as rounded ones do."""
MARKS = "verdict|answer|decision|judge?ment|conclusion"
"""What texts call their verdict."""
FIRST = r"[*_`\"']{0,3}[ \t]{0,3}[:=\n][\s*_`\"'(\[{<]{0,9}"
"""What stands between such a word and the verdict."""
LAST = r"[*_`\"')\]}>]{0,9}(?:[.,;:!](?!\S)|[ \t]{1,3}[-\u2013\u2014(]|[ \t]{0,9}$)"
"""What must follow it: "Answer: A good reply" does not name the class A."""
OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Verdict:
    """An answer that was read: a class, its probabilities, or why there is none.

    Attributes
    ----------
    outcome : "voted", "refused", "unreadable" or "failed"
    said : text, number or None
        What the class was called, or the text that is no class.
    tokens : dict, optional
        Probabilities by what they are of, not yet matched with the classes.
    add_up : bool
        Whether these must add up to one; those of tokens need not.
    """

    outcome: str
    said: Any = None
    tokens: dict[str, float] | None = None
    add_up: bool = False


def as_key(value: Any) -> str:
    """What makes two spellings of a verdict one: case, and what stands around, do not.

    Nor does a point after a whole number: 4 and 4.0 are one grade.

    Examples
    --------
    >>> from corral.judges.verdicts import as_key
    >>> as_key(" **Pass**."), as_key(4.0), as_key(True)
    ('pass', '4', 'true')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text.strip(AROUND).lower()


@dataclass(frozen=True)
class VerdictReader:
    """How verdicts are found in answers.

    Attributes
    ----------
    label : str
        The field of the verdict, in texts that are JSON.
    spellings : dict or None
        The class of every known verdict, by `as_key`; None: verdicts are the classes.
    silent : frozenset of str
        Verdicts that mean no vote.
    pattern : compiled pattern or None
        Its last match in a text is the verdict; its first group if it has one.
    """

    label: str
    spellings: dict[str, Any] | None
    silent: frozenset[str]
    pattern: re.Pattern[str] | None

    def read(self, answer: Answer) -> Verdict:
        """What an answer says."""
        if answer.failed:
            return Verdict("failed")
        if answer.refused:
            return Verdict("refused")
        said = self._find(answer.verdict)
        key = None if _is_empty(said) else as_key(said)
        tokens = self._read_tokens(answer, key)
        add_up = answer.probabilities is not None
        if key is None:
            if tokens is None:
                return Verdict("failed")
            return Verdict("voted", None, tokens, add_up)
        if key in self.silent:
            return Verdict("refused")
        if self.spellings is not None and key in self.spellings:
            return Verdict("voted", self.spellings[key], tokens, add_up)
        if key in REFUSALS or is_no_vote(key) or REFUSES.match(key):
            return Verdict("refused")
        # JSON without the field of the verdict is no class.
        plain = not isinstance(said, Mapping | list) and "{" not in str(said)
        if self.spellings is None and plain:
            if len(str(said)) > LONGEST:
                raise SignalsError(
                    f"has the verdict {str(said)[:LONGEST]!r}..., which is a long text. "
                    f"Say where verdicts are with `classes=` and `pattern=`"
                )
            return Verdict("voted", said, tokens, add_up)
        return Verdict("unreadable", said)

    def _find(self, verdict: Any) -> Any:
        """The verdict within a text: by the pattern, in JSON, or after a word for it."""
        if isinstance(verdict, Mapping):
            return verdict.get(self.label, verdict)
        if not isinstance(verdict, str):
            return verdict
        if self.pattern is not None:
            found = list(self.pattern.finditer(verdict))
            if found:
                return found[-1][1 if self.pattern.groups else 0]
        text = FENCE.sub("", verdict.strip())
        for written in (text, *reversed(OBJECT.findall(text))):
            try:
                value = json.loads(written) if written.startswith("{") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(value, Mapping) and self.label in value:
                return value[self.label]
        known, marked, bold = self._forms
        if as_key(verdict) in known:
            return verdict
        named: list[str] = marked.findall(text)
        if not named and self.spellings is not None:
            named = bold.findall(text)
            if len(set(map(as_key, named))) > 1:  # "neither **yes** nor **no**"
                return verdict
        return named[-1] if named else verdict

    @cached_property
    def _forms(self) -> tuple[set[str], re.Pattern[str], re.Pattern[str]]:
        """All known verdicts; ``Verdict: X``, of which the last counts; and ``**X**``.

        X is a known verdict, or one word where the classes are not known.
        """
        known = {*(self.spellings or ()), *self.silent}
        longest = sorted(known, key=len, reverse=True)
        names = "|".join(map(re.escape, longest))
        said = (
            r"[\w+-]+" if self.spellings is None else rf"(?:{names})(?!,\s*(?:{names}))"
        )
        mark = rf"\b(?:{MARKS}|{re.escape(self.label)})"
        flags = re.IGNORECASE | re.MULTILINE
        return (
            known,
            re.compile(f"{mark}{FIRST}({said}){LAST}", flags),
            re.compile(rf"\*\*({names})[.!:]?\*\*", flags),
        )

    def _read_tokens(self, answer: Answer, key: str | None) -> dict[str, float] | None:
        if answer.probabilities is not None:
            return _sum_by_key(answer.probabilities, log=False)
        if answer.logprobs is None:
            return None
        logs = _alternatives(answer.logprobs, key)
        return None if logs is None else _sum_by_key(logs, log=True)


def _is_empty(value: Any) -> bool:
    return not isinstance(value, Mapping | list) and (
        is_missing(value) or (isinstance(value, str) and not value.strip(AROUND))
    )


def _alternatives(logs: Any, key: str | None) -> Any:
    """Log-probabilities of what could have stood where the verdict stands.

    Of several positions it is the last whose token is the verdict; None if there is none,
    as where a verdict is more than one token.
    """
    one_place = True
    if isinstance(logs, Mapping) and "content" in logs:
        logs, one_place = logs["content"] or [], False
    if not isinstance(logs, list):
        return logs
    if one_place and not any(
        isinstance(each, Mapping) and "top_logprobs" in each for each in logs
    ):
        return {each["token"]: each["logprob"] for each in logs} if logs else None
    at = [each for each in logs if as_key(each["token"]) == key]
    if not at:
        return None
    others = at[-1].get("top_logprobs") or []
    if not any(each["token"] == at[-1]["token"] for each in others):
        others = [*others, at[-1]]
    return {each["token"]: each["logprob"] for each in others}


def _sum_by_key(values: Any, *, log: bool) -> dict[str, float]:
    """Probabilities by key, added up over the spellings of one."""
    what = "log-probabilities" if log else "probabilities"
    if not isinstance(values, Mapping):
        raise SignalsError(f"has {what} that are no object from class to number")
    sums: dict[str, float] = {}
    for token, value in values.items():
        number = isinstance(value, int | float) and (
            abs(value) <= LARGEST or value == -math.inf  # the latter: it cannot be
        )
        if not number or (value > ROUNDING if log else not 0 <= value <= 1 + ROUNDING):
            least = "at most 0" if log else "from 0 to 1"
            said = f"{token!r:.40} {value!r:.40}"
            raise SignalsError(f"has {what} that are not {least}: {said}")
        key = as_key(token)
        sums[key] = sums.get(key, 0.0) + (math.exp(value) if log else value)
    total, off = sum(sums.values()), OFF * len(sums)
    if total > 1 + off or (not log and len(sums) > 1 and total < 1 - off):
        raise SignalsError(f"has {what} that add up to {total:.3g}, not to one")
    return sums


def find_classes(said: Iterable[Any]) -> list[Any]:
    """The classes where nobody named them: all verdicts, one per key, sorted."""
    spellings: dict[str, Counter[Any]] = {}
    for value in said:
        if value is not None:
            shown = as_key(value) if isinstance(value, bool) else value
            spellings.setdefault(as_key(value), Counter())[shown] += 1
    classes = [counts.most_common(1)[0][0] for counts in spellings.values()]
    if not 2 <= len(classes) <= MOST_CLASSES:
        shown = ", ".join(map(repr, classes[:8]))
        raise SignalsError(
            f"the judges name {len(classes)} classes ({shown}). Name all of them with "
            f"`classes=`."
        )
    if all(isinstance(c, int | float) for c in classes):
        return sorted(classes)
    return sorted(c if isinstance(c, str) else as_key(c) for c in classes)


def class_shares(
    verdict: Verdict, position: Mapping[str, int], k: int
) -> tuple[FloatArray, float] | None:
    """Probabilities (k,) of the classes, and the mass that tokens gave them.

    The mass is NaN where there are no probabilities of tokens. None: no token is a class.
    Of two classes, the probability of one tells that of the other.
    """
    shares = np.zeros(k)
    tokens = verdict.tokens or {}
    for token, share in tokens.items():
        if token in position:
            shares[position[token]] += share
    if verdict.add_up and len(tokens) == 1:
        (token,) = tokens
        missing = max(1 - tokens[token], 0.0)
        if k == 2 and token in position:
            shares[1 - position[token]] = missing
        elif missing > OFF:
            raise SignalsError(
                f"probabilities must add up to one; {tokens!r:.60} came. Give those of "
                f"all {k} classes."
            )
    mass = float(shares.sum())
    if mass > 0:
        return shares / mass, min(mass, 1.0)
    if verdict.said is None:
        return None
    shares[position[as_key(verdict.said)]] = 1.0
    return shares, math.nan


def spelling_table(
    classes: Sequence[Any] | None, verdicts: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """The class of every known verdict: those named, and the classes themselves."""
    if classes is None and verdicts is None:
        return None
    named = list(verdicts.values()) if verdicts else []
    table = {as_key(c): c for c in (*named, *(classes or ()))}
    return table | {as_key(text): c for text, c in (verdicts or {}).items()}
