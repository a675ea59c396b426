import numpy as np
import pytest
from repro.config import Cell, experiments
from repro.store import Store
from repro.studies.rank import Rank

RANK = experiments()["rank"]
N = 12
SETTINGS = {"examples": N, "step": 4, "seeds": 2}


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("cache"))

    def line(row, column):
        return Rank().run(Cell(RANK, row, column, SETTINGS), store)

    return line


def test_a_line_a_seed_and_a_point_a_rank(lines):
    found = lines("error", "CLL")
    assert found.x == [1, 4, 8, 12]
    assert np.shape(found.values) == (2, 4)
    assert found.rows == N


def test_at_full_rank_only_the_true_labels_are_left(lines):
    for method in ("CLL", "entropy"):
        error = np.array(lines("error", method).values)
        assert (error[:, -1] == 0).all()
        assert (error[:, 0] > 0).any()
    bound = np.array(lines("distance", "bound").values)
    np.testing.assert_allclose(bound[:, -1], np.sqrt(N), rtol=1e-6)
    assert (np.diff(bound, axis=1) > 0).all()


def test_the_bound_is_the_papers_formula_and_holds(lines):
    """n ||pinv(A) (1 - 2 eps)|| of the raw A, by hand."""
    bounds = lines("distance", "bound").values
    reached = lines("distance", "entropy").values
    for seed, (bound, distance) in enumerate(zip(bounds, reached, strict=True)):
        rng = np.random.default_rng(seed)
        truth, said = rng.integers(0, 2, N), rng.random((N, N))
        for rank, least, found in zip((1, 4, 8, 12), bound, distance, strict=True):
            said_now = said.copy()
            said_now[:, rank:] = said[:, :1]
            a = (1 - 2 * said_now).T
            assert np.linalg.matrix_rank(a) == rank
            errors = (np.abs(said_now - truth[:, None])).mean(axis=0)
            expected = N * np.linalg.norm(np.linalg.pinv(a) @ (1 - 2 * errors))
            assert least == pytest.approx(expected, rel=1e-6)
            assert found >= expected - 0.1, "solved to a tolerance only"
