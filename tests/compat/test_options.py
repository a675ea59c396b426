"""Options without meaning are named once, at the line that gave them."""

import warnings

import pytest

from corral.compat.options import warn_of_options
from corral.compat.snorkel.labeling.model import LabelModel, MajorityLabelVoter
from corral.errors import CompatWarning

VOTES = [[0, 0, 1], [1, 1, -1], [0, -1, 0]]


def test_each_option_is_named_once():
    with pytest.warns(CompatWarning, match="a, b have no effect in f: for a reason"):
        warn_of_options("f", ["a", "b"], "for a reason.")
    with pytest.warns(CompatWarning, match="c has no effect in f"):
        warn_of_options("f", ["a", "c"], "for a reason.")
    with pytest.warns(CompatWarning, match="a has no effect in g"):
        warn_of_options("g", ["a"], "for a reason.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_options("f", ["a", "b", "c"], "for a reason.")
        warn_of_options("f", [], "for a reason.")


def test_the_warning_is_at_the_line_of_the_user():
    with pytest.warns(CompatWarning) as caught:
        LabelModel().fit(VOTES, n_epochs=10)
    assert caught[0].filename == __file__


def test_what_metal_takes_is_not_warned_of():
    model = LabelModel(method="metal")
    model.fit(
        VOTES, n_epochs=10, lr=0.02, l2=0.1, prec_init=[0.6, 0.7, 0.8], seed=1,
        optimizer="sgd", lr_scheduler="constant", progress_bar=False,
    )  # fmt: skip
    chosen = model.labeler
    assert (chosen.max_iter, chosen.learning_rate, chosen.penalty) == (10, 0.02, 0.1)
    assert chosen.precision.tolist() == [0.6, 0.7, 0.8]


def test_devices_and_unknown_options():
    with pytest.warns(CompatWarning, match="device has no effect"):
        LabelModel(device="cuda:0")
    with pytest.warns(CompatWarning, match="verbose has no effect in MajorityLabelV"):
        MajorityLabelVoter(cardinality=2, verbose=False)
    with pytest.raises(TypeError, match="epochs"):
        LabelModel().fit(VOTES, epochs=10)
