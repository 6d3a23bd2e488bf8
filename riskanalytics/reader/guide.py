"""The guide for language models: instructions made from the definitions of the surfaces, and JSON schemas for the answers."""

import json
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any, Final

from jsonschema import Draft202012Validator, validators

from riskanalytics.extraction.records import COURSES
from riskanalytics.extraction.verdicts import ACTORS, ANSWERS, AUDIENCES, LEVELS, POLARITIES
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES

Json = dict[str, Any]

PARAMETERS: Final[Json] = {"temperature": 0, "seed": 0}


def _object(**properties: Json) -> Json:
    """Return the schema of an object, all of whose fields are required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _objects(**properties: Json) -> Json:
    """Return the schema of a list of objects, all of whose fields are required."""
    return {"type": "array", "items": _object(**properties)}


_SURFACE: Final = {"type": "string", "enum": list(SURFACES)}
_NUMBER: Final = {"type": "integer"}
_NUMBERS: Final = {"type": "array", "items": _NUMBER}
_COURSE: Final = {"type": "string", "enum": list(COURSES)}
_STANCE: Final = {"type": "string", "enum": list(STANCES)}
_CHECK: Final = {"type": "string", "enum": ["practice", "user_rule", "definition", "feedback", "other"]}
_VERDICT: Final[Json] = {
    "surface": _SURFACE,
    "risk": {"type": "string", "enum": list(LEVELS)},
    "polarity": {"type": "string", "enum": list(POLARITIES)},
    "actor": {"type": "string", "enum": list(ACTORS)},
    "stance": {"type": ["string", "null"], "enum": [*ANSWERS, None]},
    "audience": {"type": "string", "enum": list(AUDIENCES)},
    "conditional": {"type": "boolean"},
}
SCHEMAS: Final = {
    "verdicts": _object(units=_objects(n=_NUMBER, says=_objects(**_VERDICT))),
    "checks": _object(units=_objects(n=_NUMBER, kind=_CHECK)),
    "changes": _object(whole=_COURSE, surfaces=_objects(surface=_SURFACE, direction=_COURSE, units=_NUMBERS)),
    "decisions": _object(state={"type": "string", "enum": ["same", "changed", "gone"]}, units=_NUMBERS),
    "answers": _object(units=_NUMBERS),
    "stances": _object(consumer=_STANCE, business=_STANCE, units=_NUMBERS),
}
"""Kind of a request -> JSON schema of its answer."""
_Validator: Final = validators.extend(
    Draft202012Validator,
    {"additionalProperties": lambda *_: None},  # fields that the schema does not name are ignored
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, said: type(said) is int),
)


def parsed(content: str) -> Json:
    """Return the JSON object in the text of an answer, which other text may surround; empty if it has none."""
    start, end = content.find("{"), content.rfind("}")
    try:
        found = json.loads(content[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def answer_in(content: str, kind: str) -> Json:
    """Return the JSON object in the text of an answer to a request of a kind; empty if it does not follow the schema."""
    said = parsed(content)
    return said if follows(SCHEMAS[kind], said) else {}


def follows(schema: Json, said: object) -> bool:
    """Return whether a part of an answer follows a schema of `SCHEMAS`; fields that the schema does not name are allowed."""
    try:
        return bool(_Validator(schema).is_valid(said))
    except RecursionError:
        return False


@cache
def guide(kind: str) -> str:
    """Return the instructions that a language model gets with a request, from the text file of its kind.

    Parameters
    ----------
    kind : str
        `verdicts` for requests to read clauses; `checks` for requests to check verdicts (`exchange.second_looks`); `changes`
        for requests to judge changes; `stances` for requests to decide a platform's stances; `decisions`
        for requests to compare a clause with a later text (`decisions.decision_request`); `answers` for requests to choose
        the clauses that answer a question (`answers.answer_request`).
    """
    text = resources.files(__package__).joinpath(f"{kind}.txt").read_text(encoding="utf-8")
    if kind not in ("verdicts", "changes"):
        return text
    surfaces = [
        f"- {one.id}: {one.question} HIGH: {one.high}. MED: {one.med}. LOW: {one.low}. Not counted: {one.not_counted}."
        for one in SURFACE_DESCRIPTIONS.values()
    ]
    return text + "\n".join(surfaces)


@cache
def guide_version() -> str:
    """Return the version of the guide for verdicts: eight hexadecimal digits, a hash of instructions, schemas and parameters."""
    schemas = {kind: SCHEMAS[kind] for kind in ("verdicts", "checks")}
    parts = [guide("verdicts"), guide("checks"), json.dumps([schemas, PARAMETERS], sort_keys=True)]
    return sha256("\0".join(parts).encode()).hexdigest()[:8]


def reader_name(model: str) -> str:
    """Return the name under which the verdicts of a model are stored: `model`, `@` and the version of the guide."""
    return f"{model}@{guide_version()}"
