"""The files that jobs read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

ROWS = 60_000
"""Enough that writing takes a while, and a run less than a second."""
RULES = """
import os
import time

import corral
from corral.functions import keywords, threshold

HERE = os.getpid()

@corral.signal
def slow(row):
    return "yes" if sum(range(200)) and "3" in str(row["id"]) else None

rules = [keywords("text", "spam", "yes"), keywords("text", "lunch", "no"), slow]
"""
SLOWLY = """    time.sleep(0.01 if os.getpid() == HERE else 0)
"""
"""What a function does so that processes are started for it."""
ASKS = """
from corral.functions import llm

def ask(prompts):
    return ["yes" if "spam" in prompt else "no" for prompt in prompts]

asks = llm(
    ask, "{text} {id}", {"yes": "yes", "no": "no"}, name="asks", answers="kept.jsonl"
)
"""
OTHERS = "others"
"""The folder of tables that may come in place of those of the same names."""
WORDS = ("spam now", "lunch at noon", "nothing", "spam for lunch")


def write_inputs(folder: Path, rows: int = ROWS) -> None:
    """Make the files that all jobs read."""
    import duckdb

    rng = np.random.default_rng(0)
    said = rng.integers(-1, 2, (rows, 6))
    columns = {"id": np.arange(rows), **{f"s{i}": said[:, i] for i in range(6)}}
    votes = columns  # noqa: F841  DuckDB finds it by its name
    for kind in ("csv", "parquet"):
        duckdb.sql(f"COPY (FROM votes) TO '{folder / f'votes.{kind}'}'")
    few = rows // 10
    # As many rows of the same ids with other votes: only what they say tells them apart.
    (folder / OTHERS).mkdir()
    for kind in ("csv", "parquet"):
        duckdb.sql(
            "COPY (SELECT id, s1 AS s0, s2 AS s1, s3 AS s2, s4 AS s3, s5 AS s4, s0 AS s5 "
            f"FROM votes) TO '{folder / OTHERS / f'votes.{kind}'}'"
        )
    duckdb.sql(
        "COPY (SELECT *, CASE WHEN id % 10 = 0 THEN id // 10 % 2 END AS gold "
        f"FROM votes LIMIT {few}) TO '{folder / 'panel.csv'}'"
    )
    (folder / "rules.py").write_text(RULES)
    slow = RULES.replace("    return", SLOWLY + "    return")
    (folder / "slow_rules.py").write_text(slow)
    (folder / "asks.py").write_text(ASKS)
    texts = [f"{WORDS[i % 4]} w{i % 50}" for i in range(few)]
    lines = (f"{i},{text}\n" for i, text in enumerate(texts))
    (folder / "texts.csv").write_text("id,text\n" + "".join(lines))
    others = (f"{i},{text}\n" for i, text in enumerate([*texts[1:], texts[0]]))
    (folder / OTHERS / "texts.csv").write_text("id,text\n" + "".join(others))
    names = np.array(["x", "y", "z"])
    pairs = [names[rng.choice(3, 2, replace=False)] for _ in range(few)]
    wins = rng.integers(0, 2, few)
    (folder / "pairs.csv").write_text(
        "a,b,winner\n"
        + "".join(f"{a},{b},{'ab'[w]}\n" for (a, b), w in zip(pairs, wins, strict=True))
    )
    verdicts = np.array(["no", "yes"])[rng.integers(0, 2, (few, 3))]
    (folder / "answers.jsonl").write_text(
        "".join(
            json.dumps({"id": i, "judge": f"j{j}", "verdict": str(verdicts[i, j])})
            + "\n"
            for i in range(few)
            for j in range(3)
        )
    )
    tasks = [_make_task(i, texts[i], verdicts[i]) for i in range(few)]
    (folder / "tasks.json").write_text(json.dumps(tasks))


def _make_task(number: int, text: str, verdicts: np.ndarray) -> dict[str, object]:
    """A task of Label Studio that three people answered."""
    answers = [
        {
            "completed_by": worker,
            "result": [
                {
                    "from_name": "label",
                    "to_name": "text",
                    "type": "choices",
                    "value": {"choices": [str(verdict)]},
                }
            ],
        }
        for worker, verdict in enumerate(verdicts)
    ]
    return {"id": number, "data": {"text": text}, "annotations": answers}
