"""The same votes in whatever holds them give the same labels."""

import numpy as np
import pytest

import corral

COLUMNS = {
    "a": ["x", "y", None, "x", "y"],
    "b": ["x", "x", "y", None, "y"],
    "c": [None, "y", "y", "x", "x"],
}
EXPECTED = corral.label(np.array(list(COLUMNS.values()), object).T)[:, 1]


def pandas(dtype):
    def make(tmp_path):
        module = pytest.importorskip("pandas", reason="pandas is an extra")
        if "pyarrow" in dtype:
            pytest.importorskip("pyarrow", reason="pyarrow is an extra")
        return module.DataFrame(COLUMNS).astype(dtype)

    return make


def polars(kind):
    def make(tmp_path):
        module = pytest.importorskip("polars", reason="polars is an extra")
        kinds = {"enum": module.Enum(["x", "y"]), "categorical": module.Categorical}
        frame = module.DataFrame(COLUMNS, schema=dict.fromkeys(COLUMNS, kinds[kind]))
        return frame.lazy() if kind == "categorical" else frame

    return make


def scanned(tmp_path):
    module = pytest.importorskip("polars", reason="polars is an extra")
    path = tmp_path / "votes.parquet"
    module.DataFrame(COLUMNS).write_parquet(path)
    return module.scan_parquet(path)


def arrow_dataset(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from pyarrow import dataset, parquet

    for part in range(2):
        rows = slice(0, 3) if part == 0 else slice(3, 5)
        table = arrow.table({name: said[rows] for name, said in COLUMNS.items()})
        parquet.write_table(table, tmp_path / f"{part}.parquet")
    return dataset.dataset(tmp_path)


def arrow_reader(tmp_path):
    return arrow_dataset(tmp_path).scanner().to_reader()


def duckdb_relation(tmp_path):
    import duckdb

    rows = zip(*COLUMNS.values(), strict=True)
    values = [
        f"({i}, {', '.join('NULL' if v is None else repr(v) for v in row)})"
        for i, row in enumerate(rows)
    ]
    made = f"(VALUES {', '.join(values)}) AS t(nr, a, b, c)"
    return duckdb.sql(f"SELECT a, b, c FROM {made} ORDER BY nr")


def hugging_face(tmp_path):
    module = pytest.importorskip("datasets", reason="datasets is an extra")
    return module.Dataset.from_dict(COLUMNS)


MADE = {
    "pandas str": pandas("str"),
    "pandas string": pandas("string"),
    "pandas on arrow": pandas("string[pyarrow]"),
    "pandas category": pandas("category"),
    "pandas object": pandas("object"),
    "polars enum": polars("enum"),
    "polars lazy categorical": polars("categorical"),
    "polars scan": scanned,
    "arrow dataset": arrow_dataset,
    "arrow reader": arrow_reader,
    "duckdb": duckdb_relation,
    "hugging face": hugging_face,
}


@pytest.mark.parametrize("name", MADE)
def test_labels_do_not_depend_on_the_container(tmp_path, name):
    labelled = corral.label(MADE[name](tmp_path))
    if name == "duckdb":
        at = labelled.columns.index("p_y")
        found = [row[at] for row in labelled.fetchall()]
    else:
        if hasattr(labelled, "collect"):
            labelled = labelled.collect()
        column = labelled["p_y"]
        found = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    np.testing.assert_allclose(sorted(found), sorted(EXPECTED), atol=1e-12)
    if name != "duckdb":
        np.testing.assert_allclose(found, EXPECTED, atol=1e-12)
