"""The clipped square is exactly what the constraints allow."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corral.drawings.polygon import area_of, clip_square

numbers = st.floats(-2, 2).map(lambda value: round(value, 3))
halves = st.tuples(numbers, numbers, numbers, numbers)


def spread(rows):
    """Arrays a, lower and upper, with bounds in order."""
    table = np.array(rows, float).reshape(-1, 4)
    return table[:, :2], table[:, 2:].min(axis=1), table[:, 2:].max(axis=1)


@given(st.lists(halves, max_size=6))
def test_corners_are_allowed_and_convex(rows):
    a, lower, upper = spread(rows)
    corners = np.array(clip_square(a, lower, upper)).reshape(-1, 2)
    assert ((corners > -1e-7) & (corners < 1 + 1e-7)).all()
    said = corners @ a.T
    assert ((said > lower - 1e-6) & (said < upper + 1e-6)).all()
    if len(corners) > 2:
        edges = np.roll(corners, -1, axis=0) - corners
        after = np.roll(edges, -1, axis=0)
        assert (edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] > -1e-7).all()


@given(st.lists(halves, max_size=5))
def test_a_point_is_inside_if_the_constraints_allow_it(rows):
    a, lower, upper = spread(rows)
    corners = clip_square(a, lower, upper)
    grid = np.stack(np.meshgrid(*[np.linspace(0.013, 0.987, 9)] * 2), -1).reshape(-1, 2)
    said = grid @ a.T
    # Points near an edge may fall on either side.
    inside = ((said > lower + 1e-6) & (said < upper - 1e-6)).all(axis=1)
    outside = ((said < lower - 1e-6) | (said > upper + 1e-6)).any(axis=1)
    for point, yes, no in zip(grid, inside, outside, strict=True):
        assert not (yes and not lies_within(corners, point))
        assert not (no and lies_within(corners, point, margin=-1e-5))


def lies_within(corners, point, margin=1e-7):
    """Whether the point is to the left of every edge."""
    if len(corners) < 3:
        return False
    ends = np.array(corners)
    edges, from_start = np.roll(ends, -1, axis=0) - ends, point - ends
    cross = edges[:, 0] * from_start[:, 1] - edges[:, 1] * from_start[:, 0]
    return bool((cross >= -margin).all())


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_two_equations_are_a_point(x, y):
    a = np.array([[1.0, 2.0], [3.0, -1.0]])
    c = a @ [x, y]
    (corner,) = clip_square(a, c, c)
    np.testing.assert_allclose(corner, [x, y], atol=1e-8)


@given(st.floats(0, 2))
def test_area_below_a_diagonal(total):
    area = area_of(clip_square([[1, 1]], [-np.inf], [total]))
    expected = total**2 / 2 if total <= 1 else 1 - (2 - total) ** 2 / 2
    np.testing.assert_allclose(area, expected, atol=1e-7)


def test_nothing_is_left_of_a_contradiction():
    assert clip_square([[1, 0], [1, 0]], [0.7, -np.inf], [np.inf, 0.3]) == ()
    assert clip_square([[0, 0]], [1], [2]) == ()
    assert len(clip_square([[0, 0]], [-1], [2])) == 4
