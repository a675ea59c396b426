"""Columns of probabilities: one per signal, or one per signal and class."""

import numpy as np
import pytest

import corral
from corral import Averaging, WeakSignals
from corral.errors import SignalsError

CLASSES = ["neg", "neu", "pos"]


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="pandas is an optional extra")


@pytest.fixture
def said():
    """(n, 3 models, 3 classes), to three decimals."""
    return np.random.default_rng(0).dirichlet([1, 1, 1], (50, 3)).round(3)


def named(layout="{signal}_{class}"):
    return [
        layout.replace("{signal}", f"m{i}").replace("{class}", c)
        for i in range(3)
        for c in CLASSES
    ]


def as_frame(pandas, said, names):
    return pandas.DataFrame(said.reshape(len(said), -1), columns=names)


@pytest.mark.parametrize("layout", ["{signal}_{class}", "{signal}.{class}"])
def test_models_and_classes(pandas, said, layout):
    frame = as_frame(pandas, said, named(layout))
    signals = WeakSignals.from_frame(frame, probabilities=True)
    assert signals.names == ("m0", "m1", "m2")
    assert signals.classes.tolist() == CLASSES
    scaled = said / said.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(signals.probabilities, scaled)
    again = Averaging().fit(signals).predict_proba(frame)
    np.testing.assert_allclose(again, scaled.mean(axis=1), atol=1e-12)


def test_the_order_of_columns_does_not_matter(pandas, said):
    frame = as_frame(pandas, said, named())
    mixed = frame[sorted(frame.columns, key=hash)]
    found = corral.label(mixed, probabilities=True, classes=CLASSES)
    expected = corral.label(frame, probabilities=True, classes=CLASSES)
    np.testing.assert_allclose(found["p_pos"], expected["p_pos"], atol=1e-9)


def test_told_how_names_are_made(pandas, said):
    frame = as_frame(pandas, said, named("p_{class}__{signal}"))
    layout = "p_{class}__{signal}"
    signals = WeakSignals.from_frame(frame, probabilities=True, columns=layout)
    assert (signals.names, signals.classes.tolist()) == (("m0", "m1", "m2"), CLASSES)
    each = WeakSignals.from_frame(frame, probabilities=True, columns="{signal}")
    assert each.n_signals == 9
    for wrong in ("{class}-{signal}", "x", "{signal}{signal}"):
        with pytest.raises(SignalsError, match=r"form|how names are made"):
            WeakSignals.from_frame(frame, probabilities=True, columns=wrong)
    with pytest.raises(SignalsError, match="go with `probabilities=True`"):
        WeakSignals.from_frame(frame, columns=layout)


def test_two_classes(pandas):
    frame = pandas.DataFrame({"p_0": [0.1, 0.8], "p_1": [0.9, 0.2]})
    signals = WeakSignals.from_frame(frame, probabilities=True)
    assert (signals.names, signals.classes.tolist()) == (("p",), [0, 1])
    np.testing.assert_allclose(signals.probabilities[:, 0, 1], [0.9, 0.2])


def test_classes_that_do_not_add_up(pandas, said):
    frame = as_frame(pandas, said / 2, named())
    with pytest.raises(SignalsError, match="3 signals with 3 classes"):
        WeakSignals.from_frame(frame, probabilities=True)


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars"])
@pytest.mark.parametrize("bins", [None, 20])
def test_tables_that_are_not_in_memory(pandas, said, tmp_path, kind, bins):
    frame = as_frame(pandas, said, named())
    options = {"probabilities": True, "labeler": "averaging", "bins": bins}
    if kind == "polars":
        polars = pytest.importorskip("polars", reason="polars is an optional extra")
        found = corral.label(polars.from_pandas(frame).lazy(), **options).collect()
    else:
        source, target = tmp_path / f"v.{kind}", tmp_path / "o.parquet"
        getattr(frame, f"to_{kind}")(source, index=False)
        found = pandas.read_parquet(corral.label(source, output=target, **options))
    means = said.mean(axis=1)
    if bins is None:
        scaled = said / said.sum(axis=2, keepdims=True)
        means = scaled.mean(axis=1)
    for k, name in enumerate(CLASSES):
        atol = 1e-9 if bins is None else 0.05
        np.testing.assert_allclose(found[f"p_{name}"], means[:, k], atol=atol)


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_rounded_probabilities_are_scaled(decimals):
    thirds = np.full((4, 1, 3), 1 / 3).round(decimals)
    signals = WeakSignals.from_probabilities(thirds)
    np.testing.assert_allclose(signals.probabilities, 1 / 3)


@pytest.mark.parametrize(
    "said", [[[[0.3, 0.3, 0.3]]], [[[0.333, 0.33, 0.3]]], [[[0.5, 0.25, 0.1]]]]
)
def test_more_than_rounding_is_refused(said):
    with pytest.raises(SignalsError, match="more than rounding explains"):
        WeakSignals.from_probabilities(said)


@pytest.mark.parametrize(
    "names",
    [
        ["m1_not_spam", "m1_spam", "m2_not_spam", "m2_spam"],
        ["not_spam_m1", "spam_m1", "not_spam_m2", "spam_m2"],
        ["neg.m1", "pos.m1", "neg.m2", "pos.m2"],
    ],
)
def test_names_with_several_separators_and_the_class_first(pandas, names):
    said = np.random.default_rng(0).random((20, 2)).round(3)
    values = np.column_stack([1 - said[:, 0], said[:, 0], 1 - said[:, 1], said[:, 1]])
    frame = pandas.DataFrame(values, columns=names)
    signals = WeakSignals.from_frame(frame, probabilities=True)
    assert signals.names == ("m1", "m2")
    np.testing.assert_allclose(signals.probabilities[:, :, 1], said)
    again = Averaging().fit(signals).predict_proba(frame)
    np.testing.assert_allclose(again[:, 1], said.mean(axis=1))


@pytest.fixture
def two_models(pandas):
    """Two models that give both of two classes a probability, to two decimals."""
    said = np.random.default_rng(0).random((40, 2)).round(2)
    values = np.stack([1 - said, said], axis=2).reshape(40, 4).round(2)
    names = ["bert_neg", "bert_pos", "llm_neg", "llm_pos"]
    return pandas.DataFrame(values, columns=names)


@pytest.mark.parametrize("classes", [None, ["neg", "pos"], ["pos", "neg"]])
@pytest.mark.parametrize("cell", [None, 0.05])
@pytest.mark.parametrize("kind", ["frame", "csv", "bins"])
def test_one_bad_cell_is_refused(two_models, tmp_path, classes, cell, kind):
    options = {"probabilities": True, "classes": classes}
    two_models.loc[3, "llm_neg"], two_models.loc[3, "llm_pos"] = cell, 0.5
    source = two_models
    if kind != "frame":
        options |= {"output": tmp_path / "o.csv", "bins": 5 if kind == "bins" else None}
        two_models.to_csv(source := tmp_path / "v.csv", index=False)
    with pytest.raises(SignalsError, match=r"llm_pos = 0\.[56]"):
        corral.label(source, **options)


def test_a_model_without_an_opinion_abstains(two_models):
    two_models.loc[3, ["llm_neg", "llm_pos"]] = None
    for classes in (None, ["neg", "pos"]):
        read = WeakSignals.from_frame(two_models, probabilities=True, classes=classes)
        assert read.names == ("bert", "llm")
        assert np.isnan(read.probabilities[3, 1]).all()


def test_columns_named_after_the_classes(two_models):
    options = {"probabilities": True, "classes": ["neg", "pos"]}
    one = two_models[["llm_neg", "llm_pos"]].set_axis(["neg", "pos"], axis=1)
    read = WeakSignals.from_frame(one[["pos", "neg"]], **options)
    assert (read.names, read.classes.tolist()) == (("model",), ["neg", "pos"])
    np.testing.assert_allclose(read.probabilities[:, 0, 1], two_models["llm_pos"])
    second = WeakSignals.from_frame(two_models[["bert_pos", "llm_pos"]], **options)
    assert second.names == ("bert_pos", "llm_pos")
    numbered = two_models.set_axis(["bert_0", "bert_1", "llm_0", "llm_1"], axis=1)
    for table in (
        two_models[["bert_neg", "llm_neg"]],
        two_models.iloc[:, :3],
        numbered,
    ):
        with pytest.raises(SignalsError, match="columns="):
            WeakSignals.from_frame(table, **options)
    with pytest.raises(SignalsError, match="columns="):
        WeakSignals.from_frame(one, probabilities=True)


def test_a_bad_row_of_an_array_is_named(said):
    for cell in (np.nan, 0.9):
        bad = said.copy()
        bad[7, 1] = cell, 0.5, 0.5
        with pytest.raises(SignalsError, match="signal 1 of example 7"):
            WeakSignals.from_probabilities(bad)


def test_known_classes_tell_where_a_name_is_split(pandas):
    frame = pandas.DataFrame({"a_b_not_ok": [0.2], "a_b_ok": [0.8]})
    options = {"columns": "{signal}_{class}", "classes": ["not_ok", "ok"]}
    signals = WeakSignals.from_frame(frame, probabilities=True, **options)
    assert (signals.names, signals.classes.tolist()) == (("a_b",), ["not_ok", "ok"])


def test_columns_that_are_classes_of_one_signal(pandas, said):
    frame = pandas.DataFrame(said[:, 0], columns=CLASSES)
    with pytest.raises(SignalsError, match=r"add up to one.*'\{class\}'"):
        WeakSignals.from_frame(frame, probabilities=True)
    signals = WeakSignals.from_frame(frame, probabilities=True, columns="{class}")
    assert (signals.names, signals.classes.tolist()) == (("model",), CLASSES)
    few = pandas.DataFrame({"n": [0.2, 0.6, 0.9], "p": [0.8, 0.4, 0.1]})
    with pytest.raises(SignalsError, match="add up to one"):
        WeakSignals.from_frame(few, probabilities=True)
    assert WeakSignals.from_frame(few[:2], probabilities=True).n_signals == 2


def test_rules_that_rarely_overlap_are_signals_of_their_own(pandas):
    rng = np.random.default_rng(0)
    said = np.where(rng.random((300, 4)) < 0.1, rng.random((300, 4)), np.nan)
    frame = pandas.DataFrame(said, columns=[f"rule_{i}" for i in range(4)])
    for bins in (None, 10):
        signals = WeakSignals.from_frame(frame, probabilities=True, bins=bins)
        assert signals.n_signals == 4
