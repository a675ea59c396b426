"""What Crowd-Kit's tests expect of the classes that corral.compat.crowdkit has.

The tests are those in tests/aggregation of Crowd-Kit's repository at version 1.4; the small
tables below are their inputs and results, tasks and workers renamed.
"""

import numpy as np
import pytest
from tests.compat.expectations.expectation import Expectations

from corral.compat.crowdkit import aggregation
from corral.compat.crowdkit.aggregation import (
    DawidSkene,
    GoldMajorityVote,
    MajorityVote,
    OneCoinDawidSkene,
    Wawa,
)

CROWD_KIT = Expectations()
BOTH = DawidSkene, OneCoinDawidSkene
close = np.testing.assert_allclose


def frame(rows):
    import pandas as pd

    return pd.DataFrame(rows, columns=["worker", "task", "label"])


def toy():
    """Five workers on five tasks, y or n; the third left one out."""
    said = {"w1": "nyyyy", "w2": "yynyn", "w3": " ynyn", "w4": "ynyyn", "w5": "nnnyn"}
    words = {"y": "yes", "n": "no"}
    return frame(
        [
            (worker, f"t{at + 1}", words[letter])
            for worker, letters in said.items()
            for at, letter in enumerate(letters)
            if letter != " "
        ]
    )


TOY_TRUTH = ["yes", "yes", "no", "yes", "no"]
BIRDS = {
    "good1": "2g 3p 6g 7g 5p 9p",
    "good2": "3p 1c 8p 4c 0c 6g",
    "good3": "1c 2g 7g 5p 9p",
    "good4": "2g 1c 6g 0c",
    "parrots": "2p 3p 8p 4p 0p 7p",
    "careless": "3p 1g 5p 9p 8p 4g",
}
BIRD_TRUTH = list("ccgpcpggpp")
BIRD_SHARES = [
    (2 / 3, 0, 1 / 3), (3 / 4, 1 / 4, 0), (0, 3 / 4, 1 / 4), (0, 0, 1),
    (1 / 3, 1 / 3, 1 / 3), (0, 0, 1), (0, 1, 0), (0, 2 / 3, 1 / 3), (0, 0, 1), (0, 0, 1),
]  # fmt: skip
BIRD_SKILLED = [
    (6 / 7, 0, 1 / 7), (9 / 11, 2 / 11, 0), (0, 0.9, 0.1), (0, 0, 1),
    (1 / 2, 1 / 3, 1 / 6), (0, 0, 1), (0, 1, 0), (0, 6 / 7, 1 / 7), (0, 0, 1), (0, 0, 1),
]  # fmt: skip
BIRD_GOLDEN = [
    (0.8, 0, 0.2), (6 / 7, 1 / 7, 0), (0, 6 / 7, 1 / 7), (0, 0, 1),
    (0.5, 0.25, 0.25), (0, 0, 1), (0, 1, 0), (0, 0.8, 0.2), (0, 0, 1), (0, 0, 1),
]  # fmt: skip


def birds():
    """Six workers on ten tasks: chicken, goose or parrot."""
    return frame(
        [(worker, one[0], one[1]) for worker, s in BIRDS.items() for one in s.split()]
    )


def labels(aggregator):
    return aggregator.labels_.sort_index().tolist()


@CROWD_KIT.holds("test_ds_aggregation.py::on_toy_ysda::on_simple", "the true labels")
def _():
    for kind in BOTH:
        for options in ({"n_iter": 10, "tol": 0}, {"n_iter": 100500, "tol": 1e-5}):
            assert labels(kind(**options).fit(toy())) == TOY_TRUTH
            assert labels(kind(**options).fit(birds())) == BIRD_TRUTH


@CROWD_KIT.holds(
    "test_ds_aggregation.py::test_dawid_skene_step_by_step",
    "probabilities, priors and errors before and after a round, up to `0.005`",
)
def _():
    no = {0: [0.5, 0.4, 0.6, 0, 0.8], 1: [0.35, 0.26, 0.87, 0, 0.95]}
    priors = {0: [0.46, 0.54], 1: [0.49, 0.51]}
    says_no = {  # where the class is no, and yes
        0: [(0.22, 0.19), (0.61, 0.22), (0.78, 0.27), (0.52, 0.30), (1, 0.63)],
        1: [(0.14, 0.25), (0.75, 0.07), (0.87, 0.09), (0.50, 0.31), (1, 0.61)],
    }
    chosen = {0: ["no", "yes", "no", "yes", "no"], 1: TOY_TRUTH}
    for n_iter in (0, 1):
        found = DawidSkene(n_iter).fit(toy())
        assert found.probas_.index.name == "task"
        assert found.probas_.columns.tolist() == ["no", "yes"]
        close(found.probas_["no"].sort_index(), no[n_iter], atol=0.0051)
        close(found.priors_[["no", "yes"]], priors[n_iter], atol=0.005)
        assert (found.priors_.name, found.labels_.name) == ("prior", "agg_label")
        assert found.errors_.index.names == ["worker", "label"]
        said = found.errors_.xs("no", level="label").sort_index()
        close(said[["no", "yes"]], says_no[n_iter], atol=0.0051)
        assert labels(found) == chosen[n_iter]


@CROWD_KIT.holds(
    "test_ds_aggregation.py::test_dawid_skene_on_empty_input", "empty tables"
)
def _():
    found = DawidSkene(10).fit(frame([]))
    assert found.probas_.empty
    assert found.errors_.empty
    assert found.priors_.empty
    assert found.labels_.empty
    assert (found.priors_.name, found.labels_.name) == ("prior", "agg_label")


@CROWD_KIT.holds(
    "test_ds_aggregation.py::test_dawid_skene_overlap",
    "thousands of workers, no overflow",
)
def _():
    for overlap in (3, 300, 30_000):
        worker, task = (axis.ravel() for axis in np.indices((overlap, 3)))
        label = np.where((worker - task) % 3, "yes", "no")
        found = DawidSkene(20).fit(frame(list(zip(worker, task, label, strict=True))))
        close(found.probas_[["no", "yes"]], [[1 / 3, 2 / 3]] * 3, atol=0.005)
        assert labels(found) == ["yes"] * 3
        close(found.priors_[["no", "yes"]], [1 / 3, 2 / 3], atol=0.005)


@CROWD_KIT.holds(
    "test_ds_aggregation.py::on_bool_labels", "labels that are true or false"
)
def _():
    answers = toy()
    answers["label"] = answers["label"] == "yes"
    for kind in BOTH:
        assert labels(kind(20).fit(answers)) == [said == "yes" for said in TOY_TRUTH]


@CROWD_KIT.differs(
    "test_ds_aggregation.py::TestWorkerInitError::gold",
    "known classes are kept, error matrices begin as given",
    "refused, with what to use in their place: `GoldMajorityVote`, `corral.Known`, "
    "`corral.ConstrainedLabeler(error_rates=...)`. A strategy alone is accepted",
)
def _():
    import pandas as pd

    known = pd.Series({"t1": "yes"})
    with pytest.raises(ValueError, match="true_labels is not supported"):
        DawidSkene().fit(toy(), known)
    with pytest.raises(ValueError, match="initial_error is not supported"):
        DawidSkene(initial_error_strategy="assign").fit(toy(), initial_error=known)
    alone = DawidSkene(10, 0, initial_error_strategy="addition").fit(toy())
    assert labels(alone) == TOY_TRUTH


def check_vote(found, chosen, skills, shares):
    assert labels(found) == chosen
    assert (found.labels_.name, found.skills_.name) == ("agg_label", "skill")
    assert found.skills_.index.name == "worker"
    close(found.skills_.sort_index(), skills, rtol=1e-5)
    close(found.probas_.sort_index(axis=1), shares, atol=1e-6)
    assert (found.probas_.index.name, found.probas_.columns.name) == ("task", "label")


TOY_SKILLS = [0.6, 0.8, 1.0, 0.4, 0.8]
BIRD_SKILLS = [2 / 3, 1, 1, 1, 1, 1 / 3]  # careless, good, parrots


@CROWD_KIT.holds(
    "test_classification_aggregation.py::MajorityVote", "labels, shares, skills"
)
def _():
    no = np.array([0.5, 0.4, 0.6, 0, 0.8])
    vote = MajorityVote()
    assert vote.fit_predict(toy()) is vote.labels_
    chosen = ["no", "yes", "no", "yes", "no"]
    check_vote(vote, chosen, TOY_SKILLS, np.column_stack([no, 1 - no]))
    check_vote(MajorityVote().fit(birds()), BIRD_TRUTH, BIRD_SKILLS, BIRD_SHARES)


@CROWD_KIT.holds("test_classification_aggregation.py::Wawa", "labels, shares, skills")
def _():
    no = np.array([0.538462, 1 / 3, 0.722222, 0, 0.833333])
    wawa = Wawa()
    wawa.fit_predict_proba(toy())
    chosen = ["no", "yes", "no", "yes", "no"]
    check_vote(wawa, chosen, TOY_SKILLS, np.column_stack([no, 1 - no]))
    wawa = Wawa().fit(birds())
    wawa.predict(birds())
    check_vote(wawa, BIRD_TRUTH, BIRD_SKILLS, BIRD_SKILLED)


@CROWD_KIT.holds(
    "test_classification_aggregation.py::GoldMajorityVote", "labels, shares, skills"
)
def _():
    import pandas as pd

    gold = GoldMajorityVote()
    gold.fit_predict(toy(), pd.Series({"t1": "yes", "t2": "yes"}))
    no = np.array([0.25, 1 / 6, 2 / 3, 0, 5 / 6])
    shares = np.column_stack([no, 1 - no])
    check_vote(gold, TOY_TRUTH, [0.5, 1, 1, 0.5, 0], shares)
    known = pd.Series({"2": "g", "3": "p", "1": "c"})
    gold = GoldMajorityVote().fit(birds(), known)
    gold.predict_proba(birds())
    check_vote(gold, BIRD_TRUTH, [0.5, 1, 1, 1, 1, 0.5], BIRD_GOLDEN)


@CROWD_KIT.absent(
    "test_classification_aggregation.py::MMSR::ZeroBasedSkill`, tests of `GLAD::KOS::MACE",
    "their labels and scores",
    "corral has no such method; the import says so. `corral.compare` runs Crowd-Kit's own",
)
def _():
    for name in aggregation.ABSENT:
        with pytest.raises(ImportError, match=f"corral has no {name}"):
            getattr(aggregation, name)


@CROWD_KIT.holds(
    "test_classification_aggregation_edge_cases.py", "`KeyError` for a missing column"
)
def _():
    import pandas as pd

    for column in ("task", "worker", "label"):
        for kind in (MajorityVote, Wawa, DawidSkene):
            with pytest.raises(KeyError, match=column):
                kind().fit_predict(toy().drop(columns=column))
        with pytest.raises(KeyError, match=column):
            GoldMajorityVote().fit(toy().drop(columns=column), pd.Series({"t1": "yes"}))
    empty = frame([])
    known = pd.Series(dtype=float)
    assert GoldMajorityVote().fit_predict_proba(empty, known).empty


@CROWD_KIT.holds(
    "test_majority_vote.py", "skills: given, missing, ignored, of several truths"
)
def _():
    import pandas as pd

    skills = MajorityVote().fit(birds()).skills_
    vote = MajorityVote().fit(birds(), skills)
    close(vote.skills_, skills)
    some = skills.drop("parrots")
    with pytest.raises(ValueError, match="workers without a skill"):
        MajorityVote().fit(birds(), some)
    loud = MajorityVote(on_missing_skill="value", default_skill=10**6).fit(
        birds(), some
    )
    assert set(loud.labels_[list("238407")]) == {"p"}
    ignored = MajorityVote(on_missing_skill="ignore").fit(birds(), some)
    assert "parrots" not in ignored.skills_.index
    with pytest.raises(ValueError, match="10 tasks have no worker"):
        MajorityVote(on_missing_skill="ignore").fit(birds(), pd.Series(dtype=float))
    rows = [
        "1 w1 a",
        "2 w1 a",
        "3 w1 a",
        "1 w2 b",
        "2 w2 a",
        "3 w2 b",
        "1 w3 c",
        "3 w3 c",
    ]
    answers = pd.DataFrame(
        [r.split() for r in rows], columns=["task", "worker", "label"]
    )
    gold = GoldMajorityVote()
    found = gold.fit_predict(answers, pd.Series(["a", "b", "b"], index=["1", "1", "3"]))
    assert gold.skills_.tolist() == [0.5, 1.0, 0.0]
    assert found.tolist() == ["b", "a", "b"]
