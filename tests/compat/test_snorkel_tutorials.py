"""Snorkel's tutorial, with Snorkel and with nothing but the imports changed."""

import json
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

from corral.errors import CompatWarning

pd = pytest.importorskip("pandas")
pytest.importorskip("snorkel", reason="it is an extra: make test EXTRAS=all")


def split(data):
    """The tutorial's sets: train, some of it with labels (dev), and test."""
    train, test = data.iloc[: 3 * len(data) // 4], data.iloc[3 * len(data) // 4 :]
    return train, train.sample(100, random_state=0), test


def youtube(folder):
    """The comments of the tutorial itself, as WRENCH has them."""
    rows = []
    for part in ("train", "valid", "test"):
        stored = json.loads(
            (folder / "wrench" / "youtube" / f"{part}.json").read_text()
        )
        rows += [(row["data"]["text"], row["label"]) for row in stored.values()]
    data = pd.DataFrame(rows, columns=["text", "label"])
    return data.sample(frac=1, random_state=0, ignore_index=True)


def run_three(data, tmp_path):
    """What Snorkel finds, corral's default, and corral's form of Snorkel's method."""
    flow = Path(__file__).with_name("spam_tutorial.py")
    switched = tmp_path / flow.name
    changed = flow.read_text().replace("from snorkel", "from corral.compat.snorkel")
    switched.write_text(changed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Snorkel's own
        theirs = runpy.run_path(str(flow))["run"](*data)
    ours = runpy.run_path(str(switched))["run"]
    with pytest.warns(CompatWarning, match="no effect in .*: n_epochs, "):
        default = ours(*data)
    metal = ours(*data, method="metal")  # log_freq, too, has no effect: that was said
    return theirs, default, metal


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::corral.errors.CompatWarning")
def test_spam_on_its_own_comments(tmp_path, data):
    theirs, default, metal = run_three(split(youtube(data)), tmp_path)
    for ours in (default, metal):
        np.testing.assert_array_equal(ours["votes"], theirs["votes"])
        pd.testing.assert_frame_equal(ours["summary"], theirs["summary"])
        assert ours["coverage"] == theirs["coverage"]
        assert ours["buckets"].keys() == theirs["buckets"].keys()
        for kind, rows in theirs["buckets"].items():
            np.testing.assert_array_equal(ours["buckets"][kind], rows)
        np.testing.assert_array_equal(ours["majority"], theirs["majority"])
        assert ours["majority_accuracy"] == theirs["majority_accuracy"]
        pd.testing.assert_frame_equal(ours["kept"], theirs["kept"])
        np.testing.assert_array_equal(ours["one_hot"], theirs["one_hot"])
        assert ours["labels"].shape == theirs["labels"].shape
    np.testing.assert_allclose(metal["labels"], theirs["labels"], atol=1e-4)
    # Snorkel adds the floor of a probability for votes that are never cast.
    np.testing.assert_allclose(metal["weights"], theirs["weights"], atol=0.01)
    assert metal["label_accuracy"] == theirs["label_accuracy"]
    assert metal["classifier_accuracy"] == theirs["classifier_accuracy"]
    # docs/howto/from_other_tools.md says who is behind the vote.
    assert theirs["majority_accuracy"] == pytest.approx(0.834, abs=0.003)
    found = [
        (each["label_accuracy"], each["classifier_accuracy"])
        for each in (theirs, default)
    ]
    np.testing.assert_allclose(found, [(0.796, 0.845), (0.796, 0.857)], atol=0.003)
