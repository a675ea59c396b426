"""Files of judges' answers: votes, shares, refusals and what is counted."""

import json
import math

import numpy as np
import pytest

import corral
from corral.errors import CorralError, SignalsError, SignalsWarning
from corral.exchange import recognise


@pytest.fixture
def read(tmp_path):
    def call(*lines, **options):
        path = tmp_path / "answers.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        return corral.read_judges(path, **options)

    return call


def line(id, judge, verdict=None, **others):
    return {"id": id, "judge": judge, "verdict": verdict, **others}


def test_votes_are_votes_and_spellings_do_not_matter(read):
    found = read(
        line("x", "a", "pass"), line("x", "b", "Fail."), line("y", "b", "pass")
    )
    assert found.signals.votes.tolist() == [[1, 0], [-1, 1]]
    assert found.signals.index.tolist() == ["x", "y"]
    assert found.signals.names == ("a", "b")
    assert [c.abstains for c in found.counts] == [0, 0]  # a was not asked of y


def test_numbers_stay_numbers(read):
    found = read(line(1, "a", 5), line(1, "b", 10), line(2, "a", 10))
    assert found.signals.classes.tolist() == [5, 10]
    assert found.columns["id"].tolist() == [1, 2]
    assert found.columns["b"].tolist() == [10, None]
    found = read(line(1, "a", 5), line(1, "b", 4.0), line(2, "a", 4), line(2, "b", 5.0))
    assert found.signals.classes.tolist() == [4, 5]


def test_samples_of_a_judge_are_one_signal_with_a_share(read):
    lines = [line("x", "a", v) for v in ("no", "yes", "no", "no")]
    found = read(*lines, line("x", "b", samples=["yes", "yes"]))
    assert found.signals.shape == (1, 2)
    assert found.signals.probabilities[0, :, 1].tolist() == [0.25, 1.0]
    a, b = found.counts
    assert (a.examples, a.answers, a.voted, a.split) == (1, 4, 4, 1)
    assert (b.examples, b.answers, b.split) == (1, 2, 0)


def test_refusals_are_abstains_that_are_counted(read):
    found = read(
        line("x", "a", "yes"),
        line("y", "a", refusal="I will not"),
        line("z", "a", "I'm sorry, but I can't judge that."),
        line("w", "a", "N/A"),
        line("v", "a", "unsure"),
        line("u", "a", None),
        line("t", "a", "yes", error="timeout"),
        line("x", "b", "no"),
        line("s", "b", samples=["yes", "refused", "yes"]),
        line("r", "b", "perhaps a bit"),
        *(line(f"q{i}", "b", "no") for i in range(20)),
        classes=["no", "yes"],
        abstain="unsure",
    )
    a, b = found.counts
    assert (a.voted, a.refused, a.failed, a.unreadable) == (1, 4, 2, 0)
    assert (b.voted, b.refused, b.failed, b.unreadable) == (23, 1, 0, 1)
    assert (a.abstains, b.abstains) == (6, 1)
    assert found.unreadable == ("perhaps a bit",)
    assert found.signals.coverage.tolist() == pytest.approx([1 / 29, 22 / 29])
    assert "'perhaps a bit'" in str(found)


def test_log_probabilities_are_shares(read):
    logs = {"yes": math.log(0.5), " Yes": math.log(0.1), "no": math.log(0.2), "hm": -9}
    found = read(line("x", "a", "yes", logprobs=logs), line("y", "a", "no"))
    assert found.signals.probabilities[:, 0, 1].tolist() == pytest.approx([0.75, 0])
    # Without a verdict they are all that there is; probabilities are the same.
    shares = line("x", "a", probabilities={"no": 0.25, "yes": 0.75})
    found = read(shares, line("y", "a", "no"), classes=["no", "yes"])
    assert found.signals.probabilities[:, 0, 1].tolist() == pytest.approx([0.75, 0])


def test_classes_may_be_texts_and_numbers(read):
    found = read(line("x", "a", 4.0), line("y", "a", "pass"), line("z", "a", 4))
    assert found.signals.classes.tolist() == ["4", "pass"]
    assert found.signals.votes[:, 0].tolist() == [0, 1, 0]


def test_verdicts_within_texts(read):
    found = read(
        line("x", "a", "It says [[A]] but I say [[B]]"),
        line("y", "a", '```json\n{"reason": "good", "verdict": "a"}\n```'),
        line("z", "a", {"verdict": "B", "reason": ""}),
        classes=["A", "B"],
        pattern=r"\[\[(.+?)\]\]",
    )
    assert found.signals.votes[:, 0].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Both are fine.\nVerdict: PASS", "pass"),
        ("Not bad, but thin.\n\n**Final answer:** Fail.", "fail"),
        ("The Answer: fail? I thought so.\n\nanswer = `pass`", "pass"),
        ("## Verdict\n**FAIL** (too long)", "fail"),
        ("It is good, so **Pass**.", "pass"),
        ('I say {"verdict": "fail", "reason": "Answer: pass"} here', "fail"),
        ("Verdict: pass or fail, who knows", None),
        ("Answer: pass, fail", None),
        ("Verdict: not pass", None),
        ("Neither **pass** nor **fail**", None),
        ("Answer: pass/fail", None),
        ("They passed. Is that a pass", None),
    ],
)
def test_verdicts_at_the_end_of_texts(read, text, said):
    known = [line(i, "a", v) for i, v in enumerate(["fail", "pass"] * 10)]
    found = read(*known, line("x", "a", text), classes=["fail", "pass"])
    assert found.columns["a"][-1] == said
    assert found.counts[0].unreadable == (said is None)


def test_classes_are_found_in_texts_that_say_where_they_are(read):
    found = read(line(1, "a", "So long. " * 20 + "Verdict: B"), line(2, "a", "A"))
    assert found.signals.classes.tolist() == ["A", "B"]
    known = [line(i, "a", "AB"[i % 2]) for i in range(30)]
    found = read(*known, line("x", "a", '{"score": 1}'))
    assert found.counts[0].unreadable == 1


def test_a_judge_without_any_answer_is_no_fault(read):
    empty = {"id": 1, "judge": "b", "response": {"choices": []}}
    found = read(empty, line(1, "a", "no"), line(2, "a", "yes"))
    assert found.counts[0].answers == 0


def test_many_unreadable_answers_are_a_warning_and_more_are_refused(read):
    known = [line(i, "a", "no") for i in range(10)]
    odd = [line(i, "b", f"{'long ' * 50} ends in {i}") for i in range(6)]
    with pytest.warns(SignalsWarning, match="'b'.*ends in 0"):
        read(*known, *odd[:1], classes=["no", "yes"])
    with pytest.raises(SignalsError, match="38%"):
        read(*known, *odd, classes=["no", "yes"])


def test_tokens_without_alternatives_are_a_vote(read):
    """Tokens of a text follow each other; they are no alternatives of one place."""
    said = ("pass", " because", " not", " fail")
    content = [{"token": token, "logprob": -0.01} for token in said]
    found = read(
        line(1, "a", "pass", logprobs={"content": content}), line(2, "a", "fail")
    )
    assert found.signals.votes[:, 0].tolist() == [1, 0]
    with pytest.raises(SignalsError, match="add up"):
        read(line(1, "a", "pass", logprobs=content))


def test_batches_of_services(read):
    def batch(id, **body):
        return {"custom_id": id, "response": {"body": {"model": "gpt", **body}}}

    def message(id, text, reason):
        body = {"model": "claude", "content": text, "stop_reason": reason}
        return {"custom_id": id, "result": {"type": "succeeded", "message": body}}

    def token(text, share, **others):
        return {"token": text, "logprob": math.log(share), **others}

    top = [token("yes", 0.6), token("no", 0.2)]
    tokens = [token("no", 1, top_logprobs=[]), token("yes", 0.6, top_logprobs=top)]
    no, yes = ({"message": {"content": text}} for text in ("no", "yes"))
    chat = [{**yes, "logprobs": {"content": tokens}}]
    found = read(
        batch("x", choices=chat),
        batch("y", choices=[no, yes]),
        batch("z", choices=[{"message": {"refusal": "no way"}}]),
        {"custom_id": "z", "judge": "gpt", "response": None, "error": {"code": 500}},
        message("x", [{"type": "text", "text": "no"}], "end_turn"),
        message("y", [], "refusal"),
        {"id": "z", "judge": "own", "response": {"choices": chat}, "gold": "yes"},
        classes=["no", "yes"],
    )
    assert found.signals.names == ("gpt", "claude", "own")
    values = found.signals.probabilities[:, :, 1].T
    assert values[0].tolist() == pytest.approx([0.75, 0.5, np.nan], nan_ok=True)
    assert values[1].tolist() == pytest.approx([0, np.nan, np.nan], nan_ok=True)
    gpt, claude, own = found.counts
    assert (gpt.refused, gpt.failed, gpt.abstains) == (1, 1, 1)
    assert (claude.refused, own.voted) == (1, 1)
    assert found.fields["gold"].tolist() == [None, None, "yes"]


def test_errors_of_a_service_that_name_no_judge_are_of_the_only_one(read):
    lost = {"custom_id": "x", "response": None, "error": {"code": 500}}
    found = read(lost, line("y", "a", "no"), line("z", "a", "yes"))
    assert found.signals.votes[:, 0].tolist() == [0, 1, -1]
    assert found.counts[0].failed == 1
    both = read(lost, line("y", "a", "no"), line("z", "b", "yes"))
    assert "1 errors" in str(both)
    with pytest.raises(SignalsError, match="no answer"):
        read(lost, classes=["no", "yes"])


def test_fields_of_the_example_are_kept_and_those_of_answers_are_not(read):
    found = read(
        line("x", "a", 0, gold=1, seconds=0.5, meta={"k": 1}),
        line("x", "b", 1, gold=1, seconds=0.7),
        line("y", "a", 1),
    )
    assert list(found.fields) == ["gold"]
    assert found.columns["gold"].tolist() == [1, None]


def test_names_of_fields_and_paths(read):
    lines = [
        {"item": {"key": i}, "model": "m", "out": {"grade": g}}
        for i, g in enumerate([1, 2, 1])
    ]
    found = read(*lines, task="item.key", worker="model", label="out.grade")
    assert found.signals.votes[:, 0].tolist() == [0, 1, 0]


def test_a_file_per_judge_and_fields_known_by_their_names(tmp_path):
    for judge, said in {"large": "PASS", "small": "FAIL"}.items():
        rows = [
            {"item_id": i, "rationale": "So.", "output": f"Hm.\nVerdict: {said}"}
            for i in range(3)
        ]
        if judge == "large":
            rows[0]["output"] = "Verdict: FAIL"
        (tmp_path / f"{judge}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for place in (tmp_path, tmp_path / "*.jsonl"):
        assert recognise(place) == "judges"
        found = corral.read_judges(place)
        assert found.signals.names == ("large", "small")
        assert found.signals.votes.tolist() == [[0, 0], [1, 0], [1, 0]]
        assert found.columns["item_id"].tolist() == [0, 1, 2]
        assert found.said["large: explanation"].tolist() == 3 * ["So."]


def test_judges_who_all_say_pass_leave_fail_a_class(read):
    found = read(line(1, "a", "pass"), line(2, "a", "Pass."), line(2, "b", "pass"))
    assert found.signals.classes.tolist() == ["fail", "pass"]
    found = read(line(1, "a", "PASS"), line(2, "a", "FAIL"))
    assert found.signals.classes.tolist() == ["FAIL", "PASS"]


def test_scores_need_a_threshold(read):
    lines = [line(i, "a", i / 4) for i in range(5)]
    with pytest.raises(SignalsError, match="threshold="):
        read(*lines)
    lines[2] = line(2, "a", '{"verdict": 0.5}')
    found = read(*lines, threshold=0.5)
    assert found.columns["a"].tolist() == ["fail", "fail", "pass", "pass", "pass"]


def test_a_score_beside_a_verdict_is_kept(read):
    found = read(
        {"id": 1, "judge_model": "a", "verdict": "yes", "score": 0.75},
        {"id": 2, "judge_model": "a", "verdict": "no", "score": None},
    )
    assert found.signals.votes[:, 0].tolist() == [1, 0]
    assert found.columns["a: score"].tolist() == [0.75, None]


def test_the_table_is_read_by_label(read):
    lines = [line(i, j, ["no", "yes"][(i + j) % 2]) for i in range(4) for j in range(3)]
    found = read(*lines)
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    table = pandas.DataFrame(found.columns)
    labelled = corral.label(table, id="id")
    p = corral.label(found.signals)[:, 1]
    assert labelled["p_yes"].tolist() == pytest.approx(p.tolist())


def test_a_list_of_answers_is_as_good_as_lines(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([line(1, "a", "no"), line(2, "a", "yes")], indent=1))
    assert corral.read_judges(path).signals.votes.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("lines", "options", "word"),
    [
        ([[1, 2]], {}, "record 1"),
        (["text"], {}, "line 1"),
        ([line(1, "a", "x"), "text"], {}, "line 2"),
        ([{"id": 1, "verdict": 1}, {"id": 1, "verdict": 0}], {}, "worker="),
        ([{"key": 1, "verdict": 1}], {}, "task="),
        ([{"id": 1, "verdict": 1}], {"worker": "who"}, "'who'"),
        ([{f"k{i}": 1 for i in range(1000)}], {}, "more"),
        ([line(1, "a", "x" * 999)], {}, "1 classes"),
        ([line(1, "a", 1)], {}, "1 classes"),
        ([line(1, "a", "x", logprobs={"x": 0.5})], {}, "at most 0"),
        ([line(1, "a", "x", logprobs={"x": -(10**400)})], {}, "unknown form"),
        ([line(1, "a", "x", logprobs={"x": math.nan})], {}, "at most 0"),
        ([line(1, "a", probabilities={"x": -0.2, "y": 1})], {}, "from 0 to 1"),
        ([line(1, "a", probabilities={"x": 0.2, "y": 0.2})], {}, "line 1 .* add up"),
        ([line(1, "a", "x", logprobs=3)], {}, "object"),
        ([line(1, "a", samples=3)], {}, "unknown form"),
        ([line(1, "a", "x", logprobs=[3])], {}, "unknown form"),
        ([line(1, "a", "x")], {"classes": [0, 1]}, "pattern"),
        ([line(1, "a", "N/A")], {"classes": [0, 1]}, "classes"),
        ([line(1, "a", 1)], {"pattern": "("}, "pattern"),
        ([line(1, "a", "a")], {"classes": []}, "classes"),
        ([line(1, "a", "a")], {"classes": ["a"]}, "two"),
        ([line(1, "a", 1)], {"classes": ["a", "A"]}, "differ"),
        ([], {}, "no records"),
    ],
)
def test_what_is_refused(read, lines, options, word):
    with pytest.raises(CorralError, match=word) as refused:
        read(*lines, **options)
    assert len(str(refused.value)) < 400


def test_names_that_a_judge_and_a_field_share(read):
    found = read(line(1, "gold", 1, gold=2), line(2, "gold", 0))
    with pytest.raises(SignalsError, match="'gold'"):
        found.columns["gold"]
