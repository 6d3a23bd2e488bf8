"""Batch files in the OpenAI batch format: requests to a language model as lines of a file, and its answers as such lines."""

import json
from collections.abc import Iterable

from riskanalytics.service.store.verdicts import forget_sent, keep_sent, sent_to

from .exchange import Request, Sent, answer_of, body_of, content_of
from .reading import Readings, ReadSummary, take_part


def batch_line(request: Request, model: str) -> str:
    """Return a request as a line of the OpenAI batch format."""
    line = {"custom_id": request.id, "method": "POST", "url": "/v1/chat/completions", "body": body_of(request, model)}
    return json.dumps(line, ensure_ascii=False)


def batch_answer(line: str) -> tuple[str, str, int] | None:
    """Read a line of a results file in the OpenAI batch format; return None if the line is not in that format.

    Returns
    -------
    tuple of str, str and int, or None
        Identifier of the request, text of the answer (empty if the request failed), and number of tokens used (0 if missing).
    """
    try:
        row = json.loads(line)
        return str(row["custom_id"]), *content_of((row.get("response") or {}).get("body") or {})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def requests_to(readings: Readings, model: str) -> list[str]:
    """Return the requests that a model must still answer as lines of an OpenAI batch file; store them until the answers arrive.

    Only the requests of the first step that still has any are returned. The steps are: read units; check verdicts; judge changes
    and decide stances.

    Parameters
    ----------
    readings : Readings
        The units that the model has read, and those that it must still read.
    model : str
        Name of the model.
    """
    requests = [*readings.unread()] or [*readings.unchecked()] or [*readings.unjudged(), *readings.undecided()]
    with readings.writer.transaction() as connection:
        keep_sent(connection, readings.name, {request.id: list(request.sent) for request in requests})
    return [batch_line(request, model) for request in requests]


def answers_from(readings: Readings, lines: Iterable[str]) -> tuple[ReadSummary, list[str]]:
    """Store the valid answers in a language model's batch results, and rate the platforms again if there are any.

    Parameters
    ----------
    readings : Readings
        The units that the model has read; this object stores the answers in the database.
    lines : iterable of str
        Results in the OpenAI batch format.

    Returns
    -------
    tuple of ReadSummary and list of str
        The summary, and a line for each result that was not used, with the reason.
    """
    sent = sent_to(readings.writer.connection, readings.name)
    refused, used, tokens = list[str](), list[str](), 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        result = batch_answer(line)
        if result is None or result[0] not in sent:
            refused.append(f"line {number}: not the result of a request that waits for its answer")
            continue
        id_, content, more = result
        answer = answer_of(Sent(*sent[id_]), content)  # type: ignore[arg-type]
        if not any(answer):
            refused.append(f"line {number}: the answer has no valid entry, so it is not used")
            continue
        readings.take(answer)
        used.append(id_)
        tokens += more
    with readings.writer.transaction() as connection:
        forget_sent(connection, readings.name, used)
    summary = readings.summary(tokens)
    if used:
        summary.reviewed = take_part(readings)
    return summary, refused
