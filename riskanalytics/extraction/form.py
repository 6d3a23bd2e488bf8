"""How a clause is built: what it ends with, how long it is, who stands at its head, and whether it states anything.

A definition, a question, a title, a pointer or a line that leads in to a list may hold all the words of a surface and
states nothing by itself. The form tells; what it weighs is learned.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.rules import patterns_of

_PATTERNS: Final = patterns_of("form.toml")
_HEADS: Final = ("user", "vendor", "third", "defines", "points", "example")
"""What may stand at the head of a clause."""
_LEADS: Final = _HEADS[:3]
_LENGTHS: Final = (3, 6, 10, 20, 40)
_TRAILING: Final = " *_\"')"
COLUMNS: Final = (
    "words", "colon", "question", "stop", "item", "row", "continues", "verb", *(f"head_{name}" for name in _HEADS),
    "lead_negated", *(f"lead_{name}" for name in _LEADS),
)  # fmt: skip
"""What `Form.numbers` holds, in order."""


class Form(NamedTuple):
    """How a clause is built."""

    features: tuple[str, ...]
    """Names for a model; the last ones speak of the clause as a whole."""
    numbers: tuple[int, ...]
    """The same as whole numbers, in the order of `COLUMNS`."""


@remembered(5_000)
def form_of(words: str, kind: str, lead_in: str = "") -> Form:
    """Return how a clause is built.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.
    kind : str
        `sentence`, `item` or `row`.

    Returns
    -------
    Form
    """
    bare = words.rstrip(_TRAILING)
    end = bare[-1:] if bare[-1:] in ".:;?!," else "n"
    count = len(words.split())
    length = sum(count > border for border in _LENGTHS)
    verb = _PATTERNS["verb"].search(words) is not None
    heads = [name for name in _HEADS if _PATTERNS[name].match(words)]
    if "defines" not in heads and _PATTERNS["means"].search(words):
        heads.append("defines")
    leads = [name for name in _LEADS if lead_in and _PATTERNS[name].match(lead_in)]
    negated = bool(lead_in and _PATTERNS["negated"].search(lead_in))
    features = (
        f"E{end}", f"n{length}", f"E{end}{kind[0]}{length}", f"V{verb:d}", f"V{verb:d}{kind[0]}{end}",
        *(f"A{name}" for name in heads), *(f"LA{name}" for name in leads), *(("Lnot",) if negated else ()),
        *(() if lead_in else ("noL",)),
    )  # fmt: skip
    numbers = (
        min(count, 300), end == ":", end == "?", end == ".", kind == "item", kind == "row", bool(lead_in), verb,
        *(name in heads for name in _HEADS), negated, *(name in leads for name in _LEADS),
    )  # fmt: skip
    return Form(features, tuple(map(int, numbers)))
