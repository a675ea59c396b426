"""Numbers in README.md and docs are those of stored results."""

import re

import pytest
from benchmarks.pages.claims import Claim, correct, find_unsourced
from benchmarks.pages.markdown import (
    ROOT,
    block_names,
    fill_blocks,
    find_numbers,
    lay_out,
    pages,
)
from benchmarks.pages.sentences import CLAIMS
from benchmarks.pages.tables import TABLES

REPAIR = "run `python -m benchmarks pages`"
PAGES = [page.relative_to(ROOT).as_posix() for page in pages()]


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_of_the_stored_results(name):
    text = (ROOT / name).read_text()
    assert fill_blocks(text, TABLES) == text, REPAIR


@pytest.mark.parametrize("name", PAGES)
def test_sentences_have_the_stored_numbers(name):
    text = (ROOT / name).read_text()
    wrong = [
        f"{found[0]!r} should be {claim.correct(found[0])!r}"
        for claim in CLAIMS
        for found in claim.pattern.finditer(text)
        if claim.correct(found[0]) != found[0]
    ]
    assert not wrong, REPAIR


@pytest.mark.parametrize("name", PAGES)
def test_every_number_has_a_source(name):
    found = find_unsourced((ROOT / name).read_text(), CLAIMS)
    reason = "list it in benchmarks/pages/sentences, with what it rests on"
    assert not found, reason


def test_no_claim_is_left_over():
    text = "\n".join((ROOT / name).read_text() for name in PAGES)
    assert not [c.text for c in CLAIMS if not c.pattern.search(text)]
    assert sorted(block_names(text)) == sorted(TABLES)


def test_tests_that_claims_rest_on_are_there():
    named = {name for c in CLAIMS for name in re.findall(r"tests/[\w/]+\.py", c.reason)}
    assert named
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_what_counts_as_a_claim():
    text = """
7.1 s, 84 to 91%, 5 of 91 sets of TREC-6, 12 times, 1,000.5, -0.3; 50 rows, `0.5`, $0.1$,
[0.2](page-0.3.md) version2.0
```
0.4
```
<!-- generated: a table -->
0.6
<!-- end -->
"""
    found = [number for _, number in find_numbers(text)]
    assert found == ["7.1", "84", "91", "5", "12", "1,000.5", "-0.3", "0.2"]


def test_a_wrong_number_is_found_and_corrected():
    claim = Claim("takes {:.2f} s on {} cores", (0.114, 2))
    text = "It takes 0.12 s\non 2 cores, with 1.5 GB."
    assert claim.pattern.search(text)
    assert correct(text, (claim,)) == "It takes 0.11 s\non 2 cores, with 1.5 GB."
    assert find_unsourced(text, (claim,)) == [(2, re.sub(r"\s+", " ", text))]


def test_numbers_in_the_words_need_a_reason():
    with pytest.raises(ValueError, match="without a source or a reason"):
        Claim("the rate is 0.01")
    assert Claim("the rate is 0.01", reason="a default").shown == "the rate is 0.01"


def test_a_generated_table_is_replaced():
    text = "<!-- generated: one -->\nold\n<!-- end -->\nafter"
    table = lay_out(["", "n"], [["a", "1"]])
    assert table == "| | n |\n|---|---|\n| a | 1 |\n"
    assert fill_blocks(text, {"one": lambda: table}) == (
        f"<!-- generated: one -->\n\n{table}\n<!-- end -->\nafter"
    )
