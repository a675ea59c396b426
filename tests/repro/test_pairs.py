import pytest
from repro.pairs import compare_pairs
from repro.results import Record


def record(values, seeds=(0, 1, 2), data="d"):
    return Record(values, rows=1, seeds=list(seeds), data={data: "1"})


def test_what_both_share_cancels():
    found = compare_pairs(record([0.5, 0.7, 0.9]), record([0.4, 0.7, 0.8]))
    assert found.mean == pytest.approx(0.2 / 3)
    assert found.error == pytest.approx(0.1 / 3)  # of 0.1, 0 and 0.1
    assert str(found) == "+0.0667 ± 0.0333"


@pytest.mark.parametrize(
    "other",
    [record([0.1] * 3, (1, 2, 3)), record([0.1] * 3, data="e"), record([0.1], (0,))],
)
def test_only_the_same_draws_pair(other):
    with pytest.raises(ValueError, match="same seeds and data"):
        compare_pairs(record([0.5, 0.7, 0.9]), other)
