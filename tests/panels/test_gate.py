"""Requirements: read, looked up, compared with intervals."""

from xml.etree import ElementTree

import numpy as np
import pytest
from tests.panels.made_panels import fit_panel, hide, make_votes

import corral
from corral.errors import ParameterError

VOTES, TRUTH = make_votes(1000)
NAMES = ["a", "b", "c (new)"]
SIGNALS = corral.WeakSignals.from_votes(np.array(["fail", "pass"])[VOTES], names=NAMES)
GOLD = np.array(["fail", "pass", None], object)[hide(TRUTH, 100)]
PANEL = corral.panel(SIGNALS, gold=GOLD, slices={"t": np.repeat(["x", "y"], 500)})


def test_bounds_decide():
    judge = PANEL.judges[0]
    _, low, high = judge.accuracy.three
    texts = [
        f"accuracy(a) >= {low - 0.01}",
        f"accuracy(a)>={100 * (high + 0.01)}%",
        f"accuracy(a) <= {(low + high) / 2}",
    ]
    found = PANEL.check(texts)
    assert [each.verdict for each in found.requirements] == ["holds", "fails", "open"]
    assert found.exit_code == 1
    assert PANEL.check(texts[0]).exit_code == 0
    assert PANEL.check(texts[::2]).exit_code == 3
    assert 100 < found.requirements[2].labels <= 1000


def test_so_many_labels_settle_it():
    """With that many, the interval ends where the limit is, if the value stays."""
    limit = PANEL.shares.value[1] - 0.03
    (one,) = PANEL.check(f"share(pass) >= {limit}").requirements
    assert one.verdict == "open"
    widths = []
    for seed in range(10):
        shares = fit_panel(VOTES, hide(TRUTH, one.labels, seed)).shares()
        widths.append(shares.value[1] - shares.low[1])
    assert np.mean(widths) == pytest.approx(0.03, abs=0.01)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("accuracy >= 0", PANEL.answers[1].accuracy.value),
        ("kappa(vote) >= 0", PANEL.answers[0].kappa.value),
        ("tpr(c (new)) >= 0", PANEL.judges[2].recall.value[1]),
        ("tnr >= 0", PANEL.answers[1].recall.value[0]),
        ("recall(a, fail) >= 0", PANEL.judges[0].recall.value[0]),
        ("precision(pass) >= 0", PANEL.answers[1].precision.value[1]),
        ("share(fail) <= 1", PANEL.shares.value[0]),
        ("share(fail, t=y) <= 1", PANEL.slices[1].share[0]),
        ("kappa(best) >= -1", max(each.kappa.value for each in PANEL.judges)),
        ("judges >= 0", PANEL.dependence.effective),
    ],
)
def test_measures_are_those_of_the_panel(text, value):
    assert PANEL.check(text).requirements[0].value == pytest.approx(value)


def test_the_best_of_several_has_a_wider_interval():
    best = max(PANEL.judges, key=lambda each: each.kappa.value)
    found = PANEL.check("kappa(best) >= 0").requirements[0]
    assert found.low < best.kappa.low < best.kappa.high < found.high


@pytest.mark.parametrize(
    "text",
    [
        *("", "accuracy", "accuracy = 1", "accuracy >= x", "accuracy >= 1.2.3"),
        *("accuracy(d) >= 1", "f1 >= 0.1", "share(maybe) >= 0", "grade >= 2"),
        "share(pass, t=z) >= 0",
    ],
)
def test_what_is_refused(text):
    with pytest.raises(ParameterError, match="require"):
        PANEL.check(text)


def test_junit(tmp_path):
    path = tmp_path / "x.xml"
    PANEL.check(["accuracy >= 0", "accuracy >= 1", "accuracy <= 0"]).write_junit(path)
    suite = ElementTree.parse(path).getroot()
    assert suite.attrib["tests"] == "3"
    kinds = [[child.tag for child in case] for case in suite]
    assert kinds[0] == []
    assert kinds[2] == ["failure"]
    with pytest.raises(corral.errors.CorralError, match="overwrite"):
        PANEL.check("accuracy >= 0").write_junit(path)
