"""Snorkel's label model in name, any labeler of corral in fact."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import check_choice
from corral.compat.options import warn_of_options
from corral.compat.snorkel.labeling.analysis import vote_table
from corral.compat.snorkel.labeling.model.base_labeler import BaseLabeler
from corral.compat.snorkel.labeling.votes import as_signals, check_votes
from corral.compat.snorkel.utils.core import to_int_label_array
from corral.errors import ParameterError
from corral.labelers import LABELERS, Labeler, labeler_of
from corral.labelers.metal import MeTaL
from corral.progress import silence

METAL = {
    "n_epochs": "max_iter",
    "lr": "learning_rate",
    "l2": "penalty",
    "prec_init": "precision",
}
"""What `corral.MeTaL` calls the options of Snorkel that it has."""
CHOICES = {
    "optimizer": ("sgd", "adam", "adamax"),
    "lr_scheduler": ("constant", "linear", "exponential", "step"),
}
AS_IN_METAL = {"optimizer": "sgd", "lr_scheduler": "constant"}
log = logging.getLogger(__name__)


class LabelModel(BaseLabeler):
    """Labels from votes, by corral's default or by another of its labelers.

    Parameters
    ----------
    cardinality : int
        Number of classes, two or more, which are 0, 1, ...
    method : str
        "constrained": corral's default, which learns from the votes how often functions
        are wrong. "metal": Snorkel's own method, with its labels. Any other name that
        `corral.label` takes.
    verbose : bool
        Log how the labels were found, at the level INFO.
    device : str
        Only "cpu" has an effect.

    Attributes
    ----------
    labeler : Labeler
        What does the work: it explains labels, and goes into `corral.report`.
    p : (k,) array of float
        Shares of the classes as given, equal ones if none were: the labels of examples
        without votes.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling.model import LabelModel
    >>> from corral.datasets import random_votes
    >>> L, Y = random_votes(1000, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.7)
    >>> model = LabelModel(cardinality=2)
    >>> model.fit(L)
    >>> model.predict_proba(L).shape
    (1000, 2)
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
        verbose: bool = True,
        device: str = "cpu",
    ) -> None:
        super().__init__(cardinality)
        if cardinality < 2:
            raise ParameterError("must be 2 or more.", parameter="cardinality")
        check_choice("method", method, LABELERS)
        if device != "cpu":
            warn_of_options("LabelModel", ["device"], "corral works on the processor.")
        self.method = method
        self.verbose = verbose
        self.p = np.full(cardinality, 1 / cardinality)
        self._labeler: Labeler | None = None
        self._votes: IntArray | None = None

    @property
    def labeler(self) -> Labeler:
        """The fitted labeler of corral."""
        if self._labeler is None:
            raise ParameterError("this LabelModel is not fitted yet; call fit or load.")
        return self._labeler

    def fit(
        self,
        L_train: ArrayLike,
        Y_dev: ArrayLike | None = None,
        class_balance: ArrayLike | None = None,
        progress_bar: bool = True,
        *,
        n_epochs: int | None = None,
        lr: float | None = None,
        l2: float | None = None,
        prec_init: Any = None,
        seed: int | None = None,
        optimizer: str | None = None,
        optimizer_config: Any = None,
        lr_scheduler: str | None = None,
        lr_scheduler_config: Any = None,
        log_freq: int | None = None,
        mu_eps: float | None = None,
    ) -> None:
        """Learn from votes alone.

        Parameters
        ----------
        L_train : (n, m) array of int
            Votes, -1 for an abstain.
        Y_dev : (d,) array of int, optional
            True classes of any examples; only their shares are used.
        class_balance : (k,) array of float, optional
            Shares of the classes, instead. Default: "constrained" estimates them, "metal"
            takes them to be equal.
        progress_bar : bool
            Whether a bar may appear, on a terminal and after two seconds.
        n_epochs, lr, l2, prec_init
            Steps, their size, the penalty and the precision at the start, for "metal".
        seed : int, optional
            For "metal": its start is the one that Snorkel draws with this seed; default:
            one half of the initial values. For others, whatever they draw.
        optimizer, lr_scheduler : str, optional
            "metal" has "sgd" and "constant"; no other has an effect.
        optimizer_config, lr_scheduler_config, log_freq, mu_eps
            Have no effect, and a warning says so, once.
        """
        votes = check_votes(L_train, self.cardinality)
        options = {
            "n_epochs": n_epochs,
            "lr": lr,
            "l2": l2,
            "prec_init": prec_init,
            "optimizer": optimizer,
            "optimizer_config": optimizer_config,
            "lr_scheduler": lr_scheduler,
            "lr_scheduler_config": lr_scheduler_config,
            "log_freq": log_freq,
            "mu_eps": mu_eps,
        }
        given = {name: value for name, value in options.items() if value is not None}
        for name, choices in CHOICES.items():
            check_choice(name, given.get(name, choices[0]), choices)
        balance = read_balance(class_balance, Y_dev, self.cardinality)
        labeler = self._make_labeler(given, seed, balance)
        with nullcontext() if progress_bar else silence():
            labeler.fit(as_signals(votes, self.cardinality))
        k = self.cardinality
        self.p = np.full(k, 1 / k) if balance is None else balance
        self._labeler, self._votes = labeler, votes
        if self.verbose:
            log.info("%s", labeler.note_)

    def _make_labeler(
        self, given: Mapping[str, Any], seed: int | None, balance: FloatArray | None
    ) -> Labeler:
        """The labeler of these options; warn of those that it does not have."""
        is_metal = self.method == "metal"
        taken = {
            METAL[name]: given[name] for name in METAL if name in given and is_metal
        }
        if "precision" in taken:
            taken["precision"] = np.asarray(taken["precision"])[()]  # of a tensor, too
        if is_metal and seed is not None:
            # Snorkel's only draw after it has seeded NumPy's global state.
            taken["start"] = np.random.RandomState(seed).random_sample()
        known = LABELERS[self.method]().get_params(deep=False)
        if balance is not None and "class_balance" in known:
            taken["class_balance"] = balance
        matched = AS_IN_METAL.items() if is_metal else ()
        useless = [n for n in given if not (is_metal and n in METAL)]
        useless = [n for n in useless if (n, given[n]) not in matched]
        warn_of_options(
            "LabelModel.fit",
            useless,
            f"method={self.method!r} has no such option. "
            'method="metal" has n_epochs, lr, l2, prec_init and seed.',
        )
        return labeler_of(self.method, random_state=seed, **taken)

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        """(n, k) a probability for every class; those of `p` where no function votes."""
        votes = check_votes(L, self.cardinality)
        labeler = self.labeler
        labels = labeler.predict_proba(votes)
        labels[~labeler.covers(votes)] = self.p
        return labels

    def get_weights(self) -> FloatArray:
        """(m,) how often every function is right, as far as was learned.

        NaN for a function that never voted.
        """
        labeler: Any = self.labeler
        if not hasattr(labeler, "error_rates_"):
            raise ParameterError(
                f"method={self.method!r} learns nothing about functions; take "
                '"constrained" or "metal".'
            )
        weights: FloatArray = np.clip(1 - labeler.error_rates_, 1e-6, 1)
        return weights

    def get_conditional_probs(self) -> FloatArray:
        """(m, k + 1, k) how often every function says -1, 0, 1, ... given the class.

        For "metal" what was learned, else what the labels of the training examples imply;
        these are not in a file.
        """
        labeler = self.labeler
        if isinstance(labeler, MeTaL):
            return learned_probabilities(labeler)
        if self._votes is None:
            raise ParameterError(
                "the votes that were fitted on are not saved with a label model; fit again."
            )
        return vote_table(self._votes, self.predict_proba(self._votes))

    def save(self, destination: str | PathLike[str]) -> None:
        """Write the labeler to a file, without pickle; ``Labeler.load`` reads it, too.

        Parameters
        ----------
        destination : path
            By convention ending in ``.corral``.
        """
        self.labeler.save(destination)

    def load(self, source: str | PathLike[str]) -> None:
        """Become what `save` wrote. A pickle of Snorkel is refused: fit again."""
        labeler = Labeler.load(source)
        names = {kind: name for name, kind in LABELERS.items()}
        self.method = names[type(labeler)]
        self.cardinality = k = len(labeler.classes_)
        balance = getattr(labeler, "class_balance", None)
        self.p = np.full(k, 1 / k) if balance is None else np.asarray(balance, float)
        self._labeler, self._votes = labeler, None


def read_balance(
    class_balance: ArrayLike | None, Y_dev: ArrayLike | None, k: int
) -> FloatArray | None:
    """Shares (k,) of the classes: those given, those of true labels, or None."""
    if class_balance is not None:
        shares, name = np.asarray(class_balance, float), "class_balance"
    elif Y_dev is not None:
        truth, name = to_int_label_array(Y_dev), "Y_dev"
        if truth.size == 0 or truth.min() < 0:
            raise ParameterError(
                "must hold true classes, from 0 on, and no abstain; leave -1 out first.",
                parameter=name,
            )
        counts = np.bincount(truth, minlength=k)
        shares = counts / counts.sum()
    else:
        return None
    if shares.shape != (k,):
        raise ParameterError(
            f"has {shares.size} entries or classes. Does not match LabelModel "
            f"cardinality {k}.",
            parameter=name,
        )
    if not (shares > 0).all():
        raise ParameterError(
            f"must leave no class out: Class balance prior is 0 for {shares.tolist()}.",
            parameter=name,
        )
    return shares / shares.sum()


def learned_probabilities(labeler: MeTaL) -> FloatArray:
    """(m, k + 1, k) what MeTaL has learned of every vote, given the class.

    Zero for a vote that was never cast, of which it learns nothing.
    """
    model, m, k = labeler.model_, labeler.n_features_in_, len(labeler.classes_)
    table = np.zeros((m, k + 1, k))
    table[model.signal, model.vote + 1] = np.exp(model.weights)
    table[:, 0] = 1 - table[:, 1:].sum(axis=1)
    return table
