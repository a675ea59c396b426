import pytest

from corral import DawidSkene, MajorityVote
from corral.errors import ParameterError
from corral.labelers import LABELERS, Labeler, labeler_of


@pytest.mark.parametrize("name", LABELERS)
def test_every_name_stands_for_a_labeler(name):
    assert isinstance(labeler_of(name), Labeler)
    assert labeler_of(name, ties="random").ties == "random"


def test_objects_pass_through():
    labeler = MajorityVote()
    assert labeler_of(labeler) is labeler


@pytest.mark.parametrize(
    ("labeler", "options", "message"),
    [
        ("vote", {}, "'majority-vote', .*; 'vote' was given"),
        (DawidSkene, {}, "a labeler such as"),
        (None, {}, "None was given"),
        (MajorityVote(), {"ties": "first"}, "options ties belong to the labeler"),
    ],
)
def test_refused(labeler, options, message):
    with pytest.raises(ParameterError, match=message):
        labeler_of(labeler, **options)
