"""Requests to a language model (numbered units, that is, clauses), and its answers (numbers, with words of a fixed list).

An answer is untrusted. Malformed entries are dropped, and their units stay unread. Apart from these words, no text is kept.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, Field, StrictBool, StrictInt, ValidationError

from riskanalytics.extraction.changed import GONE, NEW, Changed, change_key, in_context
from riskanalytics.extraction.records import COURSES, Course
from riskanalytics.extraction.training import stances_key
from riskanalytics.extraction.units import Unit
from riskanalytics.extraction.verdicts import ACTORS, ANSWERS, AUDIENCES, LEVELS, POLARITIES, Verdict, Verdicts, Vote
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.untrusted import visible_line

from .guide import PARAMETERS, SCHEMAS, Json, guide
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

    kind: Literal["verdicts", "checks", "changes", "stances", "decisions", "answers"]
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


def requests_of(units: Iterable[Unit]) -> Iterator[Request]:
    """Yield requests for verdicts on units; each request has as many units as its limits (40 units, 9,000 characters) allow.

    Parameters
    ----------
    units : iterable of Unit
        Units of one document in their order. Equal units are sent once.
    """
    for chunk in _chunks(units):
        yield Request("verdicts", tuple(chunk))


def second_looks(rows: Sequence[tuple[Unit, str]]) -> Iterator[Request]:
    """Yield requests (kind `checks`) that ask the model, for each verdict, whether the unit states the vendor's own practice.

    Parameters
    ----------
    rows : sequence of (Unit, str)
        The verdicts to check, as pairs: the unit, and the surface that the verdict names. The question is about this surface.
    """
    by_surface: dict[str, list[Unit]] = {}
    for unit, surface in rows:
        by_surface.setdefault(surface, []).append(unit)
    for surface, units in by_surface.items():
        for chunk in _chunks(units):
            yield Request("checks", tuple(chunk), (surface,) * len(chunk))


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


def _chunks(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Cut units, each once, into pieces within the limits of one request."""
    chunk: list[Unit] = []
    size = 0
    for unit in {unit.key: unit for unit in units}.values():
        more = len(unit.words) + len(unit.lead_in) + sum(map(len, unit.headings))
        if chunk and (len(chunk) == _MOST_UNITS or size + more > _MOST_CHARACTERS):
            yield chunk
            chunk, size = [], 0
        chunk.append(unit)
        size += more
    if chunk:
        yield chunk


def messages(request: Request) -> list[Json]:
    """Return a request as two chat messages: the instructions (role `system`) and the numbered units (role `user`)."""
    entries = f"Return one entry for each unit, numbered 1 to {len(request.units)}."
    last = {
        "changes": "Judge this change.",
        "stances": "Decide the stances.",
        "decisions": "Compare.",
        "answers": "Choose.",
    }
    ask = f"Units:\n{request.text}\n\n{last.get(request.kind, entries)}"
    return [{"role": "system", "content": guide(request.kind)}, {"role": "user", "content": ask}]


def body_of(request: Request, model: str) -> Json:
    """Return a request as the body of an OpenAI-compatible chat completion, with the JSON schema of the answer."""
    schema = {"name": request.kind, "strict": True, "schema": SCHEMAS[request.kind]}
    form = {"type": "json_schema", "json_schema": schema}
    return {"model": model, "messages": messages(request), "response_format": form, **PARAMETERS}


class _Said(BaseModel):
    surface: Literal[SURFACES]  # type: ignore[valid-type]
    risk: Literal[LEVELS]  # type: ignore[valid-type]
    polarity: Literal[POLARITIES]  # type: ignore[valid-type]
    actor: Literal[ACTORS] = "vendor"  # type: ignore[valid-type]
    stance: Literal[ANSWERS] | None = None  # type: ignore[valid-type]
    audience: Literal[AUDIENCES] = "all"  # type: ignore[valid-type]
    conditional: StrictBool = False
    probability: Annotated[float, Field(ge=0, le=1)] | None = None


class _Entry(BaseModel):
    n: StrictInt
    says: Annotated[list[_Said], Field(max_length=len(SURFACES))] | None = None
    kind: str | None = None


class _Way(BaseModel):
    surface: Literal[SURFACES]  # type: ignore[valid-type]
    direction: Literal[COURSES]  # type: ignore[valid-type]
    units: list[StrictInt]


class _Change(BaseModel):
    whole: Literal[COURSES]  # type: ignore[valid-type]
    surfaces: Annotated[list[_Way], Field(max_length=len(SURFACES))]


class _Stances(BaseModel):
    consumer: Literal[STANCES]  # type: ignore[valid-type]
    business: Literal[STANCES]  # type: ignore[valid-type]
    units: list[StrictInt]


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
    try:
        if sent.kind == "changes":
            return Answer(courses=_courses(sent, _Change.model_validate(parsed(content))))
        if sent.kind == "stances":
            return Answer(stances=_stances(sent, _Stances.model_validate(parsed(content))))
    except ValidationError:
        return Answer()
    entries: dict[int, list[_Entry]] = {}
    units = parsed(content).get("units")
    for raw in units if isinstance(units, list) else ():
        try:
            entry = _Entry.model_validate(raw)
        except ValidationError:
            number = raw.get("n") if isinstance(raw, dict) else None
            if type(number) is int:  # an entry that cannot be read makes its unit unread, also if it is repeated
                entries.setdefault(number, []).extend([_Entry(n=number)] * 2)
            continue
        entries.setdefault(entry.n, []).append(entry)
    single = {number: found[0] for number, found in entries.items() if len(found) == 1 and 0 < number <= len(sent.keys)}
    if sent.kind == "checks":
        kinds = {number: entry.kind for number, entry in single.items() if entry.kind is not None}
        places = list(zip(sent.keys, sent.subjects, strict=True))
        return Answer(checks={places[number - 1]: kind == "practice" for number, kind in sorted(kinds.items())})
    said = {
        sent.keys[number - 1]: Verdicts(tuple(map(_verdict, entry.says)), sent.trusted)
        for number, entry in sorted(single.items())
        if entry.says is not None and len({one.surface for one in entry.says}) == len(entry.says)
    }
    return Answer(verdicts=said)


def _courses(sent: Sent, said: _Change) -> dict[str, Course]:
    """Return key of a change -> how the change affects the risk; empty if the request may have misled the model.

    The answer for a surface counts only if it names a unit that decides it. A repeated or uncounted surface makes the result empty.
    """
    keys = dict(enumerate(sent.keys, 1))
    ways = {one.surface: one.direction for one in said.surfaces if keys.keys() & {*one.units}}
    if not sent.trusted or len(ways) < len(said.surfaces):
        return {}
    changed = [[unit for unit, of in zip(sent.keys, sent.subjects, strict=True) if of == side] for side in (GONE, NEW)]
    named = {keys.get(number) for one in said.surfaces for number in one.units}
    decide = tuple(unit for units in changed for unit in units if unit in named)
    return {change_key(*changed): Course(said.whole, tuple(ways.items()), decide)}


def _stances(sent: Sent, said: _Stances) -> dict[str, Vote]:
    """Return key of the clauses on training -> the vote on the stances; empty if the request may have misled the model.

    Stances other than `silent` and `undetermined` need the number of a unit that decides them.
    """
    units = tuple(dict.fromkeys(sent.keys[number - 1] for number in said.units if 0 < number <= len(sent.keys)))
    usable = sent.trusted and (units or not {said.consumer, said.business} & {*ANSWERS})
    key = stances_key(unit for unit, of in zip(sent.keys, sent.subjects, strict=True) if not of.endswith(CONTEXT))
    return {key: Vote(said.consumer, said.business, units)} if usable else {}


def parsed(content: str) -> Json:
    """Return the JSON object of an answer; empty if it has none."""
    start, end = content.find("{"), content.rfind("}")
    try:
        parsed = json.loads(content[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _verdict(said: _Said) -> Verdict:
    """Return an entry of an answer as a verdict."""
    values = said.model_dump()
    values["audience"] = None if said.audience == "all" else said.audience
    values["stance"] = said.stance if said.surface == "training_use" else None
    return Verdict(**values)


def content_of(body: Json) -> tuple[str, int]:
    """Return the text (empty if missing) and the number of tokens in `body`: the JSON of a chat completion of OpenAI or Ollama.

    If the server returned log-probabilities, the verdicts in the text have probabilities (`with_probabilities`).
    """
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else body
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    counts = [usage.get("total_tokens"), body.get("prompt_eval_count"), body.get("eval_count")]  # type: ignore[union-attr]
    text = with_probabilities(content, first.get("logprobs")) if isinstance(content, str) else ""
    numbers = [max(0, one) for one in counts if isinstance(one, int)]
    return text, sum(numbers[:1] if usage else numbers)
