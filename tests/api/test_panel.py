"""``corral.panel``: whatever holds votes, the same answer."""

import numpy as np
import pytest
from tests.panels.made_panels import hide, make_votes

import corral
from corral.errors import ParameterError

VOTES, TRUTH = make_votes(300)
KNOWN = hide(TRUTH, 60)
TOPIC = np.where(np.arange(300) % 3 == 0, "x", "y")


@pytest.fixture(scope="module")
def found():
    return corral.panel(VOTES, gold=KNOWN, slices={"topic": TOPIC})


@pytest.fixture
def file(tmp_path):
    lines = ["id,a,b,c,human,topic,chance"]
    for i, row in enumerate(VOTES):
        human = "" if KNOWN[i] < 0 else KNOWN[i]
        lines.append(f"{i},{','.join(map(str, row))},{human},{TOPIC[i]},0.2")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    return path


def same(one, other):
    np.testing.assert_allclose(one.shares.value, other.shares.value)
    np.testing.assert_allclose(one.shares.low, other.shares.low)
    np.testing.assert_allclose(one.labels_, other.labels_)
    assert [s.name for s in one.slices] == [s.name for s in other.slices]
    for a, b in zip(one.slices, other.slices, strict=True):
        np.testing.assert_allclose(a.low, b.low)


def test_a_list_of_texts_is_labels_unless_it_names_columns():
    names = np.array(["no", "yes", ""])
    same = corral.panel(names[VOTES], gold=names[TRUTH])
    words = names[TRUTH].tolist()
    listed = corral.panel(names[VOTES].tolist(), gold=words)
    np.testing.assert_allclose(listed.labels_, same.labels_)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(names[VOTES], columns=["a", "b", "c"])
    listed = corral.panel(frame, gold=words)
    np.testing.assert_allclose(listed.labels_, same.labels_)
    two = corral.panel(frame.assign(ann=words, bob=words), gold=["ann", "bob"])
    np.testing.assert_allclose(two.labels_, same.labels_)


def test_a_file_gives_the_same_in_its_order(file, found):
    read = corral.panel(file, gold="human", slices="topic", id=["id", "chance"])
    assert read.names == ("a", "b", "c")
    same(read, found)


def test_a_frame_gives_the_same(found):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(VOTES, columns=["a", "b", "c"])
    frame["human"] = np.where(KNOWN < 0, np.nan, KNOWN)
    frame["topic"] = TOPIC
    same(corral.panel(frame, gold="human", slices=["topic"]), found)
    frame["id"] = range(300)
    read = corral.panel(frame, gold="human", slices="topic", id=["id", "topic"])
    same(read, found)
    plain = frame[["a", "b", "c"]]
    same(corral.panel(plain, gold=KNOWN, slices={"topic": TOPIC}), found)


def test_a_table_with_one_vote_per_row(tmp_path, found):
    lines = ["task,worker,label,human,topic"]
    for i, row in enumerate(VOTES):
        human = "" if KNOWN[i] < 0 else KNOWN[i]
        lines += [
            f"{i},{w},{v},{human},{TOPIC[i]}" for w, v in zip("abc", row, strict=True)
        ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(lines))
    read = corral.panel(path, gold="human", slices="topic", task="task")
    np.testing.assert_allclose(read.shares.value, found.shares.value)
    np.testing.assert_allclose(read.slices[0].low, found.slices[0].low)
    assert len(read.labels_) == 300


def test_a_task_has_one_label(tmp_path):
    lines = ["task,worker,label,human"]
    for i, row in enumerate(VOTES):
        lines += [f"{i},{w},{v},{i % 2}" for w, v in zip("abc", row, strict=True)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(ParameterError, match="'worker' has several values for"):
        corral.panel(path, gold="human", slices="worker", task="task")
    lines[5] = lines[5][:-1] + "0"  # one of three people says otherwise
    path.write_text("\n".join(lines))
    with pytest.raises(ParameterError, match="'human' has several values for"):
        corral.panel(path, gold="human", task="task")


def test_labels_are_written_beside_the_rows(file, found, tmp_path):
    target = tmp_path / "labels.csv"
    corral.panel(file, gold="human", id=["id", "topic", "chance"], output=target)
    header, *rows = [line.split(",") for line in target.read_text().splitlines()]
    assert header[-3:] == ["p_1", "label", "confidence"]
    assert [row[0] for row in rows] == list(map(str, range(300)))
    written = np.array([float(row[-3]) for row in rows])
    np.testing.assert_allclose(written, found.labels_[:, 1])
    assert [int(row[-2]) for row in rows] == found.predict().tolist()
    with pytest.raises(corral.errors.CorralError, match="overwrite"):
        corral.panel(file, gold="human", id=["id", "topic", "chance"], output=target)


def test_equal_probabilities_are_a_random_sample(file, found):
    read = corral.panel(file, gold="human", sampling="chance", id=["id", "topic"])
    np.testing.assert_allclose(read.shares.value, found.shares.value)
    np.testing.assert_allclose(read.shares.low, found.shares.low)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gold": "human"}, "gold is the name of a column"),
        ({"gold": KNOWN, "slices": "topic"}, "slices is the name of a column"),
        ({"gold": KNOWN, "slices": TOPIC[:5]}, "one value of 'slice'"),
        ({"gold": KNOWN, "level": 1}, "level must be"),
        ({"gold": KNOWN, "smapling": {}}, "smapling is unknown"),
        ({"gold": KNOWN[:9]}, "one value for each"),
        ({"gold": KNOWN, "output": "labels.csv"}, "output is for one file"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        corral.panel(VOTES, **options)


def test_probabilities_in_a_file_and_people_who_write_words(tmp_path):
    """What ``--judges`` makes of samples, too."""
    lines = ["a,b,c,human"]
    words = {-1: "", 0: "fail", 1: "pass"}
    for row, known in zip(VOTES, KNOWN.tolist(), strict=True):
        cells = ",".join(f"{0.1 + 0.8 * vote}" for vote in row)
        lines.append(f"{cells},{words[known]}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    reading = {"probabilities": True, "classes": ["fail", "pass"]}
    found = corral.panel(path, gold="human", **reading)
    assert found.n_labelled == 60
    assert found.shares.low[1] <= TRUTH.mean() <= found.shares.high[1]


def test_one_judge_is_no_panel():
    found = corral.panel(VOTES[:, :1], gold=KNOWN)
    text = str(found)
    assert "1 judge on 300 rows" in text
    assert "the judge, corrected," in text
    assert "err independently (" not in text


def test_with_every_label_nothing_is_estimated():
    every = corral.panel(VOTES, gold=TRUTH)
    assert "every row has a human label" in str(every)
    assert " inf" not in str(every)
