import pytest
from repro.config import experiments
from repro.results import Results
from repro.studies import STUDIES

ALL = experiments()


@pytest.mark.parametrize("name", ALL)
def test_a_config_names_only_what_is_there(name: str) -> None:
    one = ALL[name]
    assert one.study in STUDIES
    assert one.kind in ("table", "figure")
    assert one.smoke.keys() - {"column_seeds"}, "no smaller form"
    cells = {(cell.row, cell.column) for cell in one.cells()}
    assert cells
    assert one.published.keys() <= cells
    named = {tuple(reason.split("/")) for reason in one.reasons}
    assert all(row in ("*", *one.rows) for row, _ in named)
    assert all(column in ("*", *one.columns) for _, column in named)
    names = {*one.columns, *(f"{row}/{column}" for row, column in cells)}
    assert one.settings.get("column_seeds", {}).keys() <= names


def test_the_nearest_reason_counts() -> None:
    table = ALL["text_labels"]
    assert "settings" in str(table.reason("imdb", "DP"))
    assert table.reason("sst2", "CLL") is None
    test = ALL["image_test"]
    assert test.reason("fashion_mnist", "DP") == test.reason("fashion_mnist", "AVG")
    degenerate = test.reason("fashion_mnist", "MMCE, zeros missing")
    assert test.reason("fashion_mnist", "DP") != degenerate


@pytest.mark.parametrize("name", ALL)
def test_stored_results_belong_to_the_config(name: str) -> None:
    records = Results(name).records
    for cell in ALL[name].cells():
        record = records.pop((cell.row, cell.column))
        assert record.key == cell.key(record.data), (
            f"{cell}: python -m repro run {name}"
        )
    assert not records, "results of cells that are no more"
