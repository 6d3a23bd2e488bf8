"""HTML that is none of ours, in notebooks of a reader's own: made harmless before it is shown."""

from __future__ import annotations

import re
from typing import Final

import bleach
from markupsafe import Markup

_UNSHOWN: Final = re.compile(r"<(style|script)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAGS: Final = frozenset({
    "table", "thead", "tbody", "tr", "th", "td", "caption", "p", "ul", "ol", "li", "strong", "em", "code", "pre",
    "h2", "h3", "h4", "blockquote", "br", "hr", "div", "span",
})  # fmt: skip


def cleaned(html: str) -> Markup:
    """Return HTML with the harmless tags alone, and no attributes.

    Parameters
    ----------
    html : str
        From an output of a notebook: anybody may have written it.

    Returns
    -------
    Markup
        As it may stand in a page.
    """
    return Markup(bleach.clean(_UNSHOWN.sub("", html), tags=_TAGS, attributes={}, strip=True))  # noqa: S704 (just cleaned)
