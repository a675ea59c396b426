"""What is timed does its work, and a figure that is too slow is a claim that is missed."""

import pytest

from benchmarks import speed


@pytest.mark.parametrize("job", ["default", "soft"])
def test_labels_are_of_the_default_and_right(job):
    given, truth = speed.IN_MEMORY[job][0](2000)
    labels = speed.corral.label(given, probabilities=job == "soft")
    chosen = speed.classes_of(labels, len(truth))
    known = chosen >= 0
    assert known.mean() > 0.9
    assert (chosen == truth)[known].mean() > 0.65


def test_nobody_answers_a_task_twice():
    pytest.importorskip("pandas", reason="pandas is an optional extra")
    table, truth = speed.random_answers(5000, workers=50)
    assert not table.duplicated(["task", "worker"]).any()
    assert len(table) == 5 * len(truth)


@pytest.mark.parametrize(("seconds", "met"), [(3.0, True), (9.0, False)])
def test_claims_follow_the_figures(seconds, met):
    found = [
        {
            "rows": 100_000_000,
            "peak": {"corral": 1e9},
            "warm": {"corral": seconds, "DuckDB": 2.5},
        }
    ]
    assert set(speed.claims("files", found).values()) == {True, met}


@pytest.mark.parametrize(("power", "met"), [(1.0, True), (2.0, False)])
def test_growth_above_linear_is_missed(power, met):
    found = {"signals": {"exponent": power, "points": []}}
    assert [*speed.claims("growth", found).values()] == [met]


def test_a_method_stands_beside_the_same_of_others():
    seconds = dict.fromkeys((speed.METAL, speed.SNORKEL, "MajorityVote"), 1.0)
    found = {"seconds": seconds}
    assert speed.pairs_of("labelers", found) == {speed.METAL: speed.SNORKEL}
