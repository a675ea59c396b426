"""Versions of methods are those of the code."""

import pytest
from repro.config import experiments
from repro.fingerprints import make_fingerprint
from repro.methods import LABELLED, OURS, PAPER, VARIANTS
from repro.versions import read_versions, version_of

METHODS = (*PAPER, *OURS, *VARIANTS, LABELLED)


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_those_of_the_version(method: str) -> None:
    stored = read_versions()[method]["labels"]
    assert make_fingerprint(method) == pytest.approx(stored, abs=1e-4), (
        f"{method} labels otherwise than version {version_of(method)} did: raise it in "
        "repro/versions.toml, put the new sums there, and run: python -m repro run all"
    )


def test_every_version_is_of_a_method() -> None:
    assert read_versions().keys() == set(METHODS)


def test_another_version_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = {
        column: next(
            cell for cell in experiments()[name].cells() if cell.column == column
        )
        for name, column in (
            ("text_labels", "auto"),
            ("text_labels", "CLL"),
        )
    }

    def keys() -> dict[str, str]:
        return {column: cell.key({}) for column, cell in cells.items()}

    before = keys()
    monkeypatch.setitem(read_versions()["auto"], "version", version_of("auto") + 1)
    after = keys()
    changed = {column for column, key in after.items() if key != before[column]}
    assert changed == {"auto"}
