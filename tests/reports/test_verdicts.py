"""What a report concludes, from votes made by hand."""

import numpy as np
import pytest

import corral
from corral.study.comparison import paired_gain

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
    ("n", "won", "lost", "said"),
    [
        (40, 10, 0, "more than chance: use the labels"),
        (40, 0, 10, "Prefer the vote"),
        (40, 7, 4, "Chance may explain"),
        (40, 4, 7, "Chance may explain"),
        (40, 5, 5, "Chance may explain"),
        (40, 3, 0, "3 true labels of 40 tell the two apart, too few"),
        (40, 1, 0, "too few to judge"),
        (40, 0, 0, "majority vote gives the same labels"),
        (29, 20, 0, "20 true labels of 29 tell the two apart, too few"),
    ],
)
def test_labels_beside_the_vote(n, won, lost, said):
    verdict = report_on(*contest(n, won, lost)).summary.verdict
    assert said in verdict


def test_few_true_labels_decide_nothing():
    votes, truth = contest(80, 10, 0)
    one = report_on(votes, [int(truth[0])] + [None] * 79).summary
    assert "too few to judge" in one.verdict
    alike = report_on(votes, [None] * 10 + truth[10:].tolist()).summary
    assert "0 true labels of 70 tell" in alike.verdict


def test_a_gain_is_shown_by_a_sign_test():
    right = np.array([1.0, 0.0, 1.0])
    found = paired_gain(right, 1 - right, np.array([8.0, 1.0, 0.0]))
    assert found.mean == pytest.approx(7 / 9)
    assert found.p_value == pytest.approx(20 / 2**9)
    # One half of a point is half of an example.
    ties = paired_gain(np.array([1.0]), np.array([0.5]), np.array([40.0]))
    assert (ties.n_differing, ties.mean) == (40, 0.5)
    assert ties.is_shown


def test_the_next_step_has_a_command():
    votes, truth = contest(400, 10, 0)
    blind = report_on(votes).summary
    assert blind.accuracy.labels is None
    assert "label 50 random rows" in blind.next_step
    assert blind.next_command == "corral.label(votes, gold=labels)"
    seen = report_on(votes, truth)
    right = seen.summary.accuracy.labels
    assert right.low < right.value == 1.0 == pytest.approx(right.high)
    assert seen.advice[0].short.lower() in seen.summary.next_step.lower()
    assert f"    {seen.summary.next_command}" in str(seen).splitlines()


def test_a_majority_vote_is_not_sure_of_itself():
    votes = [[0, 0, 1], [0, 1, -1], [0, 0, 0], [1, 1, 0]]
    report = report_on(votes, labeler="majority-vote")
    assert report.summary.accuracy.low is None
    assert "does not say how sure" in report.verdicts["labels"]
    assert "<dd>unknown</dd>" in report.to_html()


def test_labels_without_truth():
    report = report_on(contest(400, 10, 0)[0])
    assert "label 2.5% of them otherwise" in report.summary.verdict
    sure = corral.report(contest(400, 10, 0)[0]).summary
    low, high = sure.accuracy.low, sure.accuracy.high
    assert 0.5 <= low < high <= 1
    assert f"right on {low:.0%} to " in sure.verdict
    one = report_on([[0, 1, 1], [-1, -1, -1]]).summary
    assert "50.0% of 2 examples have a label" in one.verdict
    assert "label 1 random row by hand" in one.next_step


@pytest.mark.parametrize(
    ("sure", "n", "wrong", "said"),
    [
        (
            0.77,
            60,
            0,
            "not confident enough (confidence is 0.77 on average, accuracy 1.00)",
        ),
        (0.59, 60, 36, "too confident (confidence is 0.59 on average, accuracy 0.40)"),
        (0.75, 60, 15, "are calibrated: confidence is 0.75"),
        (
            0.8,
            90,
            9,
            "not confident enough (confidence is 0.80 on average, accuracy 0.90)",
        ),
        (0.77, 29, 0, "29 true labels cannot tell"),
    ],
)
def test_confidence_beside_truth(sure, n, wrong, said):
    votes = np.arange(n)[:, None] % 2
    truth = np.where(np.arange(n) < wrong, 1 - votes[:, 0], votes[:, 0])
    report = report_on(votes, truth, corral.WeightedVote(accuracies=[sure]))
    assert said in report.verdicts["labels"]


def test_wrong_rows_are_read_first():
    votes = [[0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]
    first = report_on(votes, [1, 0, None, None]).rows[0]
    assert (first.kind, first.n_examples) == ("wrong", 1)


def advice_of(votes, gold=None, labeler=None):
    items = report_on(votes, gold, labeler).advice
    return {item.action: item for item in reversed(items)}  # the first of each


def test_advice_goes_by_true_labels():
    # The labels follow the first signal; the others contradict it and each other.
    votes = np.array([[0, 1, -1], [1, -1, 0], [1, 1, -1], [0, -1, 0]] * 10)
    assert "check" in advice_of(votes)
    # Truth: the second signal is never wrong, so the first is to be fixed.
    gold = np.where(votes[:, 1] >= 0, votes[:, 1], votes[:, 2])
    report = report_on(votes, gold)
    fix = report.advice[0].sentence
    assert fix.startswith("Fix s0: it is wrong on about 50.0% of rows")
    assert "from 40 votes on labelled rows" in fix
    agreeing = np.array([[0, 0, 0], [1, 1, 1]] * 20)
    assert "fix" not in advice_of(agreeing, agreeing[:, 0])


def test_a_signal_that_is_right_is_not_dropped():
    # Without the second signal no label changes.
    votes = np.array([[0, 1], [1, 0]] * 20)
    labeler = corral.WeightedVote([5.0, 1.0])
    assert "s1" in advice_of(votes, None, labeler)["drop"].sentence
    assert "s1" in advice_of(votes, votes[:, 0], labeler)["drop"].sentence
    # One that is always right should count more, not go.
    kept = advice_of(votes, votes[:, 1], labeler)
    assert "drop" not in kept or "s1" not in kept["drop"].sentence


def test_mistakes_are_shown_and_go_by_true_labels():
    # Every label follows the first signal.
    assert not advice_of(contest(40, 10, 0)[0])["check"].rows
    votes = np.array([[0], [1]] * 20)
    gold = np.where(np.arange(40) < 39, votes[:, 0], 1 - votes[:, 0])
    fix = advice_of(votes, gold, corral.WeightedVote(accuracies=[0.8]))["fix"]
    assert [row.name for row in fix.rows] == ["row 39"]
