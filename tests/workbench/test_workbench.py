"""The workbench as a whole: what the page does, by the calls that it makes."""

import json
import threading

import duckdb
import numpy as np
import pytest

import corral
from corral.errors import CorralError, ParameterError, StaleVersionError, StorageError
from corral.functions import load_functions
from corral.io.files import VoteFiles
from corral.workbench import Rule, Workbench, session


def add_four(hands):
    hands.words("pos", "great")
    hands.words("neg", "bad", "awful")
    hands.words("pos", "wonderful")
    rule = {"kind": "column", "column": "stars", "values": dict.fromkeys("123", "neg")}
    return hands.act("add_rule", rule=rule)


def test_a_preview_tells_what_the_act_then_does(hands):
    hands.words("pos", "great")
    rule = Rule("words", "neg", words=("bad",))
    before = hands.bench.state()
    seen = hands.bench.preview(rule)
    assert hands.bench.state() == before
    after = hands.act("add_rule", rule=rule.to_dict())
    for key in ("covered", "conflicting", "only_this"):
        assert seen[key] == after["rules"][1][key]
    moved = sum(move["rows"] for move in seen["moves"])
    assert seen["changed"] == after["totals"]["changed"] == moved
    rows = seen["matching"]
    assert {r["text"][a:b].lower() for r in rows for a, b in r["spans"]} == {"bad"}


def test_a_preview_of_an_edit_is_in_place_of_the_rule(hands):
    add_four(hands)
    rule = {"kind": "words", "class": "neg", "words": ["boring"]}
    seen = hands.bench.preview(rule, replaces="r2")
    after = hands.act("edit_rule", rule="r2", to=rule)
    assert (seen["covered"], seen["changed"]) == (2, after["totals"]["changed"])
    assert [rule["name"] for rule in after["rules"]][1] == "boring"


def test_the_rows_behind_a_number_are_as_many(hands):
    state, bench = add_four(hands), hands.bench
    assert json.loads(json.dumps(state)) == state
    for rule in state["rules"]:
        for what in ("covered", "conflicting", "only"):
            found = bench.rows({"what": what, "rule": rule["id"]})
            assert found["total"] == rule["only_this" if what == "only" else what]
            assert all(rule["id"] in row["votes"] for row in found["rows"])
    for what in ("covered", "uncovered", "conflicting", "changed"):
        assert bench.rows({"what": what})["total"] == state["totals"][what]
    last = bench.rows({"what": "all"}, offset=8)
    assert (last["total"], [row["row"] for row in last["rows"]]) == (10, [8, 9])
    rows = bench.rows({"what": "uncertain"})["rows"]
    sure = [max(row["probabilities"].values()) for row in rows]
    assert sure == sorted(sure)


def test_one_row_says_which_rule_moved_its_label(hands):
    add_four(hands)
    row = hands.bench.row(1)
    assert (row["text"], row["cells"]) == ("Great cast, bad plot", {"stars": 4})
    assert row["spans"] == [[0, 5, "r1"], [12, 15, "r2"]]
    assert {part["rule"] for part in row["explanation"]} >= {"r1", "r2"}
    assert sum(abs(part["share"]) for part in row["explanation"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        *(("rows", selection) for selection in (
            None, [], {"what": "secret"}, {"what": []}, {"what": "covered", "rule": "r9"},
            {"what": "covered", "rule": []}, {"what": "only"}, {"what": "search"},
            {"what": "search", "words": 3}, {"what": "search", "words": " "},
            {"what": "listed"}, {"what": "listed", "rows": [10]},
        )),
        *(("row", row) for row in (10, -1, "1", None, True, 1.0)),
        *(("propose", words) for words in ("", "  ", "x" * 201, None, 3)),
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_refused(hands, method, given):
    with pytest.raises(CorralError):
        getattr(hands.bench, method)(given)


# -- versions and undo --------------------------------------------------------------


def test_a_late_act_is_refused(hands):
    hands.words("pos", "great")
    before = hands.bench.state()
    for version in (0, 99, None, "1", True):
        with pytest.raises(StaleVersionError):
            hands.bench.act({"what": "undo"}, version)
    assert hands.bench.state() == before


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
    hands.words("pos", "great", name="{great}")
    hands.words("neg", "bad", "cast")
    hands.words("pos", "wonderful")
    found = hands.act("set_rate", rule="r1", at_most=0.1)["feasibility"]
    assert found == {"message": "", "rules": []}
    found = hands.act("set_rate", rule="r2", rate=0.0)["feasibility"]
    assert found["rules"] == ["r1", "r2"]
    assert "error of '{great}' 0 to 0.1 (nearest" in found["message"]
    assert not hands.act("set_rate", rule="r2")["feasibility"]["rules"]


def test_a_share_that_answers_miss_is_told(many):
    assert many.act("set_balance", **{"class": "neg"}, at_least=0.4)["notes"] == []
    state = many.act("set_balance", **{"class": "neg"}, at_least=0.6)
    assert (state["feasibility"]["message"], state["shares"]["neg"]) == ("", 0.5)
    (note,) = state["notes"]
    assert "probabilities (60%)" in note
    assert "50% of the rows" in note


def test_a_column_votes_for_several_classes(tmp_path, open_hands):
    path = tmp_path / "llm.csv"
    rows = "good film here,YES,1\nbad film here,no,1\nso so,N/A,2\n" * 9
    path.write_text(f"text,llm,v\n{rows}")
    hands = open_hands(path, classes=("neg", "pos"))
    values = {"llm": {"N/A": 9, "YES": 9, "no": 9}, "v": {"1": 18, "2": 9}}
    assert hands.bench.columns() == values
    rule = {"kind": "column", "column": "llm", "values": {"YES": "pos", "no": "neg"}}
    assert hands.bench.preview(rule)["covered"] == 18
    hands.act("add_rule", rule=rule)
    assert hands.bench.row(1)["votes"] == {"r1": "neg"}
    state = hands.words("pos", "good")
    assert [rule["only_this"] for rule in state["rules"]] == [9, 0]
    assert hands.reopen().state()["rules"] == state["rules"]
    for wrong in ({"column": "none"}, {"values": {"YES": "other"}}):
        with pytest.raises(ParameterError):
            hands.bench.preview(rule | wrong)
    with pytest.raises(ParameterError, match="'neg'"):
        hands.act("set_classes", classes=["pos", "other"])


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
    assert state["hand_labels"]["accuracy"] is None
    assert state["hand_labels"]["why_not"]
    told = label(many, "random", 25)["hand_labels"]
    assert (told["random"], told["suggested"], told["measured"]) == (25, 15, 25)
    low, high = told["interval"]
    assert low < told["accuracy"] < high
    rows = many.bench.rows({"what": "labelled"})["rows"]
    drawn = [row for row in rows if row["hand"]["how"] == "random"]
    right = np.mean([row["label"] == many.truth[row["row"]] for row in drawn])
    assert told["accuracy"] == pytest.approx(right)


def test_rows_labelled_before_a_rule_was_changed_are_told(many):
    assert label(many, "random", 21)["hand_labels"]["note"] is None
    state = many.words("pos", "words")
    assert state["hand_labels"]["note"].startswith("21 of the random rows")
    assert many.act("undo")["hand_labels"]["note"] is None


def test_random_rows_never_teach(many):
    before = many.bench.state()["rules"]
    label(many, "random", 30)
    free = [rule["estimated"] for rule in before]
    assert [rule["estimated"] for rule in many.bench.state()["rules"]] == free
    state = label(many, "suggested", 20)
    assert [rule["estimated"] for rule in state["rules"]] != free


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
    assert state["hand_labels"]["random"] == 1
    state = many.act("label_row", row=first, **{"class": None})
    assert state["hand_labels"]["random"] == 0
    assert many.bench.ask("random")["row"] == first


def test_without_rules_only_random_rows_are_offered(hands):
    with pytest.raises(ParameterError):
        hands.bench.ask("suggested")
    seen = set()
    for _ in range(10):
        row = hands.bench.ask("random")["row"]
        seen.add(row)
        hands.act("label_row", row=row, how="random", **{"class": "neg"})
    assert seen == set(range(10))
    with pytest.raises(ParameterError):
        hands.bench.ask("random")


def test_a_classifier_says_what_it_contradicts(many):
    for _ in range(2):
        found = many.bench.train()
        assert {each["rule"] for each in found["rules"]} == {"r1", "r2"}
        for each in found["contradictions"]:
            row = many.bench.row(each["row"])
            known = row["hand"]["class"] if row["hand"] else row["label"]
            assert known != each["predicted"]
        label(many, "random", 30)
    assert found["true_labels"] == 30
    assert found["interval"][0] < found["accuracy"] < found["interval"][1]
    # One text in five is labelled by hand otherwise than by its words.
    assert found["contradictions"]


# -- proposals ----------------------------------------------------------------------


def test_a_rule_is_proposed_from_words(hands):
    hands.words("pos", "wonderful")
    hands.words("neg", "bad", "boring")
    found = hands.bench.propose(" Loved ")
    assert found["rule"] == {"kind": "words", "class": "pos", "words": ["Loved"]}
    assert found["covered"] == 1
    assert found["estimated_precision"] > 0.5
    unknown = hands.bench.propose("nothing")
    assert (unknown["rule"]["class"], unknown["estimated_precision"]) == (None, None)
    assert hands.bench.preview(found["rule"])["covered"] == 1


def test_rows_without_a_vote_show_their_words_and_groups(tmp_path, open_hands):
    path = tmp_path / "topics.csv"
    texts = ["parcel late again", "refund my money", "hello there"] * 40
    path.write_text("\n".join(["text", *texts]))
    hands = open_hands(path, classes=("a", "b"))
    hands.words("a", "hello")
    found = hands.bench.topics()
    assert (found["rows"], found["looked_at"]) == (80, 80)
    shares = {each["word"]: each["share"] for each in found["words"]}
    assert shares == dict.fromkeys(["parcel", "late", "refund", "money"], 0.5)
    for group in found["groups"]:
        rows = hands.bench.rows({"what": "listed", "rows": group["rows"]})["rows"]
        assert [row["row"] for row in rows] == group["rows"]
        assert {row["text"] for row in rows} < set(texts)
        assert all(word in rows[0]["text"] for word in group["words"][:2])
    hands.words("b", "parcel", "refund")
    assert hands.bench.topics()["words"] == []


def test_part_of_a_word_becomes_a_pattern(hands):
    found = hands.bench.propose("reatnes")
    assert found["rule"]["kind"] == "regex"
    assert found["covered"] == 1


# -- exports ------------------------------------------------------------------------


def rows_of(path):
    table = VoteFiles(path)
    return [dict(zip(table.columns, cells, strict=True)) for cells in table.read_rows()]


def votes_of(hands):
    snapshot = hands.bench._snapshot
    return snapshot.codes[snapshot.row_of]


STRANGE = [
    {"kind": "words", "class": "it's", "words": ["it's", "\u00e9t\u00e9", "<b>", "\\"]},
    {"kind": "words", "class": 'b"\\', "words": ["\u017f", "a\nb"], "name": 'lines\'\n"""'},
    {"kind": "regex", "class": "it's", "pattern": "(?i)caf\u00e9|\\d+/10|'\""},
    {"kind": "column", "column": "stars", "values": {"0.5": "it's", "2.0": 'b"\\'}},
]  # fmt: skip


@pytest.fixture
def strange(tmp_path, open_hands):
    """Rules and texts that are hard to write down."""
    texts = ['it\'s "great" \\ \u202e', "L'\u00c9T\u00c9 caf\u00e9", "a\nb\tc"]
    texts += ["<b>", "\u0130\u0131 \u017f", "", "100% 5/10", None]
    path = tmp_path / "strange.parquet"
    rows = [[text, i / 2] for i, text in enumerate(texts)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (text VARCHAR, stars DOUBLE)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    hands = open_hands(path, classes=("it's", 'b"\\'))
    for rule in STRANGE:
        hands.act("add_rule", rule=rule)
    return hands


def test_exported_functions_vote_exactly_as_the_page(strange, tmp_path, open_hands):
    path = strange.bench.export("functions", tmp_path / "rules.py")
    classes, votes = strange.bench.state()["classes"], votes_of(strange)
    signals = corral.apply(load_functions(path), rows_of(strange.path), classes=classes)
    assert (votes >= 0).any(axis=0).all()
    assert (np.asarray(signals.votes) == votes).all()

    place = tmp_path / "again.json"
    again = open_hands(strange.path, project=place, functions=path, classes=classes)
    assert [rule["editable"] for rule in again.bench.state()["rules"]] == [False] * 4
    assert (votes_of(again) == votes).all()
    state = again.words("it's", "b")
    assert state["rules"][-1]["id"] == "r1"
    both = load_functions(again.bench.export("functions", tmp_path / "both.py"))
    assert [f.name for f in both] == [r["name"] for r in state["rules"]]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_votes_and_labels_are_written_beside_the_rows(hands, tmp_path, kind):
    add_four(hands)
    by_hand = {0: "neg", 2: "neg", 7: "pos"}  # a rule says pos; neg; nothing
    for row, class_ in by_hand.items():
        hands.act("label_row", row=row, how="random", **{"class": class_})
    votes = rows_of(hands.bench.export("votes", tmp_path / f"votes.{kind}"))
    labels = rows_of(hands.bench.export("labels", tmp_path / f"labels.{kind}"))
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


def test_a_column_that_is_there_keeps_its_name(tmp_path, open_hands):
    path = tmp_path / "gold.csv"
    path.write_text("text,Label\na good one,x\na bad one,y\n")
    hands = open_hands(path, classes=("neg", "pos"))
    hands.words("pos", "good")
    row, _ = rows_of(hands.bench.export("labels", tmp_path / "labels.csv"))
    assert (row["Label"], row["corral_label"]) == ("x", "pos")


def test_the_report_has_the_rules_by_name(hands, tmp_path):
    add_four(hands)
    page = hands.bench.export("report", tmp_path / "report.html").read_text()
    assert "bad, awful" in page
    assert "reviews.csv" in page


@pytest.mark.parametrize(
    ("what", "name", "rules"),
    [
        ("functions", "f.py", False),
        ("votes", "v.csv", False),
        ("labels", "l.csv", False),
        ("report", "r.html", False),
        ("votes", "v.py", True),
        ("secret", "v.csv", True),
        ("report", "r.csv", True),
        ("labels", "../reviews.csv", True),
        ("votes", "../reviews.corral.json", True),
    ],
)
def test_what_cannot_be_exported_leaves_all_files_alone(
    hands, tmp_path, what, name, rules
):
    if rules:
        add_four(hands)
    (tmp_path / "out").mkdir()
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    with pytest.raises(CorralError):
        hands.bench.export(what, tmp_path / "out" / name)
    assert not list((tmp_path / "out").iterdir())
    assert before == {f: f.read_bytes() for f in tmp_path.iterdir() if f.is_file()}


# -- opening --------------------------------------------------------------------------


def test_what_cannot_be_opened_is_told(reviews, tmp_path):
    soft = tmp_path / "soft.py"
    soft.write_text(
        "import corral\n@corral.signal\ndef soft(row):\n"
        "    return ('pos', 0.8) if row['stars'] else ('neg', 0.7)\n"
    )
    two_texts = tmp_path / "two.csv"
    two_texts.write_text("a,b\none two three,four five six\n")
    for path, options in (
        (reviews, {"text": "nothing"}),
        (reviews, {"text": "stars"}),
        (two_texts, {"text": None}),
        (tmp_path / "missing.csv", {}),
        (reviews, {"classes": ("pos",)}),
        (reviews, {"functions": soft}),
    ):
        with pytest.raises(CorralError):
            Workbench.open(path, **{"text": "text", **options})
    bench = Workbench.open(reviews)  # the only column of texts; and nothing is locked
    assert bench.rows({"what": "search", "words": "great cast"})["total"] == 1
    bench.close()


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
    assert (np.asarray(signals.votes) == votes_of(hands)).all()


def test_functions_must_not_lose_their_classes(reviews, tmp_path, open_hands):
    file = tmp_path / "third.py"
    file.write_text(
        "from corral.functions import keywords\n"
        "rules = [keywords('text', 'great', 'pos'), keywords('text', 'bad', 'odd')]\n"
    )
    hands = open_hands(reviews, classes=("neg", "pos"))
    hands.bench.close()
    with pytest.raises(ParameterError, match="odd"):
        Workbench.open(reviews, text="text", functions=file)
    hands.reopen(functions=file, classes=("neg", "pos", "odd"))
    with pytest.raises(ParameterError, match="odd"):
        hands.act("undo")
    assert hands.bench.state()["classes"] == ["neg", "pos", "odd"]


# -- large data -------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path, open_hands, monkeypatch):
    monkeypatch.setattr(session, "SAMPLE_ROWS", 200)
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
    found = bench.rows({"what": "covered", "rule": "r1"})
    assert found["total"] == state["totals"]["covered"]
    large.words("neg", "bad")
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


def test_an_export_follows_a_version_that_overtakes_it(large, tmp_path, monkeypatch):
    large.words("pos", "great")
    assert large.bench.wait(60)
    taken = session.take_snapshot
    first, overtaken = threading.Event(), threading.Event()

    def take_late(project, search, *given, **options):
        if search is not large.bench._search and not first.is_set():
            first.set()
            overtaken.wait(60)
        return taken(project, search, *given, **options)

    monkeypatch.setattr(session, "take_snapshot", take_late)
    large.words("neg", "bad")
    first.wait(60)
    path = tmp_path / "votes.csv"
    thread = threading.Thread(target=large.bench.export, args=("votes", path))
    thread.start()
    large.words("pos", "film")
    overtaken.set()
    thread.join(60)
    assert not thread.is_alive()
    votes = rows_of(path)
    assert [row["rule_bad"] for row in votes] == [
        None if i % 3 else "neg" for i in range(1000)
    ]
    assert "rule_film" in votes[0]


def test_a_closed_workbench_exports_nothing_and_leaves_no_thread(large, tmp_path):
    large.words("pos", "great")
    large.bench.close()
    assert not any("corral workbench" in t.name for t in threading.enumerate())
    with pytest.raises(StorageError, match="closed"):
        large.bench.export("votes", tmp_path / "votes.csv")
