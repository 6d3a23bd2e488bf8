"""The guide for language models: instructions made from the definitions of the surfaces, and JSON schemas for the answers."""

import json
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any, Final

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
    "checks": _object(
        units=_objects(
            n=_NUMBER, kind={"type": "string", "enum": ["practice", "user_rule", "definition", "feedback", "other"]}
        )
    ),
    "changes": _object(whole=_COURSE, surfaces=_objects(surface=_SURFACE, direction=_COURSE, units=_NUMBERS)),
    "decisions": _object(state={"type": "string", "enum": ["same", "changed", "gone"]}, units=_NUMBERS),
    "answers": _object(units=_NUMBERS),
    "stances": _object(consumer=_STANCE, business=_STANCE, units=_NUMBERS),
}
"""Kind of a request -> JSON schema of its answer."""


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
