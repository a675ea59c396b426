"""Small files in every format, written by hand or by other libraries' writers."""

import gzip
import io
import json
import struct
import tarfile
import zipfile

import numpy as np
from scipy.io import savemat

from corral.datasets import readers


def tar_gz(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            content = text.encode("utf-8")
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def acl_imdb(folder):
    return tar_gz(
        folder / "aclImdb_v1.tar.gz",
        {
            "aclImdb/README": "not a review",
            "aclImdb/train/pos/10_9.txt": "tenth, fine",
            "aclImdb/train/pos/2_7.txt": "second, fine",
            "aclImdb/train/neg/0_3.txt": "poor, café",
            "aclImdb/train/unsup/1_0.txt": "no label",
            "aclImdb/test/neg/4_1.txt": "bad",
            "aclImdb/test/pos/4_8.txt": "good",
        },
    )


def yelp_archive(folder):
    return tar_gz(
        folder / "yelp_review_polarity_csv.tgz",
        {
            "yelp_review_polarity_csv/readme.txt": "",
            "yelp_review_polarity_csv/test.csv": '"2","say ""hi""\\nthere"\n',
            "yelp_review_polarity_csv/train.csv": '"1","bad, é"\n"2","good"\n',
        },
    )


def yelp_folder(folder):
    (folder / "train.csv").write_text('"1","bad, é"\n"2","good"\n', "utf-8")
    (folder / "test.csv").write_text('"2","say ""hi""\\nthere"\n', "utf-8")
    return folder


def sst2(folder):
    path = folder / "sst2-train.csv"
    path.write_text('label,sentence\n1,"Fine, très fine"\n0,Dull\n', "utf-8")
    return path


def sst_trees(folder):
    path = folder / "trees.zip"
    train = "(3 (2 A) (4 (2 -LRB-) (3 film)))\n(2 (2 Meh) (2 .))\n(0 (1 Bad) (2 .))\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("trees/train.txt", train)
        archive.writestr("trees/test.txt", "(1 (2 Not) (3 good))\n")
    return path


def trec(folder):
    path = folder / "train_5500.label"
    path.write_bytes(b"DESC:def What is  a caf\xe9  ?\nLOC:city Where is Bonn ?\n")
    return path


def svhn(folder):
    path = folder / "train_32x32.mat"
    images = np.random.default_rng(0).integers(0, 256, (32, 32, 3, 4), np.uint8)
    digits = np.array([[1], [10], [9], [5]], np.uint8)
    savemat(path, {"X": images, "y": digits}, do_compression=True)
    return path


def idx(folder):
    path = folder / "images-idx3-ubyte.gz"
    content = struct.pack(">2x2B3I", 8, 3, 2, 2, 3) + bytes(range(12))
    path.write_bytes(gzip.compress(content))
    return path


def wrench(folder):
    rows = {
        "0": {"label": 1, "weak_labels": [1, -1], "data": {"text": "buy now"}},
        "1": {"label": 0, "weak_labels": [-1, 0], "data": {"text": "hello"}},
    }
    for part in ("train", "valid", "test"):
        (folder / f"{part}.json").write_text(json.dumps(rows))
    (folder / "label.json").write_text('{"0": "HAM", "1": "SPAM"}')
    return folder


def votes(folder):
    path = folder / "votes.npz"
    said = np.array([[0, -1, 2], [1, 1, -1]], np.int8)
    np.savez_compressed(path, train_votes=said, train_labels=np.array([2, 1], np.int8))
    return path


def crowd(folder):
    (folder / "answers.csv").write_text(
        "worker,task,label\nann,b,cat\nbob,b,dog\nann,a,cat\n"
    )
    (folder / "truth.csv").write_text("task,label\na,cat\nc,dog\n")
    return folder / "answers.csv"


FORMATS = {
    "acl_imdb": (acl_imdb, readers.read_acl_imdb),
    "yelp archive": (yelp_archive, readers.read_yelp),
    "sst2": (sst2, readers.read_sst2),
    "sst trees": (sst_trees, readers.read_sst_trees),
    "trec": (trec, readers.read_trec),
    "svhn": (svhn, readers.read_svhn),
    "idx": (idx, readers.read_idx),
    "votes": (votes, readers.read_votes),
    "crowd": (
        crowd,
        lambda path: readers.read_crowd(path, path.with_name("truth.csv")),
    ),
}
"""By name: what writes one file into a folder, and what reads it."""
