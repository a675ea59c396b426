"""Shares with intervals: a line per share, those of one name together."""

import numpy as np
import pytest

from corral.drawings import draw_share_intervals, to_svg
from corral.errors import ParameterError

ENDS = [[0.2, 0.4], [0.1, 0.5]]


def test_lines_of_a_name_stand_together():
    drawing = draw_share_intervals(
        ["all", "new"],
        [0.3, 0.2],
        panel_interval=ENDS,
        labels_alone=[0.25, np.nan],
        labels_interval=[[0.1, 0.4], [np.nan, np.nan]],
        vote=[0.6, 0.7],
        share_of="rows that pass",
    )
    assert drawing.y.categories == ("all", "", "", "new", "")
    panel, alone, vote = drawing.marks
    assert panel.y == (0.0, 3.0)
    assert (alone.y, alone.x) == ((1.0,), (0.25,))
    assert vote.y == (2.0, 4.0)
    assert panel.low == (0.2, 0.1)
    assert np.isnan(vote.low).all()
    assert drawing.x.limits[1] >= 0.7
    assert "all, panel and labels: 30.0% (20.0% to 40.0%)" in panel.tips
    assert "share of rows that pass" in to_svg(drawing)


def test_shapes_are_checked():
    with pytest.raises(ParameterError, match="one number per name"):
        draw_share_intervals(["a"], [0.1, 0.2], panel_interval=ENDS)
    with pytest.raises(ParameterError, match="one number per name"):
        draw_share_intervals(["a"], [0.1], panel_interval=ENDS)
