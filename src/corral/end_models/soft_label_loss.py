"""The loss of soft labels, for networks that others train."""

from __future__ import annotations

from typing import Any

from corral.errors import ParameterError


def soft_label_loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """Cross-entropy of soft labels, mean over the examples that have one.

    For any training loop of torch, and as ``compute_loss_func`` of a Hugging Face
    ``Trainer``. Only methods of the tensors are called, so nothing is imported.

    Parameters
    ----------
    outputs : (n, k) tensor, or what has it as ``logits``
        What the network says, before softmax.
    labels : (n, k) tensor
        Soft labels. A row that adds up to less than one counts less; zeros and NaN are no
        label.
    num_items_in_batch : int or tensor, optional
        What a ``Trainer`` counts: the numbers in all labels of the batches that one step
        is made from, k per example. The loss is then a sum over so many.

    Returns
    -------
    tensor
        One number.

    Examples
    --------
    >>> import torch
    >>> from corral.end_models import soft_label_loss
    >>> scores = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    >>> labels = torch.tensor([[0.9, 0.1], [0.0, 0.0]])  # the second has no label
    >>> round(soft_label_loss(scores, labels).item(), 3)
    0.327
    """
    scores = _logits(outputs)
    if tuple(labels.shape) != tuple(scores.shape):
        raise ParameterError(
            "soft labels must have a probability per class, as the network has a score; "
            f"the shapes are {tuple(labels.shape)} and {tuple(scores.shape)}."
        )
    targets = labels.nan_to_num(0.0).to(scores.dtype)
    total = -(targets * scores.log_softmax(dim=-1)).sum()
    if num_items_in_batch is None:
        return total / targets.sum().clamp(min=1e-12)  # no label at all: no loss
    return total * scores.shape[-1] / num_items_in_batch


def _logits(outputs: Any) -> Any:
    """The scores, in whatever a model returns them."""
    if isinstance(outputs, dict):
        return outputs["logits"]
    if isinstance(outputs, tuple | list):
        return outputs[0]
    return getattr(outputs, "logits", outputs)
