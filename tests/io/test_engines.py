"""One contract for every engine: the same labels, whatever holds the table."""

import warnings

import numpy as np
import pytest
from tests.io.engines import FILES, IN_MEMORY, engines, make, rows

import corral
from corral.errors import CorralWarning, ParameterError, SignalsError
from corral.io.reader import Reading, read_votes

NAN = float("nan")
ENGINES = engines()
OUT_OF_MEMORY = engines("polars lazy", "duckdb", "spark", *FILES)


@pytest.fixture(autouse=True)
def quiet():
    """Toy votes are rarely feasible; that is not what is looked at here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorralWarning)
        yield


def label(engine, table, tmp_path, **options):
    """Label a table in an engine; the rows that come back, by id."""
    if engine in FILES:
        options |= {"output": tmp_path / f"labels.{engine}", "overwrite": True}
    found = rows(corral.label(make(engine, table, tmp_path), **options))
    key = options.get("task", "id")
    return sorted(found, key=lambda row: row[key])


def arrow(**columns):
    import pyarrow

    return pyarrow.table(columns)


def votes(n=400, n_classes=2, seed=0):
    """Codes (n, 4), -1 for abstain."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    wrong = (truth[:, None] + rng.integers(1, n_classes, size=(n, 4))) % n_classes
    said = np.where(rng.random((n, 4)) < 0.75, truth[:, None], wrong)
    return np.where(rng.random((n, 4)) < 0.6, said, -1)


def as_table(codes, value):
    """A table with an id, the votes as `value` writes them, and a note."""
    n = len(codes)
    columns = {f"s{i}": [value(v) for v in codes[:, i].tolist()] for i in range(4)}
    notes = [f"note, {j}" if j % 3 else None for j in range(n)]
    return arrow(id=list(range(n)), **columns, note=notes)


def check(engine, found, codes, classes, **options):
    """The labels are those of the array of codes, to the last bits."""
    expected = corral.ConstrainedLabeler(**options).fit(codes)
    k = len(classes)
    shown = range(1, 2) if k == 2 else range(k)
    assert [row["id"] for row in found] == list(range(len(codes)))
    for c in shown:
        p = [row[f"p_{classes[c]}"] for row in found]
        np.testing.assert_allclose(p, expected.labels_[:, c], rtol=0, atol=1e-12)
    confidence = [row["confidence"] for row in found]
    np.testing.assert_allclose(confidence, expected.labels_.max(axis=1), atol=1e-12)
    assert [row["covered"] for row in found] == expected.covered_.tolist()
    hard = expected.decide(expected.labels_, expected.covered_).tolist()
    silent = None if isinstance(classes[0], str) or engine in FILES else -1
    assert [row["label"] for row in found] == [
        silent if v < 0 else classes[v] for v in hard
    ]
    assert [row["note"] for row in found] == [
        f"note, {j}" if j % 3 else None for j in range(len(codes))
    ]


CODINGS = {
    "-1 for abstain": lambda v: v,
    "NULL for abstain": lambda v: None if v < 0 else v,
    "NaN for abstain": lambda v: NAN if v < 0 else float(v),
}


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers(engine, coding, tmp_path):
    codes = votes()
    table = as_table(codes, CODINGS[coding])
    found = label(engine, table, tmp_path, signals=["s0", "s1", "s2", "s3"])
    check(engine, found, codes, [0, 1])


@pytest.mark.parametrize("empty", ["", None])
@pytest.mark.parametrize("engine", ENGINES)
def test_text(engine, empty, tmp_path):
    names = ["cat", "dog", "eel"]
    codes = votes(n_classes=3)
    table = as_table(codes, lambda v: empty if v < 0 else names[v])
    signals = [f"s{i}" for i in range(4)]
    found = label(engine, table, tmp_path, signals=signals, error_rates=0.3)
    check(engine, found, codes, names, error_rates=0.3)


@pytest.mark.parametrize("engine", ENGINES)
def test_awkward_names(engine, tmp_path):
    codes = votes(n=60)
    names = ['a "b"', "c d", "e.f", "g:h;"]
    columns = dict(zip(names, codes.T.tolist(), strict=True))
    table = arrow(id=list(range(60)), **columns)
    if engine == "spark":
        with pytest.raises(SignalsError, match=r"rename 'e\.f'"):
            label(engine, table, tmp_path, id="id")
        names[2] = "e f"
        table = table.rename_columns(["id", *names])
    found = label(engine, table, tmp_path, id="id")
    assert set(names) < set(found[0])
    assert [row["c d"] for row in found] == codes[:, 1].tolist()


@pytest.mark.parametrize(
    "engine", engines("pandas", "polars", "polars lazy", "pyarrow", "duckdb", *FILES)
)
def test_row_order_is_kept(engine, tmp_path):
    made = make(engine, as_table(votes(n=3000), lambda v: v), tmp_path)
    output = {"output": tmp_path / f"o.{engine}"} if engine in FILES else {}
    found = rows(corral.label(made, signals=["s0", "s1", "s2", "s3"], **output))
    assert [row["id"] for row in found] == list(range(3000))


# -- long tables ---------------------------------------------------------------


def long_table(codes, names):
    at = [(j, i) for j in range(len(codes)) for i in range(codes.shape[1])]
    at = [at[x] for x in np.random.default_rng(1).permutation(len(at))]
    return arrow(
        item=[f"item {j:04}" for j, _ in at],
        who=[f"w{i}" for _, i in at],
        said=[None if codes[j, i] < 0 else names[codes[j, i]] for j, i in at],
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_long_tables(engine, tmp_path):
    names = ["cat", "dog", "eel"]
    codes = votes(n=150, n_classes=3)
    columns = {"task": "item", "worker": "who", "label": "said"}
    table = long_table(codes, names)
    found = label(engine, table, tmp_path, error_rates=0.3, **columns)
    expected = corral.ConstrainedLabeler(error_rates=0.3).fit(codes)
    assert [row["item"] for row in found] == [f"item {j:04}" for j in range(150)]
    for c, name in enumerate(names):
        p = [row[f"p_{name}"] for row in found]
        np.testing.assert_allclose(p, expected.labels_[:, c], rtol=0, atol=1e-12)
    shown = {"item", "label", "confidence", "covered", *(f"p_{c}" for c in names)}
    assert set(found[0]) == shown


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key", ["id", "row"])
def test_gold_in_a_file_is_gold_in_a_column(engine, key, tmp_path):
    if key == "row" and engine == "spark":
        pytest.skip("Spark does not number rows")
    codes = votes(n=300)
    table = as_table(codes, lambda v: None if v < 0 else ["ham", "spam"][v])
    truth = [None if j % 6 else ["ham", "spam"][j % 12 // 6] for j in range(300)]
    rows = [
        f"{j + (key == 'row')},{v or ''}" for j, v in enumerate(truth) if j % 2 == 0
    ]
    gold = tmp_path / "gold.csv"
    gold.write_text("\n".join([f"{key},label", *reversed(rows)]))
    signals = [f"s{i}" for i in range(4)]
    column = table.append_column("truth", [truth])
    expected = label(engine, column, tmp_path, signals=signals, gold="truth")
    found = label(engine, table, tmp_path, signals=signals, gold=gold)
    assert set(found[0]) == set(expected[0]) - {"truth"}
    for row, other in zip(found, expected, strict=True):
        assert row["p_spam"] == pytest.approx(other["p_spam"], abs=1e-12)
        assert row["label"] == other["label"]
        assert row["label"] == truth[row["id"]] or truth[row["id"]] is None


@pytest.mark.parametrize(
    "engine", engines("pandas", "polars lazy", "duckdb", "parquet", "spark")
)
def test_gold_by_numbers_with_a_point(engine, tmp_path):
    ids = [None, float("nan"), 0.5, 1e300, 10.0**7, -7.0, *range(6)]
    table = arrow(id=[float(i) if i is not None else i for i in ids], a=[0, 1] * 6)
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\n0.5,1\n10000000,0\n-7,0\n5,0\n")
    made = make(engine, table, tmp_path)
    found = read_votes(made, Reading(signals="a", id="id"), gold=gold)
    known = [value is not None and value == value for value in found.gold]
    assert found.signals.row_weights[known].sum() == 4, "no label is left out"


@pytest.mark.parametrize(
    "engine", engines("pandas", "polars lazy", "duckdb", "parquet")
)
def test_tasks_that_are_dates(engine, tmp_path):
    import datetime

    days = [datetime.date(2026, 1, day) for day in (1, 1, 2)]
    table = arrow(task=days, worker=["a", "b", "a"], label=["x", "y", "x"])
    found = label(engine, table, tmp_path, task="task", error_rates=0.3)
    assert [str(row["task"])[:10] for row in found] == ["2026-01-01", "2026-01-02"]


@pytest.mark.parametrize("engine", engines("polars lazy", "duckdb", "spark"))
def test_long_tables_that_are_refused(engine, tmp_path):
    table = arrow(task=[1, 1, 2], worker=["a", "a", "b"], label=[0, 1, 1])
    with pytest.raises(SignalsError, match="the same task more than once"):
        label(engine, table, tmp_path, task="task")
    with pytest.raises(SignalsError, match="no column named 'who'"):
        label(engine, table, tmp_path, task="task", worker="who")
    with pytest.raises(ParameterError, match="does not go with `task=`"):
        label(engine, table, tmp_path, task="task", id="worker")


@pytest.mark.parametrize(
    "options", [{"signals": ["worker", "label"]}, {"task": "task"}]
)
def test_little_is_left_in_a_connection(options):
    import duckdb

    connection = duckdb.connect()
    rows = "(1, 0, 1), (2, 1, 1), (3, 0, 0)"
    query = f"FROM (VALUES {rows}) t(task, worker, label)"
    found = corral.label(connection.sql(query), prefix="x_", **options)
    assert len(found.fetchall()) == 3
    left = connection.sql("FROM duckdb_tables()").fetchall()
    assert len(left) == 1  # the labels


# -- what is refused -----------------------------------------------------------


@pytest.mark.parametrize("engine", OUT_OF_MEMORY)
def test_refused(engine, tmp_path):
    table = as_table(votes(n=60), lambda v: v)
    with pytest.raises(SignalsError, match="no column named 'q'; the table has 'id'"):
        label(engine, table, tmp_path, signals="q")
    with pytest.raises(SignalsError, match="no column named 'key'"):
        label(engine, table, tmp_path, id="key")
    with pytest.raises(SignalsError, match="'note'"):
        label(engine, table, tmp_path)
    words = table.append_column("word", [["yes", "no"] * 30])
    with pytest.raises(SignalsError, match="all numbers or all text"):
        label(engine, words, tmp_path, signals=["s0", "word"])
    taken = table.append_column("label", [[1] * 60])
    with pytest.raises(ParameterError, match="already has columns named 'label'"):
        label(engine, taken, tmp_path, signals="s*")
    with pytest.raises(SignalsError, match="no rows"):
        label(engine, table.slice(0, 0), tmp_path, id="id")


@pytest.mark.parametrize("engine", engines("duckdb", "spark"))
def test_labels_without_an_id_need_an_order(engine, tmp_path, monkeypatch):
    monkeypatch.setattr("corral.io.files.ORDERED_UP_TO", 0)
    table = as_table(codes := votes(n=60), lambda v: v).drop_columns(["id", "note"])
    made = make(engine, table, tmp_path)
    if engine == "spark":
        with pytest.raises(SignalsError, match="would tell whose labels"):
            corral.label(made)
    else:
        found = rows(corral.label(made))
        assert [row["s0"] for row in found] == codes[:, 0].tolist()


@pytest.mark.parametrize("engine", engines(*IN_MEMORY))
def test_options_of_files_are_refused_in_memory(engine, tmp_path):
    made = make(engine, as_table(votes(n=60), lambda v: v), tmp_path)
    for option in ({"output": "o.csv"}, {"overwrite": True}):
        with pytest.raises(ParameterError, match="goes with the path"):
            corral.label(made, signals="s*", **option)


# -- probabilities -------------------------------------------------------------


def soft_table(n=300):
    """Probabilities of three models, some without an opinion."""
    rng = np.random.default_rng(3)
    truth = rng.random(n) < 0.5
    said = np.clip(0.25 + 0.5 * truth[:, None] + rng.normal(0, 0.2, (n, 3)), 0, 1)
    said[rng.random((n, 3)) < 0.3] = np.nan
    columns = {
        f"m{i}": [None if np.isnan(v) else v for v in said[:, i]] for i in range(3)
    }
    return said, arrow(id=list(range(n)), **columns)


@pytest.mark.parametrize("engine", ENGINES)
def test_probabilities(engine, tmp_path):
    said, table = soft_table()
    options = {"probabilities": True, "error_rates": 0.3}
    found = label(engine, table, tmp_path, signals=["m0", "m1", "m2"], **options)
    expected = corral.label(said, **options)[:, 1]
    p = [row["p_1"] for row in found]
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)
    assert [row["covered"] for row in found] == (~np.isnan(said).all(axis=1)).tolist()
    added = {"p_0", "p_1", "label", "confidence", "covered"}
    assert set(found[0]) == {"id", "m0", "m1", "m2"} | added


@pytest.mark.parametrize("engine", ENGINES)
def test_true_labels_that_are_text_beside_probabilities(engine, tmp_path):
    said, table = soft_table()
    known = ["no" if row % 2 else "yes" for row in range(300)]
    table = table.append_column("gold", [known])
    options = {"probabilities": True, "classes": ["no", "yes"]}
    found = label(engine, table, tmp_path, signals="m*", gold="gold", **options)
    expected = corral.label(said, gold=known, **options)[:, 1]
    p = [row["p_yes"] for row in found]
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("engine", engines("polars lazy", "duckdb", "spark"))
def test_probabilities_that_are_refused(engine, tmp_path):
    table = arrow(id=[1, 2], m0=[0.2, 1.4], m1=[0.4, 0.6])
    with pytest.raises(SignalsError, match=r"between 0 and 1; 1\.4 came"):
        label(engine, table, tmp_path, id="id", probabilities=True)


# -- DuckDB, as users have it --------------------------------------------------

MANY = """SELECT range AS id, {votes} FROM range(300000)"""
THREADED = ", ".join(
    f"(hash(range, {i}) % 3)::INT - 1 AS s{i}" for i in range(12)
)  # nearly as many patterns as rows: several row groups


@pytest.fixture
def many():
    """A relation with more patterns than DuckDB keeps in one row group."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 4")
    return connection, connection.sql(MANY.format(votes=THREADED))


def labels_by_id(found):
    return [p for _, p in sorted(found.project("id, p_1").fetchall())]


def codes_of(relation):
    fetched = relation.order("id").fetchnumpy()
    return np.column_stack([fetched[f"s{i}"] for i in range(12)])


def test_labels_belong_to_their_rows_whatever_the_order(many, monkeypatch):
    monkeypatch.setattr("corral.io.files.ORDERED_UP_TO", 0)
    connection, relation = many
    connection.execute("SET preserve_insertion_order = false")
    labeler = corral.ConstrainedLabeler(0.3)
    found = corral.label(relation, id="id", labeler=labeler)
    expected = labeler.predict_proba(codes_of(relation))[:, 1]
    np.testing.assert_allclose(labels_by_id(found), expected, atol=1e-12)


def test_columns_that_are_no_signals_may_be_anything():
    import duckdb

    relation = duckdb.sql(
        "SELECT range AS id, now() AS at, [range] AS list, range % 2 AS a FROM range(9)"
    )
    found = corral.label(relation, signals="a", error_rates=0.3)
    assert found.columns[:4] == ["id", "at", "list", "a"]


@pytest.mark.parametrize("name", ["it", "joined", "labels", "votes"])
def test_a_table_of_any_name(name):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {name} AS SELECT 1 AS id, 0 AS a, 1 AS b")
    found = corral.label(connection.sql(f"FROM {name}"), id="id", error_rates=0.3)
    assert len(found.fetchall()) == 1


@pytest.mark.parametrize("other", ["a", "A"])
def test_names_that_differ_in_case_only(other):
    import duckdb

    relation = duckdb.sql(f'SELECT 1 AS id, 0 AS a, 2 AS "{other}"')
    with pytest.raises(SignalsError, match="two columns named a; to DuckDB"):
        corral.label(relation, id="id")


@pytest.mark.parametrize("silent", [True, False])
@pytest.mark.parametrize(
    "engine", engines("pandas", "polars lazy", "duckdb", "parquet")
)
def test_booleans(engine, silent, tmp_path):
    codes = votes(n=80) if silent else np.abs(votes(n=80))
    table = as_table(codes, lambda v: None if v < 0 else bool(v))
    found = label(engine, table, tmp_path, signals=[f"s{i}" for i in range(4)])
    expected = corral.ConstrainedLabeler().fit(codes).labels_[:, 1]
    p = [row["p_True"] for row in found]
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)
    assert {row["label"] for row in found if row["covered"]} <= {True, False}


@pytest.mark.parametrize("engine", ENGINES)
def test_decimals(engine, tmp_path):
    from decimal import Decimal

    codes = votes(n=80)
    table = as_table(codes, lambda v: None if v < 0 else Decimal(v))
    found = label(engine, table, tmp_path, signals=[f"s{i}" for i in range(4)])
    check(engine, found, codes, [0, 1])


def test_a_row_that_was_not_counted_has_no_label():
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE votes AS SELECT i AS id, (i % 2)::TINYINT AS a, "
            "CASE WHEN i % 3 > 0 THEN i % 2 END::TINYINT AS b FROM range(12) t(i)"
        )
        votes = connection.table("votes")
        found = corral.label(votes, id="id", signals=["a", "b"])
        connection.execute("INSERT INTO votes VALUES (12, 2, 0), (13, 0, -1)")
        labels = dict(found.project("id, label").fetchall())
    assert labels.pop(12) is None
    assert labels.pop(13) is None
    assert None not in labels.values()
