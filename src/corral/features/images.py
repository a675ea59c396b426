"""Images as networks take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral.errors import ParameterError


def normalise_images(
    images: ArrayLike, brightest: float | None = None
) -> NDArray[np.float32]:
    """Pixels from 0 to 1, in single precision.

    Parameters
    ----------
    images : (n, height, width) or (n, height, width, channels) array
    brightest : float, optional
        The value of a pixel that becomes 1. Default: the largest that unsigned integers
        can hold, 255 for those of 8 bits; for floats it must be said.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.features import normalise_images
    >>> normalise_images(np.array([[[0, 51], [102, 255]]], np.uint8)).round(2).tolist()
    [[[0.0, 0.20000000298023224], [0.4000000059604645, 1.0]]]
    """
    pixels: NDArray[Any] = np.asarray(images)
    if pixels.ndim not in (3, 4):
        raise ParameterError(
            "images must be (n, height, width) or (n, height, width, channels); the "
            f"shape given is {pixels.shape}."
        )
    if brightest is None:
        if pixels.dtype.kind != "u":
            raise ParameterError(
                f"of {pixels.dtype} it is not clear which value is bright; pass "
                "brightest=, such as 255."
            )
        brightest = float(np.iinfo(pixels.dtype).max)
    if not 0 < brightest < np.inf:
        raise ParameterError(f"brightest must be above zero; {brightest!r} came.")
    if not ((pixels >= 0) & (pixels <= brightest)).all():
        raise ParameterError(
            f"pixels must be from 0 to {brightest:g}; these are from {pixels.min():g} to "
            f"{pixels.max():g}."
        )
    return np.divide(pixels, brightest, dtype=np.float32)
