"""What `read_votes` finds out by itself: long tables, files of gold, other files."""

import json

import numpy as np
import pytest

import corral
from corral.errors import ParameterError, SignalsError, SignalsWarning
from corral.io.reader import Reading, read_votes


def read(path, said=None, *, gold=None, by_row=False, **options):
    announce = (lambda line: None) if said is None else said.append
    return read_votes(
        path, Reading(**options, announce=announce), gold=gold, by_row=by_row
    )


def write(path, rows):
    path.write_text("\n".join(rows) + "\n")
    return path


# -- one answer per row ----------------------------------------------------------------

NAMES = [
    ("task", "worker", "label"),
    ("item_id", "judge_model", "verdict"),
    ("question", "user", "response"),
    ("id", "annotator", "rating"),
]
ANSWERS = [
    ("t1", "ann", "x"),
    ("t2", "ann", "y"),
    ("t1", "bob", "x"),
    ("t2", "bob", "x"),
]


@pytest.mark.parametrize("names", NAMES)
def test_long_tables_are_known_by_their_shape(names, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    rows = [f"{','.join(row)},{i},2026-01-0{i + 1}" for i, row in enumerate(ANSWERS)]
    path = write(tmp_path / "v.csv", [",".join([*names, "seconds", "day"]), *rows])
    for source in (path, pandas.read_csv(path)):
        found = read(source, said := [])
        assert (found.task, found.signals.names) == (names[0], ("ann", "bob"))
        assert f"task={names[0]}, worker={names[1]}, label={names[2]}" in said[0]
        with pytest.warns(SignalsWarning, match=f"`task='{names[0]}'`"):
            read_votes(source, Reading())
        # With the examples told, the other columns are found, too.
        assert read(source, task=names[0]).signals.names == ("ann", "bob")
    corral.label(path, output=tmp_path / "o.csv", task=names[0], worker=names[1],
                 label=names[2], error_rates=0.3)  # fmt: skip


@pytest.mark.parametrize(
    ("header", "rows", "why"),
    [
        ("task,worker,answer,label", ["t,a,x,x", "t,b,y,x"], "'answer'"),
        ("task,worker,answer", ["t,a,x", "u,a,y", "v,b,x"], "another 'task'"),
        (
            "task,worker,answer,rule",
            ["t,a,x,x", "t,b,y,", "u,a,x,y"],
            "'rule' may hold",
        ),
    ],
)
def test_what_may_be_long_is_refused_with_the_options_that_decide(
    header, rows, why, tmp_path
):
    path = write(tmp_path / "v.csv", [header, *rows])
    with pytest.raises(
        SignalsError, match="`task='task'`, `worker='worker'`"
    ) as caught:
        read(path)
    assert why in str(caught.value) or "label" in why


def test_labels_that_corral_wrote_are_not_votes(tmp_path):
    votes = write(tmp_path / "v.csv", ["id,a,b", "u,x,y", "v,y,y", "w,x,x", "z,y,"])
    corral.label(votes, id="id", output=tmp_path / "labels.csv", error_rates=0.3)
    found = read(tmp_path / "labels.csv", said := [])
    assert found.signals.names == ("a", "b")
    assert "label (written by corral)" in said[0]


def test_repeats_and_gaps_in_a_file(tmp_path):
    path = write(tmp_path / "v.csv", ["task,worker,label", "t,a,x", "t,a,y", "t,b,y",
                                      "u,,y", "u,b,x"])  # fmt: skip
    with pytest.warns(SignalsWarning) as caught:
        found = read(path, repeats="last", classes=["x", "y"])
    said = [str(warning.message).partition(": ")[2] for warning in caught]
    assert said[0] == "1 without 'worker'."
    assert said[1].startswith("0 that are equal, 1 before or after the last")
    assert found.signals.votes.tolist() == [[1, 1], [-1, 0]]
    several = write(tmp_path / "s.csv", ["task,worker,vote,answer", "t,a,x,y"])
    with pytest.raises(SignalsError, match="no column named 'label'"):
        read(several, task="task")
    wide = write(tmp_path / "w.csv", ["a,b", "x,y", "y,y"])
    with pytest.raises(ParameterError, match="goes with `task=`"):
        read(wide, repeats="last")


# -- true labels in a file of their own ------------------------------------------------


@pytest.fixture
def votes(tmp_path):
    rng = np.random.default_rng(0)
    said = np.array(["no", "yes"])[rng.integers(0, 2, (60, 3))]
    rows = [f"k{i},{','.join(row)}" for i, row in enumerate(said)]
    return write(tmp_path / "v.csv", ["key_id,a,b,c", *rows])


FORMS = {
    ".csv": "key_id,label\nk3,yes\nk1,no\nk2,\n",
    ".tsv": "key_id\tnotes\tgold\nk3\thm\tyes\nk1\t\tno\nk2\t\t\n",
    ".jsonl": '{"key_id": "k3", "human": "yes"}\n{"key_id": "k1", "human": "no"}\n'
    '{"key_id": "k2", "human": null}\n',
    ".json": '[{"row": 4, "y": "yes"}, {"row": 2, "y": "no"}, {"row": 3, "y": ""}]',
    "_names.csv": "item,verdict\nk3,yes\nk1,no\nk2,N/A\n",
    "_copies.csv": "row,votes,label\n4,a=yes,yes\n4,a=yes,yes\n2,,no\n3,,\n",
}


@pytest.mark.parametrize("ending", FORMS)
def test_forms_of_gold(votes, ending, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    path = tmp_path / f"gold{ending}"
    path.write_text(FORMS[ending])
    for by_row in (False, True):
        found = read(votes, said := [], gold=str(path), by_row=by_row)
        known = [(i, v) for i, v in enumerate(found.gold) if v is not None and v == v]
        assert sorted(v for _, v in known) == ["no", "yes"]
        if by_row:
            assert known == [(1, "no"), (3, "yes")]
        assert "true labels: 2 of gold" in said[0]
        assert "(1 without a label)" in said[0]
    found = read(pandas.read_csv(votes), gold=path)
    assert [i for i, v in enumerate(found.gold) if v is not None] == [1, 3]


BAD_GOLD = {
    "two labels of one row": ("key_id,label\nk1,yes\nk1,no\n", "two labels"),
    "all empty": ("key_id,label\nk1,\nk2,\n", "no label"),
    "other rows": ("key_id,label\nz,yes\n", "no row of"),
    "several rows": ("a,label\nyes,yes\n", "several rows"),
    "no names": ("label\nyes\n", "must name rows"),
    "which labels": ("key_id,x,z\nk1,yes,no\n", "one column of true labels"),
    "another class": ("key_id,label\nk1,maybe\n", "maybe"),
}


@pytest.mark.parametrize(("text", "message"), BAD_GOLD.values(), ids=BAD_GOLD)
def test_bad_gold(votes, text, message, tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(text)
    with pytest.raises((SignalsError, ParameterError), match=message):
        corral.label(votes, gold=path, output=tmp_path / "o.csv", id="key_id")
    assert not (tmp_path / "o.csv").exists()


def test_gold_of_rows_that_are_not_there(votes, tmp_path):
    path = write(tmp_path / "gold.csv", ["key_id,label", "k1,yes", "k77,no", "k78,no"])
    with pytest.warns(SignalsWarning, match=r"left out: 2, such as key_id='k77'"):
        found = read(votes, gold=path)
    assert sum(v is not None for v in found.gold) == 1
    with pytest.raises(SignalsError, match="there is no file"):
        read(votes, gold="missing.csv")
    with pytest.raises(ParameterError, match="no column is named 'missing'"):
        read(votes, gold="missing")


def test_gold_of_arrays_tasks_judges_and_tools(tmp_path):
    rows = write(tmp_path / "rows.csv", ["row,label", "2,1", "3,0"])
    found = read_votes([[0, 1], [1, 1], [0, 0]], Reading(), gold=rows)
    assert found.gold.tolist() == [None, 1, 0]
    long = write(tmp_path / "l.csv", ["task,worker,label", "1,a,x", "1,b,y", "2,a,y"])
    tasks = write(tmp_path / "tasks.csv", ["task,label", "1,x"])
    assert read(long, gold=tasks, task="task").gold.tolist() == ["x", None]
    lines = [{"id": i, "judge": j, "verdict": "pass" if i else "fail"}
             for i in range(3) for j in "ab"]  # fmt: skip
    judges = write(tmp_path / "j.jsonl", map(json.dumps, lines))
    for name in ("id", "task", "item_id"):
        human = write(tmp_path / "human.csv", [f"{name},human", "2,fail", "0,pass"])
        assert read(judges, judges=True, gold=human).gold.tolist() == [
            "pass",
            None,
            "fail",
        ]
    tool = [{"text": t, "label": [c]} for t, c in zip("pqr", "xyx", strict=True)]
    tool = write(tmp_path / "ann.json", [json.dumps(tool)])
    texts = write(tmp_path / "texts.csv", ["text,label", "q,x"])
    assert read(tool, gold=texts).gold.tolist() == [None, "x", None]


def test_gold_by_row_must_agree_with_the_texts(tmp_path):
    said = ["x is,1,0", ",1,1", "z is,0,0", "w is,0,1"]
    rows = ["row,text,label", "1,x is,1", "2,,0", "3,z is,"]
    form = write(tmp_path / "rows.csv", rows)
    votes = write(tmp_path / "v.csv", ["text,a,b", *said])
    turned = write(tmp_path / "t.csv", ["text,a,b", *said[::-1]])
    for by_row in (True, False):
        found = read(votes, gold=form, signals=["a", "b"], by_row=by_row)
        assert sorted(v for v in found.gold if v is not None and v == v) == [0, 1]
        with pytest.raises(SignalsError, match="sorted"):
            read(turned, gold=form, signals=["a", "b"], by_row=by_row)
    arena = write(tmp_path / "arena.csv", ["model_a,model_b,winner", "x,y,model_a"])
    with pytest.raises(SignalsError, match="corral rank"):
        read(arena)


def test_gold_is_written_as_votes_are(tmp_path):
    votes = write(tmp_path / "v.csv", ["id,a,b", "1,Pos,neg", "2,pos,pos", "3,neg,neg"])
    gold = write(tmp_path / "g.csv", ["id,label", "1,POS ", "3,neg"])
    found = read(votes, gold=gold, normalise=True, by_row=True, id="id")
    assert found.gold.tolist() == ["pos", None, "neg"]
    sets = write(tmp_path / "s.csv", ["id,a,b", "1,x;y,x", "2,y,y", "3,x,y"])
    gold = write(tmp_path / "t.csv", ["id,label", "1,x;y", "3,y"])
    found = read(sets, gold=gold, separator=";", id="id")
    np.testing.assert_array_equal(found.gold, [[1, 1], [np.nan, np.nan], [0, 1]])


# -- files ------------------------------------------------------------------------------


def test_workbooks(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is an optional extra")
    book = openpyxl.Workbook()
    rows = [["id", "a", "b"], ["x1", 1, 0], [], ["x2", None, 1], ["é", 0, 0]]
    for row in rows:
        book.active.append(row)
    book.save(path := tmp_path / "votes.xlsx")
    found = read(path, id="id", by_row=True)
    assert found.signals.votes.tolist() == [[1, 0], [-1, 1], [0, 0]]
    assert found.values["names"] == (["x1", "x2", "é"],)
    corral.label(path, id="id", output=tmp_path / "o.csv", error_rates=0.3)
    assert "é" in (tmp_path / "o.csv").read_text(encoding="utf-8")
    (tmp_path / "broken.xlsx").write_text("a,b")
    with pytest.raises(corral.errors.StorageError, match="Excel"):
        read(tmp_path / "broken.xlsx")


def test_a_json_list_is_a_table(tmp_path):
    rows = [{"id": i, "a": "x", "b": "xy"[i % 2]} for i in range(4)]
    path = tmp_path / "v.json"
    path.write_text(json.dumps(rows, indent=2))
    found = read(path, id="id")
    assert found.signals.names == ("a", "b")
    path.write_text('[{"a": 1,')
    with pytest.raises(SignalsError, match="cannot read"):
        read(path, id="id")
    with pytest.raises(ParameterError, match="files of text"):
        read([[0, 1], [1, 1]], encoding="cp1252")


def test_gold_is_what_people_said_and_not_what_was_predicted(tmp_path):
    votes = write(tmp_path / "votes.csv", ["id,m,n", "1,a,b", "2,b,b"])
    gold = write(tmp_path / "gold.csv", ["id,label,human", "1,a,b", "2,b,b"])
    with pytest.raises(SignalsError, match="one column of true labels"):
        read(votes, id="id", gold=gold)


def test_gold_that_is_called_like_no_vote_is_a_class_if_it_is_listed(tmp_path):
    votes = write(tmp_path / "votes.csv", ["id,m,n", "1,none,b", "2,b,b", "3,b,none"])
    gold = write(tmp_path / "gold.csv", ["id,label", "1,none", "2,b"])
    found = read(votes, id="id", classes=["none", "b"], gold=gold, by_row=True)
    assert found.gold.tolist() == ["none", "b", None]


def test_tasks_that_are_numbers_and_texts_keep_their_gold():
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    long = pandas.DataFrame(
        {
            "task": [1, 1, "s2", "s2"],
            "worker": ["a", "b", "a", "b"],
            "label": ["x", "y", "x", "x"],
            "human": ["x", "x", "y", "y"],
        }
    )
    found = read_votes(long, Reading(task="task"), gold="human")
    assert found.gold.tolist() == ["x", "y"]


def test_a_row_without_a_task_is_left_out_of_a_long_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    long = pandas.DataFrame(
        {
            "task": ["t1", None, "t2", "t2"],
            "worker": ["a", "a", "a", "b"],
            "label": ["x", "y", "y", "x"],
        }
    )
    with pytest.warns(SignalsWarning, match="left out"):
        found = corral.label(long, task="task")
    assert found["task"].tolist() == ["t1", "t2"]
