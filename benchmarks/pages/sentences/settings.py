"""Numbers that are no results: definitions, defaults, examples, what others have said."""

from __future__ import annotations

from benchmarks.pages.claims import Claim

DEFAULT = "a default or a constant of the code"
EXAMPLE = "an example, made up"
TASK = "how the synthetic task is drawn"
ABOVE = "printed by the example above it, which is tested"
DATA = "counted in the data: tests/datasets/test_text_rules.py"
PAPER = "a setting of the paper"

CLAIMS = (
    Claim("each vote on 30% of the examples", reason=TASK),
    Claim("(10 signals, coverage 0.3, rate 0.4)", reason=TASK),
    Claim('"at most 10% wrong", "30% are spam"', reason=EXAMPLE),
    Claim("30% of a crowd or more", reason="as simulated in the benchmark quality"),
    Claim("rate is off by 0.05", reason=DEFAULT),
    Claim("two are right 80 times in a hundred, one 65 times", reason=EXAMPLE),
    Claim("A rule with 0% has a mistake", reason=EXAMPLE),
    Claim("a probability of about 0.6, and no more", reason=ABOVE),
    Claim("wrong in at most 40% of its votes", reason=EXAMPLE),
    Claim("add up to 1.2 or more", reason=EXAMPLE),
    Claim("the second is at most 0.5 (the level line)", reason=EXAMPLE),
    Claim(
        "stays below 500 KB for 60 signals",
        reason="test_sizes in tests/reports/test_html_page.py",
    ),
    Claim(
        "says 0.51 of everything is no worse for it than one that says 0.99",
        reason=EXAMPLE,
    ),
    Claim("the first time (360 KB)", reason="files of 333,379 and 23,269 bytes"),
    Claim("probability of the intervals; default 0.9", reason=DEFAULT),
    Claim("Version 0.1.0, not yet", reason="the version"),
    Claim("Python 3.11 to 3.13", reason="the versions that are tested"),
    Claim("logistic regression on 8 of 64 pixels", reason="how the rules are made"),
    Claim("bounds are met, to 0.01", reason=DEFAULT),
    Claim("bounds of ALL, 0.3, and", reason=PAPER),
    Claim("a learning rate of 0.1 instead of 0.0001", reason=DEFAULT),
    Claim("moves each by 0.05 (`change`)", reason=DEFAULT),
    Claim("the signal errs 0.05 more", reason=DEFAULT),
    Claim("how far rates may be off; default 0.05", reason=DEFAULT),
    Claim("A label of 0.9 should be right", reason=EXAMPLE),
    Claim("given an error rate of 0.2 for every signal", reason=EXAMPLE),
    Claim('the error rate of this signal is 0.2"', reason=EXAMPLE),
    Claim(
        "off by more than 0.02, and the root mean square over all is at most 0.01",
        reason=DEFAULT,
    ),
    Claim("cannot all have a rate of 0.01", reason=EXAMPLE),
    Claim("sums to less than 0.0001", reason=DEFAULT),
    Claim("(2,969 of 5,452 questions in all)", reason=DATA),
    Claim("spam with probability 0.6", reason=EXAMPLE),
    Claim("off by up to 0.02 is rounding", reason=DEFAULT),
    Claim(
        "labels are 0.85 sure on average, no classifier scores more than 0.85",
        reason=EXAMPLE,
    ),
    Claim("can move no probability by more than 0.01", reason=DEFAULT),
    Claim("differs from the class balance by more than 0.02", reason=DEFAULT),
    Claim("0.25 after every pooling", reason=PAPER),
    Claim("Snorkel since version 0.9", reason="the version of a peer"),
    Claim("The paper takes 0.01 for every signal", reason=PAPER),
    Claim("With uniform 0.01 the constraints", reason=PAPER),
    Claim("to multiples of 0.05", reason="a twentieth"),
    Claim("(0.33, 0.33, 0.33) are scaled", reason=EXAMPLE),
    Claim(
        "below 2 MB whatever is in it",
        reason="test_any_page_is_below_two_megabytes in tests/reports/test_html_page.py",
    ),
)
