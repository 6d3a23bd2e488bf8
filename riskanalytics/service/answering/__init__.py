"""Answers to questions, from cited findings and marked leads (specification section 4.2)."""

from typing import Annotated, Final

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from riskanalytics.models.records import Answer

from ..door.problems import checked
from ..wire import UNSTORED, Service, TheService, answers, json_body, json_of, own_site_only
from ..wire import answer as replied
from .answer import BY_RULES, MOST_NAMED, Choose, about_platforms, all_clauses, answered
from .many import about_all, ratings
from .question import Question, read_question

MOST_ASKED: Final = 1000
"""Maximum number of characters of a question."""
_SIMILAR: Final = 75
"""Lowest similarity of names (percentage, Indel distance) to suggest a platform."""


class Body(BaseModel, extra="forbid", frozen=True, str_strip_whitespace=True, regex_engine="python-re"):
    """JSON body of a request that asks a question: `question`, and optionally `platform`, a slug that limits it to one platform."""

    question: Annotated[str, Field(min_length=1, max_length=MOST_ASKED, pattern=r"\S")]
    platform: Annotated[str | None, Field(max_length=200, description="Slug")] = None


_DESCRIBED: Final = {"requestBody": {"required": True, "content": json_of(Body.model_json_schema())}}


async def _body(request: Request) -> Body:
    """Parse the body of a POST."""
    return checked(Body, await json_body(request))


router = APIRouter(tags=["open"], dependencies=[Depends(own_site_only)])


@router.post("/api/verified/ask", openapi_extra=_DESCRIBED, responses=answers(Answer, "Answer or refusal"))
async def ask(request: Request, service: TheService, question: Annotated[Body, Depends(_body)]) -> Response:
    """Answer a question from cited verified findings, or refuse it if they do not support an answer."""

    def reply() -> Response:
        with service.store.one_state():
            return replied(request, answer_question(service, question.question, question.platform), UNSTORED)

    return await to_thread.run_sync(reply, limiter=service.limiter)


def answer_question(
    service: Service, question: str, platform: str | None = None, choose: Choose | None = None
) -> Answer:
    """Answer a question from cited findings and leads (marked as leads), or refuse it.

    An answer consists of fixed sentences around verbatim quotes, so neither a question nor a policy nor a language model can
    change its wording.

    Parameters
    ----------
    service : Service
    question : str
        English or Chinese. Instructions in it have no effect.
    platform : str, optional
        Slug of the platform that the question is about.
    choose : callable, optional
        Chooses the clauses to cite if the question names platforms, unless ratings or the recorded stance on training use
        answer it; `reader.answers.chosen_by` makes it. By default fixed rules choose them.

    Returns
    -------
    Answer
        The text with its citations, or a refusal with its reason.
    """
    read = read_question(question, service.store.names(), platform)
    if not choose or not read.slugs or read.on_ratings or read.stances or _refusal(read, any_subject=True):
        return _by_rules(service, read)
    every = all_clauses(service, read)
    if (picked := choose(read.text, every)) is not None:
        return about_platforms(service, read, (picked, every))
    record = _by_rules(service, read)
    return record.model_copy(update={"answer": f"{record.answer}\n{BY_RULES}"})


def _by_rules(service: Service, question: Question) -> Answer:
    """Answer a question, or refuse it, by fixed rules."""
    if refusal := _refusal(question):
        reason, words = refusal
        return answered(service, question, [words], reason=reason)
    if question.on_ratings:
        return ratings(service, question)
    return about_platforms(service, question) if question.slugs else about_all(service, question)


def _refusal(question: Question, *, any_subject: bool = False) -> tuple[str, str] | None:
    """Return the reason (code, sentence) to refuse a question without a search; None if a search is needed.

    If `any_subject` is true, the question need not be about a known subject.
    """
    names, given = question.names, question.platform
    unclear = [fits for fits in question.named if len(fits) > 1 and given not in fits]
    fitting = ", ".join(f"{names[slug]} ({slug})" for fits in unclear[:1] for slug in fits)
    with_terms = "clauses" in question.intents and question.terms
    no_subject = not (any_subject or question.surfaces or question.on_ratings or with_terms)
    nobody = not (question.slugs or question.intents & {"which", "clauses"})
    cases = (
        (given is not None and given not in names, "unknown_platform", "No platform with this slug is tracked."),
        ("advice" in question.intents, "legal_advice",
         "This asks for legal advice. The service only reports what policies say, with citations."),
        ("elsewhere" in question.intents, "no_evidence" if question.surfaces else "not_about_policies",
         "No policy clause answers this."),
        (unclear, "ambiguous_platform", f"The name matches several platforms: {fitting}. Set platform to one of these slugs."),
        (given is not None and any(given not in fits for fits in question.named), "ambiguous_platform",
         "The question names a different platform than the one given as platform."),
        (len(question.slugs) > MOST_NAMED, "ambiguous_platform", f"Name at most {MOST_NAMED} platforms in one question."),
        (no_subject and question.about_policies, "no_evidence",
         "The question is about none of the surfaces (risk topics) that policies are rated on."),
        (no_subject, "not_about_policies", "Only questions about IP and privacy in policies can be answered."),
        (nobody and any(term.is_name for term in question.terms), "unknown_platform",
         "The question names no tracked platform."),
        (nobody, "ambiguous_platform", "Name a platform, or ask which platforms do this."),
    )  # fmt: skip
    reason, words = next(((reason, words) for holds, reason, words in cases if holds), ("", ""))
    return (reason, words + _similar(question) * (reason == "unknown_platform")) if reason else None


def _similar(question: Question) -> str:
    """Return the platforms whose names, or first words of names, are most similar to a name in a question; empty if none is."""
    term = " ".join(term.word for term in question.terms if term.is_name)
    wanted = (question.platform or term).replace("-", " ").casefold()
    names = {slug: name.casefold() for slug, name in question.names.items()}
    like = {
        slug: max(fuzz.ratio(wanted, name), fuzz.ratio(wanted, name.partition(" ")[0])) for slug, name in names.items()
    }
    near = [slug for slug in sorted(like, key=lambda slug: -like[slug]) if like[slug] >= _SIMILAR][:3]
    offered = " or ".join(f"{question.names[slug]} ({slug})" for slug in near)
    return f" Did you mean {offered}?" if offered else ""
