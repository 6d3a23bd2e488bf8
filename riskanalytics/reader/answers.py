"""Let a language model choose the clauses that answer a question. It answers with numbers of clauses, or refuses with none."""

from collections.abc import Callable, Sequence
from typing import Final

from riskanalytics.extraction.units import unit_of

from .exchange import Request
from .guide import Json, answer_in

_LONGEST: Final = 12_000
"""Maximum number of characters of the clauses of a request; those that fit the question least are left out."""


def answer_request(question: str, rows: Sequence[Json]) -> tuple[Request, list[Json]] | None:
    """Return a request (kind `answers`) that asks which clauses answer a question, and the clauses that it contains.

    Parameters
    ----------
    question : str
        The question, which is the first unit (subject `question`).
    rows : sequence of dict
        Findings and leads as responses of the service contain them: `name`, `quote`, `lead_in`, `provenance`. Those that fit
        best come first. A clause on several surfaces, or in several documents of a platform, is sent once. A clause that addresses
        a language model is left out.

    Returns
    -------
    tuple of Request and list of dict, or None
        The rows are in the order of their units, from unit 2. None if there are none, or the question addresses a model.
    """
    units, subjects, left = [unit_of(question)], ["question"], _LONGEST
    sent, seen = list[Json](), set[tuple[str, str]]()
    for row in rows:
        unit = unit_of(row["quote"], (row["lead_in"] or {}).get("quote", ""))
        subject = f"{row['name']}, {row['provenance']['document']}"
        size = len(unit.words) + len(unit.lead_in) + len(subject)
        again = (row["platform"], unit.key) in seen
        if again or size > left or not Request("answers", (unit,), (subject,)).trusted:
            continue
        left -= size
        seen.add((row["platform"], unit.key))
        units.append(unit)
        subjects.append(subject)
        sent.append(row)
    request = Request("answers", tuple(units), tuple(subjects))
    return (request, sent) if sent and request.trusted else None


def chosen_in(content: str, sent: Sequence[Json]) -> list[Json] | None:
    """Return the clauses that a model's answer names, in its order; None if the answer is malformed.

    Parameters
    ----------
    content : str
        Text of the answer: JSON, possibly surrounded by other text.
    sent : sequence of dict
        The clauses of the request, as `answer_request` returns them.
    """
    if not (said := answer_in(content, "answers")):
        return None
    numbers = dict.fromkeys(said["units"])
    return [sent[number - 2] for number in numbers] if all(1 < number < len(sent) + 2 for number in numbers) else None


def chosen_by(ask: Callable[[Request], tuple[str, int]]) -> Callable[[str, Sequence[Json]], list[Json] | None]:
    """Return a function that lets a model choose the clauses of an answer, for `answer_question` of the service.

    Parameters
    ----------
    ask : callable
        Sends a request to the model, as `Server.ask` does.

    Returns
    -------
    callable
        Takes a question, and findings and leads, best first. Returns the chosen ones, best first; an empty list if the model
        finds none that answers; None if the answer is malformed, or the request could not be made (`answer_request`).
    """

    def choose(question: str, rows: Sequence[Json]) -> list[Json] | None:
        asked = answer_request(question, rows)
        return chosen_in(ask(asked[0])[0], asked[1]) if asked else None

    return choose
