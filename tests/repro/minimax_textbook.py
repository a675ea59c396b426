"""Minimax conditional entropy as published: one worker, one item after the other."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax


def textbook(votes, k, worker_penalty, item_penalty, rounds=50, inner_tolerance=1e-3):
    """Labels (n, k), worker terms (m, k, k) and item terms (n, k, k) of class votes."""
    n, m = votes.shape
    labels = np.stack([(votes == c).sum(axis=1) for c in range(k)], axis=1)
    labels = labels / labels.sum(axis=1, keepdims=True)
    workers, items = np.zeros((m, k, k)), np.zeros((n, k, k))
    for _ in range(rounds):
        for i in range(m):
            voted = votes[:, i] >= 0
            workers[i] = best_terms(
                *(workers[i], items[voted], labels[voted], votes[voted, i]),
                *(worker_penalty, inner_tolerance),
            )
        for j in range(n):
            voted = votes[j] >= 0
            same = np.repeat(labels[j][None], voted.sum(), axis=0)
            items[j] = best_terms(
                *(items[j], workers[voted], same, votes[j, voted]),
                *(item_penalty, inner_tolerance),
            )
        before, labels = labels, np.zeros((n, k))
        for j in range(n):
            for i in np.flatnonzero(votes[j] >= 0):
                labels[j] += log_softmax(workers[i] + items[j], axis=1)[:, votes[j, i]]
        labels = softmax(labels, axis=1)
        if np.abs(labels - before).max() < 5e-3:
            break
    return labels, workers, items


def best_terms(start, others, weights, said, penalty, tolerance):
    """The terms (k, k) of a worker or item, given those of the other side (e, k, k)."""
    k = start.shape[0]
    told = np.eye(k)[said]

    def loss(flat):
        terms = flat.reshape(k, k)
        logs = log_softmax(others + terms, axis=2)
        value = np.einsum("ec,ecv,ev->", weights, logs, told)
        missed = weights.T @ told - np.einsum("ec,ecv->cv", weights, np.exp(logs))
        penalised = value - penalty / 2 * (terms**2).sum()
        return -penalised, -(missed - penalty * terms).ravel()

    # Options are those of the published code: at most 25 iterations.
    found = minimize(
        *(loss, start.ravel()),
        method="L-BFGS-B",
        jac=True,
        tol=tolerance,
        options={"maxiter": 25},
    )
    return found.x.reshape(k, k)
