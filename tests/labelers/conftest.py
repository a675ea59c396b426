"""Data that several labelers are tested on."""

import numpy as np
import pytest

from corral import WeakSignals


@pytest.fixture
def breast_cancer(data):
    """Three soft signals, and features and classes, of 227 examples and 171 others."""
    folder = data / "breast-cancer"
    names = "data_features", "data_labels", "test_features", "test_labels"
    arrays = [np.load(folder / f"{name}.npy") for name in names]
    signals = WeakSignals.from_probabilities(np.load(folder / "weak_signals.npy"))
    return signals, arrays[0], arrays[1].ravel(), arrays[2], arrays[3].ravel()
