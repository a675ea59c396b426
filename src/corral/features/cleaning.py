"""Text as the paper cleaned it."""

from __future__ import annotations

import re

_TAGS = re.compile(r"<[a-z/!][^<>]*>", re.IGNORECASE)
_LINKS = re.compile(r"(?:https?://|www\.)\S+|[@#]\S+", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[^a-z]+")


def clean_text(text: str) -> str:
    """Lower-case letters and single spaces; no HTML, links, mentions and hashtags.

    Examples
    --------
    >>> from corral.features import clean_text
    >>> clean_text("<br />I can't stop, @you! See https://x.org/a?b=1 #wow 10/10")
    'i can t stop see'
    """
    bare = _LINKS.sub(" ", _TAGS.sub(" ", text))
    return _NO_LETTERS.sub(" ", bare.lower()).strip()
