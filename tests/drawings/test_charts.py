"""Every chart shows the numbers that it is given, and refuses what does not fit."""

import numpy as np
import pytest

from corral import drawings
from corral.drawings.choice import round_up
from corral.errors import ParameterError


def test_errors_are_sorted_and_intervals_go_with_them():
    drawing = drawings.draw_signal_errors(
        ["a", "b", "c"],
        expected=[0.1, 0.3, 0.2],
        expected_interval=[[0.0, 0.2], [0.25, 0.35], [np.nan, np.nan]],
    )
    (points,) = drawing.marks
    assert drawing.y.categories == ("b", "c", "a")
    assert points.x == (0.3, 0.2, 0.1)
    assert points.tips[0] == "b, expected: 30.0% (25.0% to 35.0%)"
    assert points.tips[1] == "c, expected: 20.0%"
    assert drawing.x.limits == (0.0, 0.4)


def test_more_signals_than_fit_are_counted():
    drawing = drawings.draw_signal_values([f"s{i}" for i in range(70)], np.arange(70))
    assert len(drawing.y.categories) == 60
    assert drawing.notes == ("The 60 largest; 10 more are not shown.",)


def test_a_matrix_shows_every_pair_once():
    table = np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]])
    (cells,) = drawings.draw_agreement(["a", "b", "c"], table, order=[0, 1, 2]).marks
    assert cells.values == ((0.5,), (0.1, 0.2))


def test_a_matrix_puts_those_together_that_agree():
    table = np.eye(4)
    table[0, 3] = table[3, 0] = table[1, 2] = table[2, 1] = 0.9
    drawing = drawings.draw_agreement(["a", "b", "c", "d"], table)
    order = [drawing.x.categories[0], *drawing.y.categories]
    assert abs(order.index("a") - order.index("d")) == 1
    assert abs(order.index("b") - order.index("c")) == 1


def test_bars_of_confidence_add_up():
    sure = np.array([0.5, 0.62, 0.62, 1.0])
    bars, wrong = drawings.draw_confidence(
        sure, [1, 2, 3, 4], right=[1, 0, np.nan, 1]
    ).marks
    assert sum(bars.y1) == pytest.approx(1)
    assert sum(wrong.y1) == pytest.approx(0.2)


def test_costs_on_logarithmic_axes_are_above_zero():
    with pytest.raises(ParameterError, match="above zero"):
        drawings.draw_costs({"a": [(1, 0.0)]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: drawings.draw_signal_errors(["a"]), "expected, implied or true"),
        (
            lambda: drawings.draw_signal_errors(["a"], true=[0.1, 0.2]),
            "true must have one number per name",
        ),
        (
            lambda: drawings.draw_signal_errors(
                ["a"], true=[0.1], true_interval=[0.1, 0.2]
            ),
            "true_interval must be an array of shape",
        ),
        (lambda: drawings.draw_agreement(["a"], [[1]]), "two signals"),
        (
            lambda: drawings.draw_agreement(["a", "b"], [1, 2]),
            "values must be a matrix",
        ),
        (lambda: drawings.draw_confidence([]), "one number per example"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("value", [0, 0.004, 0.05, 0.051, 0.33, 0.99, 1, 1.5, np.nan])
def test_round_ends_have_room(value):
    assert np.isnan(value) or round_up(value) >= value


def test_an_infeasible_space_says_so():
    drawing = drawings.draw_constrained_space(
        [[1, 0], [1, 0]], [0.8, 0.1], [0.9, 0.2], names=["a", "b"], n_cut=1
    )
    assert drawing.description == (
        "The constraints allow 10% of all labels of two examples, and no labels with b."
    )
