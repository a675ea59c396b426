"""The paper's network for text features, trained on soft labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from corral.end_models.network import SoftLabelNetwork
from corral.end_models.training import Tensors, load_torch
from corral.errors import ParameterError


@dataclass(eq=False, repr=False, kw_only=True)
class SoftLabelMLP(SoftLabelNetwork):
    """A network of dense layers; needs the extra ``corral[torch]``.

    The default is the paper's network for text: one hidden layer of 512 units, sigmoid
    outputs, and binary cross-entropy on soft labels.

    Parameters
    ----------
    hidden : sequence of int
        Units of every hidden layer, with ReLU.
    dropout : float
        Share of the last hidden units that are left out in a step.
    output : "sigmoid" or "softmax"
        One yes or no a class, learned by binary cross-entropy, or one of all classes, by
        cross-entropy.
    optimizer : "adam" or "adagrad"
    learning_rate : float
    epochs, batch_size : int
    validation : float
        Share of the examples that are kept apart. Training stops when the loss on these
        has not become smaller for `patience` epochs, and the best network is kept. Their
        labels are soft ones, too, so no true label is needed. 0: no early stopping.
    patience : int
    uncovered_weight : float
        What an example that no signal votes on counts, from 0 (left out) to 1.
    random_state : int, Generator or None
        The same number gives the same network. torch's global state is not touched.

    Attributes
    ----------
    classes_ : (k,) array
    history_ : (epochs, 2) array of float
        Loss of every epoch, on the examples trained on and on those kept apart.
    module_ : torch.nn.Module
        The trained network; it gives scores, before sigmoid or softmax.

    Examples
    --------
    >>> import torch
    >>> import numpy as np
    >>> from corral import SoftLabelMLP
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> soft = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> model = SoftLabelMLP(epochs=200, random_state=0)
    >>> model.fit(x, soft, classes=["low", "high"]).predict(x).tolist()
    ['low', 'low', 'high', 'high']
    """

    hidden: Sequence[int] = field(default=(512,), kw_only=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        hidden = np.asarray(self.hidden)
        whole = hidden.dtype.kind in "iu" or not hidden.size
        if hidden.ndim != 1 or not whole or (hidden < 1).any():
            raise ParameterError(
                "hidden must be a list of whole numbers above zero; "
                f"{self.hidden!r} came."
            )

    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        nn = load_torch().nn
        sizes = [shape[0], *map(int, self.hidden)]
        layers: list[Any] = []
        for before, units in pairwise(sizes):
            layers += [nn.Linear(before, units), nn.ReLU()]
        return nn.Sequential(
            *layers, nn.Dropout(self.dropout), nn.Linear(sizes[-1], n_outputs)
        )

    def _read(self, X: Any, fitting: bool) -> Any:
        return validate_data(
            self, X, reset=fitting, accept_sparse="csr", dtype=np.float32
        )

    def _tensors(self, X: Any) -> Tensors:
        as_tensor = load_torch().as_tensor
        if issparse(X):
            return lambda rows: as_tensor(X[rows].toarray())
        return lambda rows: as_tensor(X[rows])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = self.random_state is None
        return tags
