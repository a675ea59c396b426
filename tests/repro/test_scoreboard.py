import pytest
from repro.config import Count, experiments
from repro.results import Results
from repro.scoreboard import count_all, count_cells, total
from tests.repro.test_report import TABLE, record

RECORDS = {("a", "x"): record(0.5), ("a", "y"): record(0.8), ("b", "x"): record(0.1)}


def test_cells_with_a_published_value_are_counted() -> None:
    score = count_cells(TABLE, Count("all"), RECORDS)
    assert score.words == {"same": 1, "below": 1}
    some = count_cells(TABLE, Count("some", columns=("x",)), RECORDS)
    assert some.words == {"same": 1}
    assert not count_cells(TABLE, Count("none", rows=("b",)), RECORDS).words


def test_the_scoreboard_counts_every_published_accuracy_once() -> None:
    """The paper has 6 + 6 + 16 + 20 + 10 + 12 accuracies, 20 of Yelp and SVHN."""
    known = experiments()
    every = total(count_all(known, lambda name: Results(name).records))
    assert sum(every.values()) == 70
    assert every["other data"] == 20


@pytest.mark.parametrize("name", experiments())
def test_what_is_counted_is_there(name: str) -> None:
    one = experiments()[name]
    for count in one.counts:
        assert one.place
        assert set(count.rows) <= one.rows.keys()
        assert set(count.columns) <= one.columns.keys()
