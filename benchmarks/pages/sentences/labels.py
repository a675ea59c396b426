"""Sentences that rest on calibration, end models, MMCE and single figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.end_models import (
    DEFAULT,
    ITSELF,
    LEFT_OUT,
    LEFT_OUT_ALL,
    SETS,
    WEIGHED,
    gain,
    summarise,
)
from benchmarks.pages.claims import Claim
from benchmarks.pages.stored import stored

facts: dict[str, Any] = stored("facts")
tumours, CORRAL = facts["tumours"], "corral, estimated rates"
slopes, adagrad = facts["slopes"], facts["Adagrad"]
starts = facts["MeTaL, SST-2, by start"]
calibration, mmce = stored("calibration")["sets"], stored("minimax")
models = summarise(stored("end_models"))
corral, gold = models["corral"], models["gold"]
PRECISE = ("youtube", "semeval", "commercial", "trec-6", "trec")


def worse(name: str, labels: str) -> float:
    """By how much the log-loss of a set is worse after `calibrate`."""
    row = calibration[labels][name]
    return float(row["calibrate"]["log_loss"] - row["as they are"]["log_loss"])


def lost(source: dict[str, list[float]], name: str) -> float:
    """Points that predicting in shares loses on a set."""
    at = SETS.index(name)
    return source[ITSELF][at] - source[LEFT_OUT][at]


def errors(part: str) -> float:
    """Share of the bluebirds that are labelled wrong."""
    return 1 - float(mmce["bluebirds"][part] / mmce["bluebirds"]["examples"])


CLAIMS = (
    Claim("draws labelled examples {} times", (stored("calibration")["repeats"],)),
    Claim(
        "`bluebirds` ({:.3f} worse with 50 labels) and `dogs` ({:.3f} with 50, {:.3f} with "
        "100)",
        (worse("bluebirds", "50"), worse("dogs", "50"), worse("dogs", "100")),
    ),
    Claim(
        "`sst-2`, `bluebirds` and `dogs` it is up to {:.3f} worse",
        (max(worse(name, "10") for name in calibration["10"]),),
    ),
    Claim(
        "`sst-2` (a slope of {:.2f}, fitted to all labels) and `dogs` ({:.2f})",
        (slopes["sst-2"], slopes["dogs"]),
    ),
    Claim(
        "{:.1f} to {:.1f} on precise rules",
        (min(slopes[name] for name in PRECISE), max(slopes[name] for name in PRECISE)),
    ),
    Claim(
        "falls from {:.1f} to {:.1f} with 200 labels",
        tuple(
            calibration["200"]["cdr"][way]["score"]
            for way in ("as they are", "calibrate")
        ),
    ),
    Claim(
        "standard error: {:.1f} points with corral's labels",
        (gain(corral[LEFT_OUT], corral[ITSELF])[0],),
    ),
    Claim(
        "lifts IMDB from {:.1f} to {:.1f}, and all sets by {:.1f} points",
        (
            corral[ITSELF][SETS.index("imdb")],
            corral[WEIGHED][SETS.index("imdb")],
            gain(corral[WEIGHED], corral[ITSELF])[0],
        ),
    ),
    Claim(
        "it loses {:.1f} points of TREC-6, whose classes are not",
        (corral[ITSELF][SETS.index("trec-6")] - corral[WEIGHED][SETS.index("trec-6")],),
    ),
    Claim("It loses {:.1f} points on TREC-6", (lost(corral, "trec-6"),)),
    Claim("(true labels lose {:.1f} points)", (lost(gold, "trec-6"),)),
    Claim(
        "({:.1f} left out; with Snorkel's labels {:.1f} below `prior=None`)",
        (
            float(np.mean(corral[LEFT_OUT_ALL])),
            -gain(models["Snorkel"][LEFT_OUT_ALL], models["Snorkel"][ITSELF])[0],
        ),
    ),
    Claim(
        "`LinearSVC` gains {:.1f} ± {:.1f} points on corral's labels, and `MultinomialNB` "
        "{:.1f} ± {:.1f}",
        tuple(
            number
            for name in ("LinearSVC", "MultinomialNB")
            for number in gain(models[name][DEFAULT], models[name][ITSELF])
        ),
    ),
    Claim("The paper reports {:.3f} for", (stored("networks")["paper"]["CLL"],)),
    Claim(
        "a score on 1,821 sentences is {:.1f} points",
        (100 * (0.7 * 0.3 / 1821) ** 0.5,),
        reason="of a share of 0.7",
    ),
    Claim(
        "The error on bluebirds is {:.3f}, where majority vote has {:.3f}",
        (errors("right"), errors("right by vote")),
    ),
    Claim(
        "its error is {:.3f}, where majority vote has {:.3f}",
        tuple(facts["bluebirds, errors"][m] for m in ("Dawid-Skene", "vote")),
    ),
    Claim(
        "outnumber the votes: {:.2f} on TREC-6, where the plurality has {:.2f}",
        tuple(facts["majority vote, TREC-6"][m] for m in ("paper", "plurality")),
    ),
    Claim(
        "(TREC-6 {:.4f}, SST-2 {:.4f})",
        tuple(facts["data programming"][m] for m in ("TREC-6", "SST-2")),
    ),
    Claim(
        "SST-2 gives {:.3f} to {:.3f} for `start` between 0.01 and 1",
        (min(starts.values()), max(starts.values())),
        reason="the starts that were tried",
    ),
    Claim("The default is one half ({:.3f})", (starts["0.5"],)),
    Claim(
        "{:.1f}% of the labels of TREC-6 differ",
        (100 * adagrad["TREC-6, labels that 100 steps more change"],),
    ),
    Claim(
        "by {:.3f} on average at 300 examples, by {:.3f} at 2,000 and by {:.3f} at 16,000",
        tuple(adagrad["mean of starts"].values()),
    ),
    Claim(
        "has an accuracy of {:.3f}, and one random start {:.3f} to {:.3f}, by seed",
        (adagrad["TREC-6"], *adagrad["TREC-6, one random start"]),
    ),
    Claim(
        "rate 0.01) normalised rows give a label accuracy of {:.3f}, which is the paper's "
        "number. Raw rows give {:.3f}",
        (adagrad["SST-2, normalised"], adagrad["SST-2, raw"]),
        reason="the rate of the paper",
    ),
    Claim(
        "five measurements of tumours (`make demo`) | {:.1f} | vote {:.1f} |",
        tuple(100 * tumours["five"][m][0] for m in (CORRAL, "majority vote")),
    ),
    Claim(
        "ten measurements of tumours (`make demo`) | {:.1f} | vote {:.1f} |",
        tuple(100 * tumours["ten"][m][0] for m in (CORRAL, "majority vote")),
    ),
    Claim(
        "signals its mean error is {:.3f}",
        (facts["estimators"]["Agreement, mean error"],),
    ),
    Claim(
        "correlation with the true rates is {:.2f}, the mean error {:.2f})",
        tuple(
            facts["estimators"][f"Firing, {m}"] for m in ("correlation", "mean error")
        ),
    ),
)
