"""Every part of the long load, for a moment; `make load` takes half an hour or more."""

import copy

import pytest

pytest.importorskip("duckdb")

import duckdb
from benchmarks.processes import children_of, look_at
from benchmarks.scale.files import make_votes
from reliability.load import chunks, engines

from corral import label


def test_chunks_give_the_labels_of_one_fit():
    found = chunks.run_chunks(20)
    assert all(one["apart"] < 1e-12 for one in found["labelers"].values())
    assert chunks.find_failures(found) == []
    one = found["labelers"]["the default"]
    one["end"], one["apart"] = one["halfway"] + 2 * chunks.GROWTH, 1e-3
    assert len(chunks.find_failures(found)) == 2
    one["seconds_first_half"], one["seconds_second_half"] = 40.0, 90.0
    assert len(chunks.find_failures(found)) == 3


def test_people_are_answered_and_no_edit_is_lost():
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    from reliability.load import workbench

    found = workbench.run_workbench(clients=5, minutes=0.05)
    grown = ("workbench: memory grows", "workbench: threads grow")
    assert set(workbench.find_failures(found)) <= set(grown)  # it has just begun
    assert found["acts"] >= 2
    found["every_edit_kept"] = False
    found["kinds"]["rows"]["answers"]["500"] = 1
    assert len(set(workbench.find_failures(found)) - set(grown)) == 2


def test_an_edit_that_was_lost_is_found(tmp_path):
    from reliability.load.people import Journal
    from reliability.load.workbench import CLASSES, check_what_is_left
    from tests.workbench.server.client import write_reviews

    from corral.workbench import Workbench

    data = write_reviews(tmp_path / "reviews.csv")
    bench = Workbench.open(data, text="text", classes=CLASSES)
    version, journal = bench.state()["version"], Journal()
    for number, word in enumerate(("great", "dull"), version):
        rule = {"kind": "words", "class": "pos", "words": [word]}
        action = {"what": "add_rule", "rule": rule}
        bench.act(action, number)
        journal.acts.append((number + 1, action))
    labels = bench.export("labels", tmp_path / "labels.csv").read_bytes()
    bench.close()
    (tmp_path / "lost").mkdir()
    lost = copy.deepcopy(journal)
    lost.acts[0][1]["rule"]["words"] = ["boring"]
    again = check_what_is_left(data, lost, version, labels)
    assert not again["every_edit_kept"]
    assert again["labels_as_fresh"]
    (tmp_path / "again").rename(tmp_path / "first")
    kept = check_what_is_left(data, journal, version, labels)
    assert kept["every_edit_kept"]
    assert kept["every_version_once"]


def test_outputs_are_compared_in_any_order(tmp_path):
    source = make_votes(tmp_path / "votes", 2_000, engines.SIGNALS)
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    label(source, id="id", output=first)
    duckdb.sql(f"COPY (FROM '{first}' ORDER BY hash(id)) TO '{second}'")
    same = engines.compare_outputs(str(first), str(second), tmp_path)
    assert same["apart"] == 0
    assert same["same_rows"]
    assert same["patterns_of_another_class"] == 0
    duckdb.sql(
        "COPY (SELECT * REPLACE (CASE id WHEN 7 THEN p_1 + 0.1 ELSE p_1 END AS p_1) "
        f"FROM '{first}' WHERE id > 0) TO '{second}' (OVERWRITE)"
    )
    other = engines.compare_outputs(str(first), str(second), tmp_path)
    assert other["apart"] == pytest.approx(0.1)
    assert not other["same_rows"]


def test_memory_of_processes():
    held = look_at()
    assert 0 < held.resident <= held.peak
    assert held.threads >= 1
    assert held.files >= 3
    assert isinstance(children_of(), list)
