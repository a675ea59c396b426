"""Sentences of a report, each by votes made by hand."""

import numpy as np
import pytest

import corral
from corral.reports import advice, labels
from corral.reports.labelled_votes import paired_gain

# The first signal outweighs the other two, which win a majority vote.
FIRST = [5.0, 1.0, 1.0]


def report_on(votes, gold=None, labeler=None):
    labeler = corral.WeightedVote(FIRST) if labeler is None else labeler
    return corral.report(np.array(votes), gold=gold, labeler=labeler)


def contest(n, won, lost):
    """Votes and truth: labels win so many of n examples from the vote, and lose some."""
    votes = np.array([[0, 1, 1]] * (won + lost) + [[0, 0, 0], [1, 1, 1]] * n)[:n]
    truth = np.where(np.arange(n) < won, 0, votes[:, 1])
    return votes, truth


@pytest.mark.parametrize(
    ("n", "won", "lost", "end"),
    [
        (40, 10, 0, "25.0 points more than a majority vote (75.0%): use them."),
        (40, 0, 10, "prefer the vote, or see below which signals mislead the labels."),
        (40, 7, 4, "Chance may explain that: neither is shown to be better."),
        (40, 5, 5, "as often as a majority vote (87.5%): neither is shown to be better."),
        (40, 3, 0, "Only 3 of these tell the two apart, too few to tell which is better."),
        (40, 1, 0, "Only 1 of these tells the two apart, too few to tell which is better."),
        (40, 0, 0, "; a majority vote gives the same labels."),
        (29, 20, 0, "29 true labels are too few to tell which is better: "
                    "add more, of random examples."),
    ],
)  # fmt: skip
def test_labels_beside_the_vote(n, won, lost, end):
    verdict = report_on(*contest(n, won, lost)).summary.verdict
    assert verdict.endswith(end)
    assert "0.0 points" not in verdict


def test_the_next_step_has_a_command():
    votes, truth = contest(400, 10, 0)
    blind = report_on(votes).summary
    assert blind.accuracy_interval is None
    assert "label a hundred random examples" in blind.next_step
    assert blind.next_command == "corral.report(votes, gold=labels)"
    seen = report_on(votes, truth)
    low, high = seen.summary.accuracy_interval
    assert low < seen.summary.accuracy == 1.0 == high
    assert seen.advice.items[0].short.lower() in seen.summary.next_step.lower()
    assert f"    {seen.summary.next_command}" in str(seen).splitlines()


def test_one_true_label_decides_nothing():
    votes, truth = contest(40, 10, 0)
    gold = [int(truth[0])] + [None] * 39
    found = report_on(votes, gold).summary
    assert found.verdict == (
        "The labels are right on 100% of the one example with a true label and a vote, "
        "100.0 points more than a majority vote (0%). 1 true label is too few to tell "
        "which is better: add more, of random examples."
    )
    low, high = found.gain_interval
    assert low < 0 < high


def test_labels_that_no_true_label_tells_apart():
    votes, truth = contest(80, 10, 0)
    gold = [None] * 10 + truth[10:].tolist()
    verdict = report_on(votes, gold).summary.verdict
    assert verdict.endswith(
        "None of these tells the two apart: too few to tell which is better."
    )


def test_the_interval_of_a_gain():
    right = np.array([1.0, 0.0, 1.0])
    found = paired_gain(right, 1 - right, np.array([8.0, 1.0, 0.0]))
    assert found.mean == pytest.approx(7 / 9)
    # One half of a point is half of an example.
    ties = paired_gain(np.array([1.0]), np.array([0.5]), np.array([40.0]))
    assert ties.n_differing == 40
    assert ties.mean == 0.5
    assert 0 < ties.interval[0] < 0.5 == pytest.approx(ties.interval[1])


def test_a_majority_vote_is_not_sure_of_itself():
    votes = [[0, 0, 1], [0, 1, -1], [0, 0, 0], [1, 1, 0]]
    report = report_on(votes, labeler="majority-vote")
    assert report.summary.expected_accuracy is None
    assert report.summary.verdict == (
        "4 examples of 4 (100%) get a label, and a majority vote does not say how sure it "
        "is (25.0% of them are tied). Label all 4 examples by hand to see how far to trust "
        "it."
    )
    assert "names a winner and does not say how sure" in report.labels.verdict
    page = report.to_html()
    assert "Expected accuracy" not in page
    assert "<dd>unknown</dd>" in page
    assert "expected accuracy" not in str(report)


def test_labels_without_truth():
    votes, _ = contest(400, 10, 0)
    verdict = report_on(votes).summary.verdict
    assert (
        "400 examples of 400 (100%) get a label that is expected to be right" in verdict
    )
    assert (
        "label 2.5% of them otherwise or leave them tied. Label a hundred random"
        in verdict
    )
    one = report_on([[0, 1, 1], [-1, -1, -1]]).summary.verdict
    assert one.startswith("1 example of 2 (50.0%) gets a label")
    assert "Label the one example by hand" in one


def test_shares_of_classes_are_those_of_answers():
    votes = [[0], [0], [0], [1]]
    labeler = corral.WeightedVote(accuracies=[0.77])
    assert report_on(votes, labeler=labeler).labels.verdict.startswith(
        "75.0% of the labels"
    )


@pytest.mark.parametrize(
    ("sure", "n", "wrong", "said"),
    [
        (
            0.77,
            60,
            0,
            "Labels are not sure enough (confidence is 0.77 on average, accuracy 1.00)",
        ),
        (
            0.59,
            60,
            36,
            "Labels are too sure (confidence is 0.59 on average, accuracy 0.40)",
        ),
        (0.75, 60, 15, "Probabilities can be taken at their word: confidence is 0.75"),
        (0.77, 29, 0, "29 true labels are too few to tell whether probabilities"),
    ],
)
def test_confidence_beside_truth(sure, n, wrong, said):
    votes = np.arange(n)[:, None] % 2
    truth = np.where(np.arange(n) < wrong, 1 - votes[:, 0], votes[:, 0])
    labeler = corral.WeightedVote(accuracies=[sure])
    assert said in report_on(votes, truth, labeler).labels.verdict


def test_wrong_rows_are_a_share_of_those_with_a_true_label():
    votes = [[0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]
    verdict = report_on(votes, [1, 0, None, None]).rows.verdict
    assert "1 wrong (50.0% of the 2 examples with a true label and a vote)" in verdict
    assert verdict.endswith("Begin with the wrong one.")


def signals_of(votes, gold=None, labeler="majority-vote"):
    return report_on(votes, gold, labeler).signals.verdict


def test_errors_of_signals_name_their_source():
    votes = [[0, 0, 1]] * 15 + [[1, 1, 0]] * 15 + [[0, 0, 0]] * 10
    gold = np.array(votes)[:, 0].tolist()
    # Nine true labels do not judge a signal.
    assert signals_of(votes, gold[:9] + [None] * 31).endswith(
        "wrong on 75.0% of its 40 votes if the labels are right."
    )
    assert signals_of(votes, gold[:20] + [None] * 20) == (
        "1 of 3 signals is hardly better than a guess: read the mistakes of “s2” first, "
        "wrong on 100% of its 20 votes with a true label."
    )
    votes = [[0, 0, 1]] * 18 + [[1, 1, 1], [0, 0, 0]] * 11
    rates = corral.ConstrainedLabeler([0.1, 0.1, 0.45])
    assert "expected to be wrong on 45.0% of its 40 votes" in signals_of(
        votes, labeler=rates
    )


def test_signals_that_are_never_wrong_or_have_few_votes():
    votes = [[0, 0], [1, 1]] * 10
    assert signals_of(votes, [0, 1] * 10) == "No signal was seen wrong."
    assert signals_of(votes[:4]).startswith(
        "No signal whose error is known has 10 votes"
    )
    silent = np.c_[np.array(votes), np.full(20, -1)]
    assert signals_of(silent).endswith("1 signal never votes: “s2”.")
    silent = np.c_[silent, silent[:, -1]]
    assert signals_of(silent).endswith("2 signals never vote: “s2” and “s3”.")


def advice_of(votes, gold=None, labeler=None):
    items = report_on(votes, gold, labeler).advice.items
    return {item.action: item.sentence for item in reversed(items)}  # the first of each


def test_advice_goes_by_true_labels():
    # The labels follow the first signal; the others contradict it and each other.
    votes = np.array([[0, 1, -1], [1, -1, 0], [1, 1, -1], [0, -1, 0]] * 10)
    wrong_if_right = advice_of(votes)["fix"]
    assert "of its votes if the labels are right" in wrong_if_right
    # Truth: the second signal is never wrong, so the first is to be fixed.
    gold = np.where(votes[:, 1] >= 0, votes[:, 1], votes[:, 2])
    fix = advice_of(votes, gold)["fix"]
    assert fix.startswith(
        "Fix “s0”: it is wrong on 50.0% of its 40 votes with a true label"
    )
    # Nothing is wrong by truth, so nothing is to be fixed.
    agreeing = np.array([[0, 0, 0], [1, 1, 1]] * 20)
    assert "fix" not in advice_of(agreeing, agreeing[:, 0])


def test_advice_begins_with_the_signal_that_is_read_first():
    # The first errs on 35 of 100 votes, the second on 20 of 40; each votes alone at times.
    votes = np.full((140, 2), -1)
    votes[:100, 0], votes[100:, 1] = 0, 1
    gold = np.repeat([1, 0, 1, 0], [35, 65, 20, 20])
    report = report_on(votes, gold, corral.WeightedVote(2.0))
    assert "read the mistakes of “s1” first" in report.signals.verdict
    assert report.advice.verdict.startswith("Fix “s1”")


def test_a_signal_is_dropped_for_its_true_errors():
    # Without the second signal no label changes.
    votes = np.array([[0, 1], [1, 0]] * 20)
    labeler = corral.WeightedVote([5.0, 1.0])
    drop = advice_of(np.c_[votes, votes[:, 0]], votes[:, 0])["drop"]
    assert drop.startswith("Drop “s1”: true labels find it wrong on 100% of its votes")
    # One that is always right should count more, not go.
    assert "s1" not in advice_of(votes, votes[:, 1], labeler).get("drop", "")
    assert "s1" in advice_of(votes, None, labeler)["drop"]


def test_advice_on_one_row():
    votes = [[0, 1, 1], [-1, -1, -1]]
    found = advice_of(votes)
    assert "1 example (50.0%) gets no label" in found["write"]
    assert found["label"].startswith("Label this row by hand and give it to")
    many = advice_of([[0, 1, 1], [0, 0, 1], [-1, -1, -1], [-1, -1, -1]])
    assert "2 examples (50.0%) get no label" in many["write"]
    assert many["label"].startswith("Label these by hand and give them to")


def test_likeliest_mistakes_only_where_there_are_rows():
    votes, _ = contest(40, 10, 0)
    # Every label follows the first signal.
    assert advice_of(votes)["fix"].endswith("of all examples.")
    outvoted = np.array([[0, 1, 1], [1, -1, -1]] * 10)
    fix = advice_of(outvoted, labeler=corral.WeightedVote([2.0, 2.0, 2.0]))["fix"]
    assert fix.endswith("These are its likeliest mistakes.")


def test_mistakes_are_those_by_true_labels():
    votes = np.array([[0], [1]] * 20)
    gold = np.where(np.arange(40) < 39, votes[:, 0], 1 - votes[:, 0])
    report = report_on(votes, gold, corral.WeightedVote(accuracies=[0.8]))
    (fix,) = [item for item in report.advice.items if item.action == "fix"]
    assert [row.name for row in fix.rows] == ["row 39"]


@pytest.mark.parametrize(
    ("n", "won", "lost", "said"),
    [
        (40, 0, 10, "25.0 points more than these labels (75.0%): try it"),
        (40, 4, 7, "too few to tell that from chance"),
        (40, 5, 5, "is right as often as these labels (87.5%)."),
        (40, 10, 0, "No other method does better: the best of them, "),
    ],
)
def test_another_method(n, won, lost, said, monkeypatch):
    one = {"majority-vote": corral.MajorityVote}
    monkeypatch.setattr(labels, "LABELERS", one)
    assert said in report_on(*contest(n, won, lost)).methods.verdict


def test_methods_without_truth():
    verdict = report_on(contest(40, 10, 0)[0]).methods.verdict
    assert "true labels of all 40 examples would tell which is right" in verdict


def test_limits_count_classes(monkeypatch):
    monkeypatch.setattr(advice, "MAX_VALUE_CELLS", 20)
    monkeypatch.setattr(labels, "MAX_MOVE_CELLS", 20)
    monkeypatch.setattr(labels, "MAX_METHOD_CELLS", 20)
    votes = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3
    for k, is_skipped in ((2, False), (6, True)):
        signals = corral.WeakSignals.from_votes(votes, classes=range(k))
        report = corral.report(signals, labeler=corral.ConstrainedLabeler(0.2))
        for section in (report.advice, report.constraints, report.methods):
            found = [note for note in section.skipped if "would take minutes" in note]
            assert bool(found) == is_skipped
            assert all("for 6 classes" in note for note in found)


@pytest.mark.parametrize(
    ("many", "said"), [(2, "1 more matters"), (3, "2 more matter.")]
)
def test_rates_that_matter(many, said):
    worst = np.where(np.arange(4) < many, 0.1, 0.0)
    moved = corral.advice.Sensitivity(
        tuple("abcd"), worst, worst, worst, 0.1, 0.1, 0.05
    )
    assert said in labels.judge_sensitivity(moved)
