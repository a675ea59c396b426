"""What the tests of other libraries expect, checked and listed in docs/compat.md."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")

from tests.compat.expectations import of_crowd_kit, of_snorkel

ROOT = Path(__file__).parents[2]
TABLES = {"Snorkel": of_snorkel.SNORKEL, "Crowd-Kit": of_crowd_kit.CROWD_KIT}


@pytest.mark.parametrize("one", of_snorkel.SNORKEL, ids=lambda one: one.test)
def test_snorkel(one):
    of_snorkel.run_quietly(one.check)


@pytest.mark.parametrize("one", of_crowd_kit.CROWD_KIT, ids=lambda one: one.test)
def test_crowd_kit(one):
    of_crowd_kit.run_quietly(one.check)


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_table(name):
    table = TABLES[name].table()
    page = (ROOT / "docs" / "compat.md").read_text()
    assert table in page, f"docs/compat.md should have this table:\n{table}"
