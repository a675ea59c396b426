"""Every data set by name: which files hold it, and what reads them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corral.datasets.data_files import File
from corral.datasets.dataset import Dataset, Examples
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
from corral.datasets.readers.reader_tools import POLARITY, name_codes
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
_GLOVE = "https://nlp.stanford.edu/projects/glove"
_YELP = "https://course.fast.ai/datasets"
_IMAGES = tuple(
    f"fashion-mnist/{part}-{kind}-ubyte.gz"
    for part in ("train", "t10k")
    for kind in ("images-idx3", "labels-idx1")
)
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
    name : str
        Of the data set.
    home : str
        Where it comes from.
    paths : tuple of str
        Files below the folder of all data sets; `registry` knows them.
    read : callable
        From the files, in that order, to the examples, of training and testing if both
        are there; or to all that they hold.
    classes : tuple
        In the order of the publishers' codes; default: those of the signals.
    notes : tuple of str
        How it differs from what the paper used.
    """

    name: str
    home: str
    paths: tuple[str, ...]
    read: Callable[..., Any]
    classes: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    def load(self, root: Path, notes: tuple[str, ...]) -> Dataset | VectorFile:
        """Read the files below `root`; `notes` say how they differ from the published."""
        found = self.read(*(root / path for path in self.paths))
        if isinstance(found, Examples):
            found = found, None
        if isinstance(found, tuple):
            train, test = found
            classes = self.classes or tuple(train.signals.classes.tolist())
            found = Dataset(self.name, classes, train, test, notes=self.notes)
        return replace(found, notes=(*found.notes, *notes))


@cache
def registry() -> dict[str, File]:
    """All files by path, from ``registry.toml``."""
    text = files("corral.datasets").joinpath("registry.toml").read_text("utf-8")
    return {path: File(path, **entry) for path, entry in tomllib.loads(text).items()}


def _read_each(read: Callable[[Path], Examples]) -> Callable[..., tuple[Examples, ...]]:
    """A reader of two files, one per part."""
    return lambda train, test: (read(train), read(test))


def _read_garments(images: Path, labels: Path) -> Examples:
    return Examples(name_codes(read_idx(labels), GARMENTS), read_idx(images))


def _read_marked_garments(
    signals: Path, images: Path, labels: Path, *test: Path
) -> tuple[Examples, ...]:
    train = published.read_marked_regions(signals, images, labels, GARMENTS)
    return train, _read_garments(*test)


def _read_soft(
    signals: Path, features: Path, labels: Path, *test: Path
) -> tuple[Examples, ...]:
    train = published.read_soft_arrays(signals, features, labels)
    return train, published.read_feature_arrays(*test)


def _read_wrench(train: Path, *_: Path) -> Dataset:
    folder = train.parent
    return replace(read_wrench(folder), name=f"wrench/{folder.name}")


def _read_vectors(path: Path, member: str | None = None) -> VectorFile:
    from corral.features import open_vectors  # scikit-learn is slow to import

    return open_vectors(path, member=member)


SOURCES = (
    Source(
        "sst2",
        _AUTHORS,
        ("sst-2/sst2-train.csv", "sst-2/sst2-test.csv"),
        _read_each(read_sst2),
        POLARITY,
    ),
    Source(
        "sst2",
        "https://nlp.stanford.edu/sentiment",
        ("sst-2/trainDevTestTrees_PTB.zip",),
        read_sst_trees,
        POLARITY,
        ("words apart by spaces, in another order than the paper's csv",),
    ),
    Source(
        "imdb",
        "https://ai.stanford.edu/~amaas/data/sentiment",
        ("imdb/aclImdb_v1.tar.gz",),
        read_acl_imdb,
        POLARITY,
    ),
    Source("yelp", _YELP, ("yelp/yelp_review_polarity_csv.tgz",), read_yelp, POLARITY),
    Source(
        "yelp",
        _YELP,
        tuple(f"yelp/yelp_review_polarity_csv/{p}.csv" for p in ("train", "test")),
        lambda train, _: read_yelp(train.parent),
        POLARITY,
    ),
    Source(
        "trec",
        "https://cogcomp.seas.upenn.edu/Data/QA/QC",
        ("trec/train_5500.label", "trec/TREC_10.label"),
        _read_each(read_trec),
        QUESTIONS,
    ),
    Source(
        "svhn",
        "http://ufldl.stanford.edu/housenumbers",
        ("svhn/train_32x32.mat", "svhn/test_32x32.mat"),
        _read_each(read_svhn),
        DIGITS,
    ),
    Source(
        "fashion_mnist",
        "github.com/zalandoresearch/fashion-mnist",
        _IMAGES,
        lambda *paths: (_read_garments(*paths[:2]), _read_garments(*paths[2:])),
        GARMENTS,
    ),
    Source(
        "glove",
        _GLOVE,
        ("glove/glove.6B.zip",),
        partial(_read_vectors, member="glove.6B.100d.txt"),
    ),
    Source(
        "glove",
        "a selection of glove.6B.zip",
        ("glove/glove.100d.txt.gz",),
        _read_vectors,
    ),
    Source("glove_42b", _GLOVE, ("glove/glove.42B.300d.zip",), _read_vectors),
    *(
        Source(
            f"wrench/{name}",
            _WRENCH,
            tuple(
                f"wrench/{name}/{part}.json"
                for part in ("train", "valid", "test", "label")
            ),
            _read_wrench,
        )
        for name in ("youtube", "trec")
    ),
    *(
        Source(
            f"votes/{name}",
            f"{_WRENCH}, all splits together",
            (f"votes/{name}.npz",),
            read_votes,
        )
        for name in ("youtube", "cdr", "commercial", "yelp", "trec", "semeval")
    ),
    *(
        Source(
            f"crowd/{name}",
            home,
            (f"crowd/{name}/answers.csv", f"crowd/{name}/truth.csv"),
            read_crowd,
        )
        for name, home in _CROWDS.items()
    ),
    Source(
        "paper/sst2",
        _AUTHORS,
        ("sst-2/weak_signals.npy", "sst-2/data_labels.npy"),
        published.read_vote_arrays,
        POLARITY,
    ),
    Source(
        "paper/imdb",
        _AUTHORS,
        ("imdb/weak_signals.npz",),
        published.read_vote_archive,
        POLARITY,
    ),
    Source(
        "paper/trec",
        _AUTHORS,
        ("trec/weak_signals.npz",),
        partial(published.read_rule_archive, classes=QUESTIONS),
        QUESTIONS,
    ),
    Source(
        "paper/fashion_mnist",
        _AUTHORS,
        ("fashion-mnist/annotated_signals.npz", *_IMAGES),
        _read_marked_garments,
        GARMENTS,
    ),
    Source(
        "paper/svhn",
        _AUTHORS,
        ("svhn/exemplar_signals.npz", "svhn/all_labels.npz"),
        published.read_digit_exemplars,
        DIGITS,
    ),
    Source(
        "paper/breast_cancer",
        _AUTHORS,
        (
            "breast-cancer/weak_signals.npy",
            *("breast-cancer/data_features.npy", "breast-cancer/data_labels.npy"),
            *("breast-cancer/test_features.npy", "breast-cancer/test_labels.npy"),
        ),
        _read_soft,
        (0, 1),
    ),
)
"""All forms of all data sets."""
CATALOGUE = {
    name: tuple(source for source in SOURCES if source.name == name)
    for name in dict.fromkeys(source.name for source in SOURCES)
}
"""Sources by name: the first that is there is read, else the first to be downloaded."""
