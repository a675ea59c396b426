"""Which signals are raters and which are rules.

A *rater* answers what it is asked and names all classes; a *rule* votes for one class
and chooses where. The confusion of a rater shows where it meets others. Of a rule the
votes only show when it votes, not how often it is right.
"""

from __future__ import annotations

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.error_rates.lifts import PRIOR_VOTES, vote_balance
from corral.error_rates.vote_features import VoteFeatures

EXPECTED = 3.0
"""A signal that votes outside its main class a third as often as the balance has it, or
more often, is a rater."""
DENSE = 0.95
"""Share of the examples from which a rater answers all of them."""
NAMED = 0.01
"""Share of the rules' votes from which they name a class."""


def find_raters(features: VoteFeatures) -> FloatArray:
    """(c,) how far a column is a rater's: 1 a rater, 0 a rule.

    Its votes outside its main class are compared with those that the class balance
    suggests; few votes are shrunk toward what is usual among all.
    """
    cast = features.votes_cast
    balance = vote_balance(features)
    most = np.zeros(features.n_columns)
    np.maximum.at(most, features.column, features.size)
    main = features.size == most[features.column]  # several, if they are tied
    outside = features.by_column(main * (1 - features.member @ balance))
    rest = outside / np.maximum(features.by_column(main.astype(float)), 1)
    other, expected = EXPECTED * (cast - most), cast * rest
    seen = np.minimum(1, other / np.maximum(expected, 1e-9))
    root = np.sqrt(cast)
    usual = (root * seen).sum() / max(root.sum(), 1e-9)
    prior = PRIOR_VOTES * rest
    rater = (other + prior * usual) / np.maximum(expected + prior, 1e-9)
    return np.where(cast > 0, np.minimum(1, rater), 0.0)


def find_panel(features: VoteFeatures, rater: FloatArray) -> tuple[BoolArray, float]:
    """Raters who answer every example beside rules that do not, and how clearly.

    Such raters can be held against the rules, which err independently of them. That
    takes at least two rules (in effective number) that choose their examples, and that
    name the classes the raters name.

    Parameters
    ----------
    features : VoteFeatures
    rater : (c,) array of float
        From `find_raters`.

    Returns
    -------
    panel : (c,) array of bool
    clearness : float
        From 0, there is no such division, to 1.
    """
    n, cast = features.counts.sum(), features.votes_cast
    panel = (cast >= DENSE * n) & (rater > 0.5)
    rules = ~panel & (cast > 0)
    if (features.about >= 0).any() or not panel.any() or rules.sum() < 2:
        return panel, 0.0
    votes = coverage = cast[rules] / n
    number = votes.sum() ** 2 / (votes**2).sum()
    # Workers who are given their examples are no rules: the number of their votes varies
    # less from example to example than it would by chance.
    speaking = np.bincount(
        features.pattern, rules[features.column_of_vote], minlength=features.n_patterns
    )
    mean = features.counts @ speaking / n
    variance = features.counts @ (speaking - mean) ** 2 / n
    by_chance = max((coverage * (1 - coverage)).sum(), 1e-9)
    unassigned = np.clip(4 * variance / by_chance - 2, 0, 1)
    choosy = np.clip(2 * (1 - coverage), 0, 1)
    choosy = choosy * np.maximum(1 - rater[rules], unassigned)
    choice = (votes * choosy).sum() / votes.sum()
    named = np.bincount(
        features.vote, features.size * rules[features.column], features.n_classes
    )
    is_named = named > NAMED * named.sum()
    asked = features.size * panel[features.column]
    known = (asked * is_named[features.vote]).sum() / asked.sum()
    clearness = (number - 1, (choice - 0.3) / 0.3, 2 * known - 1)
    return panel, float(np.prod(np.clip(clearness, 0, 1)))
