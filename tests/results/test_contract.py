"""What every result class can do: print, JSON, frame, page, files by their ending."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.exchange.exports import EXPORTS

import corral
import corral.functions
import corral.study  # loaded late
from corral.api import (
    apply_file,
    inspect,
    suggest,
)
from corral.datasets import random_comparisons, random_votes
from corral.errors import ParameterError
from corral.labelers.labelled import describe_labels
from corral.results import Chart, Result
from corral.results.result import SUFFIXES, _walk

HOSTILE = '"><img src=x onerror=alert(1)>\x1b[2J\u202e'
NAMES = [HOSTILE, "b", "c", "d"]


def make_results(folder: Path) -> dict[str, Result]:
    """One small instance of every class, with hostile names."""
    votes, truth = random_votes(120, [0.9, 0.8, 0.7, 0.6], coverage=0.8)
    values = np.array([HOSTILE, "ham", None], object)
    signals = corral.WeakSignals.from_votes(values[votes], names=NAMES)
    labeler = corral.ConstrainedLabeler(0.2, "entropy").fit(signals)
    gold = values[truth].copy()
    known = np.where(np.arange(120) % 3, None, gold)
    table = folder / "votes.csv"
    rows = [",".join(map(str, row)) for row in votes.tolist()]
    table.write_text("\n".join(["a,b,c,d", *rows]))
    answers = folder / "answers.jsonl"
    lines = [
        {"id": i, "judge": f"{HOSTILE}{j}", "verdict": verdict}
        for i in range(9)
        for j, verdict in enumerate(("yes", "no", "maybe" if i else "?"))
    ]
    answers.write_text("\n".join(map(json.dumps, lines)))
    rules = folder / "rules.py"
    rules.write_text(
        "import corral\n@corral.signal\ndef rule(row):\n"
        "    return 'x' if row.a == 1 else 'y'\n"
    )
    graded = corral.OrdinalLabeler().fit(np.abs(votes))
    made = random_comparisons(200, {HOSTILE: 1.0, "y": 0.0}, {HOSTILE: (1, 0)})
    results = [
        corral.redundancy(signals),
        corral.value_of_signal(labeler, signals),
        corral.analyse(signals, labeler, gold),
        corral.agreement(signals, resamples=20),
        corral.compare(signals, gold, ["majority-vote", "weighted-vote"]),
        corral.feasibility(labeler, signals),
        panel := corral.panel(signals, gold=known, slices={HOSTILE: gold}),
        panel.check(["accuracy >= 0.5", f"accuracy({HOSTILE}) >= 0.99"]),
        panel.compare_systems(np.where(np.arange(120) % 2, HOSTILE, "b")),
        panel.automate(error=0.3),
        panel.since(panel),
        corral.preferences(made, judge="judge"),
        corral.reliability(labeler, gold),
        corral.read_judges(answers, classes=["no", "yes"]),
        corral.read_annotations(EXPORTS["argilla"](folder)),
        corral.report(signals, labeler=labeler, gold=gold, text=[HOSTILE] * 120),
        labeler.explain(0, signals),
        graded.summarise(),
        corral.train(labeler, [HOSTILE] * 120, gold=known, votes=signals),
        describe_labels(labeler, signals, 120, 9),
        inspect(table),
        suggest(table, 3),
        apply_file(rules, table, folder / "applied.csv"),
    ]
    return {type(result).__name__: result for result in results}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_results(tmp_path_factory.mktemp("results"))


for public in corral.__all__:
    getattr(corral, public)  # loads every class


def all_classes(kind=Result):
    for each in kind.__subclasses__():
        if each.__module__.startswith("corral."):
            yield each.__name__
        yield from all_classes(each)


CLASSES = sorted(set(all_classes()))
SECTIONS = {"Summary", "LabelShares"}
"""Parts of other results, which show them."""


def test_every_class_is_tried(results):
    assert set(CLASSES) - SECTIONS == set(results)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - SECTIONS))
def test_contract(results, name, tmp_path):
    result = results[name]
    text = str(result)
    assert text == repr(result)
    assert all(c.isprintable() or c == "\n" for c in text), ascii(text)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found
    page = result.to_html()
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert result.title
    assert len(re.findall("<h1", page)) == 1
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    has = dict.fromkeys(SUFFIXES, True)
    has[".csv"] = bool(result.tables)
    has[".svg"] = any(isinstance(part, Chart) for part in _walk(result.parts()))
    for suffix, there in has.items():
        path = tmp_path / f"result{suffix}"
        if there:
            result.write(path)
            assert path.stat().st_size
        else:
            with pytest.raises(ParameterError, match=re.escape(suffix)):
                result.write(path)
    pytest.importorskip("pandas")
    for at, table in enumerate(result.tables):
        assert len(result.to_frame(at)) == len(table)
