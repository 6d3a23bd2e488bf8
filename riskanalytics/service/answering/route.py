"""The open endpoint that answers questions from verified findings (specification section 4.2)."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request, Response
from starlette.concurrency import run_in_threadpool

from riskanalytics.service.answering.answer import REASONS, answer_question
from riskanalytics.service.asked import each_once, no_query
from riskanalytics.service.description import json_of
from riskanalytics.service.problems import Problem
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import TheService, answer, json_object

MOST_QUESTION: Final = 1000
"""Characters of a question, without white space around it."""
_MOST_SLUG: Final = 200
_BODY: Final[Json] = {
    "type": "object",
    "required": ["question"],
    "additionalProperties": False,
    "properties": {
        "question": {"type": "string", "minLength": 1, "maxLength": MOST_QUESTION, "pattern": r"\S"},
        "platform": {"type": ["string", "null"], "maxLength": _MOST_SLUG, "description": "Slug"},
    },
}
_ANSWER: Final[Json] = {
    "type": "object",
    "required": [
        "object", "question", "platform", "answer", "refused", "reason", "citations", "searched", "disclaimer",
    ],
    "properties": {
        "object": {"const": "answer"},
        "question": {"type": "string"},
        "platform": {"type": ["string", "null"]},
        "answer": {"type": "string"},
        "refused": {"type": "boolean"},
        "reason": {"enum": [*REASONS, None]},
        "citations": {"type": "array", "items": {"type": "object"}},
        "searched": {"type": "object"},
        "disclaimer": {"type": "string"},
    },
}  # fmt: skip
_RESPONSES: Final[dict[int | str, Json]] = {
    200: {"description": "Answer or refusal", "content": json_of(_ANSWER)},
    400: {"description": "The body is no JSON text, or the address has a query"},
    403: {"description": "Sent by another site's page"},
    413: {"description": "Body too large"},
    415: {"description": "Not JSON"},
    422: {"description": "Body not understood"},
}
_DESCRIBED: Final[Json] = {"requestBody": {"required": True, "content": json_of(_BODY)}}


router = APIRouter(tags=["open"], dependencies=[Depends(each_once), Depends(no_query)])


@router.post("/api/verified/ask", openapi_extra=_DESCRIBED, responses=_RESPONSES)
async def ask(request: Request, service: TheService) -> Response:
    """Answer a question from cited verified findings; refuse where they do not carry an answer."""
    service.refuse_cross_site(request)
    question, platform = _asked(await json_object(request))
    payload = await run_in_threadpool(service.of_one_state(answer_question), service, question, platform)
    return answer(request, payload, headers={"Cache-Control": "no-store"})


def _asked(body: Json) -> tuple[str, str | None]:
    """Return question and slug of a body; 422 where it is not as described."""
    if not body.keys() <= {"question", "platform"}:
        raise Problem(422, "The body holds question and platform, nothing else.")
    question, platform = body.get("question"), body.get("platform")
    if not isinstance(question, str) or not 1 <= len(question.strip()) <= MOST_QUESTION:
        raise Problem(422, f"question is a text of 1 to {MOST_QUESTION:,} characters.")
    if platform is not None and (not isinstance(platform, str) or len(platform) > _MOST_SLUG):
        raise Problem(422, f"platform is a slug of at most {_MOST_SLUG} characters.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise Problem(422, "question holds a half of a character.")
    return question.strip(), platform
