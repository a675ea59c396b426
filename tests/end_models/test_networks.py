"""The paper's networks: what they minimise, scikit-learn's manners, files."""

import json
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import corral
from corral import (
    Averaging,
    ConstrainedLabeler,
    SoftLabelCNN,
    SoftLabelMLP,
    WeakSignals,
)
from corral.datasets import draw_exemplars, first_of_each
from corral.errors import ParameterError, StorageError
from corral.features import normalise_images
from corral.functions import pseudolabels

torch = pytest.importorskip("torch", reason="torch is an extra")

torch.set_num_threads(1)  # tests share their cores, and such networks are small

NETWORKS = {
    "mlp": (SoftLabelMLP((16,), learning_rate=0.01, dropout=0.1), (5,)),
    "cnn": (SoftLabelCNN(8, learning_rate=0.005, dropout=0.1), (8, 9)),
    "colour cnn": (SoftLabelCNN(8, learning_rate=0.005, dropout=0.1), (9, 8, 3)),
}


@pytest.fixture(params=NETWORKS)
def network(request):
    model, shape = NETWORKS[request.param]
    return clone(model).set_params(epochs=5, random_state=0), shape


def example(shape, n=90, k=3, seed=0):
    """Features that are bright where the class says, and soft labels around it."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    x = rng.normal(size=(n, *shape)) * 0.3
    for j in range(k):
        x[y == j, 2 * j : 2 * j + 2] += 1
    soft = rng.dirichlet(np.ones(k), n) * 0.3 + 0.7 * np.eye(k)[y]
    return x, soft, y


@pytest.mark.parametrize("output", ["sigmoid", "softmax"])
@pytest.mark.parametrize("k", [2, 3])
def test_learns_and_keeps_class_names(network, output, k):
    model, shape = network
    x, soft, y = example(shape, k=k)
    names = np.array(["c", "a", "b"])[:k]
    model.set_params(output=output, epochs=20).fit(x, soft, classes=names)
    assert model.classes_.tolist() == names.tolist()
    p = model.predict_proba(x)
    assert p.shape == (len(x), k)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.score(x, names[y]) > 0.95
    assert model.history_.shape == (20, 2)
    assert model.history_[-1, 0] < model.history_[0, 0]
    outputs = 1 if k == 2 and output == "sigmoid" else k
    logits = model.logits(x)
    assert logits.shape == (len(x), outputs)
    if outputs == k:
        np.testing.assert_array_equal(logits.argmax(axis=1), p.argmax(axis=1))
    else:
        np.testing.assert_allclose(expit(logits[:, 0]), p[:, 1])


@pytest.mark.parametrize("optimizer", ["adam", "adagrad"])
@pytest.mark.parametrize("output", ["sigmoid", "softmax"])
def test_the_expected_loss_is_what_is_minimised(output, optimizer):
    """Nothing but a bias: the prediction is the weighted mean of the soft labels."""
    soft = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.4, 0.2, 0.4]])
    weight = np.array([1.0, 2.0, 5.0])
    model = SoftLabelMLP(
        (), output=output, optimizer=optimizer, learning_rate=0.05, epochs=800
    ).fit(np.zeros((3, 1)), soft, sample_weight=weight)
    mean = np.average(soft, axis=0, weights=weight)
    np.testing.assert_allclose(model.predict_proba([[0.0]])[0], mean, atol=2e-3)


def test_equal_to_logistic_regression_without_hidden_layers():
    x, soft, _ = example((5,), k=2)
    # Adam never settles: at 0.05 one start in a hundred ends on a spike above 2e-3.
    model = SoftLabelMLP(
        (), epochs=2000, learning_rate=0.02, batch_size=90, random_state=0
    )
    ours = model.fit(x, soft).predict_proba(x)
    theirs = LogisticRegression(C=np.inf).fit(
        np.tile(x, (2, 1)), np.repeat([0, 1], len(x)), sample_weight=soft.T.ravel()
    )
    np.testing.assert_allclose(ours, theirs.predict_proba(x), atol=2e-3)


def test_the_same_seed_gives_the_same_network_and_torch_keeps_its_state(network):
    model, shape = network
    x, soft, _ = example(shape)
    before = torch.random.get_rng_state()
    first = clone(model).fit(x, soft).predict_proba(x)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.rand(3)
    np.testing.assert_array_equal(clone(model).fit(x, soft).predict_proba(x), first)
    other = model.set_params(random_state=1).fit(x, soft).predict_proba(x)
    assert np.abs(other - first).max() > 1e-4


def test_early_stopping_keeps_the_best_network():
    rng = np.random.default_rng(0)
    x, soft = rng.normal(size=(80, 20)), rng.dirichlet([0.3, 0.3], 80)  # only noise
    model = SoftLabelMLP(
        (64,), learning_rate=0.01, epochs=200, validation=0.25, patience=4,
        random_state=0,
    ).fit(x, soft)  # fmt: skip
    unseen = model.history_[:, 1]
    assert len(unseen) < 200
    assert unseen.argmin() == len(unseen) - 1 - 4
    alone = model.set_params(epochs=int(unseen.argmin()) + 1, patience=1000)
    np.testing.assert_array_equal(alone.fit(x, soft).history_[:, 1].min(), unseen.min())
    assert np.isnan(alone.set_params(validation=0.0).fit(x, soft).history_[:, 1]).all()


def test_examples_without_weight_are_not_looked_at(network):
    model, shape = network
    x, soft, _ = example(shape)
    covered = np.arange(len(x)) % 3 > 0
    first = clone(model).fit(x, soft, covered=covered).predict_proba(x)
    spoiled = np.where(covered.reshape(-1, *[1] * len(shape)), x, 1e6)
    again = clone(model).fit(spoiled, soft, sample_weight=covered)
    np.testing.assert_array_equal(again.predict_proba(x), first)
    model.set_params(uncovered_weight=0.5).fit(x, soft, covered=covered)
    assert np.abs(model.predict_proba(x) - first).max() > 1e-4


def test_sparse_features_are_dense_ones():
    x, soft, _ = example((5,))
    x[x < 0.2] = 0
    model = SoftLabelMLP((8,), epochs=3, random_state=0)
    dense = clone(model).fit(x, soft).predict_proba(x)
    sparse = csr_array(x)
    np.testing.assert_allclose(
        model.fit(sparse, soft).predict_proba(sparse), dense, atol=1e-6
    )


def test_scores_of_soft_and_of_hard_labels(network):
    model, shape = network
    x, soft, y = example(shape)
    model.fit(x, soft)
    chosen = model.predict_proba(x).argmax(axis=1)
    expected = soft[np.arange(len(x)), chosen].mean()
    assert model.score(x, soft) == pytest.approx(expected)
    assert model.score(x, y) == pytest.approx((chosen == y).mean())


def test_files_predict_the_same(network, tmp_path):
    model, shape = network
    x, soft, _ = example(shape)
    model.set_params(random_state=np.random.default_rng(3))
    model.fit(x, soft, classes=np.array(["c", "a", "b"], object)).save(tmp_path / "net")
    back = type(model).load(tmp_path / "net")
    np.testing.assert_array_equal(back.predict_proba(x), model.predict_proba(x))
    np.testing.assert_array_equal(back.predict(x), model.predict(x))
    np.testing.assert_array_equal(back.history_, model.history_)
    expected = model.get_params() | {"random_state": None}
    assert back.get_params() == expected
    back.save(tmp_path / "again")
    again = pickle.loads(pickle.dumps(back))
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))


def test_options_of_numpy_are_saved(tmp_path):
    x, soft, _ = example((5,))
    model = SoftLabelMLP(
        hidden=np.array([8]),
        epochs=np.int64(2),
        learning_rate=np.float32(0.01),
        dropout=np.float32(0.1),
    ).fit(x, soft)
    model.save(tmp_path / "model")
    again = SoftLabelMLP.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
    assert (again.hidden, again.epochs) == ((8,), 2)


@pytest.mark.parametrize("options", [{}, {"validation": 0.2}, {"epochs": 1}])
def test_training_that_diverges_is_an_error(options):
    x, soft, _ = example((5,))
    given = {"learning_rate": 1e30, "epochs": 3, "random_state": 0} | options
    with pytest.raises(ParameterError, match=r"training diverged: .* learning_rate"):
        SoftLabelMLP((8,), **given).fit(x, soft)


def test_settings_of_torch_around_a_network(tmp_path):
    x, soft, _ = example((5,))
    model = SoftLabelMLP((8,), epochs=2, random_state=0)
    expected = clone(model).fit(x, soft).predict_proba(x)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.inference_mode():
            found = model.fit(x, soft).predict_proba(x)
        model.save(tmp_path / "model")
        again = SoftLabelMLP.load(tmp_path / "model").predict_proba(x)
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(again, expected)


def test_feature_names_are_saved(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    x, soft, _ = example((3,))
    frame = pandas.DataFrame(x, columns=list("abc"))
    SoftLabelMLP((4,), epochs=1).fit(frame, soft).save(tmp_path / "net")
    back = SoftLabelMLP.load(tmp_path / "net")
    assert back.predict(frame).shape == (len(x),)
    with pytest.raises(ValueError, match="feature names"):
        back.predict(frame[["b", "a", "c"]])


def test_files_that_are_no_network(tmp_path):
    x, soft, _ = example((5,))
    model = SoftLabelMLP((4,), epochs=1).fit(x, soft)
    model.save(tmp_path / "net")
    with pytest.raises(StorageError, match="'SoftLabelMLP', not a 'SoftLabelCNN'"):
        SoftLabelCNN.load(tmp_path / "net")
    with np.load(tmp_path / "net") as archive:
        arrays = dict(archive)
    header = json.loads(arrays["corral"].tobytes())
    header["settings"]["parameters"]["hidden"] = [7]
    arrays["corral"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(StorageError, match="damaged"):
        SoftLabelMLP.load(tmp_path / "bad.npz")
    model.classes_ = np.array(["a", 1, None], object)
    with pytest.raises(StorageError, match="text or numbers"):
        model.save(tmp_path / "odd")
    with pytest.raises(NotFittedError):
        SoftLabelMLP().save(tmp_path / "none")


X, SOFT, _ = example((5,), n=6)
IMAGES, *_ = example((8, 8), n=6)
BAD = {
    "output": (SoftLabelMLP(output="tanh"), X, "output.*'tanh'"),
    "optimizer": (SoftLabelMLP(optimizer="sgd"), X, "optimizer.*'sgd'"),
    "epochs": (SoftLabelMLP(epochs=0), X, "epochs.*0"),
    "batch": (SoftLabelCNN(batch_size=2.5), IMAGES, "batch_size.*2.5"),
    "dropout": (SoftLabelCNN(dropout=1.0), IMAGES, "dropout.*1.0"),
    "channels": (SoftLabelCNN(0), IMAGES, "channels.*0"),
    "rate": (SoftLabelMLP(learning_rate=-1.0), X, "learning_rate.*-1"),
    "rate text": (SoftLabelMLP(learning_rate="x"), X, "learning_rate.*'x'"),
    "hidden": (SoftLabelMLP((4, 0)), X, "hidden.*0"),
    "hidden number": (SoftLabelMLP(5), X, "hidden.*5"),
    "seed": (SoftLabelMLP(random_state="x"), X, "random_state.*'x'"),
    "validation": (SoftLabelMLP(validation=0.01), X, "6 examples cannot be split"),
    "length": (SoftLabelMLP(), X[:4], "4 examples were given with 6"),
    "flat images": (SoftLabelCNN(), X, r"\(6, 5\)"),
    "small images": (SoftLabelCNN(), IMAGES[:, :7], r"\(6, 7, 8\)"),
    "whole numbers": (SoftLabelCNN(), (IMAGES * 9).astype("u1"), "normalise_images"),
    "NaN": (SoftLabelCNN(), IMAGES * np.nan, "finite"),
}


@pytest.mark.parametrize(("model", "x", "message"), BAD.values(), ids=BAD)
def test_refused(model, x, message):
    with pytest.raises(ParameterError, match=message):
        model.fit(x, SOFT)


def test_one_class_and_other_shapes_are_refused():
    with pytest.raises(ParameterError, match="one class"):
        SoftLabelMLP().fit(X, ["a"] * 6)
    model = SoftLabelCNN(2, epochs=1).fit(IMAGES, SOFT)
    with pytest.raises(ParameterError, match=r"\(8, 8\); \(9, 8\) came"):
        model.predict(np.zeros((1, 9, 8)))
    with pytest.raises(ParameterError, match=r"\(0, 8, 8\)"):
        model.predict(IMAGES[:0])


EXPECTED_TO_FAIL = {
    "check_supervised_y_2d": "a y of two dimensions is soft labels, not classes",
    "check_sample_weight_equivalence_on_dense_data": "other examples, other batches",
    "check_sample_weight_equivalence_on_sparse_data": "other examples, other batches",
}


@parametrize_with_checks(
    [SoftLabelMLP((20,), learning_rate=0.02, epochs=15, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED_TO_FAIL,
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_digits_from_signals_to_a_network():
    """Raw images, rules on a few of their pixels, labels, network: nothing downloaded."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    known, train, test = np.split(order, [100, 1400])
    said = []
    for part in np.array_split(np.random.default_rng(1).permutation(64), 4):
        rule = LogisticRegression(max_iter=2000).fit(X[known][:, part], y[known])
        said.append(rule.predict_proba(X[train][:, part]))
    labeler = ConstrainedLabeler().fit(
        WeakSignals.from_probabilities(np.stack(said, axis=1))
    )
    images = X.reshape(-1, 8, 8) / 16
    network = SoftLabelCNN(learning_rate=0.003, epochs=8, random_state=0)
    network.fit(images[train], labeler.labels_, covered=labeler.covered_)
    labels = (labeler.labels_.argmax(axis=1) == y[train]).mean()
    assert labels > 0.8
    assert network.score(images[test], y[test]) > labels


def test_thirty_labelled_digits_teach_a_network_through_signals():
    """The paper's signals for images (METHODS i): exemplars and pseudo-labels."""
    digits = load_digits()
    images, truth = normalise_images(digits.images, brightest=16), digits.target
    known = first_of_each(truth, 3)
    train, test = np.split(np.setdiff1d(np.arange(len(truth)), known), [1400])
    few = images[known], truth[known]
    network = SoftLabelCNN(
        16, dropout=0.0, learning_rate=0.003, epochs=40, batch_size=8, random_state=0
    )
    near = [rule.function(10) for rule in draw_exemplars(*few, block=2)]
    functions = [pseudolabels(network, *few), *near]
    signals = corral.apply(functions, images[train], one_vs_rest=True)
    labeler = ConstrainedLabeler().fit(signals)
    accuracy = labeler.score(signals, truth[train])
    for alone in (functions[:1], *(near[i : i + 10] for i in range(0, 40, 10))):
        one = corral.apply(alone, images[train], one_vs_rest=True)
        assert accuracy > Averaging().fit(one).score(one, truth[train]) + 0.02

    def learned_from(labels):
        learner = clone(network).set_params(epochs=10, batch_size=32)
        return learner.fit(images[train], labels).score(images[test], truth[test])

    reached = learned_from(labeler.labels_)
    assert reached > 0.65  # chance is 0.1
    # Means of soft signals are right as often, but too even to learn from.
    assert reached > learned_from(Averaging().fit(signals).labels_) + 0.05
