"""One drawing of every chart, and hard cases."""

import numpy as np

from corral import drawings

RNG = np.random.default_rng(0)
NAMES = [f"rule_{i}_" + "contains free " * (i % 3) for i in range(7)]
RATES = RNG.uniform(0.05, 0.4, 7)
PAIRS = RNG.uniform(-0.4, 1, (60, 60))
SURE = RNG.uniform(0.5, 1, 500)
POINTS = {"entropy centre": (0.45, 0.4), "Adagrad": (0.5, 0.45)}

SAMPLES = {
    "signal errors": drawings.draw_signal_errors(
        NAMES,
        expected=RATES,
        implied=np.where(RATES < 0.1, np.nan, RATES),
        true=RATES + 0.03,
        expected_interval=np.column_stack([RATES - 0.02, RATES + 0.05]),
    ),
    "one signal": drawings.draw_signal_errors(["a"], expected=[0.2]),
    "agreement": drawings.draw_agreement(
        NAMES, PAIRS[:7, :7], RNG.integers(0, 99, (7, 7))
    ),
    "agreement of many": drawings.draw_agreement([f"s{i}" for i in range(60)], PAIRS),
    "confidence": drawings.draw_confidence(SURE, right=RNG.random(500) < SURE),
    "class shares": drawings.draw_class_shares(
        ["ham", "spam", "漢字"], [0.7, 0.2, 0.1]
    ),
    "class shares with truth": drawings.draw_class_shares(
        ["ham", "spam"], [0.7, 0.3], votes=[0.6, 0.4], true=[0.8, 0.2]
    ),
    "reliability": drawings.draw_reliability(
        [0.6, 0.99],
        [0.7, 0.97],
        [[0.6, 0.8], [0.94, 0.99]],
        [10, 90],
        calibration_error=0.03,
    ),
    "sensitivity": drawings.draw_sensitivity(
        NAMES, RATES / 10, RATES / 20, all_lower=0.03, all_higher=0.08, change=0.05
    ),
    "signal values": drawings.draw_signal_values(NAMES, RATES - 0.1, flips=RATES),
    "strengths": drawings.draw_strengths(
        NAMES, RATES - 0.2, np.column_stack([RATES - 0.3, RATES - 0.1])
    ),
    "costs": drawings.draw_costs({"corral": [(1e3, 0.01), (1e7, 9)], "b": [(1e3, 3)]}),
    "constrained space": drawings.draw_constrained_space(
        [[0.5, 0.5], [0.5, -0.5], [1, 0.2]],
        [0.3, -0.3, -np.inf],
        [0.8, 0.25, 0.6],
        names=["a", "b", "c"],
        n_cut=1,
        points=POINTS,
    ),
    "a line of labels": drawings.draw_constrained_space(
        [[0.5, 0.5]], [0.6], [0.6], names=["a"]
    ),
}
