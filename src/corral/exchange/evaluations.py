"""Files of tools that evaluate systems: what a module for one defines, and its lines.

Such a tool has scorers, metrics or assertions judge what systems answered. Its module has
two functions: ``knows`` says whether a record is the tool's, and ``read`` makes records
`Judgement`s. These become lines as judges write them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

from corral.errors import SignalsError
from corral.exchange.records import (
    Record,
    expecting,
    find_tool,
    load_tool,
    read_records,
)
from corral.results import join_names

EVALUATIONS = {
    "inspect": "inspect_logs",
    "promptfoo": "promptfoo",
    "deepeval": "deepeval",
    "lm-eval": "lm_eval",
    "mlflow": "mlflow",
    "langfuse": "langfuse",
    "openai-evals": "openai_evals",
    "ragas": "ragas",
}
"""The module of every tool, in the order in which they are tried."""
MAX_GRADES = 11
"""Different whole numbers up to which a scorer grades; with more it measures."""
SHARE, PASS, WORD, GRADE, OTHER = "share", "pass", "word", "grade", "other"
"""Terms of scorers: from 0 to 1; words of pass and fail, which join those; other words;
whole numbers; and what is not a verdict."""
WORDS = {
    **dict.fromkeys(("yes", "true", "pass", "passed", "correct", "c"), True),
    **dict.fromkeys(("no", "false", "fail", "failed", "incorrect", "i"), False),
}
"""Words that mean pass or fail, beside scorers that say so by numbers."""


class Judgement(NamedTuple):
    """What one scorer, or a person, says of what one system answered to one item."""

    item: Any
    judge: str
    value: Any  # pass or fail as bool, a number or a text; None: the scorer failed
    reason: Any = None
    score: Any = None  # beside a value that is not a number itself
    system: Any = None
    task: Any = None
    trial: Any = None  # such as an epoch
    input: Any = None  # a text, a message or several, as of the next two
    output: Any = None
    target: Any = None
    others: Mapping[str, Any] = {}  # by column
    human: bool = False


def read_lines(
    path: str | PathLike[str], threshold: float | None
) -> tuple[Iterator[tuple[str, str, Record]], tuple[str, ...]]:
    """Lines of judges, each with the stem of its file and its place; and notes."""
    records = read_records(path)
    first = next(records)
    records = chain([first], records)
    name = find_tool(EVALUATIONS, first[2])
    if name is None:
        return ((file.stem, place, line) for file, place, line in records), ()
    read = load_tool(EVALUATIONS[name]).read
    with expecting(name, path):
        found = read([(file, record) for file, _, record in records])
        said = [
            one._replace(value=None) if one.value != one.value else one  # NaN
            for one in found
        ]
        lines, notes = _as_lines(said, 0.5 if threshold is None else threshold)
    about = f"{name}: {len({line['id'] for line in lines}):,} answers that were judged"
    places = (("", f"an answer in {str(path)!r}", line) for line in lines)
    return places, ("; ".join([about, *notes]),)


def _as_lines(
    said: list[Judgement], threshold: float
) -> tuple[list[Record], list[str]]:
    """One line per judgement of a scorer, all in the same terms; and notes."""
    values: dict[str, list[Any]] = defaultdict(list)
    for one in said:
        if one.value is not None and not one.human:
            values[one.judge].append(one.value)
    terms, judges = _choose_judges({j: _find_terms(v) for j, v in values.items()})
    notes = []
    numbers = [value for judge in judges for value in values[judge]]
    if terms == SHARE and any(type(each) is float and each % 1 for each in numbers):
        notes.append(f"scores from {threshold:g} are a pass")
    if others := [judge for judge in values if judge not in judges]:
        notes.append(f"not votes: {join_names(others)}")

    def as_verdict(value: Any) -> Any:
        if terms != SHARE or value is None:
            return value
        passed = WORDS[value.strip().lower()] if isinstance(value, str) else value
        is_pass = passed if isinstance(passed, bool) else passed >= threshold
        return "pass" if is_pass else "fail"

    names = _name_answers(said)
    _check_inputs(names, said)
    several = len({one.judge for one in said if one.human}) > 1
    about: dict[Any, Record] = {name: {} for name in names}
    people: dict[str, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
    lines = []
    for name, one in zip(names, said, strict=True):
        item = None if one.item == name else one.item
        texts = {t: _as_text(getattr(one, t)) for t in ("input", "output", "target")}
        found = {"item": item, "system": one.system, **texts, **one.others}
        about[name] |= {key: v for key, v in found.items() if v is not None}
        if one.human:
            column = f"human: {one.judge}" if several else "human"
            people[column][name].append(one.value)
        elif one.judge not in judges:
            about[name][one.judge] = one.value
        else:
            is_score = type(one.value) in (int, float) and one.score is None
            line = {"id": name, "judge": one.judge, "verdict": as_verdict(one.value)}
            line["score"] = one.value if is_score else one.score
            lines.append({**line, "explanation": _as_text(one.reason)})
    differ = 0
    for column, answers in people.items():
        spoken = [v for each in answers.values() for v in each if v is not None]
        # Other terms, such as grades beside shares, stay as they are.
        alike = _find_terms(spoken) in (SHARE, PASS)
        for name, each in answers.items():
            meant = set(map(as_verdict, each)) if alike else set(each)
            differ += len(meant) > 1
            about[name][column] = meant.pop() if len(meant) == 1 else None
    if people:
        left_out = f", but {differ:,} on which they differ" if differ else ""
        where = join_names(map(repr, people))
        notes.append(f"people's answers are in {where}{left_out}")
    return [{**line, **about[line["id"]]} for line in lines], notes


def _choose_judges(terms: Mapping[str, str]) -> tuple[str, list[str]]:
    """The terms in which most scorers speak, and those scorers."""
    joins = {SHARE: SHARE, PASS: SHARE if SHARE in terms.values() else WORD}
    joined = {judge: joins.get(each, each) for judge, each in terms.items()}
    groups = {t: [j for j in joined if joined[j] == t] for t in (SHARE, WORD, GRADE)}
    most = max(groups, key=lambda each: len(groups[each]))
    if not groups[most]:
        raise SignalsError(
            "no scorer gives a verdict, a grade or a score from 0 to 1; those that say "
            f"anything are {join_names(map(repr, terms)) or 'missing'}."
        )
    return most, groups[most]


def _find_terms(values: list[Any]) -> str:
    """In which terms a scorer speaks."""
    if all(isinstance(value, str) for value in values):
        return PASS if {v.strip().lower() for v in values} <= WORDS.keys() else WORD
    if not all(isinstance(value, float | int) for value in values):
        return OTHER
    if all(0 <= value <= 1 for value in values):
        return SHARE
    whole = all(float(value).is_integer() for value in values)
    return GRADE if whole and len(set(values)) <= MAX_GRADES else OTHER


def _name_answers(said: list[Judgement]) -> list[Any]:
    """What tells answers apart: the item, and as needed its task, system and trial."""
    keys = [(one.task, one.item, one.system, one.trial) for one in said]
    some = [i for i in range(4) if i == 1 or len({str(key[i]) for key in keys}) > 1]
    if some == [1]:
        return [key[1] for key in keys]
    return [", ".join(str(key[i]) for i in some if key[i] is not None) for key in keys]


def _check_inputs(names: list[Any], said: list[Judgement]) -> None:
    """Refuse one name for several questions, as files that count from 0 each have."""
    asked: dict[Any, str] = {}
    for name, one in zip(names, said, strict=True):
        text = _as_text(one.input)
        if text is not None and asked.setdefault(name, text) != text:
            raise SignalsError(
                f"two questions have the name {name!r}: {asked[name]!r:.40} and "
                f"{text!r:.40}. Read files that name their questions alike one by one."
            )


def get(record: Mapping[str, Any], *keys: str) -> Any:
    """The value under the first of the keys that has one."""
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _as_text(value: Any) -> str | None:
    """The text of a message, of several, or of parts of one."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_as_text, value))) or None
    if isinstance(value, dict):
        inner = get(value, "content", "text", "output")
        return json.dumps(value) if inner is None else _as_text(inner)
    return str(value)
