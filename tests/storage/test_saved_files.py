"""Everything that can be saved: a changed file is refused, or works as it should."""

import json
import zipfile

import numpy as np
import pytest

from corral import (
    Adagrad,
    AdversarialLabeler,
    Averaging,
    ClassBalance,
    ConstrainedLabeler,
    DawidSkene,
    GroupShare,
    MajorityVote,
    MinimaxEntropy,
    PatternCounts,
    Precision,
    SoftLabelCNN,
    SoftLabelMLP,
    WeakSignals,
    WeightedVote,
)
from corral.datasets import random_votes
from corral.errors import CorralError, StorageError
from corral.labelers import FeatureLabeler, Labeler
from corral.storage.versioned_file import read_file, write_file

RNG = np.random.default_rng(0)
VOTES = RNG.integers(-1, 3, (80, 5))
BINARY = WeakSignals.from_votes(random_votes(80)[0])
CLASSES = WeakSignals.from_votes(VOTES, names=list("abcde"))
SPARSE = WeakSignals.from_long(
    {
        "task": np.repeat(np.arange(40), 3),
        "worker": np.arange(120) % 31,
        "label": RNG.integers(0, 2, 120),
    }
)
RESTS = WeakSignals.from_one_vs_rest(RNG.random((3, 30, 3)))
HARD_RESTS = WeakSignals.from_one_vs_rest(RNG.integers(0, 2, (3, 30, 3)) * 1.0)
SOFT = WeakSignals.from_probabilities(RNG.random((30, 4)))
X = RNG.random((20, 6))
POINTS = RNG.random((80, 3))
IMAGES = RNG.random((12, 8, 8))


def labeler(signals, *arguments, kind=ConstrainedLabeler, **options):
    return lambda: (kind(*arguments, **options).fit(signals), signals)


CASES = {
    "model": labeler(CLASSES),
    "adagrad": labeler(BINARY, 0.2),
    "adagrad, starts": labeler(CLASSES, 0.2, Adagrad(starts=2), random_state=0),
    "entropy": labeler(CLASSES, 0.2, "entropy"),
    "projection": labeler(RESTS, 0.2, "projection"),
    "soft": labeler(SOFT, 0.2),
    "multilabel": labeler(RESTS, 0.3, multilabel=True),
    "constraints": labeler(
        CLASSES,
        0.3,
        "entropy",
        constraints=[
            ClassBalance(class_=1, equal=0.3),
            Precision("a", 1, at_least=0.3),
            GroupShare(groups=np.arange(80) % 2, group=1, class_=2, at_most=0.6),
        ],
    ),
    "majority": labeler(CLASSES, kind=MajorityVote),
    "majority, paper": labeler(CLASSES, "paper", kind=MajorityVote, random_state=0),
    "averaging": labeler(SOFT, kind=Averaging),
    "weights": labeler(RESTS, {"s0": 1, "s1": 2, "s2": 0.5}, kind=WeightedVote),
    "learned": labeler(CLASSES, kind=DawidSkene),
    "items": labeler(CLASSES, kind=MinimaxEntropy, items=True),
    "features": lambda: (
        AdversarialLabeler(max_iter=20).fit(BINARY, X=POINTS),
        BINARY,
    ),
    "counts": lambda: (PatternCounts(CLASSES), None),
    "sparse counts": lambda: (PatternCounts(SPARSE), None),
    "one-vs-rest counts": lambda: (PatternCounts(HARD_RESTS), None),
    "mlp": lambda: (SoftLabelMLP((4,), epochs=1).fit(X, VOTES[:20, 0] % 2), X),
    "cnn": lambda: (
        SoftLabelCNN(2, epochs=1).fit(IMAGES, VOTES[:12, 0] % 2),
        IMAGES,
    ),
}
pytestmark = [
    pytest.mark.filterwarnings("ignore::corral.errors.InfeasibleWarning"),
    pytest.mark.filterwarnings("ignore::corral.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning"),
]


@pytest.fixture(scope="module", params=CASES)
def saved(request, tmp_path_factory):
    if request.param in ("mlp", "cnn"):
        pytest.importorskip("torch", reason="torch is an extra")
    made, data = CASES[request.param]()
    path = tmp_path_factory.mktemp("saved") / "original"
    made.save(path)
    return type(made), path, data


def works(kind, path, data):
    """Load a file and use it; False if it is refused, as it should be."""
    try:
        made = kind.load(path)
    except StorageError:
        return False
    try:
        if kind is PatternCounts:
            p = ConstrainedLabeler(0.3).fit(made + made).labels_
        elif isinstance(made, FeatureLabeler):
            p = made.predict_proba(data, POINTS)
            made.explain(0, data, POINTS)
        else:
            p = made.predict_proba(data)
            made.predict(data)
        if isinstance(made, Labeler):
            assert made.note_
            if not isinstance(made, FeatureLabeler):
                assert np.isfinite(made.explain(0, data).moves).all()
    except CorralError:  # whole, but these data are not for it: other names, say
        return True
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    assert (p <= 1).all()
    return True


def test_the_original_works(saved):
    assert works(*saved)


def test_flipped_bytes_and_missing_ends(saved, tmp_path):
    kind, path, data = saved
    rng = np.random.default_rng(1)
    original, refused = path.read_bytes(), 0
    for case in range(60):
        content = bytearray(original)
        if case % 3 == 2:
            content = content[: rng.integers(len(content))]
        else:
            content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        (tmp_path / "changed").write_bytes(content)
        refused += not works(kind, tmp_path / "changed", data)
    assert refused >= 40  # a bit of a date, or of a flag, may mean nothing


BAD = {
    "f": (np.nan, np.inf, -np.inf, 1e308, -1.0),
    "i": (-3, 7, 2**31 - 1),
    "U": ("", "x"),
    "b": (True,),
}


def test_changed_numbers(saved, tmp_path):
    """Arrays of the right shape, written by somebody who knows the format."""
    kind, path, data = saved
    name = named(path)
    settings, arrays = read_file(path, name)
    rng, refused, tried = np.random.default_rng(2), 0, 0
    for key, array in arrays.items():
        for value in BAD[array.dtype.kind]:
            if not array.size or (array.dtype.itemsize < 4 and abs(value) > 100):
                continue
            with np.errstate(over="ignore"):
                changed = array.copy()
                changed.flat[rng.integers(array.size)] = value
            write_file(tmp_path / "a", name, settings, arrays | {key: changed})
            tried += 1
            refused += not works(kind, tmp_path / "a", data)
    assert refused >= tried / 4


def test_changed_shapes(saved, tmp_path):
    kind, path, data = saved
    name = named(path)
    settings, arrays = read_file(path, name)
    for key, array in arrays.items():
        for changed in (
            array[:-1],
            array[..., None],
            array.ravel()[:0],
            np.zeros_like(array),
            np.repeat(array, 2, axis=0),
        ):
            write_file(tmp_path / "a", name, settings, arrays | {key: changed})
            works(kind, tmp_path / "a", data)
        fewer = {other: kept for other, kept in arrays.items() if other != key}
        write_file(tmp_path / "a", name, settings, fewer)
        works(kind, tmp_path / "a", data)


TYPES = ("i1", "i2", "u8", "f2", "f4", "g", ">f8", ">i8", "?", "U5")


def test_changed_types(saved, tmp_path):
    kind, path, data = saved
    name = named(path)
    settings, arrays = read_file(path, name)
    for key, array in arrays.items():
        for dtype in TYPES:
            if array.dtype.kind != "U" or dtype == "U5":
                with np.errstate(all="ignore"):
                    changed = array.astype(dtype)
                write_file(tmp_path / "a", name, settings, arrays | {key: changed})
                works(kind, tmp_path / "a", data)


WRONG = (None, True, -1, 10**12, 0.5, "x", [], [1, "a"], {}, {"a": []})


def test_changed_settings(saved, tmp_path):
    kind, path, data = saved
    name = named(path)
    settings, arrays = read_file(path, name)
    refused = 0
    for place in places(settings):
        for value in WRONG:
            changed = json.loads(json.dumps(settings))
            at = changed
            for step in place[:-1]:
                at = at[step]
            at[place[-1]] = value
            write_file(tmp_path / "a", name, changed, arrays)
            refused += not works(kind, tmp_path / "a", data)
    assert refused > 10


def places(settings):
    """Every key, and those of the objects below it."""
    for key, value in settings.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *rest) for rest in places(value))


def named(path):
    with zipfile.ZipFile(path) as archive, archive.open("corral.npy") as entry:
        return json.loads(np.lib.format.read_array(entry).tobytes())["kind"]


@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_a_weight_that_is_no_number_is_refused(tmp_path, weight):
    """It used to be loaded, and to make every label NaN."""
    ConstrainedLabeler().fit(CLASSES).save(tmp_path / "a")
    settings, arrays = read_file(tmp_path / "a", "ConstrainedLabeler")
    arrays["model.weights"][0, 0] = weight
    write_file(tmp_path / "a", "ConstrainedLabeler", settings, arrays)
    with pytest.raises(StorageError, match=r"damaged \(expected finite .* in weights"):
        ConstrainedLabeler.load(tmp_path / "a")


@pytest.mark.parametrize("key", ["excess", "tolerance", "gap", "iterations"])
def test_a_verdict_without_numbers_is_refused(tmp_path, key):
    """It used to be loaded, and `solution_.message` raised a TypeError."""
    ConstrainedLabeler(0.2, "entropy").fit(CLASSES).save(tmp_path / "a")
    settings, arrays = read_file(tmp_path / "a", "ConstrainedLabeler")
    for wrong in ("x", None, [1.0], True):
        settings["results"]["of"]["solution_"][key] = wrong
        write_file(tmp_path / "a", "ConstrainedLabeler", settings, arrays)
        with pytest.raises(StorageError, match=rf"expected a .*number in .*\.{key}"):
            ConstrainedLabeler.load(tmp_path / "a")


@pytest.mark.parametrize("dtype", ["f2", "g"])
@pytest.mark.parametrize("name", ["model.weights", "signals.classes"])
def test_only_floats_that_can_be_computed_with(tmp_path, dtype, name):
    ConstrainedLabeler().fit(CLASSES).save(tmp_path / "a")
    settings, arrays = read_file(tmp_path / "a", "ConstrainedLabeler")
    arrays[name] = arrays[name].astype(dtype)
    write_file(tmp_path / "a", "ConstrainedLabeler", settings, arrays)
    with pytest.raises(StorageError, match="expected float32 or float64 in"):
        ConstrainedLabeler.load(tmp_path / "a")


def test_classes_of_an_unsigned_type(tmp_path):
    """`predict` used to fail, since -1 is outside of their type."""
    labeler = ConstrainedLabeler().fit(CLASSES)
    labeler.save(tmp_path / "a")
    settings, arrays = read_file(tmp_path / "a", "ConstrainedLabeler")
    arrays["signals.classes"] = arrays["signals.classes"].astype("u8")
    write_file(tmp_path / "a", "ConstrainedLabeler", settings, arrays)
    again = ConstrainedLabeler.load(tmp_path / "a")
    silent = [[-1] * 5, [2] * 5]
    assert again.predict(silent).tolist() == labeler.predict(silent).tolist() == [-1, 2]


def test_no_value_is_an_abstain(tmp_path):
    """``abstain=[]``: used to be written, and then to be called damaged."""
    signals = WeakSignals.from_votes(VOTES % 3, abstain=[])
    labeler = ConstrainedLabeler().fit(signals)
    labeler.save(tmp_path / "a")
    again = ConstrainedLabeler.load(tmp_path / "a")
    np.testing.assert_array_equal(again.predict_proba(VOTES % 3), labeler.labels_)
    counts = PatternCounts(signals)
    counts.save(tmp_path / "b")
    assert (PatternCounts.load(tmp_path / "b") + counts).counts.sum() == 160
