"""Facts of a report, by hand calculation and by the functions that it is made of."""

import html
import re

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError

# Three signals; the last example has no vote, and one has no true label.
VOTES = [
    ["spam", "spam", None],
    ["spam", "ham", "ham"],
    ["ham", "ham", None],
    [None, "ham", "spam"],
    ["ham", None, "ham"],
    [None, None, None],
]
GOLD = ["spam", "ham", "ham", "spam", None, "ham"]
NAMES = ["free", "length", "link"]


def small_signals():
    return corral.WeakSignals.from_votes(VOTES, names=NAMES)


@pytest.fixture(scope="module")
def small():
    signals = small_signals()
    labeler = corral.MajorityVote().fit(signals)
    return corral.report(
        signals, labeler=labeler, gold=GOLD, text=[f"text {i}" for i in range(6)]
    )


@pytest.fixture(scope="module")
def drawn():
    votes, truth = random_votes(600, [0.9, 0.8, 0.7, 0.55], coverage=0.6)
    return votes, truth, corral.report(votes, gold=truth)


def test_the_summary_by_hand(small):
    found = small.summary
    assert (found.n_examples, found.n_covered, found.n_signals) == (6, 5, 3)
    right = found.accuracy
    assert right.n_gold == 4  # the fifth has no truth, the sixth no vote
    # Rows 0, 1 and 2 are right, row 3 is tied.
    assert right.labels == right.vote
    assert right.labels.value == 3.5 / 4
    assert found.changed == 0
    assert found.tied_votes == pytest.approx(1 / 5)
    assert found.classes == ("ham", "spam")
    assert found.verdict.endswith("A majority vote gives the same labels.")
    # Soft labels: spam, ham, ham, a tie, ham.
    labels = small.labels
    assert labels.shares["answers"] == pytest.approx([3.5 / 5, 1.5 / 5])
    assert labels.shares["true"] == pytest.approx([2 / 4, 2 / 4])
    assert labels.counts.tolist()[0] == 1  # the tie
    assert (sum(labels.counts), small.reliability.counts.sum()) == (5, 4)


def test_the_rows_by_hand(small):
    groups = {group.kind: group for group in small.rows}
    assert {kind: g.n_examples for kind, g in groups.items()} == {
        "uncertain": 1,
        "conflicting": 2,
        "uncovered": 1,
    }
    (unsure,) = groups["uncertain"].rows
    assert (unsure.name, unsure.text, unsure.label) == ("row 3", "text 3", None)
    assert unsure.gold == "spam"
    assert unsure.tied
    assert {(p.name, p.vote) for p in unsure.parts} == {
        ("length", "ham"),
        ("link", "spam"),
    }
    (silent,) = groups["uncovered"].rows
    assert (silent.name, silent.parts, silent.tied) == ("row 5", (), False)
    assert {"text 3", "text 5"} <= set(re.findall(r"text \d", small.to_html()))


def test_the_numbers_are_those_of_the_library(drawn):
    votes, truth, report = drawn
    labeler = corral.ConstrainedLabeler().fit(votes)
    right = report.summary.accuracy.labels.value
    assert right == pytest.approx(labeler.score(votes, truth))
    assert str(report.signals) == str(corral.analyse(votes, labeler, truth))
    assert np.allclose(report.signals.error_intervals, labeler.rates_.intervals(0.9))
    values = corral.value_of_signal(labeler, votes)
    assert report.values.worth == pytest.approx(values.worth)


def test_parts_of_rows_are_those_of_explain(drawn):
    votes, _, report = drawn
    labeler = corral.ConstrainedLabeler().fit(votes)
    row = report.rows[0].rows[0]
    explained = labeler.explain(int(row.name.split()[1]), votes)
    shares = dict(zip(explained.signals, explained.shares, strict=False))
    voting = [part for part in row.parts if part.vote]
    assert voting
    for part in voting:
        assert part.share == pytest.approx(shares[part.name])


def test_every_verdict_is_printed_and_few_rows_are_kept(drawn):
    report = drawn[2]
    page = " ".join(html.unescape(report.to_html()).split())
    assert all(verdict in page for verdict in report.verdicts.values())
    assert len(str(report).splitlines()) < 60, "a screen or so"
    rows = [row for group in report.rows for row in group.rows]
    rows += [row for item in report.advice for row in item.rows]
    assert 0 < len(rows) <= 200


def test_many_classes_one_versus_rest_and_probabilities():
    rng = np.random.default_rng(0)
    table = rng.choice([-1, 0, 1], (3, 50, 4), p=[0.6, 0.2, 0.2])
    report = corral.report(corral.WeakSignals.from_one_vs_rest(table))
    assert len(report.labels.shares["labels"]) == 4
    assert report.agreement is None
    soft = corral.WeakSignals.from_probabilities(rng.random((40, 3)))
    assert corral.report(soft).summary.n_examples == 40


def test_a_loaded_labeler_reports_on_votes_that_are_given(drawn, tmp_path):
    votes, truth, report = drawn
    fitted = corral.ConstrainedLabeler().fit(votes)
    fitted.save(tmp_path / "kept.corral")
    loaded = corral.ConstrainedLabeler.load(tmp_path / "kept.corral")
    again = corral.report(votes, gold=truth, labeler=loaded)
    assert again.summary.accuracy == report.summary.accuracy
    with pytest.raises(ParameterError, match="give them"):
        corral.report(loaded)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"text": ["one"]}, "600 rows"),
        ({"text": "words"}, "not a table"),
        ({"gold": [None] * 600}, "no true label"),
        ({"random_state": None}, "random_state must"),
    ],
)
def test_refusals(drawn, options, match):
    with pytest.raises((ParameterError, SignalsError), match=match):
        corral.report(drawn[0], **options)


def test_nothing_is_blamed_on_rules_whose_errors_are_assumed():
    rules = random_votes(800, [0.9, 0.8, 0.7], coverage=0.6)[0]
    rules = np.where(rules == [1, 1, 0], rules, -1)  # each votes for one class
    report = corral.report(rules)
    assert set(report.signals.rate_sources) == {"assumed"}
    actions = [item.action for item in report.advice]
    assert "fix" not in actions
    assert actions[0] == "check"
