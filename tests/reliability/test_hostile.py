"""Some of every surface's crafted input; all of it is `make hostile`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from reliability.hostile.cases import check_terminal
from reliability.hostile.html_checks import check_html, check_svg
from reliability.hostile.names import check_cells, check_shown
from reliability.hostile.run import SURFACES, load_surface

ROOT = Path(__file__).parents[2]
SKIP = {"models": 20, "annotations": 15, "projects": 8, "tables": 8, "archives": 9}
"""One in so many is tried here."""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is measured as Linux tells it"
)


@pytest.fixture(autouse=True)
def _needed():
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    pytest.importorskip("pyarrow", reason="it needs pyarrow")


@pytest.mark.parametrize("name", SURFACES)
def test_crafted_input_is_refused_or_harmless(name):
    """In a process of its own: it forks, which one with threads must not."""
    command = [sys.executable, "-m", "reliability", "hostile", "--no-store"]
    skip = str(SKIP.get(name, 7))
    ran = subprocess.run(
        [*command, "--surfaces", name, "--skip", skip],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]


def test_cases_have_names_of_their_own():
    for name in SURFACES:
        named = [case.name for case in load_surface(name).list_cases()]
        assert len(set(named)) == len(named) >= 40, name


@pytest.mark.parametrize(
    "foreign",
    [
        '<a href="//evil.example">x</a>',
        '<a href="data:text/html,x">x</a>',
        '<link rel="stylesheet">',
        '<meta http-equiv="refresh" content="0">',
        '<video poster="http://evil.example"></video>',
        "<style>@import 'http://evil.example'</style>",
        "<script>1</script>",
        "<!-- x -->",
        "<p onclick=x>",
        "<p>",
    ],
)
def test_what_is_foreign_on_a_page_is_found(foreign):
    page = '<html><p style="color:red">{}</p></html>'
    check_html(page.format("name"), page.format("&lt;script&gt;"))
    with pytest.raises(AssertionError, match="more than corral's own"):
        check_html(page.format(foreign), page.format("name"))
    styled = page.replace("color:red", "background:url(http://evil.example)")
    with pytest.raises(AssertionError, match="more than corral's own"):
        check_html(styled, page)


@pytest.mark.parametrize("foreign", ["<a/>", "<text onload='x'/>", "<g style='x'/>"])
def test_what_is_foreign_in_a_drawing_is_found(foreign):
    check_svg("<svg><text x='1'>a</text><text x='1'>b</text></svg>", "<svg/>")
    with pytest.raises(AssertionError, match="more than corral's own"):
        check_svg(f"<svg>{foreign}</svg>", "<svg/>")


@pytest.mark.parametrize("bad", "\x1b\x7f\x9b\r\u202e\u200b\u2028\u2029\ud800\ue000")
def test_what_a_terminal_would_run_is_found(bad):
    check_terminal("a\tb\nü \u4e2d")
    with pytest.raises(AssertionError, match="reaches a terminal"):
        check_terminal(f"a{bad}b")


def test_markup_that_was_run_is_found():
    check_shown("signal  votes\n[red]a~  1", ["[red]a~"])
    with pytest.raises(AssertionError, match="not in what was printed"):
        check_shown("signal  votes\na~  1", ["[red]a~"])


@pytest.mark.parametrize("sign", "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
def test_a_formula_in_a_file_is_found(tmp_path, sign):
    path = tmp_path / "a.csv"
    path.write_text(f'"id"\n"\'{sign}A1"\n-1\n', newline="")
    check_cells(path)
    path.write_text(f'"id"\n"{sign}A1"\n', newline="")
    with pytest.raises(AssertionError, match="a formula was written"):
        check_cells(path)
