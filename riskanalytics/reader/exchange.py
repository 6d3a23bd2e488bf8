"""Requests to a language model (numbered units, that is, clauses), and its answers (numbers, with words of a fixed list).

An answer is untrusted. Malformed entries are dropped, and their units stay unread. Apart from these words, no text is kept.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from riskanalytics.extraction.changed import GONE, NEW, Changed, change_key, in_context
from riskanalytics.extraction.records import Course
from riskanalytics.extraction.training import stances_key
from riskanalytics.extraction.units import Unit
from riskanalytics.extraction.verdicts import ANSWERS, TRAINING, Verdict, Verdicts, Vote
from riskanalytics.text.untrusted import visible_line

from .guide import PARAMETERS, SCHEMAS, Json, answer_in, follows, guide, parsed
from .probabilities import with_probabilities

_MOST_UNITS: Final = 40
_MOST_CHARACTERS: Final = 9_000
"""Limits of one request, so that weak models with short context windows still see the whole request."""
_LONGEST_CHANGE: Final = 120_000
"""Maximum number of bytes of a change, which must fit in one request: old and new clauses cannot be judged apart."""
TOKEN: Final = 4
"""Number of bytes that estimates count as one token; a Chinese character has three bytes, and is about one token."""
_ANSWER: Final = {"verdicts": 30, "checks": 12, "changes": 10, "stances": 4, "decisions": 4, "answers": 2}
"""Kind of a request -> estimated number of tokens of the answer for each unit."""
_TO_MODELS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instruction|prompt|previous|above|prior|guideline)s?"
    r"|\b(?:system prompt|prompt injection|jailbreak)"
    r"|<\|?/?(?:im_start|im_end|system|assistant|user|inst)\b|\[/?INST\]|^\s*(?:system|assistant|developer)\s*:"
    r"|\b(?:note|message|instructions?|attention|dear|hey|hi)\b[^.]{0,20}\b(?:llms?|language models?|ai (?:models?|readers?|"
    r"assistants?|agents?)|chatbots?|readers?|reviewers?|annotators?)\b[^.]{0,40}[:,]"
    r"|\b(?:answer|respond|reply|output|return|classify|label|mark|rate|judge|report)\b[^.]{0,60}"
    r"\b(?:none|low|high|med|json|empty list|no surface|does_not_train|trains_by_default|mitigates_risk|raises_risk)\b"
    r"|\bas an? (?:ai|language model|llm)\b[^.]{0,30}\byou\b",
    re.IGNORECASE,
)
"""Words in a unit that address a language model. Verdicts on all units of such a request become leads at most."""
Kind = Literal["verdicts", "checks", "changes", "stances", "decisions", "answers"]
CONTEXT: Final = " (context)"
"""Added to the name of a unit's document if the unit is only context: it neither speaks of training nor defines material."""


class Sent(NamedTuple):
    """The part of a request that is stored until its answer arrives.

    Parameters
    ----------
    kind : str
        The question: `verdicts` on units, `checks` of verdicts (`second_looks`), whether `changes` raise or lower the risk, the
        `stances` of a platform, for `decisions` whether a text still says what a clause said, or which units answer a question.
    keys : tuple of str
        Keys (hashes) of the requested units, in the order of their numbers.
    subjects : tuple of str
        For each unit: for `checks`, the surface; for `changes`, `gone`, `new` or `same`; for `stances`, its document;
        for `decisions`, `now`, or `then` with a question; for `answers`, `question`, or vendor and document. Else empty.
    trusted : bool
        False if a unit addresses a language model, as in "ignore all instructions". The verdicts of the whole request then
        give leads at most, never findings.
    """

    kind: str
    keys: tuple[str, ...]
    subjects: tuple[str, ...] = ()
    trusted: bool = True


class Request(NamedTuple):
    """One request to a reader (a language model).

    Parameters
    ----------
    kind : str
        The question, as in `Sent`.
    units : tuple of Unit
        Clauses to send, numbered from 1 in this order.
    subjects : tuple of str
        A word or name for each unit, as in `Sent`.
    """

    kind: Kind
    units: tuple[Unit, ...]
    subjects: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Identifier of the request: a hash of `kind`, `units` and `subjects`."""
        parts = [self.kind, *(unit.key for unit in self.units), *self.subjects]
        return f"{self.kind}-{sha256(' '.join(parts).encode()).hexdigest()[:32]}"

    @property
    def trusted(self) -> bool:
        """False if a unit addresses a language model, as in "ignore all instructions"; else True."""
        parts = (part for unit in self.units for part in (unit.words, unit.lead_in, *unit.headings))
        return not any(map(_TO_MODELS.search, (*self.subjects, *parts)))

    @property
    def sent(self) -> Sent:
        """The part of the request that is stored until its answer arrives."""
        return Sent(self.kind, tuple(unit.key for unit in self.units), self.subjects, self.trusted)

    @property
    def tokens(self) -> int:
        """Estimated tokens of the request and its answer."""
        size = len(guide(self.kind)) + len(self.text.encode()) + len(json.dumps(SCHEMAS[self.kind]))
        return size // TOKEN + _ANSWER[self.kind] * len(self.units)

    @property
    def text(self) -> str:
        """The units as text, numbered, below their headings and lead-ins; without the instructions to the model."""
        lines: list[str] = []
        above: tuple[tuple[str, ...], str] = ((), "")
        for number, unit in enumerate(self.units, 1):
            if (unit.headings, unit.lead_in) != above:
                above = unit.headings, unit.lead_in
                lines.append(f"\nUnder: {visible_line(' > '.join(unit.headings)) or '(no heading)'}")
                lines += [f"Continues: {visible_line(unit.lead_in)}"] if unit.lead_in else []
            subject = f" [{visible_line(self.subjects[number - 1])}]" if self.subjects else ""
            lines.append(f"{number}.{subject} {visible_line(unit.words)}")
        return "\n".join(lines).strip()


def requests_of(units: Iterable[Unit], surface: str = "") -> list[Request]:
    """Return requests on units; each request has as many units as its limits (40 units, 9,000 characters) allow.

    Parameters
    ----------
    units : iterable of Unit
        Units of one document in their order. Equal units are sent once.
    surface : str
        Surface on which verdicts are to be checked (kind `checks`); empty to request verdicts.
    """
    chunks: list[list[Unit]] = []
    size = 0
    for unit in {unit.key: unit for unit in units}.values():
        more = len(unit.words) + len(unit.lead_in) + sum(map(len, unit.headings))
        if not chunks or len(chunks[-1]) == _MOST_UNITS or size + more > _MOST_CHARACTERS:
            chunks.append([])
            size = 0
        chunks[-1].append(unit)
        size += more
    kind: Kind = "checks" if surface else "verdicts"
    return [Request(kind, tuple(chunk), (surface,) * len(chunk) if surface else ()) for chunk in chunks]


def second_looks(rows: Sequence[tuple[Unit, str]]) -> Iterator[Request]:
    """Yield requests (kind `checks`) that ask the model, for each verdict, whether the unit states the vendor's own practice.

    Parameters
    ----------
    rows : sequence of (Unit, str)
        The verdicts to check, as pairs: the unit, and the surface that the verdict names. The question is about this surface.
    """
    for surface in dict.fromkeys(surface for _, surface in rows):
        yield from requests_of((unit for unit, on in rows if on == surface), surface)


def change_request(before: str, after: str, changed: Changed) -> Request | None:
    """Return a request (kind `changes`) that asks whether a change of a document raises or lowers the risk.

    It contains the units of the change, each with up to three unchanged units around it, or fewer if it would be too long.

    Parameters
    ----------
    before, after : str
        The texts of the document.
    changed : Changed
        Their difference (`changed_units`), or a part of it (`views`).

    Returns
    -------
    Request or None
        None if the change has no units, a unit addresses a language model, or the request has more than 120,000 bytes without
        unchanged units.
    """
    for around in (3, 2, 1, 0):
        rows = in_context(before, after, changed, around)
        request = Request("changes", tuple(unit for unit, _ in rows), tuple(side for _, side in rows))
        if len(request.text.encode()) <= _LONGEST_CHANGE:
            return request if rows and request.trusted else None
    return None


def messages(request: Request) -> list[Json]:
    """Return a request as two chat messages: the instructions (role `system`) and the numbered units (role `user`)."""
    each = f"Return one entry for each unit, numbered 1 to {len(request.units)}."
    end = each if request.kind in ("verdicts", "checks") else "Answer about these units."
    ask = f"Units:\n{request.text}\n\n{end}"
    return [{"role": "system", "content": guide(request.kind)}, {"role": "user", "content": ask}]


def body_of(request: Request, model: str) -> Json:
    """Return a request as the body of an OpenAI-compatible chat completion, with the JSON schema of the answer."""
    schema = {"name": request.kind, "strict": True, "schema": SCHEMAS[request.kind]}
    form = {"type": "json_schema", "json_schema": schema}
    return {"model": model, "messages": messages(request), "response_format": form, **PARAMETERS}


class Answer(NamedTuple):
    """The valid entries of one answer of a language model.

    Parameters
    ----------
    verdicts : dict of str to Verdicts
        Key (hash) of a unit -> its verdicts. Empty unless the kind of the request is `verdicts`.
    checks : dict of (str, str) to bool
        Key of a unit and a surface -> whether the unit states the vendor's own practice on this surface. Empty unless the kind of
        the request is `checks`.
    courses : dict of str to Course
        Key of a change -> how the change affects the risk. Empty unless the kind of the request is `changes`.
    stances : dict of str to Vote
        Key of the clauses that bear on training -> the vote on the stances. Empty unless the kind of the request is `stances`.
    """

    verdicts: Mapping[str, Verdicts] = {}
    checks: Mapping[tuple[str, str], bool] = {}
    courses: Mapping[str, Course] = {}
    stances: Mapping[str, Vote] = {}


def answer_of(sent: Sent, content: str) -> Answer:
    """Parse the answer to a request, and return its valid entries.

    Parameters
    ----------
    sent : Sent
        The stored part of the request.
    content : str
        Text of the answer: JSON, possibly surrounded by other text.

    Returns
    -------
    Answer
        The valid entries. Units whose entries are missing, repeated or malformed are left out.
    """
    if sent.kind in ("changes", "stances"):
        if not (said := answer_in(content, sent.kind)):
            return Answer()
        return Answer(courses=_courses(sent, said)) if sent.kind == "changes" else Answer(stances=_stances(sent, said))
    units, form = parsed(content).get("units"), SCHEMAS[sent.kind]["properties"]["units"]["items"]
    entries = [one for one in units if isinstance(one, dict)] if isinstance(units, list) else []
    numbered = [(entry["n"], entry) for entry in entries if type(entry.get("n")) is int]
    counts = Counter(number for number, _ in numbered)
    valid = sorted((n, one) for n, one in numbered if counts[n] == 1 and 0 < n <= len(sent.keys) and follows(form, one))
    if sent.kind == "checks":
        places = list(zip(sent.keys, sent.subjects, strict=True))
        return Answer(checks={places[number - 1]: entry["kind"] == "practice" for number, entry in valid})
    said_of = {sent.keys[number - 1]: [*map(_verdict, entry["says"])] for number, entry in valid}
    return Answer(
        {
            key: Verdicts(tuple(said), sent.trusted)
            for key, said in said_of.items()
            if len({one.surface for one in said}) == len(said)
        }
    )


def _courses(sent: Sent, said: Json) -> dict[str, Course]:
    """Return key of a change -> how the change affects the risk; empty if the request may have misled the model.

    The answer for a surface counts only if it names a unit that decides it. A repeated or uncounted surface makes the result empty.
    """
    keys, surfaces = dict(enumerate(sent.keys, 1)), said["surfaces"]
    ways = {one["surface"]: one["direction"] for one in surfaces if keys.keys() & {*one["units"]}}
    if not sent.trusted or len(ways) < len(surfaces):
        return {}
    changed = [[unit for unit, of in zip(sent.keys, sent.subjects, strict=True) if of == side] for side in (GONE, NEW)]
    named = {keys.get(number) for one in surfaces for number in one["units"]}
    decide = tuple(unit for units in changed for unit in units if unit in named)
    return {change_key(*changed): Course(said["whole"], tuple(ways.items()), decide)}


def _stances(sent: Sent, said: Json) -> dict[str, Vote]:
    """Return key of the clauses on training -> the vote on the stances; empty if the request may have misled the model.

    Stances other than `silent` and `undetermined` need the number of a unit that decides them.
    """
    units = tuple(dict.fromkeys(sent.keys[number - 1] for number in said["units"] if 0 < number <= len(sent.keys)))
    usable = sent.trusted and (units or not {said["consumer"], said["business"]} & {*ANSWERS})
    key = stances_key(unit for unit, of in zip(sent.keys, sent.subjects, strict=True) if not of.endswith(CONTEXT))
    return {key: Vote(said["consumer"], said["business"], units)} if usable else {}


def _verdict(said: Json) -> Verdict:
    """Return an entry of an answer as a verdict."""
    audience = None if said["audience"] == "all" else said["audience"]
    stance = said["stance"] if said["surface"] == TRAINING else None
    words, sure = (said["surface"], said["risk"], said["polarity"], said["actor"]), said.get("probability")
    sure = sure if isinstance(sure, float) and 0 <= sure <= 1 else None
    return Verdict(*words, stance, audience, said["conditional"], probability=sure)


def content_of(body: Json) -> tuple[str, int]:
    """Return the text (empty if missing) and the number of tokens in `body`: the JSON of a chat completion of OpenAI or Ollama.

    If the server returned log-probabilities, the verdicts in the text have probabilities (`with_probabilities`).
    """
    text, first, usage = "", body, body.get("usage")
    match body:
        case {"choices": [{"message": {"content": str(text)}} as first, *_]} | (
            {"message": {"content": str(text)}} as first
        ):
            text = with_probabilities(text, first.get("logprobs"))
    ollama = body.get("prompt_eval_count"), body.get("eval_count")
    counts = [usage.get("total_tokens")] if usage and isinstance(usage, dict) else ollama
    return text, sum(max(0, one) for one in counts if isinstance(one, int))
