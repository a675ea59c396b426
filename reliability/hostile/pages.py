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

import numpy as np

import corral
from corral.drawings import (
    draw_agreement,
    draw_class_shares,
    draw_strengths,
    to_svg,
)
from reliability.hostile.cases import Case, Surface
from reliability.hostile.html_checks import (
    check_html,
    check_svg,
    check_visible,
    harmless,
)
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
    written = report_of(texts).to_html()
    check_html(written, report_of(harmless(texts)).to_html())
    check_visible(written)


def notebook(texts: tuple[str, ...]) -> None:
    """The report in a notebook: a frame of its own, which may not reach the notebook."""
    outer, inner = frame_of(texts)
    like, like_inner = frame_of(harmless(texts))
    check_html(outer, like)
    check_html(inner, like_inner)
    check_visible(inner)


def frame_of(texts: tuple[str, ...]) -> tuple[str, str]:
    """What a notebook shows of a report: the frame without its page, and the page."""
    shown = report_of(texts)._repr_html_()
    assert re.match(r"\s*<iframe\b", shown), shown[:80]
    assert shown.count("<iframe") == 1
    assert "allow-same-origin" not in shown
    inner = re.search(r'srcdoc="([^"]*)"', shown)
    assert inner is not None
    return shown.replace(inner[0], ""), html.unescape(inner[1])


def drawings(texts: tuple[str, ...]) -> None:
    """Drawings as SVG: XML whose elements and attributes are corral's own."""
    for found, like in zip(draw(texts), draw(harmless(texts)), strict=True):
        check_svg(found, like)


def draw(texts: tuple[str, ...]) -> Iterator[str]:
    """Drawings in which every text is hostile."""
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
            yield to_svg(drawing, standalone=standalone)


def workbench_page(folder: Path, texts: tuple[str, ...]) -> None:
    """The page that the workbench serves, what it fetches, and its report."""
    (folder / "plain").mkdir()
    like = pages_of(folder / "plain", harmless(texts))
    for found, wanted in zip(pages_of(folder, texts), like, strict=True):
        check_html(found, wanted)
        check_visible(found)


def pages_of(folder: Path, texts: tuple[str, ...]) -> tuple[str, str]:
    """The page of a workbench with a rule, and the report that it exports."""
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
        for one in (bench.state(), bench.rows({"what": "all"}), bench.row(0)):
            made = answer(one)
            assert made.media_type == "application/json"
            json.loads(made.body)
        bench.export("report", folder / "out.html")
    return shown, (folder / "out.html").read_text()


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
