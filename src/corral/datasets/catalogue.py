"""Every data set by name: which files hold it, and what reads them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from corral.datasets.dataset import Dataset, Examples
from corral.datasets.files import File
from corral.datasets.readers import (
    published,
    read_acl_imdb,
    read_crowd,
    read_idx,
    read_sst2,
    read_sst_trees,
    read_svhn,
    read_trec,
    read_votes,
    read_wrench,
    read_yelp,
)
from corral.datasets.readers.base import POLARITY, named
from corral.datasets.readers.trec import CLASSES as QUESTIONS

if TYPE_CHECKING:
    from corral.features import VectorFile

DIGITS = tuple(range(10))
GARMENTS = (
    *("t-shirt/top", "trouser", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
)
"""Classes of Fashion-MNIST, in the order of its codes."""
_AUTHORS = "github.com/jianhui-chen/Constrained-Weak-Supervision"
_WRENCH = "github.com/JieyuZ2/wrench"
_CROWDS = {
    "bluebirds": "Welinder et al., 2010",
    "rte": "Snow et al., 2008",
    "dogs": "Zhou et al., 2012",
}


@dataclass(frozen=True)
class Source:
    """One form in which a data set is published.

    Attributes
    ----------
    paths : tuple of str
        Files below the folder of all data sets; `registry` knows them.
    read : callable
        From the files, in the order of `paths`, to what they hold.
    home : str
        Where it comes from.
    """

    paths: tuple[str, ...]
    read: Callable[..., Dataset | VectorFile]
    home: str


@cache
def registry() -> dict[str, File]:
    """All files by path, from ``registry.toml``."""
    text = files("corral.datasets").joinpath("registry.toml").read_text("utf-8")
    return {path: File(path, **entry) for path, entry in tomllib.loads(text).items()}


def _garments(images: Path, labels: Path) -> Examples:
    return Examples(named(read_idx(labels), GARMENTS), read_idx(images))


def _signals(name: str, train: Examples) -> Dataset:
    classes = () if train.signals is None else tuple(train.signals.classes.tolist())
    return Dataset(name, classes, train)


def _votes(path: Path) -> Dataset:
    return _signals(f"votes/{path.stem}", read_votes(path))


def _crowd(answers: Path, truth: Path) -> Dataset:
    return _signals(f"crowd/{answers.parent.name}", read_crowd(answers, truth))


def _wrench(train: Path, *_: Path) -> Dataset:
    folder = train.parent
    return replace(read_wrench(folder), name=f"wrench/{folder.name}")


def _vectors(path: Path, member: str | None = None) -> VectorFile:
    from corral.features import open_vectors  # scikit-learn is slow to import

    return open_vectors(path, member=member)


_FASHION = tuple(
    f"fashion-mnist/{part}-ubyte.gz"
    for part in (
        *("train-images-idx3", "train-labels-idx1"),
        *("t10k-images-idx3", "t10k-labels-idx1"),
    )
)

CATALOGUE: dict[str, tuple[Source, ...]] = {
    "sst2": (
        Source(
            ("sst-2/sst2-train.csv", "sst-2/sst2-test.csv"),
            lambda train, test: Dataset(
                "sst2", POLARITY, read_sst2(train), read_sst2(test)
            ),
            _AUTHORS,
        ),
        Source(
            ("sst-2/trainDevTestTrees_PTB.zip",),
            lambda path: Dataset(
                "sst2",
                POLARITY,
                *read_sst_trees(path),
                notes=("words apart by spaces, in another order than the paper's csv",),
            ),
            "https://nlp.stanford.edu/sentiment",
        ),
    ),
    "imdb": (
        Source(
            ("imdb/aclImdb_v1.tar.gz",),
            lambda path: Dataset("imdb", POLARITY, *read_acl_imdb(path)),
            "https://ai.stanford.edu/~amaas/data/sentiment",
        ),
    ),
    "yelp": (
        Source(
            ("yelp/yelp_review_polarity_csv.tgz",),
            lambda path: Dataset("yelp", POLARITY, *read_yelp(path)),
            "https://course.fast.ai/datasets",
        ),
        Source(
            tuple(
                f"yelp/yelp_review_polarity_csv/{part}.csv"
                for part in ("train", "test")
            ),
            lambda train, _: Dataset("yelp", POLARITY, *read_yelp(train.parent)),
            "https://course.fast.ai/datasets",
        ),
    ),
    "trec": (
        Source(
            ("trec/train_5500.label", "trec/TREC_10.label"),
            lambda train, test: Dataset(
                "trec", QUESTIONS, read_trec(train), read_trec(test)
            ),
            "https://cogcomp.seas.upenn.edu/Data/QA/QC",
        ),
    ),
    "svhn": (
        Source(
            ("svhn/train_32x32.mat", "svhn/test_32x32.mat"),
            lambda train, test: Dataset(
                "svhn", DIGITS, read_svhn(train), read_svhn(test)
            ),
            "http://ufldl.stanford.edu/housenumbers",
        ),
    ),
    "fashion_mnist": (
        Source(
            _FASHION,
            lambda images, labels, *test: Dataset(
                "fashion_mnist", GARMENTS, _garments(images, labels), _garments(*test)
            ),
            "github.com/zalandoresearch/fashion-mnist",
        ),
    ),
    "glove": (
        Source(
            ("glove/glove.6B.zip",),
            lambda path: _vectors(path, "glove.6B.100d.txt"),
            "https://nlp.stanford.edu/projects/glove",
        ),
        Source(("glove/glove.100d.txt.gz",), _vectors, "a selection of glove.6B.zip"),
    ),
    "glove_42b": (
        Source(
            ("glove/glove.42B.300d.zip",),
            _vectors,
            "https://nlp.stanford.edu/projects/glove",
        ),
    ),
    **{
        f"wrench/{name}": (
            Source(
                tuple(
                    f"wrench/{name}/{part}.json"
                    for part in ("train", "valid", "test", "label")
                ),
                _wrench,
                _WRENCH,
            ),
        )
        for name in ("youtube", "trec")
    },
    **{
        f"votes/{name}": (
            Source((f"votes/{name}.npz",), _votes, f"{_WRENCH}, all splits together"),
        )
        for name in ("youtube", "cdr", "commercial", "yelp", "trec", "semeval")
    },
    **{
        f"crowd/{name}": (
            Source(
                (f"crowd/{name}/answers.csv", f"crowd/{name}/truth.csv"),
                _crowd,
                home,
            ),
        )
        for name, home in _CROWDS.items()
    },
    "paper/sst2": (
        Source(
            ("sst-2/weak_signals.npy", "sst-2/data_labels.npy"),
            lambda votes, labels: Dataset(
                "paper/sst2", POLARITY, published.read_vote_arrays(votes, labels)
            ),
            _AUTHORS,
        ),
    ),
    "paper/imdb": (
        Source(
            ("imdb/weak_signals.npz",),
            lambda path: Dataset(
                "paper/imdb", POLARITY, published.read_vote_archive(path)
            ),
            _AUTHORS,
        ),
    ),
    "paper/trec": (
        Source(
            ("trec/weak_signals.npz",),
            lambda path: Dataset(
                "paper/trec", QUESTIONS, published.read_rule_archive(path, QUESTIONS)
            ),
            _AUTHORS,
        ),
    ),
    "paper/fashion_mnist": (
        Source(
            ("fashion-mnist/annotated_signals.npz", *_FASHION),
            lambda said, images, labels, *test: Dataset(
                "paper/fashion_mnist",
                GARMENTS,
                published.read_marked_regions(said, images, labels, GARMENTS),
                _garments(*test),
            ),
            _AUTHORS,
        ),
    ),
    "paper/svhn": (
        Source(
            ("svhn/exemplar_signals.npz", "svhn/all_labels.npz"),
            lambda said, labels: Dataset(
                "paper/svhn", DIGITS, published.read_digit_exemplars(said, labels)
            ),
            _AUTHORS,
        ),
    ),
    "paper/breast_cancer": (
        Source(
            tuple(
                f"breast-cancer/{part}.npy"
                for part in (
                    *("weak_signals", "data_features", "data_labels"),
                    *("test_features", "test_labels"),
                )
            ),
            lambda said, features, labels, *test: Dataset(
                "paper/breast_cancer",
                (0, 1),
                published.read_soft_arrays(said, features, labels),
                published.read_feature_arrays(*test),
            ),
            _AUTHORS,
        ),
    ),
}
"""Sources by name: the first that is there is read, else the first to be downloaded."""
