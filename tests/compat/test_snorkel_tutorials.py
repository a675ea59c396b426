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


def youtube(folder):
    """The comments of the tutorial itself, as WRENCH has them: train, dev and test."""
    files = (
        folder / "wrench" / "youtube" / f"{n}.json" for n in ("train", "valid", "test")
    )
    stored = [row for file in files for row in json.loads(file.read_text()).values()]
    rows = [(row["data"]["text"], row["label"]) for row in stored]
    data = pd.DataFrame(rows, columns=["text", "label"])
    data = data.sample(frac=1, random_state=0, ignore_index=True)
    train, test = data.iloc[: 3 * len(data) // 4], data.iloc[3 * len(data) // 4 :]
    return train, train.sample(100, random_state=0), test


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::corral.errors.CompatWarning")
def test_spam_on_its_own_comments(tmp_path, data):
    flow, given = Path(__file__).with_name("spam_tutorial.py"), youtube(data)
    switched = tmp_path / flow.name
    changed = flow.read_text().replace("from snorkel", "from corral.compat.snorkel")
    switched.write_text(changed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Snorkel's own
        theirs = runpy.run_path(str(flow))["run"](*given)
    ours = runpy.run_path(str(switched))["run"]
    with pytest.warns(CompatWarning, match="no effect in .*: n_epochs, "):
        default = ours(*given)
    metal = ours(*given, method="metal")  # log_freq, too, has no effect: that was said
    for found in (default, metal):
        for part in ("votes", "coverage", "buckets", "majority", "majority_accuracy"):
            np.testing.assert_equal(found[part], theirs[part])
        np.testing.assert_equal(found["one_hot"], theirs["one_hot"])
        for part in ("summary", "kept"):
            pd.testing.assert_frame_equal(found[part], theirs[part])
        assert found["labels"].shape == theirs["labels"].shape
    np.testing.assert_allclose(metal["labels"], theirs["labels"], atol=1e-4)
    # Snorkel adds the floor of a probability for votes that are never cast.
    np.testing.assert_allclose(metal["weights"], theirs["weights"], atol=0.01)
    for part in ("label_accuracy", "classifier_accuracy"):
        assert metal[part] == theirs[part]
    # docs/howto/from_other_tools.md says who is behind the vote.
    right = [theirs["majority_accuracy"]]
    for found in (theirs, default):
        right += [found["label_accuracy"], found["classifier_accuracy"]]
    np.testing.assert_allclose(right, [0.834, 0.796, 0.845, 0.796, 0.857], atol=0.003)
