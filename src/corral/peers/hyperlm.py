"""HyperLM, a graph network that was trained on synthetic votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.peers.peer_labeler import PeerLabeler


class HyperLM(PeerLabeler):
    """The hyper label model of Wu et al. (ICLR 2023), without labels, unchanged.

    Its weights come in a pickled file. PyTorch reads it without running any code in it.
    """

    module = "hyperlm"

    def _aggregate(self, votes: IntArray, k: int) -> FloatArray:
        library = self.library()
        from torch.serialization import safe_globals

        # Beside tensors, the file holds numbers of NumPy under their old name.
        number = np.float64(0).__reduce__()[0], "numpy.core.multiarray.scalar"
        kinds: list[Any] = [number, np.dtype, type(np.dtype(float))]
        with safe_globals(kinds):
            model = library.HyperLabelModel()
        found = np.asarray(model.infer(votes, return_probs=True), float)
        labels = np.zeros((len(votes), k))
        # It gives no columns for classes after the last one with a vote.
        labels[:, : found.shape[1]] = found
        return labels / labels.sum(axis=1, keepdims=True)
