"""Compiled products with the sign matrix of sparse class votes.

The votes of pattern ``u`` stand from ``indptr[u]`` to ``indptr[u + 1]``: the signal of each
in ``indices``, and in ``voted`` the label column it says "yes" to (-1: none of them). A
vote says "no" to every label column and then "yes" to one, so its part of a product is a
whole row of a (signals, n_labels) table, less twice the entry voted for. Rows are
contiguous, which is what makes the inner loops vector code. Votes are taken in pairs, so
that the pattern's own row is read half as often. The entries voted for have a loop of their
own: a write to one entry would hold up the next read of the whole row.

This module imports numba. `designs.sparse_vote_design` loads it late, and holds the scipy
form for small inputs; the tests hold both equal.
"""

import numba

_FAST = {"reassoc", "contract", "nsz"}


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def sparse_pull(indptr, indices, voted, table, start, stop, out):
    """``out[u] = sum over the votes of u of sign * table[signal]``: (p, n_labels)."""
    if out.shape[1] == 1:
        _pull_column(indptr, indices, voted, table[:, 0], start, stop, out[:, 0])
        return
    for u in range(start, stop):
        target = out[u - start]
        begin, end = indptr[u], indptr[u + 1]
        odd = (end - begin) % 2
        if odd:
            target[:] = table[indices[begin]]
        else:
            target[:] = 0.0
        for at in range(begin + odd, end, 2):
            one, two = table[indices[at]], table[indices[at + 1]]
            for k in range(len(target)):
                target[k] += one[k] + two[k]
        for at in range(begin, end):
            if voted[at] >= 0:
                target[voted[at]] -= 2.0 * table[indices[at], voted[at]]


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def sparse_push(indptr, indices, voted, y, start, stop, out):
    """Add ``sum over the votes of i of sign * y[pattern]`` to ``out[i]``."""
    if out.shape[1] == 1:
        _push_column(indptr, indices, voted, y[:, 0], start, stop, out[:, 0])
        return
    for u in range(start, stop):
        source = y[u - start]
        begin, end = indptr[u], indptr[u + 1]
        odd = (end - begin) % 2
        if odd:
            one = out[indices[begin]]
            for k in range(len(source)):
                one[k] += source[k]
        for at in range(begin + odd, end, 2):
            one, two = out[indices[at]], out[indices[at + 1]]
            for k in range(len(source)):
                one[k] += source[k]
                two[k] += source[k]
        for at in range(begin, end):
            if voted[at] >= 0:
                out[indices[at], voted[at]] -= 2.0 * source[voted[at]]


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def _pull_column(indptr, indices, voted, table, start, stop, out):
    """`sparse_pull` of a single label column: an inner loop of one step costs more."""
    for u in range(start, stop):
        total = 0.0
        for at in range(indptr[u], indptr[u + 1]):
            v = table[indices[at]]
            total += v if voted[at] < 0 else -v
        out[u - start] = total


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def _push_column(indptr, indices, voted, y, start, stop, out):
    """`sparse_push` of a single label column."""
    for u in range(start, stop):
        v = y[u - start]
        for at in range(indptr[u], indptr[u + 1]):
            out[indices[at]] += v if voted[at] < 0 else -v


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def column_gram(indptr, indices, voted, d, start, stop, out):
    """Add ``d[u] * sign_i * sign_j`` of all pairs of votes of a single label column."""
    for u in range(start, stop):
        begin, end = indptr[u], indptr[u + 1]
        for a in range(begin, end):
            row = out[indices[a]]
            x = d[u - start] if voted[a] < 0 else -d[u - start]
            for b in range(begin, a + 1):
                row[indices[b]] += x if voted[b] < 0 else -x


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def joint_gram(indptr, indices, voted, d, g, start, stop, out):
    """Add ``a_i M a_j`` of all pairs of votes, ``M = diag(d[u]) - g[u] g[u]^T``.

    Half the sum of a signal's signs is ``a = 1/2 - [class voted for]``.
    """
    for u in range(start, stop):
        begin, end = indptr[u], indptr[u + 1]
        own, outer = d[u - start], g[u - start]
        total = outer.sum()
        all_all = own.sum() - total * total
        for a in range(begin, end):
            row, k = out[indices[a]], voted[a]
            all_k = own[k] - outer[k] * total
            for b in range(begin, a + 1):
                j = voted[b]
                x = -outer[k] * outer[j] - 0.5 * (all_k + own[j] - outer[j] * total)
                x += 0.25 * all_all + (own[k] if k == j else 0.0)
                row[indices[b]] += x
