"""The paper's rules give the signals that its authors published (METHODS h and j)."""

import re

import numpy as np
import pytest

import corral
from corral import WeakSignals, datasets
from corral.datasets import IMDB_RULES, SST2_RULES, TREC_RULES, YELP_RULES

COVERAGES = [
    [146, 108, 21, 632, 152, 77],
    [101, 116, 44, 52, 286, 114],
    [116, 93, 75, 148, 135, 323],
    [109, 47, 1, 48, 16, 92],
    [60, 87, 4, 54, 158, 61],
]
ERRORS = [
    [0.103, 0.370, 0.048, 0.035, 0.184, 0.078],
    [0.030, 0.147, 0.068, 0.077, 0.098, 0.246],
    [0.043, 0.226, 0.453, 0.243, 0.333, 0.000],
    [0.202, 0.340, 0.000, 0.292, 0.063, 0.043],
    [0.017, 0.287, 0.000, 0.185, 0.089, 0.066],
]
IMDB_ERRORS = [0.501, 0.178, 0.327, 0.257, 0.197, 0.258, 0.159, 0.117, 0.113, 0.146]


def votes(rules, texts):
    """(n, m) class names, "" where a rule abstains, by `corral.apply`."""
    labels = np.array([rule.label for rule in rules])
    signals = corral.apply([rule.function() for rule in rules], texts)
    return np.where(signals.votes >= 0, labels, "")


def fires(rules, texts):
    """(n, m) booleans: where a rule votes."""
    return votes(rules, texts) != ""


@pytest.mark.parametrize(
    ("rules", "count", "classes"),
    [
        (SST2_RULES, 14, 2),
        (YELP_RULES, 14, 2),
        (IMDB_RULES, 10, 2),
        (TREC_RULES, 30, 6),
    ],
)
def test_rules_are_many_and_have_names_of_their_own(rules, count, classes):
    assert len({rule.name for rule in rules}) == len(rules) == count
    assert len({rule.label for rule in rules}) == classes
    assert all(bool(rule.words) != bool(rule.pattern) for rule in rules)
    assert all(word == word.lower() for rule in rules for word in rule.words)


def test_one_group_of_yelp_differs():
    differing = [i for i, r in enumerate(YELP_RULES) if r != SST2_RULES[i]]
    assert differing == [11]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does NAFTA stand for ?", True),
        ("What is NASA", True),
        ("What is A ?", False),  # one letter
        ("What is Nasa ?", False),
        ("What is 1999 ?", False),  # no letter
        ("What is  NASA  ?", False),  # the third word is empty
        ("NASA is what ?", False),
    ],
)
def test_third_word_in_capitals(question, found):
    (rule,) = (rule for rule in TREC_RULES if rule.pattern)
    assert bool(re.search(rule.pattern, question)) is found


@pytest.mark.data
def test_sst2_bit_for_bit(data):
    train = datasets.load("sst2", folder=data).train
    published = datasets.load("paper/sst2", folder=data).train
    said = votes(SST2_RULES, train.data)
    covered = (said != "").any(axis=1)
    found = WeakSignals.from_votes(said[covered], classes=("negative", "positive"))
    assert found.votes.shape == (3998, 14)
    np.testing.assert_array_equal(found.votes, published.signals.votes)
    np.testing.assert_array_equal(train.labels[covered], published.labels)
    stored = np.load(data / "sst-2" / "weak_signals.npy")
    np.testing.assert_array_equal(found.votes, stored)


@pytest.mark.data
def test_trec_coverages_and_errors(data):
    train = datasets.load("trec", folder=data).train
    found = fires(TREC_RULES, train.data)
    labels = [rule.label for rule in TREC_RULES]
    wrong = found & (train.labels[:, None] != labels)
    assert found.sum(axis=0).reshape(5, 6).tolist() == COVERAGES
    errors = (wrong.sum(axis=0) / found.sum(axis=0)).reshape(5, 6)
    np.testing.assert_allclose(errors, ERRORS, atol=5.1e-4)
    assert found.any(axis=1).sum() == 2969


@pytest.mark.data
@pytest.mark.xdist_group("imdb")  # one worker reads the reviews
def test_imdb_covers_what_the_paper_covers(imdb):
    texts = [*imdb.train.data, *imdb.test.data]
    labels = np.concatenate([imdb.train.labels, imdb.test.labels])
    first = dict(zip(reversed(texts), range(len(texts) - 1, -1, -1), strict=True))
    assert len(first) == 49_582
    rows = sorted(first.values())
    found = fires(IMDB_RULES, [texts[row] for row in rows])
    assert found.any(axis=1).sum() == 36_467
    wrong = found & (labels[rows, None] != [rule.label for rule in IMDB_RULES])
    # The published errors are those of 29,182 reviews drawn at random.
    np.testing.assert_allclose(
        wrong.sum(axis=0) / found.sum(axis=0), IMDB_ERRORS, atol=0.02
    )
