"""What the tests of other libraries expect, checked and listed in docs/compat.md."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")

from tests.compat.expectations.expectation import Expectations
from tests.compat.expectations.of_crowd_kit import CROWD_KIT
from tests.compat.expectations.of_snorkel import SNORKEL
from tests.compat.expectations.of_snorkel_models import MODELS

PAGE = Path(__file__).parents[2] / "docs" / "compat.md"
TABLES = {"Snorkel": Expectations([*SNORKEL, *MODELS]), "Crowd-Kit": CROWD_KIT}


# Labelers warn of tables as small as these, and of rounds that end before they settle.
@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
@pytest.mark.filterwarnings("ignore::corral.errors.ConvergenceWarning")
@pytest.mark.parametrize(
    "one",
    [each for table in TABLES.values() for each in table],
    ids=lambda one: one.test,
)
def test_the_verdict_is_right(one):
    one.check()


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_table(name):
    table = TABLES[name].table()
    assert table in PAGE.read_text(), f"docs/compat.md should have this table:\n{table}"
