"""The paper's data: texts, images, the authors' signals, and word vectors.

Files are below the folder that ``CORRAL_DATA`` names. What is missing there is downloaded
from its publisher, where it has a public address.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from shutil import copyfileobj
from typing import Any, NamedTuple
from urllib.request import urlopen

import numpy as np
from numpy.typing import NDArray

from corral import WeakSignals
from corral.datasets import Dataset, Examples, name_codes, name_votes
from corral.errors import ParameterError, StorageError
from corral.storage import atomic_write, reading

POLARITY = ("negative", "positive")
"""The classes of reviews, in the order of their codes."""
GARMENTS = (
    *("t-shirt/top", "trouser", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
)
"""Classes of Fashion-MNIST, in the order of its codes."""
DIGITS = tuple(range(10))
QUESTIONS = ("DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM")
"""Classes of TREC-6, in the order of the paper's files: that of first appearance."""
PAPER_SETS = 4
"""Sets of human-marked regions that the paper used, of ten."""
_REVIEW = re.compile(r"aclImdb/(train|test)/(neg|pos)/(\d+)_\d+\.txt")
_LEAF = re.compile(r"\(\d ([^()]+)\)")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}
_S3 = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"
_IMAGES = tuple(
    f"fashion-mnist/{part}-{kind}-ubyte.gz"
    for part in ("train", "t10k")
    for kind in ("images-idx3", "labels-idx1")
)
_GLOVE = "https://nlp.stanford.edu/data"
_QUESTION_FILES = ("trec/train_5500.label", "trec/TREC_10.label")
ADDRESSES = {
    "trec/train_5500.label": (
        "https://cogcomp.seas.upenn.edu/Data/QA/QC/train_5500.label",
        "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
    ),
    "trec/TREC_10.label": (
        "https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label",
        "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
    ),
    "sst-2/trainDevTestTrees_PTB.zip": (
        "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
        "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
    ),
    "imdb/aclImdb_v1.tar.gz": (
        "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
        "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
    ),
    "yelp/yelp_review_polarity_csv.tgz": (
        "https://s3.amazonaws.com/fast-ai-nlp/yelp_review_polarity_csv.tgz",
        "528f22e286cad085948acbc3bea7e58188416546b0e364d0ae4ca0ce666abe35",
    ),
    "svhn/train_32x32.mat": (
        "http://ufldl.stanford.edu/housenumbers/train_32x32.mat",
        "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
    ),
    "svhn/test_32x32.mat": (
        "http://ufldl.stanford.edu/housenumbers/test_32x32.mat",
        "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
    ),
    **{
        path: (f"{_S3}/{Path(path).name}", sha256)
        for path, sha256 in zip(
            _IMAGES,
            (
                "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
                "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
                "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
                "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
            ),
            strict=True,
        )
    },
    "glove/glove.6B.zip": (
        f"{_GLOVE}/glove.6B.zip",
        "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    ),
    "glove/glove.42B.300d.zip": (
        f"{_GLOVE}/glove.42B.300d.zip",
        "03d5d7fa28e58762ace4b85fb71fe86a345ef0b5ff39f5390c14869da0fc1970",
    ),
}
"""Files that have a public address: this, and their SHA-256."""

Parts = tuple[Examples, Examples | None]
"""Training and test examples."""


class Source(NamedTuple):
    """One form in which a data set is published: its files, and what reads them."""

    paths: tuple[str, ...]
    read: Callable[..., Parts]
    classes: tuple[Any, ...]


def data_folder() -> Path:
    """The folder of all data sets: ``CORRAL_DATA``, or the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "corral")
    return Path(os.environ.get("CORRAL_DATA") or cache).expanduser()


def download(url: str, sha256: str, path: Path) -> None:
    """Put a file in place: whole, with this hash, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as temporary, temporary.open("wb+") as file:
        try:
            with urlopen(url, timeout=60) as answer:
                copyfileobj(answer, file)
            file.seek(0)
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise OSError("this is not the published file")
        except (OSError, ValueError) as error:
            raise StorageError(
                f"cannot download {url}: {error}. Nothing was kept; try again, or put "
                f"the file there by hand: {path}"
            ) from error


def fetch(name: str) -> tuple[Path, ...]:
    """The files of a data set or of word vectors, downloaded if they can be."""
    root, paths = data_folder(), _choose(name)
    for path in paths:
        if (root / path).exists():
            continue
        if path not in ADDRESSES:
            raise ParameterError(
                f"{name!r} needs {root / path}, which has no public address of its own."
            )
        download(*ADDRESSES[path], root / path)
    return tuple(root / path for path in paths)


def load(name: str) -> Dataset:
    """A data set of `SOURCES`."""
    files = fetch(name)
    at = [form.paths for form in SOURCES[name]].index(_choose(name))
    source = SOURCES[name][at]
    return Dataset(name, source.classes, *source.read(*files))


@cache
def hash_files(name: str) -> list[str]:
    """The SHA-256 of every file of a data set."""
    found = []
    for path in fetch(name):
        with path.open("rb") as file:
            found.append(hashlib.file_digest(file, "sha256").hexdigest())
    return found


def _choose(name: str) -> tuple[str, ...]:
    """Files of the first form that is there, else of the first to be downloaded."""
    forms = VECTORS.get(name) or tuple(form.paths for form in SOURCES[name])
    root = data_folder()
    there = [form for form in forms if any((root / path).exists() for path in form)]
    public = [form for form in forms if all(path in ADDRESSES for path in form)]
    return [*there, *public, *forms][0]


# -- texts --------------------------------------------------------------------


def read_questions(path: Path) -> Examples:
    """Read lines ``COARSE:fine question`` in Latin-1; the coarse class is the label.

    Spaces are kept as they are: some of the paper's rules look at them.
    """
    with reading(path, "lines 'COARSE:fine question'"):
        lines = path.read_bytes().decode("latin-1").split("\n")
        rows = [line.rstrip("\r").partition(" ") for line in lines if line]
        labels = [kind.partition(":")[0] for kind, _, _ in rows]
        for number, (kind, _, question) in enumerate(rows, 1):
            if kind.partition(":")[0] not in QUESTIONS or not question.strip():
                raise ValueError(f"line {number} is {kind!r} {question[:60]!r}")
        return Examples(np.array(labels), [question for _, _, question in rows])


def read_sst2(*paths: Path) -> Parts:
    """The csv files that the paper used: ``label`` (0 or 1) and ``sentence``."""
    parts = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        codes = [int(row["label"]) for row in rows]
        texts = [row["sentence"] for row in rows]
        parts.append(Examples(name_codes(codes, POLARITY), texts))
    return parts[0], parts[1]


def read_sst_trees(path: Path) -> Parts:
    """Stanford's zip of parse trees, without neutral sentences.

    Words are apart by spaces, in another order than in the csv files.
    """
    parts = []
    with zipfile.ZipFile(path) as archive:
        for part in ("train", "test"):
            lines = archive.read(f"trees/{part}.txt").decode("utf-8").splitlines()
            lines = [line for line in lines if line[1] != "2"]
            labels = np.array([POLARITY[int(line[1]) > 2] for line in lines])
            texts = [
                " ".join(_BRACKETS.get(word, word) for word in _LEAF.findall(line))
                for line in lines
            ]
            parts.append(Examples(labels, texts))
    return parts[0], parts[1]


def read_acl_imdb(path: Path) -> Parts:
    """``aclImdb_v1.tar.gz``, in the order of class and number; unlabelled are left out."""
    found: dict[str, list[tuple[str, int, str]]] = {"train": [], "test": []}
    classes = dict(zip(("neg", "pos"), POLARITY, strict=True))
    with tarfile.open(path, "r:gz") as archive:
        for member in archive:
            match = _REVIEW.fullmatch(member.name)
            file = archive.extractfile(member) if match else None
            if match and file:
                text = file.read().decode("utf-8")
                found[match[1]].append((classes[match[2]], int(match[3]), text))
    train, test = (
        Examples(np.array([label for label, *_ in reviews]), [r[2] for r in reviews])
        for reviews in map(sorted, found.values())
    )
    return train, test


def read_yelp(*paths: Path) -> Parts:
    """``yelp_review_polarity_csv.tgz`` or two files: rows ``"1","text"``, 1: negative."""
    if len(paths) > 1:
        train, test = (io.StringIO(path.read_text("utf-8")) for path in paths)
        return _read_reviews(train), _read_reviews(test)
    with tarfile.open(paths[0], "r:gz") as archive:
        parts = []
        for part in ("train", "test"):
            file = archive.extractfile(f"yelp_review_polarity_csv/{part}.csv")
            assert file is not None  # it is a file in the published archive
            parts.append(_read_reviews(io.TextIOWrapper(file, "utf-8", newline="")))
    return parts[0], parts[1]


def _read_reviews(lines: Iterable[str]) -> Examples:
    rows = list(csv.reader(lines, strict=True))
    labels = name_codes([int(code) - 1 for code, _ in rows], POLARITY)
    return Examples(labels, [text for _, text in rows])


# -- images -------------------------------------------------------------------


def read_svhn(*paths: Path) -> Parts:
    """MATLAB files of images (32, 32, 3, n) and digits; their 10 becomes 0."""
    from scipy.io import loadmat

    parts = []
    for path in paths:
        stored = loadmat(path, variable_names=("X", "y"))
        images = np.ascontiguousarray(stored["X"].transpose(3, 0, 1, 2))
        parts.append(Examples(name_codes(stored["y"].ravel() % 10, DIGITS), images))
    return parts[0], parts[1]


def read_idx(path: Path) -> NDArray[np.uint8]:
    """One array of bytes in the format of MNIST, gzipped."""
    content = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(content, ">u4", content[3], 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)


def read_garments(*paths: Path) -> Parts:
    """Images and labels to train on, then those to test on."""
    train, test = (
        Examples(name_codes(read_idx(labels), GARMENTS), read_idx(images))
        for images, labels in (paths[:2], paths[2:])
    )
    return train, test


# -- the authors' signals -----------------------------------------------------


def read_vote_arrays(votes: Path, labels: Path) -> Parts:
    """The votes on SST-2, two arrays in files of their own."""
    return _polarity(np.load(votes), np.load(labels))


def read_vote_archive(path: Path) -> Parts:
    """The votes on IMDB."""
    stored = np.load(path)
    return _polarity(stored["signals"], stored["labels"])


def _polarity(votes: NDArray[Any], labels: NDArray[Any]) -> Parts:
    signals = WeakSignals.from_votes(name_votes(votes, POLARITY), classes=POLARITY)
    return Examples(name_codes(labels, POLARITY), signals=signals), None


def read_rule_archive(path: Path) -> Parts:
    """Rules for one class of TREC-6 each, `(m, n, k)`, 1 or -1 for abstain."""
    stored = np.load(path)
    said, labels = stored["signals"], name_codes(stored["labels"], QUESTIONS)
    signals = WeakSignals.from_one_vs_rest(said, classes=QUESTIONS, abstain=-1)
    return Examples(labels, signals=signals), None


def read_marked_regions(path: Path, *images: Path) -> Parts:
    """What human-marked regions say of the training images of Fashion-MNIST."""
    train, test = read_garments(*images)
    values = np.load(path)["probabilities"][:PAPER_SETS].astype(np.float32)
    values = values.transpose(0, 2, 1)
    signals = WeakSignals.from_one_vs_rest(values, classes=GARMENTS)
    return Examples(train.labels, train.data, signals), test


def read_digit_exemplars(path: Path, labels: Path) -> Parts:
    """What exemplars, each of one digit, say of the training images of SVHN."""
    stored = np.load(path)
    values, digits = stored["probabilities"], stored["digit"]
    # The i-th exemplar of every digit makes one signal; some have fewer.
    counts = np.bincount(digits, minlength=10)
    cube = np.full((counts.max(), values.shape[1], 10), np.nan, np.float32)
    for digit in DIGITS:
        cube[: counts[digit], :, digit] = values[digits == digit]
    signals = WeakSignals.from_one_vs_rest(cube, classes=DIGITS)
    true = name_codes(np.load(labels)["train"] % 10, DIGITS)
    return Examples(true, signals=signals), None


SOURCES: dict[str, tuple[Source, ...]] = {
    "sst2": (
        Source(("sst-2/sst2-train.csv", "sst-2/sst2-test.csv"), read_sst2, POLARITY),
        Source(("sst-2/trainDevTestTrees_PTB.zip",), read_sst_trees, POLARITY),
    ),
    "imdb": (Source(("imdb/aclImdb_v1.tar.gz",), read_acl_imdb, POLARITY),),
    "yelp": (
        Source(("yelp/yelp_review_polarity_csv.tgz",), read_yelp, POLARITY),
        Source(
            tuple(f"yelp/yelp_review_polarity_csv/{p}.csv" for p in ("train", "test")),
            read_yelp,
            POLARITY,
        ),
    ),
    "trec": (
        Source(
            _QUESTION_FILES,
            lambda *paths: tuple(map(read_questions, paths)),
            QUESTIONS,
        ),
    ),
    "svhn": (
        Source(("svhn/train_32x32.mat", "svhn/test_32x32.mat"), read_svhn, DIGITS),
    ),
    "fashion_mnist": (Source(_IMAGES, read_garments, GARMENTS),),
    "paper/sst2": (
        Source(
            ("sst-2/weak_signals.npy", "sst-2/data_labels.npy"),
            read_vote_arrays,
            POLARITY,
        ),
    ),
    "paper/imdb": (Source(("imdb/weak_signals.npz",), read_vote_archive, POLARITY),),
    "paper/trec": (Source(("trec/weak_signals.npz",), read_rule_archive, QUESTIONS),),
    "paper/fashion_mnist": (
        Source(
            ("fashion-mnist/annotated_signals.npz", *_IMAGES),
            read_marked_regions,
            GARMENTS,
        ),
    ),
    "paper/svhn": (
        Source(
            ("svhn/exemplar_signals.npz", "svhn/all_labels.npz"),
            read_digit_exemplars,
            DIGITS,
        ),
    ),
}
"""The forms of every data set: the first that is there is read."""
VECTORS: dict[str, tuple[tuple[str, ...], ...]] = {
    "glove": (("glove/glove.6B.zip",), ("glove/glove.100d.txt.gz",)),
    "glove_42b": (("glove/glove.42B.300d.zip",),),
}
"""The same of word vectors; the second of `glove` is a selection of the first."""
