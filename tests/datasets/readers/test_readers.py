"""Every reader on a small file of its format: what comes out, and in which order."""

import json

import numpy as np
import pytest
from tests.datasets.readers import small_files

from corral import FromLabels
from corral.datasets import readers
from corral.errors import StorageError


def test_acl_imdb_in_order_of_class_and_number(tmp_path):
    train, test = readers.read_acl_imdb(small_files.acl_imdb(tmp_path))
    assert train.data == ["poor, café", "second, fine", "tenth, fine"]
    assert train.labels.tolist() == ["negative", "positive", "positive"]
    assert test.data == ["bad", "good"]
    assert test.labels.tolist() == ["negative", "positive"]


def test_acl_imdb_without_a_class(tmp_path):
    members = {"aclImdb/train/pos/1_9.txt": "x", "aclImdb/train/neg/1_1.txt": "y"}
    path = small_files.tar_gz(tmp_path / "a.tar.gz", members)
    with pytest.raises(StorageError, match="aclImdb/test"):
        readers.read_acl_imdb(path)


def test_names_that_lead_out_of_an_archive_are_not_followed(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    members = {"../escaped.txt": "x", "/aclImdb/train/pos/0_9.txt": "y"}
    path = small_files.tar_gz(folder / "evil.tar.gz", members)
    for read in (readers.read_acl_imdb, readers.read_yelp):
        with pytest.raises(StorageError):
            read(path)
    assert [p.name for p in tmp_path.rglob("*")] == ["inner", "evil.tar.gz"]


@pytest.mark.parametrize("made", [small_files.yelp_archive, small_files.yelp_folder])
def test_yelp(made, tmp_path):
    train, test = readers.read_yelp(made(tmp_path))
    assert train.data == ["bad, é", "good"]
    assert train.labels.tolist() == ["negative", "positive"]
    assert test.data == ['say "hi"\\nthere']
    assert test.labels.tolist() == ["positive"]


def test_yelp_without_reviews(tmp_path):
    (tmp_path / "train.csv").write_text("")
    (tmp_path / "test.csv").write_text('"1","a"\n')
    with pytest.raises(StorageError, match="expected examples, found none"):
        readers.read_yelp(tmp_path)


def test_yelp_with_another_class(tmp_path):
    small_files.yelp_folder(tmp_path)
    (tmp_path / "test.csv").write_text('"2","a"\n"3","b"\n')
    with pytest.raises(StorageError, match=r"row 2 is \['3', 'b'\]"):
        readers.read_yelp(tmp_path)


def test_sst2(tmp_path):
    train = readers.read_sst2(small_files.sst2(tmp_path))
    assert train.data == ["Fine, très fine", "Dull"]
    assert train.labels.tolist() == ["positive", "negative"]


def test_sst2_with_other_columns_or_classes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,text\n1,x\n")
    with pytest.raises(StorageError, match=r"columns label and sentence.*text"):
        readers.read_sst2(path)
    path.write_text("label,sentence\n2,x\n")
    with pytest.raises(StorageError, match="classes 0 to 1, found 2"):
        readers.read_sst2(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("label,sentence\n1,a\n0\n", "found: line 3 has not two fields"),
        ("label,sentence\n1,a,b\n", "found: line 2 has not two fields"),
        ("label,sentence\n", "expected examples, found none"),
    ],
)
def test_sst2_cut_off_or_empty(content, match, tmp_path):
    file = tmp_path / "sst2.csv"
    file.write_text(content)
    with pytest.raises(StorageError, match=match):
        readers.read_sst2(file)


def test_sst_trees_leave_out_what_is_neutral(tmp_path):
    train, test = readers.read_sst_trees(small_files.sst_trees(tmp_path))
    assert train.data == ["A ( film", "Bad ."]
    assert train.labels.tolist() == ["positive", "negative"]
    assert test.data == ["Not good"]
    assert test.labels.tolist() == ["negative"]


def test_trec_keeps_spaces_and_latin_1(tmp_path):
    questions = readers.read_trec(small_files.trec(tmp_path))
    assert questions.data == ["What is  a café  ?", "Where is Bonn ?"]
    assert questions.labels.tolist() == ["DESC", "LOC"]


@pytest.mark.parametrize(
    "line", ["WHAT:x y ?", "LOC Where ?", "LOC:city", "LOC:city  "]
)
def test_trec_names_the_line(line, tmp_path):
    path = tmp_path / "q.label"
    path.write_text(f"LOC:city Where ?\n{line}\n")
    with pytest.raises(StorageError, match="line 2 is"):
        readers.read_trec(path)


def test_svhn_by_example_with_ten_as_zero(tmp_path):
    from scipy.io import loadmat

    path = small_files.svhn(tmp_path)
    found = readers.read_svhn(path)
    stored = loadmat(path)["X"]
    assert found.data.shape == (4, 32, 32, 3)
    np.testing.assert_array_equal(found.data[2], stored[..., 2])
    assert found.labels.tolist() == [1, 0, 9, 5]


def test_idx_gzipped_and_plain(tmp_path):
    import gzip

    path = small_files.idx(tmp_path)
    array = readers.read_idx(path)
    np.testing.assert_array_equal(array, np.arange(12).reshape(2, 2, 3))
    assert array.dtype == np.uint8
    plain = tmp_path / "plain"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    np.testing.assert_array_equal(readers.read_idx(plain), array)


@pytest.mark.parametrize(
    ("code", "dtype"), [(0x0B, ">i2"), (0x0C, ">i4"), (0x0E, ">f8")]
)
def test_idx_of_other_types(code, dtype, tmp_path):
    path = tmp_path / "a"
    values = np.array([1, -2, 300], dtype)
    path.write_bytes(bytes([0, 0, code, 1, 0, 0, 0, 3]) + values.tobytes())
    found = readers.read_idx(path)
    np.testing.assert_array_equal(found, values)
    assert found.dtype.isnative


def test_wrench(tmp_path):
    found = readers.read_wrench(small_files.wrench(tmp_path))
    assert found.classes == ("HAM", "SPAM")
    for part in (found.train, found.valid, found.test):
        assert part.data == ["buy now", "hello"]
        assert part.labels.tolist() == ["SPAM", "HAM"]
        np.testing.assert_array_equal(part.signals.votes, [[1, -1], [-1, 0]])


def wrench_rows(folder, part, change):
    """Rewrite a part of a WRENCH folder, entry by entry."""
    file = folder / f"{part}.json"
    rows = json.loads(file.read_text())
    for at, row in enumerate(rows.values()):
        change(at, row)
    file.write_text(json.dumps(rows))


def test_wrench_with_features_instead_of_texts(tmp_path):
    small_files.wrench(tmp_path)
    wrench_rows(
        tmp_path, "train", lambda at, row: row.update(data={"feature": [at, 0.5, 2]})
    )
    found = readers.read_wrench(tmp_path)
    np.testing.assert_array_equal(found.train.data, [[0, 0.5, 2], [1, 0.5, 2]])
    assert found.valid.data == ["buy now", "hello"]
    both = {"text": "hi", "feature": [1]}
    wrench_rows(tmp_path, "train", lambda _, row: row.update(data=both))
    assert readers.read_wrench(tmp_path).train.data == ["hi", "hi"]


def test_wrench_with_labels_that_are_not_known(tmp_path):
    small_files.wrench(tmp_path)
    wrench_rows(tmp_path, "train", lambda at, row: row.update(label=-1 if at else 1))
    wrench_rows(tmp_path, "test", lambda _, row: row.update(label=-1))
    found = readers.read_wrench(tmp_path)
    assert found.train.labels.tolist() == ["SPAM", None]
    assert found.test.labels.tolist() == [None, None]
    assert found.valid.labels.tolist() == ["SPAM", "HAM"]
    np.testing.assert_array_equal(found.train.signals.votes, [[1, -1], [-1, 0]])
    rates = FromLabels(found.train.labels).estimate(found.train.signals)
    assert rates.note.startswith("1 labelled example")


@pytest.mark.parametrize(
    ("gone", "note"),
    [
        (["valid"], "no valid.json; found train, test"),
        (["valid", "test"], "no valid.json and no test.json; found train"),
        ([], None),
    ],
)
def test_wrench_without_some_parts(gone, note, tmp_path):
    small_files.wrench(tmp_path)
    for part in gone:
        (tmp_path / f"{part}.json").unlink()
    found = readers.read_wrench(tmp_path)
    assert found.notes == (() if note is None else (note,))
    assert len(found.train) == 2
    for part in ("valid", "test"):
        assert (getattr(found, part) is None) == (part in gone)


def test_wrench_without_the_part_to_train_on(tmp_path):
    small_files.wrench(tmp_path)
    (tmp_path / "train.json").unlink()
    with pytest.raises(
        StorageError, match=r"expected train.json .* valid.json, test.json"
    ):
        readers.read_wrench(tmp_path)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ([{"text": "a"}, {"feature": [1]}], "1 of 2 have no feature"),
        (
            [{"feature": [1]}, {"feature": [1, 2]}],
            "as many numbers in the feature of every example, found 1 of .* 2 of number 2",
        ),
        (
            [{"feature": [1]}, {"feature": 2}],
            "a list as numbers in the feature.*found 2",
        ),
        ([{"feature": [1]}, {"feature": [float("nan")]}], "finite numbers"),
        ([{}, {}], "2 of 2 have no feature"),
    ],
)
def test_wrench_with_data_that_are_neither(data, match, tmp_path):
    small_files.wrench(tmp_path)
    wrench_rows(tmp_path, "train", lambda at, row: row.update(data=data[at]))
    with pytest.raises(StorageError, match=rf"train.json.*{match}"):
        readers.read_wrench(tmp_path)


@pytest.mark.parametrize(
    ("part", "text", "match"),
    [
        ("train", '{"0": {"label": 1, "weak_labels": [1]}}', "data"),
        ("valid", '{"0": {"label": 2, "weak_labels": [1], "data": {"text": ""}}}', "2"),
        ("test", '{"0": {"label": 1, "weak_labels": [7], "data": {"text": ""}}}', "7"),
        ("label", '{"1": "HAM", "2": "SPAM"}', "'0'"),
        ("train", "{}", "expected examples, .* found none"),
        ("train", "", "expected examples, .* found none"),
        ("train", "[1]", "expected examples, .* found a list"),
        (
            "train",
            '{"0": {"weak_labels": [1, 0]}, "1": {"weak_labels": [1]}}',
            "as many weak_labels of every example, found 2 of the first and 1 of number 2",
        ),
    ],
)
def test_wrench_names_the_file(part, text, match, tmp_path):
    small_files.wrench(tmp_path)
    (tmp_path / f"{part}.json").write_text(text)
    with pytest.raises(StorageError, match=rf"{part}.json.*{match}") as refused:
        readers.read_wrench(tmp_path)
    assert str(refused.value).count("expected") == 1  # one message, not two in one


def test_votes(tmp_path):
    found = readers.read_votes(small_files.votes(tmp_path))
    np.testing.assert_array_equal(found.signals.votes, [[0, -1, 2], [1, 1, -1]])
    assert found.signals.classes.tolist() == [0, 1, 2]
    assert found.labels.tolist() == [2, 1]
    assert found.data is None


def test_votes_with_half_a_class(tmp_path):
    votes = np.array([[0, 1], [-1, 1]])
    np.savez(tmp_path / "v.npz", train_votes=votes, train_labels=[0.0, 0.5])
    with pytest.raises(StorageError, match=r"expected classes 0 to 1, found 0\.5"):
        readers.read_votes(tmp_path / "v.npz")


def test_files_that_do_not_belong_together(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, train_votes=np.zeros((3, 2), int), train_labels=np.array([0, 1]))
    with pytest.raises(StorageError, match="3 rows of signals and 2 labels"):
        readers.read_votes(path)


def test_crowd_with_tasks_in_order_of_their_first_answer(tmp_path):
    small_files.crowd(tmp_path)
    found = readers.read_crowd(tmp_path / "answers.csv", tmp_path / "truth.csv")
    assert found.signals.index.tolist() == ["b", "a"]
    assert found.signals.names == ("ann", "bob")
    assert found.signals.classes.tolist() == ["cat", "dog"]
    np.testing.assert_array_equal(found.signals.votes, [[0, 1], [0, -1]])
    assert found.labels.tolist() == ["", "cat"]  # nothing is known of b


@pytest.mark.parametrize(
    ("truth", "match"),
    [
        ("task,label\na,cat\na,dog\n", "1 tasks more than once"),
        ("task,label\nx,cat\n", "no task of"),
        ("task,truth\na,cat\n", "columns task, label"),
        ("task,label\na\n", "2 fields"),
    ],
)
def test_crowd_with_another_truth(truth, match, tmp_path):
    answers = small_files.crowd(tmp_path)
    (tmp_path / "truth.csv").write_text(truth)
    with pytest.raises(StorageError, match=rf"(?s){match}"):
        readers.read_crowd(answers, tmp_path / "truth.csv")
