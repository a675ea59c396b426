"""The page of reliability: every finding has its test, every part its result."""

from pathlib import Path

from benchmarks.pages.markdown import block_names
from reliability.findings import FINDINGS
from reliability.page import PAGE, TABLES

ROOT = Path(__file__).parents[2]


def test_every_finding_has_a_test():
    for finding in FINDINGS:
        file, _, name = finding.test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), finding.test


def test_every_table_is_on_the_page():
    assert sorted(block_names(PAGE.read_text())) == sorted(TABLES)
