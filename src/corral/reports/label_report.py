"""The report: one computation, several renderings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from corral._plain import as_plain
from corral.errors import ParameterError, StorageError
from corral.reports.row_sections import AdviceSection, RowsSection
from corral.reports.sections import (
    AgreementSection,
    ConstraintsSection,
    LabelsSection,
    MethodsSection,
    Provenance,
    SignalsSection,
    Summary,
)
from corral.storage.drafts import draft_of
from corral.wording import option


@dataclass(frozen=True, eq=False, repr=False)
class LabelReport:
    """What `corral.report` found: print it, show it in a notebook, or write a page.

    Attributes
    ----------
    title : str
    summary : Summary
        The labels beside a majority vote.
    signals : SignalsSection
    agreement : AgreementSection
    labels : LabelsSection
    constraints : ConstraintsSection
    advice : AdviceSection
    rows : RowsSection
        Rows worth reading.
    methods : MethodsSection
    provenance : Provenance
    """

    title: str
    summary: Summary
    signals: SignalsSection
    agreement: AgreementSection
    labels: LabelsSection
    constraints: ConstraintsSection
    advice: AdviceSection
    rows: RowsSection
    methods: MethodsSection
    provenance: Provenance

    @property
    def verdicts(self) -> dict[str, str]:
        """The sentence of every section that has one, by section."""
        sections = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            name: section.verdict
            for name, section in sections.items()
            if hasattr(section, "verdict")
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it in dicts, lists, text and numbers, as JSON has them.

        What is not known is None.
        """
        return {f.name: as_plain(getattr(self, f.name)) for f in fields(self)}

    def to_html(self) -> str:
        """The page: one file that needs no other, and no network."""
        from corral.reports.html_page import render_page

        return render_page(self)

    def write_html(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the page; at `path` is the old file or the new, never a part.

        Parameters
        ----------
        path : path
        overwrite : bool
            Replace a file that is there.

        Returns
        -------
        Path
        """
        target = Path(path)
        check_page(target, overwrite)
        page = self.to_html()
        try:
            with draft_of(target) as draft:
                draft.write_text(page, encoding="utf-8")
        except OSError as error:
            raise StorageError(
                f"cannot write {str(target)!r}: {error.strerror}."
            ) from error
        return target

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame of its own."""
        from corral.reports.html_page import render_frame

        return render_frame(self)

    def __str__(self) -> str:
        from corral.reports.text_page import render_text

        return render_text(self)

    def __repr__(self) -> str:
        found = self.summary
        return (
            f"LabelReport({self.title!r}: {found.n_examples:,.0f} examples, "
            f"{found.n_signals} signals)"
        )


def check_page(path: Path, overwrite: bool) -> None:
    """Refuse a place that a page cannot be written to, before any work is done."""
    if path.exists() and not path.is_file():
        raise ParameterError(f"{str(path)!r} is no file; choose another name.")
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{str(path)!r} exists already; choose another name, or replace it with "
            f"{option('overwrite', True)}."
        )
    if not path.parent.is_dir():
        raise ParameterError(f"there is no folder {str(path.parent)!r}.")
