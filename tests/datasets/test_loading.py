"""Data sets by name: which files are taken, which are refused, what is said of it."""

import hashlib
import re
from pathlib import Path

import pytest

from corral import datasets
from corral.datasets.catalogue import CATALOGUE, Source, registry
from corral.datasets.data_files import File, data_folder
from corral.datasets.dataset import Examples
from corral.datasets.readers import read_sst2
from corral.datasets.readers.reader_tools import POLARITY
from corral.errors import CorralError, ParameterError, StorageError

CSV = "label,sentence\n1,fine\n0,dull\n"
HASH = hashlib.sha256(CSV.encode()).hexdigest()


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A data set of one csv that is put in place by hand, and its path."""
    monkeypatch.setitem(registry(), "small/train.csv", File("small/train.csv", HASH))
    source = Source(
        "small", "the small library", ("small/train.csv",), read_sst2, POLARITY
    )
    monkeypatch.setitem(CATALOGUE, "small", (source,))
    monkeypatch.setenv("CORRAL_DATA", str(tmp_path))
    path = tmp_path / "small" / "train.csv"
    path.parent.mkdir()
    path.write_text(CSV)
    return path


def test_the_published_file(small):
    found = datasets.load("small")
    assert found.train.data == ["fine", "dull"]
    assert found.notes == ()
    assert datasets.fetch("small") == (small,)


def test_a_folder_that_is_given_goes_first(small, monkeypatch):
    folder = small.parents[1]
    monkeypatch.setenv("CORRAL_DATA", "/nowhere")
    assert len(datasets.load("small", folder=folder).train) == 2
    assert datasets.fetch("small", folder=str(folder)) == (small,)


def test_the_users_cache_is_the_folder_if_none_is_named(monkeypatch):
    monkeypatch.delenv("CORRAL_DATA", raising=False)
    assert data_folder().name == "corral"
    assert data_folder().is_absolute()


@pytest.mark.parametrize(
    "content",
    [CSV[:-7], "label,sentence\n0,another\n", ""],
    ids=["cut", "other", "empty"],
)
def test_a_wrong_file_gives_both_hashes(content, small):
    small.write_text(content)
    found = hashlib.sha256(content.encode()).hexdigest()
    for call in (datasets.load, datasets.fetch):
        with pytest.raises(StorageError) as error:
            call("small")
        for said in (str(small), f"expected sha256 {HASH}", f"found sha256 {found}"):
            assert said in str(error.value)
        assert "Replace it" in str(error.value)  # it cannot be downloaded


def test_a_wrong_file_on_request(small):
    small.write_text(CSV[:-7])
    found = datasets.load("small", verify=False)
    assert found.train.data == ["fine"]
    assert found.notes == ("train.csv: not verified",)
    small.write_text("something else")
    with pytest.raises(StorageError, match="columns label and sentence"):
        datasets.load("small", verify=False)


def test_a_known_copy_says_how_it_differs(small, monkeypatch):
    file = File("small/train.csv", "0" * 64, copies={HASH: "half of it"})
    monkeypatch.setitem(registry(), "small/train.csv", file)
    assert datasets.load("small").notes == ("train.csv: half of it",)


def test_what_to_put_where(small):
    small.unlink()
    with pytest.raises(StorageError) as error:
        datasets.load("small")
    for said in (str(small), HASH, "the small library", "CORRAL_DATA"):
        assert said in str(error.value)


def test_a_folder_in_place_of_a_file(small):
    small.unlink()
    small.mkdir()
    with pytest.raises(StorageError, match="cannot read"):
        datasets.load("small")


def test_unknown_names():
    with pytest.raises(ParameterError, match=r"'sst3'.*digits, .*sst2"):
        datasets.load("sst3")
    with pytest.raises(CorralError, match="''"):
        datasets.fetch("")


def test_embedded_sets_need_no_folder(monkeypatch):
    monkeypatch.setenv("CORRAL_DATA", "/nowhere")
    assert datasets.fetch("digits") == ()
    assert len(datasets.load("breast_cancer").train) == 455


def test_the_catalogue_and_the_registry_know_the_same_files():
    named = [
        path for sources in CATALOGUE.values() for s in sources for path in s.paths
    ]
    assert set(named) == set(registry())


@pytest.mark.parametrize("path", registry())
def test_every_file_has_hashes_and_a_path_that_stays_inside(path):
    file = registry()[path]
    hashes = [*filter(None, [file.sha256]), *file.copies]
    assert hashes
    assert all(re.fullmatch("[0-9a-f]{64}", known) for known in hashes)
    assert not Path(path).is_absolute()
    assert ".." not in Path(path).parts
    if file.url is not None:
        assert file.sha256 is not None
        assert file.url.endswith(Path(path).name)


@pytest.mark.parametrize(
    "name", ["sst2", "imdb", "yelp", "trec", "svhn", "fashion_mnist", "glove"]
)
def test_the_papers_sets_can_be_downloaded(name):
    assert any(all(registry()[p].url for p in s.paths) for s in CATALOGUE[name])


def test_examples_that_do_not_fit():
    import numpy as np

    with pytest.raises(StorageError, match="found 1 examples and 2 labels"):
        Examples(np.array([0, 1]), ["one"])


def test_shown_in_one_line(small):
    found = datasets.load("small")
    assert repr(found) == "Dataset('small': train 2; 2 classes)"
    assert repr(found.train) == "Examples(2 labels, texts)"
