"""Street view house numbers: ``train_32x32.mat`` and ``test_32x32.mat``."""

from __future__ import annotations

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import StrPath, name_codes, reading


def read_svhn(path: StrPath) -> Examples:
    """Read images `(n, 32, 32, 3)` of uint8, and digits; the file's 10 becomes 0.

    Parameters
    ----------
    path : path of a MATLAB file
    """
    with reading(path, "X of shape (32, 32, 3, n) and y of shape (n, 1) in a .mat"):
        from scipy.io import loadmat

        stored = loadmat(path, variable_names=("X", "y"))
        images, digits = stored["X"], stored["y"]
        if images.shape[:3] != (32, 32, 3) or digits.shape != (images.shape[3], 1):
            raise ValueError(f"X of shape {images.shape}, y of shape {digits.shape}")
        # Examples first, as everywhere else.
        images = np.ascontiguousarray(images.transpose(3, 0, 1, 2))
        return Examples(name_codes(digits.ravel() % 10, range(10)), images)
