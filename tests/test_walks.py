"""How many modules of corral a call passes: what a reader has to follow."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

import corral
from corral.datasets import random_votes
from corral.workbench import Rule, Workbench

SOURCE = str(Path(corral.__file__).parent)


def walk(call):
    """The modules of corral in which a call runs a line of a function."""
    call()  # what is loaded late is loaded
    passed = set()

    def note(frame, event, _):
        name = frame.f_code.co_filename
        if (
            event == "call"
            and name.startswith(SOURCE)
            and frame.f_code.co_name != "<module>"
        ):
            passed.add(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sorted(passed)


@pytest.fixture(scope="module")
def votes():
    return random_votes(500, [0.9, 0.8, 0.7, 0.6], coverage=0.8)


@pytest.fixture
def table(votes, tmp_path):
    given, truth = votes
    path = tmp_path / "votes.csv"
    lines = ["id,a,b,c,d,human"]
    for at, (row, y) in enumerate(zip(given.tolist(), truth.tolist(), strict=True)):
        cells = ["" if vote < 0 else str(vote) for vote in row]
        lines.append(",".join([str(at), *cells, str(y) if at % 5 == 0 else ""]))
    path.write_text("\n".join(lines) + "\n")
    return path


SIGNALS = ["a", "b", "c", "d"]


def test_fit_and_predict(votes):
    given, _ = votes
    done = walk(lambda: corral.ConstrainedLabeler().fit(given).predict_proba(given))
    assert len(done) <= 16, done


def test_label_a_file(table, tmp_path):
    target = tmp_path / "out.csv"
    options = {"signals": SIGNALS, "id": "id,human", "overwrite": True}
    done = walk(lambda: corral.label(table, output=target, **options))
    assert len(done) <= 25, done


def test_a_keystroke_in_the_workbench(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text\ngreat film\nbad film\ngreat cast\n")
    with closing(Workbench.open(path, text="text", classes=("neg", "pos"))) as bench:
        add = {
            "what": "add_rule",
            "rule": Rule("words", "pos", words=("great",)).to_dict(),
        }
        bench.act(add, version=0)
        keys = iter(("b", "ba"))  # words that were searched already are remembered
        done = walk(lambda: bench.preview(Rule("words", "neg", words=(next(keys),))))
    assert len(done) <= 11, done


def test_report_on_a_file(table):
    done = walk(lambda: corral.report(table, signals=SIGNALS, gold="human", id="id"))
    assert len(done) <= 39, done


def test_panel_of_a_file(table):
    done = walk(lambda: corral.panel(table, signals=SIGNALS, gold="human"))
    assert len(done) <= 29, done
