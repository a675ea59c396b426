"""Columns of probabilities: one per signal, or one per signal and class."""

import numpy as np
import pytest

import corral
from corral import Averaging, WeakSignals
from corral.errors import SignalsError

pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
CLASSES = ["neg", "neu", "pos"]
SAID = np.random.default_rng(0).dirichlet([1, 1, 1], (50, 3)).round(3)
"""(n, 3 models, 3 classes), to three decimals."""
SCALED = SAID / SAID.sum(axis=2, keepdims=True)


def table(mark="_"):
    names = [f"m{i}{mark}{c}" for i in range(3) for c in CLASSES]
    return pandas.DataFrame(SAID.reshape(len(SAID), -1), columns=names)


def read(frame, **options):
    return WeakSignals.from_frame(frame, probabilities=True, **options)


@pytest.mark.parametrize("mark", ["_", "."])
def test_models_and_classes(mark, tmp_path):
    frame = table(mark)
    signals = read(frame)
    assert signals.names == ("m0", "m1", "m2")
    assert signals.classes.tolist() == CLASSES
    np.testing.assert_allclose(signals.probabilities, SCALED)
    Averaging().fit(signals).save(tmp_path / "it.corral")
    labeler = Averaging.load(tmp_path / "it.corral")
    for new in (frame, frame[sorted(frame.columns, key=hash)].assign(text="?")):
        found = labeler.predict_proba(new)
        np.testing.assert_allclose(found, SCALED.mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars"])
def test_tables_that_are_not_in_memory(tmp_path, kind):
    frame = table()
    options = {"probabilities": True, "labeler": "averaging"}
    if kind == "polars":
        polars = pytest.importorskip("polars", reason="polars is an optional extra")
        found = corral.label(polars.from_pandas(frame).lazy(), **options).collect()
    else:
        source, target = tmp_path / f"v.{kind}", tmp_path / "o.parquet"
        getattr(frame, f"to_{kind}")(source, index=False)
        found = pandas.read_parquet(corral.label(source, output=target, **options))
    for k, name in enumerate(CLASSES):
        expected = SCALED[:, :, k].mean(axis=1)
        np.testing.assert_allclose(found[f"p_{name}"], expected, atol=1e-9)


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_rounded_probabilities_are_scaled(decimals):
    thirds = np.full((4, 1, 3), 1 / 3).round(decimals)
    signals = WeakSignals.from_probabilities(thirds)
    np.testing.assert_allclose(signals.probabilities, 1 / 3)


@pytest.mark.parametrize(
    "said", [[[[0.3, 0.3, 0.3]]], [[[0.333, 0.33, 0.3]]], [[[0.5, 0.25, 0.1]]]]
)
def test_more_than_rounding_is_refused(said):
    with pytest.raises(SignalsError, match="rounding does not explain"):
        WeakSignals.from_probabilities(said)


@pytest.fixture
def two_models():
    """Two models that give both of two classes a probability, to two decimals."""
    said = np.random.default_rng(0).random((40, 2)).round(2)
    values = np.stack([1 - said, said], axis=2).reshape(40, 4).round(2)
    names = ["bert_not_ok", "bert_ok", "llm_not_ok", "llm_ok"]
    return pandas.DataFrame(values, columns=names)


@pytest.mark.parametrize("classes", [None, ["not_ok", "ok"], ["ok", "not_ok"]])
@pytest.mark.parametrize("cell", [None, 0.05])
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_one_bad_cell_is_refused(two_models, tmp_path, classes, cell, kind):
    options = {"probabilities": True, "classes": classes}
    two_models.loc[3, "llm_not_ok"], two_models.loc[3, "llm_ok"] = cell, 0.5
    source = two_models
    if kind != "frame":
        options["output"] = tmp_path / "o.csv"
        two_models.to_csv(source := tmp_path / "v.csv", index=False)
    with pytest.raises(SignalsError, match=r"signal 1 of example .*classes="):
        corral.label(source, **options)


def test_a_model_without_an_opinion_abstains(two_models):
    two_models.loc[3, ["llm_not_ok", "llm_ok"]] = None
    for classes in (None, ["not_ok", "ok"]):
        signals = read(two_models, classes=classes)
        assert signals.names == ("bert", "llm")
        assert np.isnan(signals.probabilities[3, 1]).all()


def test_names_with_the_class_first_are_refused(two_models):
    two_models.columns = ["neg-bert", "pos-bert", "neg-llm", "pos-llm"]
    with pytest.raises(SignalsError, match="classes="):
        read(two_models)


def test_columns_named_after_the_classes(two_models):
    options = {"classes": ["not_ok", "ok"]}
    one = two_models[["llm_not_ok", "llm_ok"]].set_axis(["not_ok", "ok"], axis=1)
    for frame in (one, one[["ok", "not_ok"]]):
        signals = read(frame, **options)
        assert (signals.names, signals.classes.tolist()) == (
            ("model",),
            ["not_ok", "ok"],
        )
        np.testing.assert_allclose(signals.probabilities[:, 0, 1], two_models["llm_ok"])
        with pytest.raises(SignalsError, match="add up to one in every row"):
            read(frame)
    second = read(two_models[["bert_ok", "llm_ok"]], **options)
    assert second.names == ("bert_ok", "llm_ok")
    for some in (
        ["bert_not_ok", "llm_not_ok"],
        ["bert_not_ok", "bert_ok", "llm_not_ok"],
    ):
        with pytest.raises(SignalsError, match="classes="):
            read(two_models[some], **options)


def test_numbered_signals_are_refused_until_renamed():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((300, 4)) < 0.1, rng.random((300, 4)), np.nan)
    frame = pandas.DataFrame(said, columns=[f"rule_{i}" for i in range(4)])
    with pytest.raises(SignalsError, match="name it otherwise"):
        read(frame)
    assert read(frame.rename(columns=lambda name: name.replace("_", ""))).n_signals == 4


def test_complementary_columns_are_one_signal_whatever_the_classes():
    table = pandas.DataFrame({"negative": [0.5, 0.2, 0.9], "other": [0.5, 0.8, 0.1]})
    with pytest.raises(SignalsError, match="add up to one"):
        WeakSignals.from_frame(table, probabilities=True, classes=["neg", "pos"])
