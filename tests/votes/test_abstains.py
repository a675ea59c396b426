"""What means no vote: by default, as named, and what is asked about."""

import numpy as np
import pytest

from corral import ConstrainedLabeler, WeakSignals
from corral.errors import SignalsError, SignalsWarning


def read(votes, **options):
    signals = WeakSignals.from_votes(votes, **options)
    return signals.votes.tolist(), signals.classes.tolist()


@pytest.mark.parametrize("text", ["N/A", "?", "none", "NULL", "  ", "<NA>"])
def test_texts_that_mean_no_vote(text):
    votes = [["a", text], ["b", "a"]]
    if text.strip():
        with pytest.warns(SignalsWarning, match="read as no vote"):
            assert read(votes) == ([[0, -1], [1, 0]], ["a", "b"])
    assert read(votes, abstain=text) == ([[0, -1], [1, 0]], ["a", "b"])
    assert read(votes, classes=["a", "b"]) == ([[0, -1], [1, 0]], ["a", "b"])
    listed = ["a", "b", text]
    assert read(votes, classes=listed) == ([[0, 2], [1, 0]], listed)


@pytest.mark.parametrize(
    ("votes", "abstain", "codes", "classes"),
    [
        ([[0, 1, 9], [8, 1, 0]], [8, 9], [[0, 1, -1], [-1, 1, 0]], [0, 1]),
        ([[0, 1, -1], [-9, 1, 0]], (-1, -9), [[0, 1, -1], [-1, 1, 0]], [0, 1]),
        ([["x", "skip"], ["pass", "y"]], ["skip", "pass"], [[0, -1], [-1, 1]], ["x", "y"]),
        ([[0.0, np.nan], [9.0, 1.0]], [9, None], [[0, -1], [-1, 1]], [0, 1]),
        ([[0, None], [9, 1]], [9, None], [[0, -1], [-1, 1]], [0, 1]),
    ],
)  # fmt: skip
def test_several_abstains(votes, abstain, codes, classes):
    assert read(votes, abstain=abstain) == (codes, classes)
    silent = np.unique(np.asarray(votes, object)[np.array(codes) < 0].astype(str))
    assert len(silent) == 2


def test_new_votes_are_read_with_the_same_abstains():
    signals = WeakSignals.from_votes([[0, 1, 9], [8, 1, 0]] * 5, abstain=[8, 9])
    labeler = ConstrainedLabeler(0.3).fit(signals)
    assert labeler.covers([[8, 9, 8], [0, 9, 9]]).tolist() == [False, True]
    with pytest.raises(SignalsError, match="votes for -1"):
        labeler.covers([[-1, 0, 0]])


def test_abstains_survive_files(tmp_path):
    signals = WeakSignals.from_votes(
        [["Yes", "skip"], ["no ", "YES"], ["-", "no"]] * 5,
        abstain=["skip", "-"],
        normalise=True,
    )
    labeler = ConstrainedLabeler(0.3).fit(signals)
    labeler.save(tmp_path / "model")
    again = ConstrainedLabeler.load(tmp_path / "model")
    assert again.predict([["YES", "-"], ["skip", "No"]]).tolist() == ["yes", "no"]
    fitted = ConstrainedLabeler(0.3).fit(signals + signals)
    assert fitted.predict([["YES", "-"], ["skip", "No"]]).tolist() == ["yes", "no"]


def test_one_class_written_in_several_ways():
    votes = [["pos", "pos "], [" Pos", "neg"]]
    with pytest.raises(SignalsError, match=r"' Pos', 'pos', 'pos '.*`normalise=True`"):
        WeakSignals.from_votes(votes)
    assert read(votes, normalise=True) == ([[1, 1], [1, 0]], ["neg", "pos"])
    assert read(votes, normalise=True, classes=["Pos", "Neg"]) == (
        [[0, 0], [0, 1]],
        ["Pos", "Neg"],
    )
    every = [" Pos", "neg", "pos", "pos "]
    assert read(votes, classes=every)[1] == every, "who lists them means them"


def test_spellings_of_classes_and_of_numbers():
    with pytest.raises(SignalsError, match=r"'1', '1\.0'"):
        WeakSignals.from_votes([["1", "2"], ["1.0", "2"]])
    assert read([["1", "2"], ["1.0", "2"]], normalise=True)[1] == ["1", "2"]
    with pytest.raises(SignalsError, match="'POS', 'pos'"):
        WeakSignals.from_votes([["pos", "neg"]], classes=["pos", "POS", "neg"],
                               normalise=True)  # fmt: skip


@pytest.mark.parametrize("abstain", ["N/A", ["N/A"], "skip", ["skip", 9]])
def test_texts_that_mean_no_vote_among_numbers(abstain):
    text = "skip" if "skip" in abstain else "N/A"
    assert read([[1, text], [0, 1]], abstain=abstain) == ([[1, -1], [0, 1]], [0, 1])


def test_normalise_is_for_text():
    for votes in ([[0, 1], [1, 0]], [[0.0, 1.0]], [[True, None], [False, True]]):
        with pytest.raises(SignalsError, match="normalise=True` is for text"):
            WeakSignals.from_votes(votes, normalise=True)


# -- what is asked about -----------------------------------------------------------------

ZEROS = np.zeros((20, 3), int)


def with_votes(*rows):
    votes = ZEROS.copy()
    votes[: len(rows)] = rows
    return votes


@pytest.mark.parametrize(
    ("votes", "value"),
    [
        (with_votes([2, 1, 1], [1, 2, 2]), "0"),
        (with_votes([2, 1, -1], [1, 2, 2]), "0"),
        (with_votes([2, 1, 1], [1, 2, 2]).astype(str).astype(object), "'0'"),
        (np.where(with_votes([1, 2, 2], [2, 1, 1]), "yes", "nan").astype(object), "'nan'"),
        (np.array([["a", "b"], ["ABSTAIN", "a"]], object), "'ABSTAIN'"),
    ],
)  # fmt: skip
def test_doubtful_codings_are_asked_about(votes, value):
    with pytest.warns(SignalsWarning, match=f"^{value} was read as a class.*`abstain="):
        WeakSignals.from_votes(votes)
    meant = value.strip("'") if value.startswith("'") else int(value)
    classes = sorted(set(votes.ravel().tolist()) - {meant, -1})
    if len(classes) > 1:
        WeakSignals.from_votes(votes, abstain=meant)  # an answer, so no question
    WeakSignals.from_votes(votes, classes=[*classes, meant], abstain=-1)


@pytest.mark.parametrize(
    "votes",
    [
        with_votes([0, 1, 1], [1, 0, 0]),
        with_votes(*[[1, -1, -1]] * 10),
        with_votes(*[[1, 2, 0]] * 11),
        with_votes([-1, 1, 1], [1, -1, -1])[:8],
    ],
    ids=["two classes", "-1 as often as 0", "not in every column", "few rows"],
)
def test_codings_that_are_clear_are_not_asked_about(votes):
    WeakSignals.from_votes(votes)


def test_counted_votes_are_asked_about_by_what_they_stand_for():
    votes, counts = np.array([[0, 0], [1, 2], [2, 1]]), np.array([50.0, 1, 1])
    with pytest.warns(SignalsWarning, match="0 was read as a class"):
        WeakSignals.from_votes(votes, counts=counts)
    WeakSignals.from_votes(votes, counts=counts[::-1])


@pytest.mark.parametrize("form", ["array", "floats", "counts", "frame"])
def test_signs_of_which_most_are_zero_are_refused(form):
    rows, counts = [[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 1, 0], [1, 1, 0]], None
    if form == "counts":
        counts = [4, 4, 4, 4, 4]
    votes = np.array(rows if counts else rows * 4)  # the first column is half zeros

    def read(**options):
        if form == "frame":
            pandas = pytest.importorskip("pandas", reason="an optional extra")
            return WeakSignals.from_frame(pandas.DataFrame(votes), **options)
        given = votes.astype(float) if form == "floats" else votes
        return WeakSignals.from_votes(given, counts=counts, **options)

    with pytest.raises(SignalsError, match=r"`abstain=0`"):
        read()
    assert read(abstain=0).classes.tolist() == [-1, 1]
    assert read(abstain=-1).classes.tolist() == [0, 1]
    assert read(classes=[0, 1]).classes.tolist() == [0, 1]


# -- what was read is said ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("votes", "options", "said"),
    [
        ([[0, 1], [-1, 1]], {}, "-1 = no vote; classes 0, 1"),
        ([[0, 1], [2, 1]], {}, "every cell is a vote; classes 0, 1, 2"),
        ([["a", ""], ["b", "a"]], {}, "empty = no vote; classes a, b"),
        (np.arange(12)[:, None] % 12, {"classes": range(12)},
         "every cell is a vote; classes 0, 1, 2, 3, 4, 5, 6, 7, ... (12 in all)"),
    ],
)  # fmt: skip
def test_reading(votes, options, said):
    assert WeakSignals.from_votes(votes, **options).reading == said


def test_reading_of_other_kinds():
    long = {"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": ["x", "y", "?"]}
    signals = WeakSignals.from_long(long, abstain="?")
    assert signals.reading == "'?' = no vote; classes x, y"
    assert signals.take([0]).reading == signals.reading
    three = WeakSignals.from_probabilities(np.full((2, 2, 3), 1 / 3))
    assert three.reading == "probabilities of the classes 0, 1, 2"
