"""Hostile texts on pages: reports, notebooks, drawings, the workbench."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import corral
from corral.drawings import (
    draw_agreement,
    draw_class_shares,
    draw_strengths,
    to_svg,
)
from reliability.hostile.cases import Case, Surface
from reliability.hostile.html_checks import Elements, check_html
from reliability.hostile.texts import GROUPS, can_be_a_cell

N = 40


def signals_of(texts: tuple[str, ...]) -> corral.WeakSignals:
    """Three signals on two classes, all of hostile names."""
    good = [text for text in texts if text.strip()]
    classes = [good[0], good[1]]
    rng = np.random.default_rng(0)
    votes = np.array(classes, object)[rng.integers(2, size=(N, 3))]
    votes[::4, 2] = None
    return corral.WeakSignals.from_votes(votes, classes=classes, names=good[2:5])


def report_of(texts: tuple[str, ...]) -> Any:
    """A report in which every text is hostile."""
    signals = signals_of(texts)
    gold = np.array(signals.classes, object)[np.arange(N) % 2]
    shown = [texts[i % len(texts)] for i in range(N)]
    return corral.report(signals, gold=gold, text=shown, title="".join(texts))


def page(texts: tuple[str, ...]) -> None:
    """The report as a page."""
    check_html(report_of(texts).to_html(), 1)


def notebook(texts: tuple[str, ...]) -> None:
    """The report in a notebook: a frame of its own, which may not reach the notebook."""
    shown = report_of(texts)._repr_html_()
    assert re.match(r"\s*<iframe\b", shown), shown[:80]
    assert shown.count("<iframe") == 1
    assert "allow-same-origin" not in shown
    inner = re.search(r'srcdoc="([^"]*)"', shown)
    assert inner is not None
    check_html(html.unescape(inner[1]), 1)


def drawings(texts: tuple[str, ...]) -> None:
    """Drawings as SVG: XML whose elements are corral's own."""
    names = list(texts[:6])
    shares = np.full(6, 0.5)
    intervals = np.stack([shares - 0.1, shares + 0.1], axis=1)
    for drawing in (
        draw_strengths(names, shares, intervals),
        draw_agreement(names, np.eye(6)),
        draw_class_shares(names, shares),
        replace(draw_agreement(names, np.eye(6)), title="".join(texts)),
    ):
        for standalone in (True, False):
            check_svg(to_svg(drawing, standalone=standalone))


def check_svg(text: str) -> None:
    """No script, no handler, nothing from elsewhere."""
    for element in ElementTree.fromstring(text).iter():
        tag = str(element.tag).rpartition("}")[2]
        assert tag not in ("script", "foreignObject", "image", "a", "x", "use"), tag
        for name, value in element.attrib.items():
            assert not name.startswith("on"), name
            assert "javascript:" not in value or name.startswith("aria"), value


def workbench_page(folder: Path, texts: tuple[str, ...]) -> None:
    """The page that the workbench serves, and what it fetches."""
    from corral.workbench import Workbench
    from corral.workbench.server.app import answer
    from corral.workbench.server.pages import render_page

    good = [text for text in texts if can_be_a_cell(text)]
    rows = "".join(json.dumps({good[0]: f"{text} a", "n": 1}) + "\n" for text in texts)
    name = re.sub(r"[/\x00\n]", "_", good[1])[:60]
    path = folder / f"{name}.jsonl"
    path.write_text(rows)
    with closing(Workbench.open(path, text=good[0], classes=good[2:4])) as bench:
        rule = {"kind": "words", "words": ["a", good[0][:100]], "class": good[2]}
        bench.act({"what": "add_rule", "rule": rule | {"name": good[4]}}, 0)
        written = render_page(bench)
        shown = written.decode() if isinstance(written, bytes) else written
        found = foreign_parts(shown)
        assert not found, found
        for one in (bench.state(), bench.rows({"what": "all"}), bench.row(0)):
            made = answer(one)
            assert made.media_type == "application/json"
            json.loads(made.body)
        bench.export("report", folder / "out.html")
    check_html((folder / "out.html").read_text(), 1)


def foreign_parts(shown: str) -> list[str]:
    """What the page of the workbench should not hold; its script is a file of its own."""
    return [bad for bad in Elements(shown).bad if not bad.startswith("<form")]


OUTPUTS: dict[str, Callable[[tuple[str, ...]], None]] = {
    "report": page,
    "notebook": notebook,
    "drawings": drawings,
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for group, texts in GROUPS.items():
        for output, use in OUTPUTS.items():
            yield Case(
                f"texts {group}: {output}",
                lambda _, texts=texts: texts,
                use,
                "harmless",
            )
        yield Case(
            f"texts {group}: workbench",
            lambda folder, texts=texts: (folder, texts),
            lambda given: workbench_page(*given),
        )
        for at, text in enumerate(texts):
            if text.strip() and at % 3 == 0:
                yield Case(
                    f"texts {group}, number {at + 1}: report",
                    lambda _, text=text: tuple(f"{text}{i}" for i in range(6)),
                    page,
                    "harmless",
                )


SURFACE = Surface(
    "pages",
    "No element, script, handler or address of others is on a page, in a notebook or in a "
    "drawing",
    list_cases,
)
