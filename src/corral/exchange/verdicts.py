"""What a judge's answer says: a verdict, a refusal, or nothing that names a class."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError
from corral.votes.coding import is_missing, is_no_vote

MAX_PROBABILITY = 1 + 1e-3
"""Probabilities are rounded, so one may be a little above one."""
MAX_SUM_ERROR = 0.01
"""By how much probabilities may miss the sum of one, for each of them."""

AROUND = " \t\r\n\"'`*.,:;!()[]{}"
"""Characters around a verdict that do not change it."""
REFUSALS = re.compile(
    r"refusal$|refused?$|(i.m|i am) (very )?(sorry|unable)|sorry,|as an ai\b"
    r"|i (can.?t|cannot|can not|won.t)\b|i must decline|i decline"
)
"""How verdicts begin, in lower case, in which a model declines to answer."""
OBJECT = re.compile(r"\{[^{}]*\}")
MARKS = "verdict|answer|decision|judge?ment|conclusion"
BEFORE = r"[*_`\"']{0,3}[ \t]{0,3}[:=\n][\s*_`\"'(\[{<]{0,9}"
"""What texts call their verdict, and what stands between such a word and the verdict."""
AFTER = r"[*_`\"')\]}>]{0,9}(?:[.,;:!](?!\S)|[ \t]{1,3}[-\u2013\u2014(]|[ \t]{0,9}$)"
"""What must follow it: "Answer: A good reply" does not name the class A."""


class Answer(NamedTuple):
    """An answer as it was written; `outcome` is what a judge or service says itself."""

    verdict: Any = None
    logprobs: Any = None
    probabilities: Any = None
    outcome: str | None = None


class Verdict(NamedTuple):
    """An answer that was read.

    It is "voted", "refused", "unreadable" or "failed"; `said` is the class, or the text
    that names no class. `tokens` are probabilities by key, not yet matched with classes.
    """

    outcome: str
    said: Any = None
    tokens: dict[str, float] | None = None


def as_key(value: Any) -> str:
    """What spellings of a verdict share: not case, what stands around, or 4.0 for 4."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text.strip(AROUND).lower()


class VerdictReader:
    """Finds verdicts in answers.

    `label` is their field in texts that are JSON, `classes` are by key (without any, all
    verdicts are classes), `silent` are values that mean no vote. Numbers from `threshold`
    on are a pass.
    """

    def __init__(
        self,
        label: str,
        classes: dict[str, Any],
        silent: Iterable[Any],
        pattern: str | None,
        threshold: float | None,
    ) -> None:
        self.label, self.classes, self.threshold = label, classes, threshold
        self.silent = set(map(as_key, silent))
        self.known = {*classes, *self.silent}
        try:
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            raise ParameterError(
                f"must be a regular expression; {pattern!r} is not one: {error}.",
                parameter="pattern",
            ) from error
        names = "|".join(map(re.escape, sorted(self.known, key=len, reverse=True)))
        said = rf"(?:{names})(?!,\s*(?:{names}))" if classes else r"[\w+-]+"
        marked = rf"\b(?:{MARKS}|{re.escape(label)}){BEFORE}({said}){AFTER}"
        self._marked = re.compile(marked, re.IGNORECASE | re.MULTILINE)
        self._bold = re.compile(rf"\*\*({names})[.!:]?\*\*", re.IGNORECASE)

    def read(self, answer: Answer) -> Verdict:
        """What an answer says."""
        if answer.outcome is not None:
            return Verdict(answer.outcome)
        said = self._find(answer.verdict)
        if self.threshold is not None and type(said) in (int, float):
            said = "pass" if said >= self.threshold else "fail"
        nested = isinstance(said, dict | list)
        blank = isinstance(said, str) and not said.strip(AROUND)
        key = None if not nested and (blank or is_missing(said)) else as_key(said)
        tokens = None
        if answer.probabilities is not None:
            tokens = _sum_by_key(answer.probabilities, log=False)
        elif answer.logprobs is not None:
            tokens = _sum_by_key(_alternatives(answer.logprobs, key), log=True)
        if key is None:
            return Verdict("voted" if tokens else "failed", None, tokens)
        if key in self.classes and key not in self.silent:
            return Verdict("voted", self.classes[key], tokens)
        if key in self.silent or is_no_vote(key) or REFUSALS.match(key):
            return Verdict("refused")
        # JSON without the field of the verdict does not name a class.
        if self.classes or nested or "{" in str(said):
            return Verdict("unreadable", said)
        return Verdict("voted", said, tokens)

    def _find(self, verdict: Any) -> Any:
        """The verdict within a text: by the pattern, in JSON, or after a word for it."""
        if isinstance(verdict, dict):
            return verdict.get(self.label, verdict)
        if not isinstance(verdict, str):
            return verdict
        if self.pattern is not None:
            found = list(self.pattern.finditer(verdict))
            if found:
                return found[-1][1 if self.pattern.groups else 0]
        text = verdict.strip("` \n").removeprefix("json")
        for written in (text, *reversed(OBJECT.findall(text))):
            try:
                value = json.loads(written)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and self.label in value:
                return value[self.label]
        if as_key(verdict) in self.known:
            return verdict
        named: list[str] = self._marked.findall(text)
        if not named and self.classes:
            named = self._bold.findall(text)
            if len(set(map(as_key, named))) > 1:  # "neither **yes** nor **no**"
                named = []
        return named[-1] if named else verdict


def _alternatives(logs: Any, key: str | None) -> Any:
    """Log-probabilities of what could have stood where the last verdict stands.

    Nothing if no token is the verdict, such as if a verdict has more than one token.
    """
    if isinstance(logs, dict) and "content" in logs:
        places = logs["content"] or []
    elif not isinstance(logs, list):
        return logs
    elif any("top_logprobs" in each for each in logs):
        places = logs
    else:  # all are of one place
        return {each["token"]: each["logprob"] for each in logs}
    at = [each for each in places if as_key(each["token"]) == key]
    others = (at[-1].get("top_logprobs") or []) if at else []
    return {each["token"]: each["logprob"] for each in (*at[-1:], *others)}


def _sum_by_key(values: Any, *, log: bool) -> dict[str, float]:
    """Probabilities by key, added up over the spellings of one."""
    what = "log-probabilities" if log else "probabilities"
    if not isinstance(values, dict):
        raise SignalsError(f"has {what} that are not an object from class to number")
    sums: dict[str, float] = {}
    for token, value in values.items():
        share = math.nan
        if isinstance(value, int | float):
            share = math.exp(min(value, 1.0)) if log else value
        if not 0 <= share <= MAX_PROBABILITY:
            range_ = "at most 0" if log else "from 0 to 1"
            said = f"{token!r:.40} {value!r:.40}"
            raise SignalsError(f"has {what} that are not {range_}: {said}")
        key = as_key(token)
        sums[key] = sums.get(key, 0.0) + share
    total, off = sum(sums.values()), MAX_SUM_ERROR * len(sums)
    if total > 1 + off or (not log and total < 1 - off):
        raise SignalsError(
            f"has {what} that add up to {total:.3g}, not to one; all classes are needed"
        )
    return sums


def class_shares(verdict: Verdict, position: Mapping[str, int]) -> FloatArray | None:
    """Probabilities (k,) of the classes, None if nothing names one."""
    shares = np.zeros(len(position))
    for token, share in (verdict.tokens or {}).items():
        if token in position:
            shares[position[token]] += share
    if shares.any():
        return shares / shares.sum()
    if verdict.said is None:
        return None
    shares[position[as_key(verdict.said)]] = 1.0
    return shares
