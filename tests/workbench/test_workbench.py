"""The workbench as a whole: what the page does, by the calls that it makes."""

import json
import threading

import numpy as np
import pytest

import corral
from corral.errors import (
    CorralError,
    ParameterError,
    StaleVersionError,
    StorageError,
)
from corral.functions import load_functions
from corral.io.files import VoteFiles
from corral.workbench import Rule, Workbench, workbench
from corral.workbench.background import Completion


def add_four(hands):
    hands.words("pos", "great")
    hands.words("neg", "bad", "awful")
    hands.words("pos", "wonderful")
    rule = {"kind": "threshold", "class": "neg", "column": "stars", "below": 4}
    return hands.act("add_rule", rule=rule)


def test_a_preview_tells_what_the_act_then_does(hands):
    hands.words("pos", "great")
    rule = Rule("words", "neg", words=("bad",))
    before = hands.bench.state()
    seen = hands.bench.preview(rule)
    assert hands.bench.state() == before
    after = hands.act("add_rule", rule=rule.to_dict())
    made = after["rules"][1]
    for key in ("covered", "conflicting", "only_this"):
        assert seen[key] == made[key]
    assert seen["changed"] == after["totals"]["changed"]
    assert seen["shares"] == after["shares"]
    assert sum(move["rows"] for move in seen["moves"]) == seen["changed"]
    shown = [
        row["text"][a:b].lower() for row in seen["matching"] for a, b in row["spans"]
    ]
    assert set(shown) == {"bad"}


def test_a_preview_of_an_edit_is_in_place_of_the_rule(hands):
    add_four(hands)
    seen = hands.bench.preview(Rule("words", "neg", words=("boring",)), replaces="r2")
    after = hands.act(
        "edit_rule",
        rule="r2",
        to={"kind": "words", "class": "neg", "words": ["boring"]},
    )
    assert (seen["covered"], seen["changed"]) == (2, after["totals"]["changed"])
    assert [rule["name"] for rule in after["rules"]][1] == "boring"


def test_the_state_is_json(hands):
    state = add_four(hands)
    assert json.loads(json.dumps(state)) == state
    assert json.loads(json.dumps(hands.bench.row(1))) == hands.bench.row(1)


@pytest.mark.parametrize("key", ["covered", "conflicting", "only"])
def test_the_rows_behind_a_number_are_as_many(hands, key):
    state = add_four(hands)
    for rule in state["rules"]:
        found = hands.bench.rows({"what": key, "rule": rule["id"]})
        assert found["total"] == rule["only_this" if key == "only" else key]
        assert all(rule["id"] in row["votes"] for row in found["rows"])


def test_totals_and_their_rows(hands):
    state = add_four(hands)
    for what in ("covered", "uncovered", "conflicting", "undecided", "changed"):
        assert hands.bench.rows({"what": what})["total"] == state["totals"][what]
    assert hands.bench.rows({"what": "all"}, offset=8)["total"] == 10
    assert [r["row"] for r in hands.bench.rows({"what": "all"}, offset=8)["rows"]] == [
        8,
        9,
    ]
    sure = [
        max(r["probabilities"].values())
        for r in hands.bench.rows({"what": "uncertain"})["rows"]
    ]
    assert sure == sorted(sure)


def test_search_finds_words_and_highlights_them(hands):
    found = hands.bench.rows({"what": "search", "words": "GREAT"})
    assert [row["row"] for row in found["rows"]] == [0, 1]
    assert found["rows"][0]["spans"] == [[2, 7, ""], [21, 26, ""]]


def test_one_row_says_which_rule_moved_its_label(hands):
    add_four(hands)
    row = hands.bench.row(1)
    assert row["text"] == "Great cast, bad plot"
    assert row["cells"] == {"stars": 4}
    assert row["spans"] == [[0, 5, "r1"], [12, 15, "r2"]]
    assert {part["rule"] for part in row["explanation"]} >= {"r1", "r2"}
    assert sum(abs(part["share"]) for part in row["explanation"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "selection",
    [None, [], {"what": "secret"}, {"what": []}, {"what": "covered", "rule": "r9"},
     {"what": "covered", "rule": []}, {"what": "only"}, {"what": "search"},
     {"what": "search", "words": 3}, {"what": "search", "words": " "}],
)  # fmt: skip
def test_what_is_no_selection_is_refused(hands, selection):
    with pytest.raises(CorralError):
        hands.bench.rows(selection)


@pytest.mark.parametrize("row", [10, -1, "1", None, True, 1.0])
def test_what_is_no_row_is_refused(hands, row):
    with pytest.raises(ParameterError):
        hands.bench.row(row)


# -- versions and undo --------------------------------------------------------------


def test_a_late_act_is_told_what_happened(hands):
    hands.words("pos", "great")
    before = hands.bench.state()
    with pytest.raises(StaleVersionError, match="add rule great"):
        hands.bench.act({"what": "undo"}, 0)
    for version in (99, None, "1", True):
        with pytest.raises(StaleVersionError):
            hands.bench.act({"what": "undo"}, version)
    assert hands.bench.state() == before


def test_undo_and_redo_survive_closing(hands):
    add_four(hands)
    full = hands.bench.state()
    hands.act("undo")
    hands.reopen()
    state = hands.bench.state()
    assert state["can_redo"] == "add rule stars < 4"
    assert len(state["rules"]) == 3
    state = hands.act("redo")
    again = {k: v for k, v in state.items() if k not in ("version", "saved")}
    assert again == {k: v for k, v in full.items() if k not in ("version", "saved")}
    for _ in range(4):
        hands.act("undo")
    assert hands.bench.state()["rules"] == []
    with pytest.raises(ParameterError, match="nothing to undo"):
        hands.act("undo")


def test_acts_at_the_same_time_are_done_one_after_the_other(hands):
    done, refused = [], []

    def add(word):
        rule = {"kind": "words", "class": "pos", "words": [word]}
        try:
            done.append(hands.bench.act({"what": "add_rule", "rule": rule}, 0))
        except StaleVersionError as error:
            refused.append(error)

    threads = [threading.Thread(target=add, args=(word,)) for word in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(done), len(refused)) == (1, 5)
    assert len(hands.reopen().state()["rules"]) == 1


# -- what is asked of labels -----------------------------------------------------------


def test_what_cannot_hold_together_is_named(hands):
    hands.words("pos", "great")
    hands.words("neg", "bad", "cast")
    hands.words("pos", "wonderful")
    assert hands.act("set_rate", rule="r1", at_most=0.1)["feasibility"]["ok"]
    state = hands.act("set_rate", rule="r2", rate=0.0)
    assert not state["feasibility"]["ok"]
    assert state["feasibility"]["rules"] == ["r1", "r2"]
    assert "'great' at most 0.1 wrong" in state["feasibility"]["message"]
    assert hands.act("set_rate", rule="r2")["feasibility"]["ok"]


def test_shares_of_classes_may_clash_with_a_rate(hands):
    hands.words("pos", "great", "bad", "boring", "wonderful", "nothing", "not")
    hands.words("neg", "awful")
    hands.act("set_rate", rule="r1", at_most=0.0)
    state = hands.act("set_balance", **{"class": "pos"}, at_most=0.2)
    assert state["feasibility"]["classes"] == ["pos"]
    assert state["feasibility"]["rules"] == ["r1"]
    assert state["balance"] == {"pos": {"at_most": 0.2}}


def test_labels_follow_a_rate(hands):
    hands.words("pos", "great")
    hands.words("neg", "bad", "awful")
    (before,) = [r["error"] for r in hands.bench.state()["rules"] if r["id"] == "r1"]
    state = hands.act("set_rate", rule="r1", rate=0.45)
    assert before != pytest.approx(0.45, abs=0.02)
    assert state["rules"][0]["error"] == pytest.approx(0.45, abs=0.02)
    assert state["rules"][0]["asked"] == {"rate": 0.45}


# -- labels by hand ---------------------------------------------------------------------


@pytest.fixture
def many(tmp_path, open_hands):
    """300 short texts whose first word is their class, mostly."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["neg", "pos"], 300)
    other = np.where(truth == "neg", "pos", "neg")
    said = np.where(rng.random(300) < 0.2, other, truth)
    path = tmp_path / "many.jsonl"
    lines = [json.dumps({"text": f"{s} words", "n": i}) for i, s in enumerate(said)]
    path.write_text("\n".join(lines))
    hands = open_hands(path, classes=("neg", "pos"))
    hands.words("neg", "neg")
    hands.words("pos", "pos")
    hands.truth = truth.tolist()
    return hands


def label(hands, how, n):
    for _ in range(n):
        row = hands.bench.ask(how)
        assert row["how"] == how
        assert row["hand"] is None
        state = hands.act(
            "label_row", row=row["row"], how=how, **{"class": hands.truth[row["row"]]}
        )
    return state


def test_accuracy_comes_from_random_rows_alone(many):
    state = label(many, "suggested", 15)
    assert "Suggested rows do not count" in state["hand_labels"]["why_not"]
    assert state["hand_labels"]["accuracy"] is None
    state = label(many, "random", 25)
    told = state["hand_labels"]
    assert (told["random"], told["suggested"], told["measured"]) == (25, 15, 25)
    low, high = told["interval"]
    assert low < told["accuracy"] < high
    entries = many.bench._snapshot.project.section("hand_labels")
    drawn = [int(row) for row, entry in entries.items() if entry["how"] == "random"]
    rows = [many.bench.row(row) for row in drawn]
    right = np.mean([row["label"] == many.truth[row["row"]] for row in rows])
    assert told["accuracy"] == pytest.approx(right)


def test_rows_labelled_before_a_rule_was_changed_are_told(many):
    assert label(many, "random", 21)["hand_labels"]["note"] is None
    state = many.words("pos", "words")
    assert state["hand_labels"]["note"].startswith("21 of the random rows")
    assert many.act("undo")["hand_labels"]["note"] is None


def test_random_rows_never_teach(many):
    before = many.bench._snapshot.evaluation.labels
    label(many, "random", 30)
    assert np.allclose(many.bench._snapshot.evaluation.labels, before)
    state = label(many, "suggested", 20)
    assert state["hand_labels"]["teaching"]
    assert not np.allclose(many.bench._snapshot.evaluation.labels, before)


def test_wrong_votes_are_counted_and_shown(many):
    state = label(many, "random", 30)
    for rule in state["rules"]:
        rows = many.bench.rows({"what": "wrong", "rule": rule["id"]})
        assert rows["total"] == rule["wrong"]
        assert rule["hand_labelled"] >= rule["wrong"]
        assert all(row["hand"]["class"] != rule["class"] for row in rows["rows"])
    assert many.bench.rows({"what": "labelled"})["total"] == 30


def test_a_row_can_be_skipped_and_a_label_taken_back(many):
    first = many.bench.ask("random")["row"]
    assert many.bench.ask("random", skip=[first])["row"] != first
    many.act("label_row", row=first, how="random", **{"class": "neg"})
    state = many.act("label_row", row=first, how="chosen", **{"class": "pos"})
    assert (state["hand_labels"]["random"], state["hand_labels"]["chosen"]) == (1, 0)
    state = many.act("label_row", row=first, **{"class": None})
    assert state["hand_labels"]["random"] == 0
    assert many.bench.ask("random")["row"] == first


def test_without_rules_only_random_rows_are_offered(hands):
    with pytest.raises(ParameterError, match="as long as no rule votes"):
        hands.bench.ask("suggested")
    seen = set()
    for _ in range(10):
        row = hands.bench.ask("random")["row"]
        seen.add(row)
        hands.act("label_row", row=row, how="random", **{"class": "neg"})
    assert seen == set(range(10))
    with pytest.raises(ParameterError, match="every row has a hand label"):
        hands.bench.ask("random")


# -- proposals ----------------------------------------------------------------------


def test_a_rule_is_proposed_from_words(hands):
    hands.words("pos", "wonderful")
    hands.words("neg", "bad", "boring")
    found = hands.bench.propose(" Loved ")
    assert found["rule"] == {"kind": "words", "class": "pos", "words": ["Loved"]}
    assert (found["covered"], found["new"], found["estimated_on"]) == (1, 0, 1)
    assert found["estimated_precision"] > 0.5
    unknown = hands.bench.propose("nothing")
    assert (unknown["rule"]["class"], unknown["estimated_precision"]) == (None, None)
    assert hands.bench.preview(found["rule"])["covered"] == 1


def test_part_of_a_word_becomes_a_pattern(hands):
    found = hands.bench.propose("reatnes")
    assert found["rule"]["kind"] == "regex"
    assert found["covered"] == 1


@pytest.mark.parametrize("words", ["", "  ", "x" * 201, None, 3])
def test_what_is_no_selection_of_words_is_refused(hands, words):
    with pytest.raises(ParameterError):
        hands.bench.propose(words)


# -- exports ------------------------------------------------------------------------


def rows_of(path):
    table = VoteFiles(path)
    return [dict(zip(table.columns, cells, strict=True)) for cells in table.read_rows()]


@pytest.fixture
def strange(tmp_path, open_hands):
    """Rules and texts that are hard to write down."""
    texts = [
        'it\'s "great" \\ \u202e',
        "L'\u00c9T\u00c9 caf\u00e9",
        "a\nb\tc",
        "<script>",
        "\u0130\u0131 \u017f",
        "",
        "100% 5/10",
    ]
    path = tmp_path / "strange.parquet"
    with VoteFiles(_any(tmp_path))._connection as connection:
        connection.execute("CREATE TABLE t (text VARCHAR, stars DOUBLE)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?)",
            [[t, i / 2] for i, t in enumerate([*texts, None])],
        )
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    hands = open_hands(path, classes=("it's", 'b"\\'))
    for rule in [
        {
            "kind": "words",
            "class": "it's",
            "words": ["it's", "\u00e9t\u00e9", "<script>", "\\"],
        },
        {
            "kind": "words",
            "class": 'b"\\',
            "words": ["\u017f", "a\nb"],
            "name": 'lines\'\n"""',
        },
        {"kind": "regex", "class": "it's", "pattern": "(?i)caf\u00e9|\\d+/10|'\""},
        {
            "kind": "threshold",
            "class": 'b"\\',
            "column": "stars",
            "above": 0.5,
            "below": 2.5,
        },
    ]:
        hands.act("add_rule", rule=rule)
    return hands


def _any(folder):
    path = folder / "any.csv"
    path.write_text("text,b\nx,y\n")
    return path


def test_exported_functions_vote_exactly_as_the_page(strange, tmp_path):
    path = strange.bench.export("functions", tmp_path / "rules.py")
    signals = corral.apply(
        load_functions(path), rows_of(strange.path), classes=("it's", 'b"\\')
    )
    shown = strange.bench._snapshot.evaluation.votes
    assert (shown >= 0).any(axis=0).all()
    assert (np.asarray(signals.votes) == shown).all()


def test_exported_functions_can_be_opened_again(strange, tmp_path):
    path = strange.bench.export("functions", tmp_path / "rules.py")
    votes = strange.bench._snapshot.evaluation.votes
    again = Workbench.open(
        strange.path,
        text="text",
        project=tmp_path / "again.json",
        functions=path,
        classes=("it's", 'b"\\'),
    )
    try:
        state = again.state()
        assert [rule["editable"] for rule in state["rules"]] == [False] * 4
        assert (again._snapshot.evaluation.votes == votes).all()
        more = {"kind": "words", "class": "it's", "words": ["b"]}
        state = again.act({"what": "add_rule", "rule": more}, 0)
        assert [rule["id"] for rule in state["rules"]][-1] == "r1"
        both = again.export("functions", tmp_path / "both.py")
        assert [f.name for f in load_functions(both)] == [
            r["name"] for r in state["rules"]
        ]
    finally:
        again.close()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_votes_and_labels_are_written_beside_the_rows(hands, tmp_path, kind):
    add_four(hands)
    by_hand = {0: "neg", 2: "neg", 7: "pos"}  # a rule says pos; neg; nothing
    for row, class_ in by_hand.items():
        hands.act("label_row", row=row, how="random", **{"class": class_})
    votes = rows_of(hands.bench.export("votes", tmp_path / f"votes.{kind}"))
    labels = rows_of(hands.bench.export("labels", tmp_path / f"labels.{kind}", kind))
    for row in range(10):
        shown = hands.bench.row(row)
        names = {r["id"]: r["name"] for r in hands.bench.state()["rules"]}
        said = {
            k.removeprefix("rule_"): v
            for k, v in votes[row].items()
            if k.startswith("rule_") and v
        }
        assert said == {names[i]: c for i, c in shown["votes"].items()}
        given = by_hand.get(row)
        assert (labels[row]["label"] or None) == (given or shown["label"])
        pos = shown["probabilities"]["pos"] if given is None else float(given == "pos")
        assert labels[row]["p_pos"] == pytest.approx(pos)
        if given is not None:
            assert labels[row]["confidence"] == 1
            assert labels[row]["covered"] in (True, "true")
    for table in (votes, labels):
        hand = {i: row["hand_label"] for i, row in enumerate(table)}
        assert {i: said for i, said in hand.items() if said} == by_hand


def test_the_report_has_the_rules_by_name(hands, tmp_path):
    add_four(hands)
    page = hands.bench.export("report", tmp_path / "report.html").read_text()
    assert "bad, awful" in page
    assert "reviews.csv" in page


def test_a_report_is_made_while_no_other_fit_catches_warnings(
    hands, tmp_path, monkeypatch
):
    from corral.workbench import evaluation, exports

    held = []

    def report(*given, **options):
        held.append(evaluation.ONE_FIT.locked())
        return make(*given, **options)

    make = exports.report
    monkeypatch.setattr(exports, "report", report)
    add_four(hands)
    hands.bench.export("report", tmp_path / "report.html")
    assert held == [True]
    assert not evaluation.ONE_FIT.locked()


@pytest.mark.parametrize("what", ["functions", "votes", "labels", "report"])
def test_nothing_is_exported_before_there_is_a_rule(hands, tmp_path, what):
    ending = {"functions": "py", "report": "html"}.get(what, "csv")
    with pytest.raises(ParameterError, match="cannot be exported"):
        hands.bench.export(what, tmp_path / f"out.{ending}")
    assert not (tmp_path / f"out.{ending}").exists()


@pytest.mark.parametrize(
    ("what", "name", "kind"),
    [
        ("votes", "v.py", None),
        ("secret", "v.csv", None),
        ("labels", "v.csv", "parquet"),
        ("report", "r.csv", None),
    ],
)
def test_an_export_of_another_kind_is_refused(hands, tmp_path, what, name, kind):
    add_four(hands)
    with pytest.raises(ParameterError):
        hands.bench.export(what, tmp_path / name, kind)


def test_the_data_are_never_written_to(hands):
    add_four(hands)
    before = hands.path.read_bytes()
    for place in (hands.path, hands.path.parent / "nothing" / ".." / hands.path.name):
        with pytest.raises(CorralError):
            hands.bench.export("labels", place)
    assert hands.path.read_bytes() == before


# -- opening --------------------------------------------------------------------------


def test_what_cannot_be_opened_is_told(reviews, tmp_path):
    with pytest.raises(ParameterError, match="names no column"):
        Workbench.open(reviews, text="nothing")
    with pytest.raises(CorralError, match="not texts"):
        Workbench.open(reviews, text="stars")
    with pytest.raises(CorralError, match="no file"):
        Workbench.open(tmp_path / "missing.csv", text="text")
    with pytest.raises(ParameterError, match="2 to 100 different names"):
        Workbench.open(reviews, text="text", classes=("pos",))
    Workbench.open(reviews, text="text").close()  # nothing is locked


def test_functions_with_probabilities_are_refused(reviews, tmp_path):
    file = tmp_path / "soft.py"
    file.write_text(
        "import corral\n@corral.signal\ndef soft(row):\n"
        "    return ('pos', 0.8) if row['stars'] else ('neg', 0.7)\n"
    )
    with pytest.raises(CorralError, match="give probabilities"):
        Workbench.open(reviews, text="text", functions=file)


def test_functions_may_name_classes_by_numbers(reviews, tmp_path, open_hands):
    file = tmp_path / "numbers.py"
    file.write_text(
        "from corral.functions import keywords\n"
        "rules = [keywords('text', 'great', 1), keywords('text', 'bad', 0)]\n"
    )
    hands = open_hands(reviews, functions=file)
    assert hands.bench.state()["classes"] == ["0", "1"]
    hands.words("1", "wonderful")
    exported = hands.bench.export("functions", tmp_path / "out.py")
    signals = corral.apply(load_functions(exported), rows_of(reviews))
    assert signals.classes.tolist() == [0, 1]
    assert (np.asarray(signals.votes) == hands.bench._snapshot.evaluation.votes).all()


def test_functions_must_not_lose_their_classes(reviews, tmp_path, open_hands):
    file = tmp_path / "third.py"
    file.write_text(
        "from corral.functions import keywords\n"
        "rules = [keywords('text', 'great', 'pos'), keywords('text', 'bad', 'odd')]\n"
    )
    hands = open_hands(reviews, classes=("neg", "pos"))
    hands.bench.close()
    with pytest.raises(ParameterError, match="must have 'odd', which a function needs"):
        Workbench.open(reviews, text="text", functions=file)
    hands.reopen(functions=file, classes=("neg", "pos", "odd"))
    with pytest.raises(ParameterError, match="must have 'odd'"):
        hands.act("undo")
    assert hands.bench.state()["classes"] == ["neg", "pos", "odd"]


# -- large data -------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path, open_hands, monkeypatch):
    monkeypatch.setattr(workbench, "SAMPLE", 200)
    path = tmp_path / "large.csv"
    lines = [
        f"row {i} {'great' if i % 3 else 'bad'} {'film' if i % 2 else ''},{i}"
        for i in range(1000)
    ]
    path.write_text("text,n\n" + "\n".join(lines))
    return open_hands(path, classes=("neg", "pos"))


def test_large_data_are_answered_from_a_sample_and_completed(large):
    bench = large.bench
    state = large.words("pos", "great")
    assert state["data"]["sampled"] == 200
    assert state["working"]
    assert state["totals"]["rows"] == 200
    seen = bench.preview(Rule("words", "neg", words=("bad",)))
    assert (seen["sampled"], seen["rows"]) == (200, 200)
    assert bench.wait(60)
    state = bench.state()
    assert (state["data"]["sampled"], state["working"]) == (None, False)
    assert state["rules"][0]["covered"] == sum(i % 3 != 0 for i in range(1000))
    assert (
        bench.rows({"what": "covered", "rule": "r1"})["total"]
        == state["totals"]["covered"]
    )
    state = large.words("neg", "bad")
    assert bench.wait(60)
    assert bench.state()["totals"]["covered"] == 1000


def test_a_row_outside_the_sample_is_shown_at_once(large):
    large.words("pos", "great")
    sampled = set(large.bench._search.rows.tolist())
    outside = next(i for i in range(1000) if i not in sampled)
    row = large.bench.row(outside)
    assert row["text"].startswith(f"row {outside} ")
    assert large.bench.wait(60)
    assert "votes" in large.bench.row(outside)


def test_exports_of_large_data_have_all_rows(large, tmp_path):
    large.words("pos", "great")
    large.words("neg", "bad")
    labels = rows_of(large.bench.export("labels", tmp_path / "labels.csv"))
    assert [row["label"] for row in labels] == [
        "pos" if i % 3 else "neg" for i in range(1000)
    ]


def test_an_export_does_not_wait_for_a_version_that_was_overtaken(
    large, tmp_path, monkeypatch
):
    large.words("pos", "great")
    begin, wait = threading.Event(), Completion.wait

    def wait_late(self, version, seconds=None):
        begin.set()
        overtaken.wait()
        return wait(self, version, seconds)

    overtaken = threading.Event()
    monkeypatch.setattr(Completion, "wait", wait_late)
    path = tmp_path / "votes.csv"
    thread = threading.Thread(target=large.bench.export, args=("votes", path))
    thread.start()
    begin.wait()
    large.words("neg", "bad")
    monkeypatch.setattr(Completion, "wait", wait)
    assert large.bench.wait(60)
    overtaken.set()
    thread.join(20)
    assert not thread.is_alive()
    votes = rows_of(path)
    assert [row["rule_bad"] for row in votes] == [
        None if i % 3 else "neg" for i in range(1000)
    ]


def test_a_closed_workbench_exports_nothing(large, tmp_path, monkeypatch):
    monkeypatch.setattr(Completion, "find", lambda *_: None)
    large.bench.close()
    large.bench._completion._found = None
    with pytest.raises(StorageError, match="was closed; nothing was exported"):
        large.bench.export("votes", tmp_path / "votes.csv")


def test_a_closed_workbench_leaves_no_thread(large):
    large.words("pos", "great")
    large.bench.close()
    assert not any(t.name == "corral workbench" for t in threading.enumerate())
