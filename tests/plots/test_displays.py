"""Displays show what corral's functions find, on axes given or their own."""

import sys

import numpy as np
import pytest
from tests.drawings.samples import SAMPLES

import corral
from corral import drawings
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError
from corral.plots import (
    AgreementDisplay,
    ClassSharesDisplay,
    ConfidenceDisplay,
    ConstrainedSpaceDisplay,
    CostDisplay,
    Display,
    PanelDisplay,
    ReliabilityDisplay,
    SensitivityDisplay,
    SignalErrorsDisplay,
    SignalValuesDisplay,
    StrengthsDisplay,
)

VOTES, TRUTH = random_votes(600, [0.9, 0.8, 0.7, 0.6], coverage=0.6)
SPACE = [[1, 1, 0], [0, 1, 1]]
PANEL = corral.panel(
    VOTES,
    gold=np.where(np.arange(600) % 10 == 0, TRUTH, -1),
    slices={"half": np.arange(600) // 300},
)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="module")
def labeler():
    return corral.ConstrainedLabeler().fit(VOTES)


MAKERS = {
    "errors": lambda x, ax: SignalErrorsDisplay.from_labeler(x, y=TRUTH, ax=ax),
    "true errors": lambda x, ax: SignalErrorsDisplay.from_votes(VOTES, TRUTH, ax=ax),
    "agreement": lambda x, ax: AgreementDisplay.from_labeler(x, ax=ax),
    "agreement of votes": lambda x, ax: AgreementDisplay.from_votes(VOTES, ax=ax),
    "confidence": lambda x, ax: ConfidenceDisplay.from_labeler(x, y=TRUTH, ax=ax),
    "shares": lambda x, ax: ClassSharesDisplay.from_labeler(x, y=TRUTH, ax=ax),
    "reliability": lambda x, ax: ReliabilityDisplay.from_labeler(x, TRUTH, ax=ax),
    "sensitivity": lambda x, ax: SensitivityDisplay.from_labeler(x, ax=ax),
    "values": lambda x, ax: SignalValuesDisplay.from_labeler(x, ax=ax),
    "strengths": lambda x, ax: StrengthsDisplay.from_preferences(
        corral.preferences([("x", "y"), ("y", "x"), ("x", "y")]), ax=ax
    ),
    "panel": lambda x, ax: PanelDisplay.from_panel(PANEL, ax=ax),
    "costs": lambda x, ax: CostDisplay.from_costs({"a": [(10, 1), (100, 2)]}, ax=ax),
    "space": lambda x, ax: ConstrainedSpaceDisplay.from_votes(
        SPACE, error_rates=[0.55, 0.3, 0.45], margin=0.1, n_cut=1, ax=ax
    ),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_display_draws_on_axes_given_and_on_its_own(name, labeler, pyplot):
    display = MAKERS[name](labeler, None)
    assert display.ax_.get_title(loc="left") == display.drawing.title
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()
    ax = pyplot.subplots()[1]
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert MAKERS[name](labeler, ax).ax_ is ax
    assert display.to_svg().startswith("<svg")
    assert type(display).__name__ in repr(display)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_chart_fits_its_figure(name, pyplot):
    figure = Display(SAMPLES[name]).plot().figure_
    pyplot.rcParams["font.family"] = ["DejaVu Sans"]
    if any("漢" in text for text in SAMPLES[name].y.categories):
        pytest.skip("matplotlib's own font has no such letters")
    figure.canvas.draw()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.05
    assert box.y0 > -0.05
    assert box.x1 < width + 0.05
    assert box.y1 < height + 0.05


def test_names_are_no_formulas(pyplot):
    errors = drawings.draw_signal_errors(["$5 off$", "_private"], true=[0.1, 0.2])
    display = Display(errors).plot()
    display.figure_.canvas.draw()
    texts = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert texts == ["_private", r"\$5 off\$"]


def test_errors_are_those_of_analyse(labeler, pyplot):
    found = corral.analyse(VOTES, labeler, TRUTH)
    expected, implied, true = SignalErrorsDisplay.from_labeler(
        labeler, VOTES, y=TRUTH
    ).drawing.marks
    np.testing.assert_allclose(sorted(expected.x), sorted(1 - found.learned))
    np.testing.assert_allclose(sorted(implied.x), sorted(found.implied_error_rates))
    np.testing.assert_allclose(sorted(true.x), sorted(found.gold.error_rates))
    assert all(a <= b <= c for a, b, c in zip(true.low, true.x, true.high, strict=True))


def test_given_rates_have_no_interval(pyplot):
    labeler = corral.ConstrainedLabeler([0.1, 0.2, 0.3, 0.4], "entropy").fit(VOTES)
    expected = SignalErrorsDisplay.from_labeler(labeler).drawing.marks[0]
    assert np.isnan(expected.low).all()
    np.testing.assert_allclose(expected.x, [0.4, 0.3, 0.2, 0.1])


def test_a_labeler_without_rates_shows_what_its_labels_imply(pyplot):
    labeler = corral.MajorityVote().fit(VOTES)
    (implied,) = SignalErrorsDisplay.from_labeler(labeler).drawing.marks
    assert implied.name == "implied by the labels"


def test_counted_votes_are_so_many_examples(labeler, pyplot):
    counts = corral.PatternCounts(corral.WeakSignals.from_votes(VOTES))
    for kind in (ConfidenceDisplay, ClassSharesDisplay):
        counted = kind.from_labeler(labeler, counts).drawing.marks[0]
        single = kind.from_labeler(labeler, VOTES).drawing.marks[0]
        np.testing.assert_allclose(counted.x1, single.x1)


def test_the_centres_lie_in_the_space(pyplot):
    rates = np.array([0.55, 0.3, 0.45])
    display = ConstrainedSpaceDisplay.from_votes(SPACE, error_rates=rates, margin=0.1)
    points = [mark for mark in display.drawing.marks if type(mark).__name__ == "Points"]
    assert len(points) == 2
    votes = np.array(SPACE)
    for point in points:
        y = np.array([point.x[0], point.y[0]])
        errors = np.abs(votes - y[:, None]).mean(axis=0)
        assert (np.abs(errors - rates) < 0.11).all()


def test_a_cut_moves_the_centre_as_the_labeler_does(pyplot):
    signals = corral.WeakSignals.from_votes([["a", None, "a"], ["a", "b", None]])
    limits = [corral.ErrorRate(i, at_most=e) for i, e in enumerate([0.4, 0.5, 0.1])]
    display = ConstrainedSpaceDisplay.from_votes(signals, constraints=limits, n_cut=1)
    found = [mark for mark in display.drawing.marks if type(mark).__name__ == "Points"]
    for point, used in zip(found, (limits[:2], limits), strict=True):
        labeler = corral.ConstrainedLabeler(None, "entropy", constraints=used)
        expected = labeler.fit(signals).labels_[:, 1]
        np.testing.assert_allclose([point.x[0], point.y[0]], expected, atol=1e-3)


def test_a_space_without_a_middle_has_no_point_of_the_paper(pyplot):
    signals = corral.WeakSignals.from_votes(SPACE)
    space = corral.label_space(signals).bounded(upper=[0.6, 0.4, 0.7])
    drawing = ConstrainedSpaceDisplay.from_space(space, signals).drawing
    assert [mark.name for mark in drawing.marks if mark.name] == [
        "what the constraints allow",
        "entropy centre",
    ]


def test_two_equations_are_a_point(pyplot):
    display = ConstrainedSpaceDisplay.from_votes(
        [[1, 0], [1, 1]], error_rates=[0.3, 0.4]
    )
    point = display.drawing.marks[0]
    # 1 - (y1 + y2) / 2 = 0.3 and (y1 + 1 - y2) / 2 = 0.4
    np.testing.assert_allclose([point.x[0], point.y[0]], [0.6, 0.8], atol=1e-9)


def test_examples_with_the_same_votes_and_further_constraints(pyplot):
    signals = corral.WeakSignals.from_votes([[1, 1], [1, 1]], classes=[0, 1])
    display = ConstrainedSpaceDisplay.from_votes(
        signals,
        error_rates=0.2,
        margin=0.15,
        constraints=[corral.ClassBalance(1, equal=0.8)],
        n_cut=1,
    )
    assert "the labels on a line" in display.drawing.description
    line = display.drawing.marks[1]
    np.testing.assert_allclose(np.add(line.x, line.y), 1.6)


@pytest.mark.parametrize(
    ("votes", "options", "message"),
    [
        ([[0, 1]] * 3, {}, "two examples and two classes; 3 examples"),
        ([[0, 1], [2, 1]], {}, "3 classes came"),
        (SPACE, {"error_rates": [0.1, 0.2]}, "error_rates must be a number from 0"),
        (SPACE, {"margin": -1}, "margin must be zero or a number above"),
        (SPACE, {"error_rates": None}, "error_rates, constraints or both"),
        (SPACE, {"n_cut": 3}, "n_cut must be at least 0"),
        (SPACE, {"constraints": [corral.Known([0], [1])]}, "leave them out"),
    ],
)
def test_what_cannot_be_drawn_is_refused(votes, options, message):
    with pytest.raises(ParameterError, match=message):
        ConstrainedSpaceDisplay.from_votes(votes, **{"error_rates": 0.3} | options)


def test_fits_are_measured(pyplot):
    display = CostDisplay.from_labelers(
        {"vote": corral.MajorityVote()}, VOTES, rows=[50, 500]
    )
    _, points = display.drawing.marks
    assert points.x == (50.0, 500.0)
    assert min(points.y) > 0


def test_counted_rows_are_not_drawn_from():
    counts = corral.PatternCounts(corral.WeakSignals.from_votes(VOTES))
    with pytest.raises(ParameterError, match="row by row"):
        CostDisplay.from_labelers({"vote": corral.MajorityVote()}, counts, rows=[5])


def test_a_labeler_is_asked_for():
    with pytest.raises(ParameterError, match="a fitted labeler was expected"):
        SignalErrorsDisplay.from_labeler(VOTES)
    with pytest.raises(ParameterError, match="fit the labeler first"):
        SignalErrorsDisplay.from_labeler(corral.MajorityVote())


def test_one_signal_has_no_pairs():
    with pytest.raises(SignalsError, match="no example has two votes"):
        AgreementDisplay.from_votes([[0], [1]])


def test_without_matplotlib_the_message_says_what_to_install(labeler, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match=r"pip install 'corral\[plots\]'"):
        ConfidenceDisplay.from_labeler(labeler)


def test_errors_of_a_table_that_has_ids():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(VOTES).add_prefix("s").assign(id=range(len(VOTES)))
    display = SignalErrorsDisplay.from_votes(frame, TRUTH, id="id")
    whole = SignalErrorsDisplay.from_votes(VOTES, TRUTH)
    assert display.drawing == whole.drawing
