"""What holds for Snorkel holds for corral.compat.snorkel: each test runs with both."""

import pickle
import warnings
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from corral.errors import FunctionWarning

pd = pytest.importorskip("pandas")

equal, close = np.testing.assert_array_equal, np.testing.assert_allclose
PARTS = ("labeling", "labeling.model", "analysis", "utils", "preprocess")


@pytest.fixture(
    params=[
        "corral.compat.snorkel",
        pytest.param("snorkel", marks=pytest.mark.filterwarnings("ignore")),
    ]
)
def s(request):
    """All names of the package's modules."""
    pytest.importorskip(request.param)
    names = {}
    for part in PARTS:
        names |= vars(import_module(f"{request.param}.{part}"))
    return SimpleNamespace(**names, package=request.param)


def rows(*numbers):
    return [SimpleNamespace(num=number) for number in numbers]


def over_42(x):
    return 0 if x.num > 42 else -1


def in_db(x, db):
    return 0 if x.num in db else -1


NUMBERS = [3, 43, 12, 9, 3]
VOTES = [[-1, 0], [0, -1], [-1, -1], [-1, 0], [-1, 0]]


def square_of(s):
    @s.preprocessor()
    def square(x):
        x.num = x.num**2
        return x

    return square


def test_functions(s):
    given = s.LabelingFunction("g", in_db, resources={"db": [3, 43]})
    assert [pickle.loads(pickle.dumps(given))(x) for x in rows(43, 19)] == [0, -1]
    square = square_of(s)
    twice = s.LabelingFunction("f", over_42, pre=[square, square])
    assert [twice(x) for x in rows(43, 6, 2)] == [0, 0, -1]
    made = s.labeling_function(name="g", resources={"db": [9]}, pre=[square])(in_db)
    assert (made.name, s.labeling_function()(over_42).name) == ("g", "over_42")
    assert [made(x) for x in rows(3, 9)] == [0, -1]
    nothing = s.preprocessor()(lambda _: None)
    with pytest.raises(ValueError, match="None"):
        s.LabelingFunction("f", over_42, pre=[nothing])(rows(1)[0])
    for decorator in (s.labeling_function, s.preprocessor):
        with pytest.raises(ValueError, match="missing parentheses"):
            decorator(over_42)


@pytest.mark.filterwarnings("ignore:Pandas doesn't allow columns")
def test_preprocessors_change_a_copy_and_remember(s):
    calls = []

    @s.preprocessor(memoize=True, memoize_key=lambda x: x.num)
    def note(x):
        calls.append(x.num)
        x.words = [x.num]
        return x

    @s.preprocessor(pre=[note])
    def half(x):
        x.half = x.words[0] / 2
        return x

    row = rows(4)[0]
    assert (note(row).words, note(row).words, calls) == ([4], [4], [4])
    assert not hasattr(row, "words")
    assert half(row).half == 2


@pytest.mark.parametrize("kind", ["LFApplier", "PandasLFApplier"])
def test_appliers(s, kind):
    data = pd.DataFrame({"num": NUMBERS}) if "Pandas" in kind else rows(*NUMBERS)
    apply = getattr(s, kind)
    lfs = [
        s.LabelingFunction("f", over_42),
        s.LabelingFunction("g", in_db, resources={"db": [3, 6, 9]}),
    ]
    equal(apply(lfs).apply(data, progress_bar=False), VOTES)
    with pytest.raises(ValueError, match="f"):
        apply([lfs[0], lfs[0]])
    calls = []

    @s.preprocessor(memoize=True)
    def count(x):
        calls.append(x.num)
        x.square = x.num**2
        return x

    @s.labeling_function(pre=[count])
    def large(x):
        return 0 if x.square > 42 else -1

    equal(apply([large]).apply(data, progress_bar=False)[:, 0], [-1, 0, 0, 0, -1])
    assert len(calls) == 4, "3 is there twice"
    fails = s.LabelingFunction("fails", lambda x: x.nothing if x.num < 9 else 1)
    with pytest.raises(AttributeError, match="nothing"):
        apply([fails]).apply(data, progress_bar=False)
    with warnings.catch_warnings():  # corral's
        warnings.simplefilter("ignore", FunctionWarning)
        votes = apply([fails]).apply(data, progress_bar=False, fault_tolerant=True)
    assert votes[:, 0].tolist() == [-1, 1, 1, 1, -1]


def test_rows_are_those_of_pandas(s):
    frame = pd.DataFrame({"text": ["a"], "name": ["b"]}, index=["first"])

    @s.labeling_function()
    def look(x):
        assert (x.name, x["name"], x.dtype) == ("first", "b", frame.dtypes.iloc[0])
        return 1

    equal(s.PandasLFApplier([look]).apply(frame, progress_bar=False), [[1]])


L = np.array(
    [[-1, -1, 0, -1, -1, 0], [-1, -1, -1, 2, -1, -1], [2, -1, -1, -1, -1, 0],
     [1, -1, 2, -1, 0, 0], [-1, -1, -1, -1, -1, -1], [1, -1, 0, 2, 1, 0]]
)  # fmt: skip
GOLD = np.array([0, 1, 2, 0, 1, 2])


def test_analysis(s):
    found = s.LFAnalysis(L)
    assert found.label_coverage() == 5 / 6
    assert found.label_overlap() == 4 / 6
    assert found.label_conflict() == 3 / 6
    assert found.lf_polarities() == [[1, 2], [], [0, 2], [2], [0, 1], [0]]
    close(found.lf_coverages(), np.array([3, 0, 3, 2, 2, 4]) / 6)
    close(found.lf_overlaps(), np.array([3, 0, 3, 1, 2, 4]) / 6)
    close(found.lf_overlaps(normalize_by_coverage=True), [1, 0, 1, 1 / 2, 1, 1])
    close(found.lf_conflicts(), np.array([3, 0, 2, 1, 2, 3]) / 6)
    close(found.lf_conflicts(normalize_by_overlaps=True), [1, 0, 2 / 3, 1, 1, 3 / 4])
    accuracies = [1 / 3, 0, 1 / 3, 1 / 2, 1 / 2, 1 / 2]
    close(found.lf_empirical_accuracies(GOLD), accuracies)
    lfs = [s.LabelingFunction(name, over_42) for name in "abcdef"]
    summary = s.LFAnalysis(L, lfs).lf_summary(GOLD, est_weights=range(6))
    assert summary.index.tolist() == list("abcdef")
    assert summary.columns.tolist() == [
        "j", "Polarity", "Coverage", "Overlaps", "Conflicts", "Correct", "Incorrect",
        "Emp. Acc.", "Learned Weight",
    ]  # fmt: skip
    equal(summary["Correct"], [1, 0, 1, 1, 1, 2])
    equal(summary["Incorrect"], [2, 0, 2, 1, 1, 2])
    close(summary["Emp. Acc."], accuracies)
    with pytest.raises(ValueError, match="Number of LFs"):
        s.LFAnalysis(L, lfs[:2])
    silent = s.LFAnalysis(np.full((2, 2), -1))
    assert silent.label_coverage() == silent.label_conflict() == 0


def test_classes_and_probabilities(s):
    equal(s.to_int_label_array(np.array([[1], [0], [2.0]])), [1, 0, 2])
    for wrong in ([[1], [2.1]], [[1, 0], [0, 1]]):
        with pytest.raises(ValueError, match=r"non-integer|1d np.array"):
            s.to_int_label_array(np.array(wrong))
    equal(s.preds_to_probs(np.array([1, 0]), 2), [[0, 1], [1, 0]])
    tied = np.tile([[0.4, 0.4, 0.2], [0.1, 0.5, 0.4]], (9, 1))
    equal(s.probs_to_preds(np.full((8, 2), 0.5)), [0, 1, 0, 1, 0, 0, 0, 0])
    equal(s.probs_to_preds(tied, "abstain")[:2], [-1, 1])
    assert s.probs_to_preds(np.empty((0, 2))).shape == (0,)
    for wrong, policy in ((tied, "negative"), (tied[:, :1], "random")):
        with pytest.raises(ValueError, match=r"polic|prob"):
            s.probs_to_preds(wrong, tie_break_policy=policy)


SCORES = {
    "accuracy": 0.6, "coverage": 1.0, "precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3,
    "f1_micro": 0.6, "f1_macro": 7 / 12, "matthews_corrcoef": 1 / 6, "roc_auc": 5 / 6,
    "fbeta": 2 / 3,
}  # fmt: skip


@pytest.mark.parametrize("metric", SCORES)
def test_scores(s, metric):
    golds, preds = np.array([1, 0, 1, 0, 1]), np.array([1, 0, 0, 1, 1])
    second = np.array([0.9, 0.3, 0.4, 0.6, 0.7])
    probs = np.column_stack([1 - second, second])
    options = {"beta": 2} if metric == "fbeta" else {}
    found = s.metric_score(golds, preds, probs, metric, **options)
    assert found == pytest.approx(SCORES[metric])


def test_filtered_scores(s):
    golds, preds = np.array([1, 1, 1, 2, 2]), np.array([1, 0, 1, 2, 1])
    for filtered, score in (
        (None, 0.6),
        ({"preds": [0]}, 0.75),
        ({"golds": [1]}, 0.5),
        ({"golds": [2], "preds": [0]}, 1.0),
    ):
        assert s.metric_score(golds, preds, filter_dict=filtered) == score
    for wrong in ({"metric": "f2"}, {"metric": "f1"}, {"preds": preds / 2}):
        with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
            s.metric_score(**{"golds": golds, "preds": preds} | wrong)


def test_buckets(s):
    first, second = np.array([[2], [1], [3], [1]]), np.array([1, 2, 3, 2])
    found = s.get_label_buckets(first, second)
    assert {kind: at.tolist() for kind, at in found.items()} == {
        (2, 1): [0], (1, 2): [1, 3], (3, 3): [2],
    }  # fmt: skip
    with pytest.raises(ValueError, match="same number"):
        s.get_label_buckets(np.array([0, 1, 1]), np.array([1, 1]))


# -- the label model: what holds for MeTaL and for corral's default ------------


def fit(s, votes, **options):
    model = s.LabelModel(cardinality=2, verbose=False)
    model.fit(
        np.array(votes), progress_bar=False, seed=1, **options
    )  # else Snorkel draws
    return model


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
@pytest.mark.parametrize(
    ("votes", "found"),
    [
        ([[-1, -1, 1], [-1, 1, -1], [0, -1, -1]], [1, 1, 0]),
        ([[-1, -1, 1], [-1, 1, 1], [1, 1, 1]], [1, 1, 1]),
        ([[-1, 1, 0], [0, -1, 1], [1, 0, -1]], [-1, -1, -1]),
        ([[1, 1, 0], [-1, -1, -1], [1, 0, 1]], [1, -1, 1]),
        ([[-1, -1, -1], [-1, -1, -1]], [-1, -1]),
    ],
)
def test_small_matrices(s, votes, found):
    model = fit(s, votes)
    equal(model.predict(np.array(votes)), found)
    none = model.predict(np.empty((0, 3), int))
    assert none.shape == (0,)


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
def test_class_balance_and_score(s):
    votes = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [-1, -1, -1]])
    dev = np.array([0] * 6 + [1] * 4)
    close(fit(s, votes, Y_dev=dev).p, [0.6, 0.4])
    close(fit(s, votes, class_balance=[0.6, 0.4]).p, [0.6, 0.4])
    for wrong in ([0.0, 1.0], [0.5]):
        with pytest.raises(ValueError, match=r"[Bb]alance"):
            fit(s, votes, class_balance=wrong)
    with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
        fit(s, votes, Y_dev=np.array([0, 0, 0]))
    scores = fit(s, votes).score(votes, np.array([0, 1, 0, 0]), ["coverage"])
    assert scores == {"coverage": 0.75}


def test_a_file_keeps_the_model(s, tmp_path):
    votes = np.random.default_rng(0).integers(-1, 2, (100, 4))
    model = fit(s, votes)
    model.save(str(tmp_path / "model.pkl"))
    again = s.LabelModel(cardinality=2, verbose=False)
    again.load(str(tmp_path / "model.pkl"))
    equal(again.predict_proba(votes), model.predict_proba(votes))
    equal(again.get_weights(), model.get_weights())
