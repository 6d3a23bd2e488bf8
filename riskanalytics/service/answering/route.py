"""The open endpoint that answers questions from verified findings (specification section 4.2)."""

from __future__ import annotations

from typing import Annotated, Final

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from riskanalytics.models.records import Answer
from riskanalytics.service.answering.answer import answer_question
from riskanalytics.service.description import answers, json_of
from riskanalytics.service.door.problems import checked
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import UNSTORED, TheService, answer, each_once, json_object, no_query, own_site_only

MOST_QUESTION: Final = 1000
"""Characters of a question, without white space around it."""


class Question(BaseModel):
    """What is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, regex_engine="python-re")

    question: Annotated[str, Field(min_length=1, max_length=MOST_QUESTION, pattern=r"\S")]
    platform: Annotated[str | None, Field(max_length=200, description="Slug")] = None


_RESPONSES: Final[dict[int | str, Json]] = {
    **answers(Answer, "Answer or refusal"),
    400: {"description": "The body is no JSON text, or the address has a query"},
    403: {"description": "Sent by another site's page"},
    413: {"description": "Body too large"},
    415: {"description": "Not JSON"},
    422: {"description": "Body not understood"},
}
_DESCRIBED: Final[Json] = {"requestBody": {"required": True, "content": json_of(Question.model_json_schema())}}


async def _question(request: Request) -> Question:
    """Return the question in the body of a POST."""
    return checked(Question, await json_object(request))


router = APIRouter(tags=["open"], dependencies=[Depends(each_once), Depends(no_query), Depends(own_site_only)])


@router.post("/api/verified/ask", openapi_extra=_DESCRIBED, responses=_RESPONSES)
async def ask(request: Request, service: TheService, asked: Annotated[Question, Depends(_question)]) -> Response:
    """Answer a question from cited verified findings; refuse where they do not carry an answer."""

    def answered() -> Response:
        with service.store.one_state():
            payload = answer_question(service, asked.question, asked.platform)
        return answer(request, payload, UNSTORED)

    return await to_thread.run_sync(answered, limiter=service.limiter)
