"""`PanelReport`: what `corral.panel` found, as arrays, as plain values and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._plain import as_plain
from corral._types import FloatArray
from corral.metrics import class_values
from corral.panels.assisted import Estimate
from corral.panels.comparison import Gain
from corral.panels.dependence import Dependence
from corral.panels.judges import Judge
from corral.panels.next_steps import Absence, Newcomer
from corral.panels.panel_text import write_panel, write_sentences
from corral.panels.slices import Slice


@dataclass(frozen=True, eq=False, repr=False)
class PanelReport:
    """What `corral.panel` found; print it.

    Attributes
    ----------
    names : tuple of str
        The judges.
    classes : (k,) array
    n_rows, n_labelled : int
    level : float
        Probability of all intervals.
    shares : Estimate
        ``value``, ``low`` and ``high`` (k,): the share of every class among all rows.
    labels_alone : Estimate
        The same by the labelled rows alone.
    rogan_gladen : (k,) array of float
        The shares of the majority vote, corrected by its confusion on the labelled rows.
    vote : (k,) array of float
        The shares of the majority vote as they are.
    slices : tuple of Slice
    judges : tuple of Judge
    dependence : Dependence
    over_best, over_vote : Gain
        How much more often the panel is right than its best judge, and than the vote.
    absences : tuple of Absence
        What happens without each judge; empty for one judge, and for more than 50.
    newcomer : Newcomer
    more_labels : int
        Labels beyond those there are that would halve the intervals of the shares.
    worth_labels : float
        How many labels alone would tell the shares as well.
    labels_from : str
        "panel"; or "vote" or a judge, to whom doubtful labels give way as the labelled
        rows say that it is right more often.
    labels_ : (n, k) array of float
        A label for every row.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_rows: int
    n_labelled: int
    level: float
    shares: Estimate
    labels_alone: Estimate
    rogan_gladen: FloatArray
    vote: FloatArray
    slices: tuple[Slice, ...]
    judges: tuple[Judge, ...]
    dependence: Dependence
    over_best: Gain
    over_vote: Gain
    absences: tuple[Absence, ...]
    newcomer: Newcomer
    more_labels: int
    worth_labels: float
    labels_from: str
    labels_: FloatArray

    def predict(self) -> NDArray[Any]:
        """(n,) the likeliest class of every row."""
        silent = np.zeros(len(self.labels_), bool)
        return class_values(self.labels_.argmax(axis=1), silent, self.classes)

    def label_columns(self) -> dict[str, NDArray[Any]]:
        """What `corral.label` adds to a table: probabilities, the class, its probability.

        Of two classes the probability of the second, else one per class.
        """
        names = self.classes.tolist()
        shown = (1,) if len(names) == 2 else range(len(names))
        columns: dict[str, NDArray[Any]] = {
            f"p_{names[c]}": self.labels_[:, c] for c in shown
        }
        return columns | {
            "label": self.predict(),
            "confidence": self.labels_.max(axis=1),
        }

    @property
    def best_judge(self) -> Judge:
        """The judge that is most often right, as far as the labels tell."""
        return max(self.judges, key=lambda judge: judge.hits)

    @property
    def sentences(self) -> tuple[str, str, str]:
        """Three sentences for a paper: the share, the judges, the panel."""
        return write_sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """All but the labels of the rows in plain values."""
        judges = [
            {
                "name": j.name,
                "coverage": j.coverage,
                "accuracy": j.accuracy,
                "accuracy_interval": j.accuracy_interval,
                "sensitivity": j.sensitivity,
                "specificity": j.specificity,
                "specificity_interval": [j.specificity_low, j.specificity_high],
                "confusion": j.confusion,
                "confusion_interval": [j.confusion_low, j.confusion_high],
            }
            for j in self.judges
        ]
        found: dict[str, Any] = as_plain(
            {
                "judges": judges,
                "classes": self.classes,
                "n_rows": self.n_rows,
                "n_labelled": self.n_labelled,
                "level": self.level,
                "shares": self.shares,
                "labels_alone": self.labels_alone,
                "rogan_gladen": self.rogan_gladen,
                "vote": self.vote,
                "slices": self.slices,
                "effective": self.dependence.effective,
                "effective_interval": self.dependence.effective_interval,
                "error_correlation": self.dependence.correlation,
                "families": self.dependence.families,
                "over_best": self.over_best,
                "over_vote": self.over_vote,
                "absences": self.absences,
                "newcomer": self.newcomer,
                "more_labels": self.more_labels,
                "worth_labels": self.worth_labels,
                "labels_from": self.labels_from,
                "sentences": self.sentences,
            }
        )
        return found

    def __str__(self) -> str:
        return write_panel(self)

    __repr__ = __str__
