"""PyTorch modules that learn one gradient step at a time; torch is loaded when used."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from corral._types import FloatArray
from corral.end_models.gradient_model import GradientModel, Slope
from corral.end_models.training import seed_torch
from corral.errors import ParameterError

BATCH = 4096
"""Examples that are predicted at once."""


@dataclass(eq=False)
class TorchModel(GradientModel):
    """A PyTorch module; needs the extra ``corral[torch]``.

    Parameters
    ----------
    module : torch.nn.Module
        Takes a tensor of features, as floats, and gives scores (logits), one per class;
        for two classes also a single one, for the second. Training begins with a copy of
        it, at the weights that it has.
    optimizer : callable, optional
        From parameters to an optimiser, such as
        ``functools.partial(torch.optim.SGD, lr=0.1)``. Default: Adam with its own
        learning rate, 0.001.

    Attributes
    ----------
    module_ : torch.nn.Module
        The copy that was trained.
    """

    module: Any
    optimizer: Callable[[Any], Any] | None = None

    def _start(self, X: Any, random_state: np.random.Generator) -> None:  # noqa: ARG002
        import torch

        if not isinstance(self.module, torch.nn.Module):
            raise ParameterError(
                f"module must be a torch.nn.Module; {self.module!r} was given."
            )
        self.module_ = deepcopy(self.module)
        make = torch.optim.Adam if self.optimizer is None else self.optimizer
        self._optimizer = make(self.module_.parameters())
        self._rng = random_state

    def _probabilities(self, X: Any) -> FloatArray:
        import torch

        self.module_.eval()
        with torch.no_grad():
            parts = [X[a : a + BATCH] for a in range(0, X.shape[0], BATCH)]
            return np.concatenate([_array(self._forward(part)) for part in parts])

    def step(self, X: Any, slope: Slope) -> FloatArray:
        import torch

        self.module_.train()
        with seed_torch(int(self._rng.integers(2**63))):
            before = self._forward(X)
        seen = _array(before)
        self._optimizer.zero_grad()
        before.backward(torch.as_tensor(slope(seen)).to(before))
        self._optimizer.step()
        return seen

    def _forward(self, X: Any) -> Any:
        """(n, k) tensor of probabilities."""
        import torch

        dense = X.toarray() if issparse(X) else X
        like = next(self.module_.parameters())
        scores = self.module_(torch.as_tensor(dense).to(like))
        k, n = len(self.classes_), len(dense)
        if k == 2 and scores.shape in ((n,), (n, 1)):
            scores = scores.reshape(n, 1)
            scores = torch.cat([torch.zeros_like(scores), scores], dim=1)
        if scores.shape != (n, k):
            raise ParameterError(
                f"the module must give {k} scores for each of {n} examples; the shape "
                f"of its output is {tuple(scores.shape)}."
            )
        return torch.softmax(scores, dim=1)


def _array(tensor: Any) -> FloatArray:
    array: FloatArray = tensor.detach().cpu().numpy().astype(float)
    return array
