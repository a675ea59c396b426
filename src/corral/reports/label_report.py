"""The report: a result made of results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

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
from corral.results import Part, Result, Section


@dataclass(frozen=True, eq=False, repr=False)
class LabelReport(Result):
    """What `corral.report` found: print it, show it in a notebook, or `write` a page.

    Attributes
    ----------
    name : str
        What the labels are of; the title of the page.
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

    name: str
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

    @property
    def title(self) -> str:
        return self.name

    def parts(self) -> Iterator[Part]:
        yield from self.summary.parts()
        for f in fields(self)[2:]:
            section = getattr(self, f.name)
            yield Section(section.title, tuple(section.parts()))
