"""`snorkel.labeling.model`: from votes to labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.checks import check_choice, check_positive
from corral.compat import warn_of_options
from corral.compat.snorkel.analysis import metric_score
from corral.compat.snorkel.labeling import check_votes
from corral.compat.snorkel.utils import ABSTAIN, probs_to_preds, to_int_label_array
from corral.errors import ParameterError
from corral.labelers import ConstrainedLabeler, Labeler, MeTaL
from corral.progress import silence
from corral.votes import WeakSignals

METHODS: dict[str, Any] = {"constrained": ConstrainedLabeler, "metal": MeTaL}
METAL = {
    "n_epochs": "max_iter",
    "lr": "learning_rate",
    "l2": "penalty",
    "prec_init": "precision",
}
"""What `corral.MeTaL` calls the options of Snorkel that it has."""


class BaseLabeler(ABC):
    """Base of label models of `cardinality` classes, which are 0, 1, ..."""

    def __init__(self, cardinality: int = 2) -> None:
        check_positive("cardinality", cardinality)
        self.cardinality = cardinality

    @abstractmethod
    def predict_proba(self, L: ArrayLike) -> FloatArray:
        """(n, k) a probability for every class, of votes (n, m), -1 for an abstain."""

    def predict(
        self,
        L: ArrayLike,
        return_probs: bool = False,
        tie_break_policy: str = "abstain",
    ) -> Any:
        probs = self.predict_proba(L)
        preds = probs_to_preds(probs, tie_break_policy)
        return (preds, probs) if return_probs else preds

    def score(
        self,
        L: ArrayLike,
        Y: ArrayLike,
        metrics: Sequence[str] | None = ("accuracy",),
        tie_break_policy: str = "abstain",
    ) -> dict[str, float]:
        """Scores by name; examples on which `predict` abstains count for coverage only."""
        probs = self.predict_proba(L)
        preds = probs_to_preds(probs, tie_break_policy)
        out = {"golds": [ABSTAIN], "preds": [ABSTAIN]}
        return {
            name: metric_score(Y, preds, probs, name, {} if name == "coverage" else out)
            for name in metrics or ()
        }


class MajorityLabelVoter(BaseLabeler):
    """The class that most functions vote for; even parts where several have most."""

    def __init__(self, cardinality: int = 2, **options: Any) -> None:
        super().__init__(cardinality)
        warn_of_options("MajorityLabelVoter", options, "It takes cardinality only.")

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        votes = check_votes(L, self.cardinality)
        counts = np.stack(
            [(votes == c).sum(axis=1) for c in range(self.cardinality)], axis=1
        )
        most = counts == counts.max(axis=1, keepdims=True)
        return np.asarray(most / most.sum(axis=1, keepdims=True))


class LabelModel(BaseLabeler):
    """Labels from votes, by corral's default or by Snorkel's own method.

    Parameters
    ----------
    method : {"constrained", "metal"}
        "constrained": corral's default, which learns from the votes how often functions
        are wrong. "metal": Snorkel's own method, with its labels.

    Attributes
    ----------
    labeler : Labeler
        What does the work: it explains labels, and goes into `corral.report`.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling.model import LabelModel
    >>> from corral.datasets import random_votes
    >>> L, Y = random_votes(1000, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.7)
    >>> model = LabelModel(cardinality=2)
    >>> model.fit(L)
    >>> model.score(L, Y)["accuracy"] > 0.8
    True
    >>> model = LabelModel(cardinality=2, method="metal")
    >>> model.fit(L, n_epochs=100, lr=0.01, seed=123)
    >>> model.get_weights().round(1)
    array([0.9, 0.8, 0.7, 0.6, 0.6])
    """

    def __init__(
        self,
        cardinality: int = 2,
        *,
        method: str = "constrained",
        verbose: bool = True,  # noqa: ARG002
        **options: Any,
    ) -> None:
        super().__init__(cardinality)
        if cardinality < 2:
            raise ParameterError("must be 2 or more.", parameter="cardinality")
        check_choice("method", method, METHODS)
        warn_of_options("LabelModel", options, "Corral works on the processor.")
        self.method = method
        self.p = np.full(cardinality, 1 / cardinality)
        self._labeler: Labeler | None = None

    @property
    def labeler(self) -> Labeler:
        """The fitted labeler of corral."""
        if self._labeler is None:
            raise ParameterError("this LabelModel has seen no votes; call fit or load.")
        return self._labeler

    def fit(
        self,
        L_train: ArrayLike,
        Y_dev: ArrayLike | None = None,
        class_balance: ArrayLike | None = None,
        progress_bar: bool = True,
        *,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        """Learn from votes (n, m) alone, -1 for an abstain.

        Without shares of the classes, "constrained" estimates them and "metal" takes them
        to be equal. "metal" has `n_epochs`, `lr`, `l2` and `prec_init`, and starts where
        Snorkel starts with this `seed`. A warning names other options: they have no effect.
        """
        self._labeler = None
        votes = check_votes(L_train, self.cardinality)
        balance = self._read_balance(class_balance, Y_dev)
        labeler = self._make_labeler(options, seed, balance)
        if (votes != ABSTAIN).any():
            signals = WeakSignals.from_votes(
                votes, classes=range(self.cardinality), abstain=ABSTAIN
            )
            with nullcontext() if progress_bar else silence():
                self._labeler = labeler.fit(signals)
        k = self.cardinality
        self.p = np.full(k, 1 / k) if balance is None else balance

    def _make_labeler(
        self, options: dict[str, Any], seed: int | None, balance: FloatArray | None
    ) -> Labeler:
        """The labeler of these options; warn of those that it does not have."""
        given = {name: value for name, value in options.items() if value is not None}
        taken: dict[str, Any] = {}
        if self.method == "metal":
            taken = {METAL[name]: given.pop(name) for name in METAL if name in given}
            if "precision" in taken:  # a tensor, too
                taken["precision"] = np.asarray(taken["precision"], float)[()]
            if seed is not None:
                # Snorkel's only draw after it has seeded NumPy's global state.
                taken["start"] = np.random.RandomState(seed).random_sample()
        warn_of_options(
            "LabelModel.fit",
            given,
            'Only method="metal" has n_epochs, lr, l2, prec_init and seed.',
        )
        return METHODS[self.method](class_balance=balance, **taken)

    def _read_balance(
        self, class_balance: ArrayLike | None, Y_dev: ArrayLike | None
    ) -> FloatArray | None:
        """Shares (k,) of the classes: as given, as in true labels, or None."""
        k = self.cardinality
        if class_balance is not None:
            shares = np.asarray(class_balance, float)
        elif Y_dev is not None:
            shares = np.bincount(to_int_label_array(Y_dev), minlength=k).astype(float)
        else:
            return None
        if shares.shape != (k,) or not (shares > 0).all():
            raise ParameterError(
                "class_balance or Y_dev must have a share above 0 for each of the "
                f"{k} classes; {shares.tolist()} came."
            )
        return shares / shares.sum()

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        """(n, k) a probability for every class; where no function votes, `p`."""
        votes = check_votes(L, self.cardinality)
        labels = np.tile(self.p, (len(votes), 1))
        if (votes != ABSTAIN).any():
            covered = self.labeler.covers(votes)
            labels[covered] = self.labeler.predict_proba(votes)[covered]
        return labels

    def get_weights(self) -> FloatArray:
        """(m,) how often every function is right; NaN for one that never voted."""
        labeler: Any = self.labeler
        return np.clip(1 - labeler.error_rates_, 1e-6, 1)

    def save(self, destination: str | PathLike[str]) -> None:
        """Write the labeler to a file, without pickle; `Labeler.load` reads it, too."""
        self.labeler.save(destination)

    def load(self, source: str | PathLike[str]) -> None:
        """Become what `save` wrote. A pickle of Snorkel is refused: fit again."""
        labeler: Any = Labeler.load(source)
        self._labeler = labeler
        self.method = "metal" if isinstance(labeler, MeTaL) else "constrained"
        self.cardinality = k = len(labeler.classes_)
        balance = labeler.class_balance
        self.p = np.full(k, 1 / k) if balance is None else np.asarray(balance, float)
