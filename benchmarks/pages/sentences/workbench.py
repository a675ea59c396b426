"""Sentences that rest on the session in the workbench."""

from __future__ import annotations

from benchmarks.pages.claims import Claim
from benchmarks.pages.stored import stored

_found = stored("workbench_transcript")
_last, _hand = _found["looks"][-1], _found["hand_labels"]

CLAIMS = (
    Claim(
        "the labels are {:.1f} points above a majority vote of the same {} rules",
        (100 * (_last["corral"] - _last["majority_vote"]), _last["rules"]),
    ),
    Claim(
        "The page itself said {:.1f}% ({:.1f}% to {:.1f}%), from {} of the {} random rows",
        (
            *(100 * x for x in (_hand["accuracy"], *_hand["interval"])),
            *(_hand["measured"], _hand["random"]),
        ),
    ),
    Claim("the true classes agree with {:.0f}% of these", (100 * _hand["agree"],)),
)
