"""Ask a language model whether a text still says, in other words, what a clause said on which a decision rests.

The model gets the clause and those units of the text that share its rarest words. It answers with a word and numbers of units.
"""

from collections import Counter
from math import fsum, log
from typing import Final

from riskanalytics.extraction.units import unit_of, units_of
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from riskanalytics.text.substance import stems

from .exchange import Request
from .guide import answer_in

_NEAREST: Final = (12, 8, 5, 3)
"""Numbers of units to send, each with its neighbours: the largest that fits into one request is used."""
_LONGEST: Final = 12_000
"""Maximum number of characters of a request."""


def decision_request(quote: str, lead_in: str, text: str, surface: str = "") -> Request | None:
    """Return a request (kind `decisions`) that asks whether a text still says what a clause of an earlier text said.

    Parameters
    ----------
    quote, lead_in : str
        The clause, and the words that it continues.
    text : str
        The present text.
    surface : str
        Surface of the clause, whose question the model sees; empty if the decision is about no surface.

    Returns
    -------
    Request or None
        Its first unit is the clause (subject `then` and the question). The others are the units of the text that share most with
        it, weighed by how rare the shared words are in the text (inverse document frequency; Spärck Jones 1972), with their
        neighbours (subject `now`). None if the text has no units, a unit addresses a language model, or the request would be too
        long.
    """
    then = f"then: {SURFACE_DESCRIPTIONS[surface].question}" if surface in SURFACE_DESCRIPTIONS else "then"
    units, wanted = units_of(text), stems(f"{lead_in} {quote}").keys()
    shared = [wanted & stems(f"{unit.lead_in} {unit.words}").keys() for unit in units]
    counts = Counter(stem for stems_of_unit in shared for stem in stems_of_unit)
    # fsum, because a plain sum depends on the order of a set, which differs between processes
    scores = [fsum(log(1 + len(units) / counts[stem]) for stem in found) for found in shared]
    best = sorted(range(len(units)), key=scores.__getitem__, reverse=True)
    for most in _NEAREST:
        places = sorted({place for at in best[:most] for place in (at - 1, at, at + 1) if 0 <= place < len(units)})
        now = [units[place] for place in places]
        request = Request("decisions", (unit_of(quote, lead_in), *now), (then, *["now"] * len(now)))
        if len(request.text) <= _LONGEST:
            return request if now and request.trusted else None
    return None


def still_said(request: Request, content: str) -> bool | None:
    """Return whether a model's answer says that the text still says the same, and names the units that do; None if malformed.

    Parameters
    ----------
    request : Request
        Result of `decision_request`.
    content : str
        Text of the answer: JSON, possibly surrounded by other text.
    """
    if not (said := answer_in(content, "decisions")):
        return None
    return (
        said["state"] == "same"
        and bool(said["units"])
        and all(1 < number <= len(request.units) for number in said["units"])
    )
