"""From probabilities to classes and back."""

from corral.compat.snorkel.utils.core import (
    filter_labels,
    preds_to_probs,
    probs_to_preds,
    to_int_label_array,
)

__all__ = ["filter_labels", "preds_to_probs", "probs_to_preds", "to_int_label_array"]
