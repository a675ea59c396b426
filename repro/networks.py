"""The paper's networks for text and images, trained on soft labels by PyTorch.

Labels may be entries as the published code has them: with one sigmoid per class, rows of
three classes or more need not add up to one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.progress import progress

PREDICTED_AT_ONCE = 128
"""Examples in a batch that is not trained on."""
BLOCKS = 3
"""Times two convolutions and a pooling that halves the image."""


def load_torch() -> Any:
    """The package torch, or where to get it."""
    try:
        import torch
    except ModuleNotFoundError as error:
        raise ParameterError(
            "networks need the package torch: pip install --group repro"
        ) from error
    return torch


@contextmanager
def seed_torch(seed: int) -> Iterator[None]:
    """Whatever torch draws comes from `seed`; its global state is put back afterwards."""
    torch = load_torch()
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def glorot(module: Any) -> Any:
    """The module, with uniform weights in Glorot's range and biases of zero."""
    init = load_torch().nn.init
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            init.zeros_(parameter)
        else:
            init.xavier_uniform_(parameter)
    return module


def convolutions(
    shape: tuple[int, ...], n_outputs: int, channels: int = 32, dropout: float = 0.25
) -> Any:
    """The paper's network for images, untrained, as a module that gives scores.

    Three times two 3 x 3 convolutions with ReLU and a pooling that halves the image.

    Parameters
    ----------
    shape : (height, width) or (height, width, colours)
        Of an image; the module takes them as (n, colours, height, width).
    n_outputs, channels : int
    dropout : float
        Share of the pixels that are left out after every pooling.
    """
    nn = load_torch().nn
    height, width, colours = (*shape, 1)[:3]
    layers: list[Any] = []
    for _ in range(BLOCKS):
        for before in (colours, channels):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2), nn.Dropout(dropout)]
        colours = channels
    left = (height // 2**BLOCKS) * (width // 2**BLOCKS)
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(left * channels, n_outputs))


@dataclass(kw_only=True)
class SoftLabelNetwork:
    """What both networks have in common.

    Parameters
    ----------
    dropout : float
    output : "sigmoid" or "softmax"
        One yes or no a class, learned by binary cross-entropy, or one of all classes, by
        cross-entropy.
    optimizer : "adam" or "adagrad"
        Adagrad with the constants of Keras.
    learning_rate : float
    epochs, batch_size : int
    random_state : int
        The same number gives the same network.

    Attributes
    ----------
    module_ : torch.nn.Module
        The trained network; it gives scores, before sigmoid or softmax.
    """

    dropout: float = 0.0
    output: Literal["sigmoid", "softmax"] = "sigmoid"
    optimizer: Literal["adam", "adagrad"] = "adam"
    learning_rate: float = 1e-3
    epochs: int = 20
    batch_size: int = 32
    random_state: int = 0

    @abstractmethod
    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        """A new module for examples of one shape."""

    def _tensor(self, X: NDArray[Any]) -> Any:
        """Examples as the module takes them."""
        return load_torch().as_tensor(X, dtype=load_torch().float32)

    def fit(self, X: NDArray[Any], labels: NDArray[Any]) -> Self:
        """Train on labels (n, k), or on positions (n,) of classes."""
        labels = np.asarray(labels)
        if labels.ndim == 1:
            labels = np.eye(labels.max() + 1)[labels]
        if labels.shape[1] == 2 and self.output == "sigmoid":
            labels = labels[:, 1:]  # one output, the probability of the second
        rng = np.random.default_rng(self.random_state)
        with seed_torch(int(rng.integers(2**63))):
            self.module_ = glorot(self._build(X.shape[1:], labels.shape[1]))
            self._train(X, labels)
        return self

    def _train(self, X: NDArray[Any], labels: FloatArray) -> None:
        torch = load_torch()
        optimizer: Any = (
            torch.optim.Adam(
                self.module_.parameters(), lr=self.learning_rate, fused=True
            )
            if self.optimizer == "adam"
            else torch.optim.Adagrad(
                self.module_.parameters(),
                lr=self.learning_rate,
                initial_accumulator_value=0.1,
                eps=1e-7,
                fused=True,
            )
        )
        functional = torch.nn.functional
        loss_of: Callable[..., Any] = (
            functional.cross_entropy
            if self.output == "softmax"
            else functional.binary_cross_entropy_with_logits
        )
        target = torch.as_tensor(labels, dtype=torch.float32)
        order = torch.randperm(len(labels)).numpy()
        batches = -(-len(labels) // self.batch_size)
        self.module_.train()
        with progress("training", self.epochs * batches) as bar:
            for _ in range(self.epochs):
                shuffled = order[torch.randperm(len(order)).numpy()]
                for rows in _batches(shuffled, self.batch_size):
                    optimizer.zero_grad()
                    scores = self.module_(self._tensor(X[rows]))
                    loss = loss_of(scores, target[rows], reduction="none")
                    loss.reshape(len(rows), -1).mean(dim=1).mean().backward()
                    optimizer.step()
                    bar.advance()
        if not all(bool(p.isfinite().all()) for p in self.module_.parameters()):
            raise ParameterError("training diverged; take a smaller learning_rate.")

    def logits(self, X: NDArray[Any]) -> FloatArray:
        """(n, c) what the network gives before sigmoid or softmax.

        With sigmoids and two classes there is one, for the second.
        """
        self.module_.eval()
        with load_torch().no_grad():
            parts = [
                self.module_(self._tensor(X[rows])).numpy()
                for rows in _batches(np.arange(len(X)), PREDICTED_AT_ONCE)
            ]
        return np.concatenate(parts).astype(float)

    def predict_proba(self, X: NDArray[Any]) -> FloatArray:
        """Probabilities (n, k); sigmoids of three classes or more, by their sum."""
        scores = self.logits(X)
        if self.output == "softmax":
            return softmax(scores, axis=1)
        if scores.shape[1] == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        # As a softmax of logarithms, which do not become zero where all sigmoids do.
        return softmax(-np.logaddexp(0, -scores), axis=1)

    def predict(self, X: NDArray[Any]) -> IntArray:
        """The likeliest class (n,), by position."""
        return self.predict_proba(X).argmax(axis=1)


@dataclass
class SoftLabelMLP(SoftLabelNetwork):
    """Dense layers with ReLU, and dropout after the last; the default is the paper's."""

    hidden: Sequence[int] = (512,)

    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        nn = load_torch().nn
        sizes = [shape[0], *self.hidden]
        layers: list[Any] = []
        for before, units in pairwise(sizes):
            layers += [nn.Linear(before, units), nn.ReLU()]
        return nn.Sequential(
            *layers, nn.Dropout(self.dropout), nn.Linear(sizes[-1], n_outputs)
        )


@dataclass(kw_only=True)
class SoftLabelCNN(SoftLabelNetwork):
    """`convolutions` of images (n, height, width) or (n, height, width, colours)."""

    dropout: float = 0.25

    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        return convolutions(shape, n_outputs, dropout=self.dropout)

    def _tensor(self, X: NDArray[Any]) -> Any:
        batch = super()._tensor(X)
        return batch[:, None] if batch.ndim == 3 else batch.permute(0, 3, 1, 2)


def _batches(rows: IntArray, size: int) -> Iterator[IntArray]:
    for a in range(0, len(rows), size):
        yield rows[a : a + size]
