"""What an explanation prints."""

import corral
from corral.results.text import printable


def test_names_are_shown_and_not_run():
    votes = [["\x1b[2J", "b"], ["b", "b"], ["\x1b[2J", "\x1b[2J"]]
    signals = corral.WeakSignals.from_votes(votes, names=["\x1b]0;x\x07", "\u202ea"])
    shown = str(corral.MajorityVote().fit(signals).explain(2))
    assert shown == printable(shown, lines=True)
    assert "\\x1b]0;x\\x07" in shown
