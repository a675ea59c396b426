"""Names and texts that a terminal, a page, a spreadsheet or a shell might run."""

from __future__ import annotations

TERMINAL = (
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x9b2J",
    "\x9d0;title\x9c",
    "\x1bP$q\x1b\\",
    "a\rb",
    "a\x08\x08b",
    "\x07bell",
    "\x1b[?1049h",
    "tab\there",
)
DIRECTION = (
    "\u202egpj.exe",
    "\u2066a\u2069",
    "\u200bzero",
    "a\u200db",
    "\ufeffmark",
    "\u2028line",
    "\u0085next",
    "\U000e0001tag",
    "\u061carabic",
    "a\u0300\u0301" * 5,
    "\ufff9a\ufffb",
    "\u115fhangul",
)
MARKUP = (
    "[red]x",
    "[/]",
    "[link=http://evil.example]x[/link]",
    "[bold red on white]",
    "[[]",
    "[/red]",
    "\\[x]",
    ":skull:",
    "[@click=app.quit]x",
    "{0}",
    "{name!r:>1000000000}",
    "%(x)s%n",
)
HTML = (
    "<script>document.title='taken'</script>",
    "\"><img src=x onerror=document.title='taken'>",
    "</style><svg onload=document.title='taken'>",
    "</script><script>document.title='taken'</script>",
    "javascript:document.title='taken'",
    "'-document.title-'",
    "&lt;script&gt;",
    "<!--",
    "]]><x>",
    "{{7*7}}",
    "${7*7}",
    "<a href=javascript:alert(1)>x</a>",
)
FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1+1)",
    "\uff1d1+1",
    "\n=1+1",
    "\t=1+1",
    "\r=1+1",
    '=HYPERLINK("http://evil.example","x")',
    "=1+1",
    "-2+3+cmd|' /C calc'!A0",
    "+A1",
    "@x",
    "\uff0b1+1",
    "\uff0d1+1",
    "\uff20SUM(1+1)",
    '=IMPORTXML("http://evil.example","//a")',
)
LENGTHS = (
    "x" * 10_000,
    "y" * 5000 + "\n" + "z" * 5000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 300,
    "'" * 300,
    '"' * 300,
    "\\" * 300,
    ";" * 300,
    "," * 300,
    "`" * 300,
    "../" * 300,
    "\ud7ff\ue000",
    " ",
)
GROUPS = {
    "for a terminal": TERMINAL,
    "of direction": DIRECTION,
    "of rich markup": MARKUP,
    "of HTML": HTML,
    "of formulas": FORMULAS,
    "that are long": LENGTHS,
}
"""A dozen of each kind, or more."""


def can_be_a_cell(text: str) -> bool:
    """Whether a cell of a table can hold a text as it is."""
    return bool(text.strip()) and "\r" not in text
