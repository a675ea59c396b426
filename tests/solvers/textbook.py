"""Algorithm 1 as a textbook would print it: dense rows, one label per entry."""

import numpy as np


def textbook(w, rates, start, iterations=200, raw=False, scale_free=False):
    """Labels (n, k) from one-vs-rest signals `w` (m, n, k), NaN for abstain.

    `rates` broadcasts to (m, k); `start` is (n, k).
    """
    w = np.asarray(w, float)
    active = ~np.isnan(w)
    value = np.where(active, w, 0)
    size = active.sum(axis=1)  # (m, k)
    rates = np.broadcast_to(rates, size.shape)
    labels = np.empty((w.shape[1], w.shape[2]))
    for k in range(w.shape[2]):
        rows = size[:, k] > 0
        n_i = size[rows, k]
        a = active[rows, :, k] * (1 - 2 * value[rows, :, k])
        c = n_i * rates[rows, k] - value[rows, :, k].sum(axis=1)
        if not raw:
            a, c = a / n_i[:, None], c / n_i
        y = np.array(start[:, k], float)
        squares = np.zeros_like(y)
        for _ in range(iterations):
            g = 2 * (a.T @ (a @ y - c))
            if scale_free:
                g = g * len(y)
            squares += g**2
            y = np.clip(y - g / np.sqrt(squares + 1e-8), 0, 1)
        labels[:, k] = y
    return labels


def one_vs_rest(votes, n_classes):
    """Class votes (n, m) as full one-vs-rest signals (m, n, k); k = 1 for two classes."""
    votes = np.asarray(votes)
    shown = [1] if n_classes == 2 else range(n_classes)
    w = np.stack([(votes == k).astype(float) for k in shown], axis=2)
    w[votes < 0] = np.nan
    return w.transpose(1, 0, 2)
