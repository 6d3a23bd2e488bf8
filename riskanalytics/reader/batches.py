"""Batch files in the OpenAI batch format: requests to a language model as lines of a file, and its answers as such lines."""

import json
from typing import NamedTuple

from .exchange import Request, body_of, content_of


def batch_line(request: Request, model: str) -> str:
    """Return a request as a line of the OpenAI batch format."""
    line = {"custom_id": request.id, "method": "POST", "url": "/v1/chat/completions", "body": body_of(request, model)}
    return json.dumps(line, ensure_ascii=False)


class BatchAnswer(NamedTuple):
    """One line of a results file in the OpenAI batch format.

    Parameters
    ----------
    id : str
        Identifier of the request.
    content : str
        Text of the answer; empty if the request failed.
    tokens : int
        Number of tokens used, if the line gives it; else 0.
    """

    id: str
    content: str
    tokens: int = 0


def batch_answer(line: str) -> BatchAnswer | None:
    """Read a line of a results file in the OpenAI batch format; return None if the line is not in that format."""
    try:
        row = json.loads(line)
        body = (row.get("response") or {}).get("body") or {}
        return BatchAnswer(str(row["custom_id"]), *content_of(body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
