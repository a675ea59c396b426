"""From a file to labels that one can use, in at most two commands: seven kinds of files."""

import csv
import json
import re
import shlex

import duckdb
import numpy as np
import pytest
from tests.exchange.exports import EXPORTS

from corral.datasets import random_comparisons

RNG = np.random.default_rng(7)
ANSWERS = np.array(["neg", "pos"])


def answers(truth, right, coverage=1.0):
    """Answers (n,) that are right so often, empty where there is none."""
    said = np.where(RNG.random(len(truth)) < right, truth, 1 - truth)
    return np.where(RNG.random(len(truth)) < coverage, ANSWERS[said], "").tolist()


def write(path, columns, encoding="utf-8", delimiter=","):
    with path.open("w", newline="", encoding=encoding) as file:
        table = csv.writer(file, delimiter=delimiter)
        table.writerow(columns)
        table.writerows(zip(*columns.values(), strict=True))


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def accuracy(rows, truth, key):
    right = [row["label"] == truth[row[key]] for row in rows if row["label"]]
    return np.mean(right)


def test_rules_and_a_column_of_a_language_model(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 800)
    words = np.array([["dull", "slow", "bad"], ["great", "fun", "good"]])
    texts = [
        f"review {i} was {words[y, RNG.integers(3)]}, said {words[RNG.integers(2), 0]} Jo"
        for i, y in enumerate(truth)
    ]
    ids = [f"r{i}" for i in range(800)]
    columns = {"review_id": ids, "text": texts, "llm": answers(truth, 0.85)}
    write(tmp_path / "reviews.csv", columns)
    (tmp_path / "rules.py").write_text(
        "from corral.functions import keywords\n"
        'good = keywords("text", ["great", "fun", "good"], "pos")\n'
        'bad = keywords("text", ["dull", "slow", "bad"], "neg")\n'
    )
    ran = run("apply", "rules.py", "reviews.csv", "-o", "votes.csv")
    following = re.search("next: corral (.*)", ran.stderr)[1].split()
    assert following[:2] == ["label", "votes.csv"]
    run("label", "votes.csv", "-o", "labels.csv", "--signals", "llm,good,bad")
    rows = read(tmp_path / "labels.csv")
    known = dict(zip(ids, ANSWERS[truth], strict=True))
    assert accuracy(rows, known, "review_id") > 0.85


def test_a_crowd_export_with_duplicates_and_gaps(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 200)
    tasks, workers = np.repeat(np.arange(200), 5), RNG.integers(0, 12, 1000)
    said = answers(truth[tasks], 0.8)
    rows = list(zip(tasks.tolist(), (f"w{w}" for w in workers), said, strict=True))
    rows = list({row[:2]: row for row in rows}.values())
    rows += rows[:40]  # exported twice
    rows += [(0, "", "pos"), (1, "", "neg")]  # nobody knows who
    task, worker, answer = zip(*rows, strict=True)
    write(tmp_path / "crowd.csv", {"task": task, "worker": worker, "answer": answer})
    ran = run("label", "crowd.csv", "-o", "labels.csv")
    assert "task" in ran.stderr
    known = {str(i): ANSWERS[y] for i, y in enumerate(truth)}
    assert accuracy(read(tmp_path / "labels.csv"), known, "task") > 0.85


def test_judges_lines_and_a_file_of_human_labels(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 300)
    lines = [
        {"item_id": f"q{i}", "judge_model": judge, "verdict": said}
        for judge, right in (("gpt", 0.85), ("claude", 0.85), ("llama", 0.7))
        for i, said in enumerate(answers(truth, right))
    ]
    (tmp_path / "verdicts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    chosen = RNG.choice(300, 100, replace=False)
    human = {
        "item_id": [f"q{i}" for i in chosen],
        "label": ANSWERS[truth[chosen]].tolist(),
    }
    write(tmp_path / "human.csv", human)
    files = ["verdicts.jsonl", "--judges", "--gold", "human.csv"]
    ran = run("panel", *files)
    assert "pos" in ran.stdout
    ran = run("label", *files, "-o", "labels.csv")
    assert "from 100 labelled rows" in ran.stderr
    known = {f"q{i}": ANSWERS[y] for i, y in enumerate(truth)}
    rows = read(tmp_path / "labels.csv")
    key = next(name for name in rows[0] if rows[0][name] == "q0")
    assert accuracy(rows, known, key) > 0.85


def test_comparisons_of_an_arena(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = RNG.permuted(np.tile(np.arange(4), (600, 1)), axis=1)[:, :2]
    wins = RNG.random(600) < 1 / (1 + np.exp(pairs[:, 1] - pairs[:, 0]))
    columns = {
        "question_id": np.arange(600),
        "model_a": [f"m{a}" for a in pairs[:, 0]],
        "model_b": [f"m{b}" for b in pairs[:, 1]],
        "winner": np.where(wins, "model_a", "model_b").tolist(),
        "judge": RNG.choice(["ann", "bob"], 600).tolist(),
    }
    write(tmp_path / "arena.csv", columns)
    run("rank", "arena.csv", "-o", "strengths.csv")
    rows = read(tmp_path / "strengths.csv")
    assert [row["item"] for row in rows] == ["m3", "m2", "m1", "m0"]


def test_what_excel_writes(run, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 200)
    columns = {
        "id": np.arange(200),
        "text": [f"“Größe” {i} € für 5…" for i in range(200)],
        **{f"lf_{j}": answers(truth, 0.8) for j in range(3)},
    }
    write(tmp_path / "excel.csv", columns, encoding="cp1252", delimiter=";")
    said = refused("label", "excel.csv", "-o", "labels.csv")
    assert "--encoding cp1252" in said
    run("label", "excel.csv", "-o", "labels.csv", "--encoding", "cp1252")
    rows = read(tmp_path / "labels.csv")
    assert rows[7]["text"] == "“Größe” 7 € für 5…"
    known = {str(i): ANSWERS[y] for i, y in enumerate(truth)}
    assert accuracy(rows, known, "id") > 0.8


def test_a_project_of_label_studio(run, tmp_path, monkeypatch):
    path = EXPORTS["label-studio"](tmp_path)
    monkeypatch.chdir(tmp_path)
    run("label", path.name, "-o", "suggestions.json")
    made = json.loads((tmp_path / "suggestions.json").read_text("utf-8"))
    assert any(task.get("predictions") for task in made)
    run("label", path.name, "-o", "labels.csv")
    assert len(read(tmp_path / "labels.csv")) == len(made)


def test_three_hundred_thousand_rows(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    duckdb.sql(
        "COPY (SELECT 'r' || i AS review_id, i % 2 AS y, " + ", ".join(
            f"CASE WHEN hash(i + {j}) % 10 < 3 THEN NULL "
            f"WHEN hash(i * 7 + {j}) % 10 < 8 THEN i % 2 ELSE 1 - i % 2 END AS s{j}"
            for j in range(6)
        ) + " FROM range(300000) t(i)) TO 'big.parquet'"
    )  # fmt: skip
    run("label", "big.parquet", "-o", "labels.parquet", "--id", "y")
    right = duckdb.sql("SELECT avg((label = y)::INT) FROM 'labels.parquet'").fetchall()
    assert right[0][0] > 0.85


def test_rows_that_were_suggested_come_back_as_gold(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 400)
    columns = {f"s{j}": answers(truth, 0.75, 0.8) for j in range(4)}
    write(tmp_path / "votes.csv", {"id": [f"r{i}" for i in range(400)], **columns})
    ran = run("suggest", "votes.csv", 40, "-o", "rows.csv")
    rows = read(tmp_path / "rows.csv")
    for row in rows:  # by hand
        row["label"] = ANSWERS[truth[int(row["id"][1:])]]
    write(tmp_path / "rows.csv", {n: [row[n] for row in rows] for n in rows[0]})
    words = re.search("next: corral (.*)", ran.stderr)[1].split()
    ran = run(*words)
    assert "from 40 labelled rows" in ran.stderr
    known = {f"r{i}": ANSWERS[y] for i, y in enumerate(truth)}
    assert accuracy(read(tmp_path / "labels.csv"), known, "id") > 0.8
    for command in ("inspect", "report", "compare"):
        shown = run(command, "votes.csv", "--gold", "rows.csv").stdout
        assert re.search(r"\d+(\.\d+)?% to \d+", shown), command


STARTS = {
    "inspect": "inspect votes.csv",
    "label": "label votes.csv -o labels.csv",
    "label with gold": "label votes.csv -o labels.csv --gold gold.csv",
    "report": "report votes.csv",
    "a page": "report votes.csv -o report.html --gold gold.csv",
    "explain": "explain votes.csv 3 --gold gold.csv",
    "compare": "compare votes.csv --gold gold.csv",
    "options": "inspect votes.csv --signals s* --classes neg,pos,other --gold gold.csv",
    "on the screen": "suggest votes.csv 20",
    "more labels": "suggest known.csv 10 -o rows.csv --gold human --id id,text",
    "long": "label long.csv -o labels.csv --task task",
    "apply": "apply rules.py votes.csv -o made.csv --prefix rule_",
    "sets": "label sets.csv -o labels.csv --separator ;",
    "compared sets": "compare sets.csv --separator ; --gold s0 --id id",
    "a tool": "inspect tasks.json",
    "ranks": "rank pairs.csv --judge judge",
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
def test_every_next_command_runs_as_it_is_printed(run, tmp_path, monkeypatch, start):
    monkeypatch.chdir(tmp_path)
    truth = RNG.integers(0, 2, 60)
    columns = {f"s{j}": answers(truth, 0.75, 0.8) for j in range(3)}
    ids = [f"r{i}" for i in range(60)]
    text = [
        f"review {i}, {('a bad film', 'a good one')[y]}" for i, y in enumerate(truth)
    ]
    write(tmp_path / "votes.csv", {"id": ids, "text": text, **columns})
    write(tmp_path / "sets.csv", {"id": ids, **columns})
    human = [*ANSWERS[truth[:30]].tolist(), *[None] * 30]
    write(tmp_path / "known.csv", {"id": ids, "text": text, **columns, "human": human})
    gold = {"id": ids[:40], "label": ANSWERS[truth[:40]].tolist()}
    write(tmp_path / "gold.csv", gold)
    rows = [(i, name, v) for name, c in columns.items() for i, v in enumerate(c) if v]
    write(tmp_path / "long.csv", dict(zip(("task", "worker", "label"), zip(*rows))))  # noqa: B905
    write(tmp_path / "new.csv", {"text": text})
    pairs = random_comparisons(100, {"x": 1, "y": 0}, {"j": (1, 0)})
    write(tmp_path / "pairs.csv", {n: c.tolist() for n, c in pairs.items()})
    EXPORTS["label-studio"](tmp_path).rename(tmp_path / "tasks.json")
    (tmp_path / "rules.py").write_text(
        "from corral.functions import keywords\n"
        'good = keywords("text", ["good"], "pos", name="good")\n'
        'bad = keywords("text", ["bad"], "neg", name="bad")\n'
    )
    words, ran = shlex.split(STARTS[start]), []
    while words and len(ran) < 6:
        shown = run(*words)
        if words[0] == "suggest" and "-o" in words:  # fill in the form
            form = tmp_path / words[words.index("-o") + 1]
            rows = read(form)
            said = ["pos" if at % 3 else "neg" for at, _ in enumerate(rows)]
            write(
                form, {n: [row[n] for row in rows] for n in rows[0]} | {"label": said}
            )
        ran.append(words[0])
        printed = shown.stdout + shown.stderr
        found = re.search("^(?: {4}|next: )corral (.*)", printed, re.MULTILINE)
        words = shlex.split(found[1]) if found else []
    assert len(ran) > 1 or "separator" in STARTS[start]
