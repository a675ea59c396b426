"""`corral demo`: from made-up messages to a classifier, beside what a vote gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import corral
from corral.functions import load_functions
from corral.io.files import write_columns
from corral.results import Part, Result, Table

MESSAGES = 2_000
NEW = 500
"""Messages to test on; no rule and no label has seen them."""
BY_HAND = 60
RULES = Path(__file__).with_name("demo_rules.py")
NEXT = """On your own file:

  corral apply rules.py FILE -o votes.csv
  corral label votes.csv --gold human -o labels.csv
  corral train labels.csv --gold human -o model.corral
  corral predict model.corral NEW -o predicted.csv

rules.py has your rules, and the column human the labels that you made by hand, if any.
Write rules on a page, and watch what they do: corral serve FILE --text text"""


@dataclass(frozen=True, eq=False, repr=False)
class Demo(Result):
    """What became of the messages, the rules and the labels."""

    texts: tuple[str, ...]  # the first few
    rules: dict[str, Any]
    covered: float
    labels: dict[str, list[Any]]

    title = "From texts to a classifier"

    def parts(self) -> Iterator[Part]:
        shown = "\n".join(f"  {text}" for text in self.texts)
        yield (
            f"{MESSAGES:,} made-up messages to a shop; each is about billing, delivery or "
            f"a technical problem.\n{shown}"
        )
        yield Table(
            self.rules,
            caption="Rules, and how often they are right (which nobody knows of own data)",
            formats={"votes on": ".0%", "right": ".0%"},
        )
        yield (
            f"{self.covered:.0%} of the messages have a vote. A person labels {BY_HAND}, "
            "drawn at random.\nA classifier learns from the labels of all, and is tested "
            f"on {NEW} new messages."
        )
        yield Table(
            self.labels,
            caption="How often labels (of messages with a vote) and classifiers are right",
            formats={"labels": ".0%", "classifier": ".0%"},
        )


def run_demo(folder: Path | None = None) -> Demo:
    """Go the whole road; with a folder, also write there what the shell needs for it."""
    made = corral.datasets.messages(MESSAGES + NEW)
    texts, new = made.data[:MESSAGES], made.data[MESSAGES:]  # type: ignore[index]
    truth, asked = made.labels[:MESSAGES], made.labels[MESSAGES:]
    chosen = np.random.default_rng(0).choice(MESSAGES, BY_HAND, replace=False)
    gold = np.full(MESSAGES, None, object)
    gold[chosen] = truth[chosen]
    if folder is not None:  # as a user would have them
        folder.mkdir(parents=True)
        ids, words = np.arange(MESSAGES + NEW), np.array(made.data, object)
        given = {"id": ids[:MESSAGES], "text": words[:MESSAGES], "human": gold}
        write_columns(folder / "messages.csv", given)
        asked_for = {"id": ids[MESSAGES:], "text": words[MESSAGES:]}
        write_columns(folder / "new.csv", asked_for)
        (folder / "rules.py").write_text(RULES.read_text("utf-8"), "utf-8")
    votes = corral.apply(load_functions(RULES), [{"text": text} for text in texts])
    errors = corral.signal_errors(votes, truth)
    vote = corral.MajorityVote().fit(votes)
    alone = corral.ConstrainedLabeler().fit(votes)
    both = corral.ConstrainedLabeler().fit(votes, gold=gold)
    classes = votes.classes
    true = np.eye(len(classes))[np.searchsorted(classes, truth)]
    only = np.where((gold == None)[:, None], np.nan, true)  # noqa: E711
    found: dict[str, list[Any]] = {"from": [], "labels": [], "classifier": []}
    labels: Any
    for name, labels, known in (
        ("a majority vote", vote, None),
        ("corral, votes alone", alone, None),
        (f"corral and {BY_HAND} labels by hand", both, gold),
        (f"{BY_HAND} labels by hand alone", only, None),
        (f"all {MESSAGES:,} true labels", true, None),
    ):
        named = None if isinstance(labels, corral.labelers.Labeler) else classes
        model = corral.train(labels, texts, gold=known, classes=named)
        right = None
        if named is None:
            said = labels.predict(votes)[votes.covered]
            right = float(np.mean(said == truth[votes.covered]))
        found["from"].append(name)
        found["labels"].append(right)
        found["classifier"].append(float(np.mean(model.predict(new) == asked)))
    rules = {"rule": votes.names, "votes on": votes.coverage, "right": 1 - errors}
    return Demo(tuple(texts[:3]), rules, float(votes.covered.mean()), found)
