"""The paper's network for images, trained on soft labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corral.end_models.network import SoftLabelNetwork
from corral.end_models.training import Tensors, load_torch
from corral.errors import ParameterError

BLOCKS = 3
"""Times two convolutions and a pooling that halves the image."""
SMALLEST = 2**BLOCKS
"""Least height and width, so that a pixel is left."""


def convolutions(
    shape: tuple[int, ...], n_outputs: int, channels: int = 32, dropout: float = 0.25
) -> Any:
    """The network of `SoftLabelCNN`, untrained, as a torch module that gives scores.

    Parameters
    ----------
    shape : (height, width) or (height, width, colours)
        Of an image; the module takes them as (n, colours, height, width).
    n_outputs, channels : int
    dropout : float
    """
    nn = load_torch().nn
    height, width, colours = (*shape, 1)[:3]
    layers: list[Any] = []
    for _ in range(BLOCKS):
        for before in (colours, channels):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2), nn.Dropout(dropout)]
        colours = channels
    left = (height // SMALLEST) * (width // SMALLEST)
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(left * channels, n_outputs))


@dataclass(eq=False, repr=False, kw_only=True)
class SoftLabelCNN(SoftLabelNetwork):
    """Six convolutions for images; needs the extra ``corral[torch]``.

    The paper's network for images: three times two 3 x 3 convolutions of 32 channels with
    ReLU and a pooling that halves the image, then sigmoid outputs and binary cross-entropy
    on soft labels.

    Parameters
    ----------
    channels : int
    dropout : float
        Share of the pixels that are left out after every pooling.
    output, optimizer, learning_rate, epochs, batch_size, validation, patience
        As for `SoftLabelMLP`.
    uncovered_weight, random_state
        As for `SoftLabelMLP`.

    Attributes
    ----------
    classes_, history_, module_
        As for `SoftLabelMLP`.

    Notes
    -----
    `fit` and `predict` take images (n, height, width), or (n, height, width, channels),
    at least 8 pixels high and wide, as floats; ``corral.features.normalise_images`` makes
    these of pixels from 0 to 255.

    Examples
    --------
    >>> import torch
    >>> import numpy as np
    >>> from corral import SoftLabelCNN
    >>> images = np.zeros((8, 8, 8))
    >>> images[::2, :4] = images[1::2, 4:] = 1  # bright above, bright below
    >>> model = SoftLabelCNN(epochs=20, random_state=0)
    >>> model.fit(images, ["above", "below"] * 4).predict(images[:3]).tolist()
    ['above', 'below', 'above']
    """

    channels: int = field(default=32, kw_only=False)
    dropout: float = 0.25

    whole = (*SoftLabelNetwork.whole, "channels")

    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        return convolutions(shape, n_outputs, self.channels, self.dropout)

    def _read(self, X: Any, fitting: bool) -> Any:
        images = np.asarray(X)
        if (
            not images.size
            or images.ndim not in (3, 4)
            or min(images.shape[1:3]) < SMALLEST
        ):
            raise ParameterError(
                f"images must be (n, height, width) or (n, height, width, channels), at "
                f"least {SMALLEST} pixels high and wide; the shape given is "
                f"{images.shape}."
            )
        if not fitting and images.shape[1:] != self._shape:
            raise ParameterError(
                f"the network was trained on images of shape {self._shape}; "
                f"{images.shape[1:]} came."
            )
        if images.dtype.kind != "f" or not np.isfinite(images).all():
            raise ParameterError(
                f"pixels must be finite floats, best from 0 to 1; {images.dtype} came. "
                "corral.features.normalise_images makes them of whole numbers."
            )
        return images

    def _tensors(self, X: Any) -> Tensors:
        torch = load_torch()

        def made(rows: Any) -> Any:
            batch = torch.as_tensor(X[rows], dtype=torch.float32)
            return batch[:, None] if batch.ndim == 3 else batch.permute(0, 3, 1, 2)

        return made
