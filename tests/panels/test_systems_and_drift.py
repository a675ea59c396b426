"""Differences between systems, between then and now, and between judges and people."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from tests.panels.made_panels import hide, make_votes

import corral
from corral.errors import CorralError, ParameterError
from corral.panels.alt_test import run_alt_test


def make_systems(seed, rate=0.6, n=300):
    """Votes on two systems' answers to the same items, of which some are hard."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    good = np.concatenate([hard < 0.5, (hard + 0.1 * rng.normal(size=n)) < rate])
    truth = good.astype(int)
    wrong = rng.random((2 * n, 3)) < (0.1, 0.15, 0.2)
    wrong[n:, 0] |= rng.random(n) < 0.15  # the first judge is worse on B
    votes = np.where(wrong, 1 - truth[:, None], truth[:, None])
    return votes, truth, np.tile(np.arange(n), 2), np.repeat(["A", "B"], n)


def test_intervals_of_a_difference_cover():
    held, widths = [], []
    for seed in range(40):
        votes, truth, items, system = make_systems(seed)
        panel = corral.panel(votes, gold=hide(truth, 120, seed))
        (found,) = panel.compare_systems(system, items).differences
        held.append(found.low <= 0.1 <= found.high)  # what other items would have, too
        widths.append(found.high - found.low)
    assert np.mean(held) >= 0.82
    assert np.mean(widths) < 0.22


def test_with_every_label_items_alone_are_open():
    votes, truth, items, system = make_systems(0)
    slices = {"half": np.tile(np.repeat(["x", "y"], 150), 2)}
    panel = corral.panel(votes, gold=truth, slices=slices)
    whole, one, _ = panel.compare_systems(system, items).differences
    differ = truth[300:] - truth[:300]
    assert whole.value == pytest.approx(differ.mean())
    assert one.value == pytest.approx(differ[:150].mean())
    assert one.where == "half=x"
    apart = panel.compare_systems(system).differences[0]
    assert whole.high - whole.low < apart.high - apart.low


def test_two_files_are_two_systems(tmp_path):
    votes, truth, items, system = make_systems(1)
    known = hide(truth, 100)
    header = "id,a,b,c,human"
    lines = [
        f"{item},{','.join(map(str, row))},{'' if y < 0 else y}"
        for item, row, y in zip(items, votes, known, strict=True)
    ]
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, part in zip(paths, (lines[:300], lines[300:]), strict=True):
        path.write_text("\n".join([header, *part]))
    found = corral.panel(paths[0], gold="human", id="id", against=paths[1]).systems
    want = corral.panel(votes, gold=known).compare_systems(system, items)
    assert found.n_paired == 300
    assert found.differences[0].low == pytest.approx(want.differences[0].low)
    assert found.systems == ("A", "B")
    with pytest.raises(ParameterError, match="labelled rows"):
        corral.panel(votes, gold=known, system=np.repeat("A", 600))


def test_no_change_is_seldom_called_one_and_a_broken_judge_always(tmp_path):
    false = []
    for seed in range(12):
        (votes, truth), (later, after) = (
            make_votes(800, seed=s + seed) for s in (0, 99)
        )
        before = corral.panel(votes, gold=hide(truth, 100))
        before.save(tmp_path / "old.panel")
        now = corral.panel(later, gold=hide(after, 100), since=tmp_path / "old.panel")
        assert now.drift.look == 1
        false.append(now.drift.changed.any())
    assert np.sum(false) <= 2
    later[:, 1] = 1
    broken = corral.panel(later, gold=hide(after, 100)).since(before)
    changed = {
        name
        for name, is_new in zip(broken.names, broken.changed, strict=True)
        if is_new
    }
    judge = before.names[1]
    assert {f"verdicts({judge}, 1)", f"agreement({judge})"} <= changed
    assert before.since(before, look=9).p_values.min() == 1


def test_a_panel_of_other_judges_is_refused(tmp_path):
    votes, truth = make_votes(300)
    names = ["x", "y", "z"]
    words = np.array(["no", "yes"])
    other = corral.WeakSignals.from_votes(words[votes], names=names)
    gold = np.array([*words, None], object)[hide(truth, 50)]
    corral.panel(other, gold=gold).save(tmp_path / "a")
    with pytest.raises(CorralError, match="same"):
        corral.panel(votes[:, :1], gold=hide(truth, 50)).since(tmp_path / "a")
    (tmp_path / "b").write_text("x")
    with pytest.raises(CorralError):
        corral.panel(votes, gold=hide(truth, 50), since=tmp_path / "b")


def test_the_alt_test_by_hand():
    """Every annotator against the two others and a judge, item by item."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    people = np.where(rng.random((60, 3)) < 0.8, truth[:, None], 0)
    judge = np.where(rng.random(60) < 0.9, truth, 0)
    found = run_alt_test(judge, people, "judge", epsilon=0.15)
    p_values = []
    for j in range(3):
        others = np.delete(people, j, axis=1)
        mine = (others == people[:, [j]]).mean(axis=1)
        its = (others == judge[:, None]).mean(axis=1)
        d = (mine >= its).astype(float) - (its >= mine)
        p_values.append(ttest_1samp(d, 0.15, alternative="less").pvalue)
    # Benjamini and Yekutieli: of three, times 1 + 1/2 + 1/3 and three over the rank.
    order = np.argsort(p_values)
    scaled = np.array(p_values)[order] * 11 / 6 * 3 / np.arange(1, 4)
    want = np.minimum.accumulate(scaled[::-1])[::-1]
    np.testing.assert_allclose(found.p_values[order], want)
    assert found.may_replace
    assert not run_alt_test(2 - truth, people, "contrary").may_replace


def test_several_people():
    votes, truth = make_votes(400)
    rng = np.random.default_rng(0)
    rows = hide(truth, 120) >= 0
    people = np.where(rng.random((400, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    people[~rows] = -1
    found = corral.panel(votes, gold=people)
    assert found.n_labelled == 120
    one = corral.panel(votes, gold=np.where(rows, (people.sum(axis=1) >= 2), -1))
    assert found.shares.value == pytest.approx(one.shares.value)
    assert [each.name for each in found.replacements] == list(found.names)
    assert one.replacements == ()
