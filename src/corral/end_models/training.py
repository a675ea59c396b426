"""How a PyTorch network learns soft labels; torch is loaded when used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.progress import progress

PREDICTED_AT_ONCE = 1024
"""Examples in a batch that is not trained on."""

Tensors = Callable[[IntArray], Any]
"""From positions of examples to the tensor of their features."""


@dataclass(frozen=True)
class Schedule:
    """How long to train, and in what steps.

    Attributes
    ----------
    optimizer : "adam" or "adagrad"
    learning_rate : float
    epochs, batch_size : int
    validation : float
        Share of the examples that are kept apart to stop early; 0: none.
    patience : int
        Epochs without a better loss on these after which training stops.
    """

    optimizer: str
    learning_rate: float
    epochs: int
    batch_size: int
    validation: float
    patience: int


def load_torch() -> Any:
    """The package torch, or where to get it."""
    try:
        import torch
    except ModuleNotFoundError as error:
        raise ParameterError(
            "neural networks need the package 'torch': pip install 'corral[torch]'"
        ) from error
    return torch


@contextmanager
def seed_torch(seed: int) -> Iterator[None]:
    """Whatever torch draws comes from `seed`; its global state is put back afterwards.

    Gradients are taken, and numbers are single precision, whatever it says around this.
    """
    torch = load_torch()
    usual = torch.get_default_dtype()
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.random.fork_rng(devices=[]),
    ):
        torch.default_generator.manual_seed(seed)
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(usual)


def glorot(module: Any) -> Any:
    """The module, with uniform weights in Glorot's range and biases of zero."""
    init = load_torch().nn.init
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            init.zeros_(parameter)
        else:
            init.xavier_uniform_(parameter)
    return module


def soft_loss(scores: Any, targets: Any, output: str) -> Any:
    """(n,) expected loss under soft labels.

    Parameters
    ----------
    scores : (n, c) tensor
        What the network gives, before sigmoid or softmax.
    targets : (n, c) tensor
    output : "sigmoid" or "softmax"
        Binary cross-entropy, the mean over the outputs; or cross-entropy.
    """
    functional = load_torch().nn.functional
    if output == "softmax":
        return functional.cross_entropy(scores, targets, reduction="none")
    loss = functional.binary_cross_entropy_with_logits
    return loss(scores, targets, reduction="none").mean(dim=1)


def train(
    module: Any,
    tensors: Tensors,
    targets: FloatArray,
    weights: FloatArray,
    output: str,
    schedule: Schedule,
) -> FloatArray:
    """Train a module where it is; every draw is torch's, see `seed_torch`.

    Parameters
    ----------
    module : torch.nn.Module
    tensors : callable
    targets : (n, c) array of float
    weights : (n,) array of float
        Examples of weight zero are not looked at.
    output, schedule
        As for `soft_loss` and `Schedule`.

    Returns
    -------
    (epochs, 2) array of float
        Mean loss of every epoch, on the examples trained on and on those kept apart (NaN
        if there are none). After early stopping the module is as it was at the smallest
        of these.
    """
    torch = load_torch()
    used = np.flatnonzero(weights > 0)
    used = used[torch.randperm(len(used)).numpy()]
    apart, train_on = np.split(used, [round(schedule.validation * len(used))])
    if schedule.validation and not (len(apart) and len(train_on)):
        raise ParameterError(
            f"{len(used)} examples cannot be split for validation="
            f"{schedule.validation}; give more, or validation=0."
        )
    target = torch.as_tensor(targets, dtype=torch.float32)
    # In units of their mean, so that a batch has the same step whatever the unit is.
    weight = torch.as_tensor(weights / weights[train_on].mean(), dtype=torch.float32)

    def loss_of(rows: IntArray) -> Any:
        scores = module(tensors(rows))
        return (weight[rows] * soft_loss(scores, target[rows], output)).mean()

    make = {"adam": torch.optim.Adam, "adagrad": _keras_adagrad}[schedule.optimizer]
    optimizer = make(module.parameters(), lr=schedule.learning_rate)
    history: list[tuple[float, float]] = []
    best, since, kept = np.inf, 0, None
    total = schedule.epochs * -(-len(train_on) // schedule.batch_size)
    with progress("training", total) as bar:
        for _ in range(schedule.epochs):
            module.train()
            sums = 0.0
            order = train_on[torch.randperm(len(train_on)).numpy()]
            for rows in _batches(order, schedule.batch_size):
                optimizer.zero_grad()
                loss = loss_of(rows)
                loss.backward()
                optimizer.step()
                sums += _finite(float(loss.detach()), len(history)) * len(rows)
                bar.advance()
            unseen = _mean_loss(module, loss_of, apart)
            if len(apart):
                _finite(unseen, len(history))
            history.append((sums / len(train_on), unseen))
            if not len(apart):
                continue
            since += 1
            if unseen < best:
                best, since, kept = unseen, 0, deepcopy(module.state_dict())
            if since >= schedule.patience:
                break
    # No loss is looked at after the last step.
    if not all(bool(p.isfinite().all()) for p in module.parameters()):
        _finite(np.nan, len(history) - 1)
    if kept is not None:
        module.load_state_dict(kept)
    module.eval()
    return np.array(history)


def _finite(loss: float, epoch: int) -> float:
    if not np.isfinite(loss):
        raise ParameterError(
            f"training diverged: the loss is {loss} in epoch {epoch + 1}. Take a smaller "
            "learning_rate, or bring the features to a scale around one."
        )
    return loss


def predict_scores(module: Any, tensors: Tensors, n: int) -> FloatArray:
    """(n, c) what a trained module gives for `n` examples."""
    torch = load_torch()
    module.eval()
    with torch.no_grad(), progress("predicting", n, "examples") as bar:
        parts = []
        for rows in _batches(np.arange(n), PREDICTED_AT_ONCE):
            parts.append(module(tensors(rows)).numpy())
            bar.advance(len(rows))
    return np.concatenate(parts).astype(float)


def _keras_adagrad(parameters: Any, lr: float) -> Any:
    """Adagrad with the constants that the paper's networks were trained with."""
    adagrad = load_torch().optim.Adagrad
    return adagrad(parameters, lr=lr, initial_accumulator_value=0.1, eps=1e-7)


def _batches(rows: IntArray, size: int) -> Iterator[IntArray]:
    for a in range(0, len(rows), size):
        yield rows[a : a + size]


def _mean_loss(
    module: Any, loss_of: Callable[[IntArray], Any], rows: IntArray
) -> float:
    """Mean loss of examples that are not trained on; NaN if there are none."""
    if not len(rows):
        return np.nan
    module.eval()
    with load_torch().no_grad():
        sums = (
            float(loss_of(part)) * len(part)
            for part in _batches(rows, PREDICTED_AT_ONCE)
        )
        return sum(sums) / len(rows)
