"""What the tools take: each model is the input schema of one tool, and refuses everything else."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from riskanalytics.service.store.search import MOST_CHARACTERS
from riskanalytics.surfaces import SURFACES

_WORD: Final = re.compile(r"\w")
_LONGEST_SLUG: Final = 200
_LONGEST_CURSOR: Final = 120
MOST_PLATFORMS: Final = 8
"""Platforms that one comparison takes."""


class ToolError(Exception):
    """A call that a tool cannot answer; its text is one sentence for the caller saying what to do."""


def _known(surface: str | None) -> str | None:
    if surface is not None and surface not in SURFACES:
        raise ValueError(f"use one of {', '.join(SURFACES)}")
    return surface


def _each_once(slugs: list[str]) -> list[str]:
    if len(set(slugs)) < len(slugs):
        raise ValueError("name each platform once")
    return slugs


def _worded(query: str) -> str:
    if not _WORD.search(query):
        raise ValueError("give at least one word to search for")
    return query


Slug = Annotated[
    str,
    Field(
        description="Identifier of a platform: lower-case words joined by hyphens. An unknown one is answered with near ones.",
        min_length=1,
        max_length=_LONGEST_SLUG,
        examples=["acme-chat"],
    ),
]
Surface = Annotated[
    str | None,
    Field(
        description="Only clauses on this subject.",
        json_schema_extra={"anyOf": [{"type": "string", "enum": list(SURFACES)}, {"type": "null"}]},
        examples=["training_use"],
    ),
    AfterValidator(_known),
]
Cursor = Annotated[
    str | None,
    Field(
        description="next_cursor of the answer before, with the same other arguments; without it the first page.",
        max_length=_LONGEST_CURSOR,
    ),
]


class Arguments(BaseModel):
    """Base of all arguments: strict types, nothing that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class OnePlatform(Arguments):
    """Arguments of `check_training_use`."""

    slug: Slug


class PlatformPage(OnePlatform):
    """Arguments of `get_platform_risk`."""

    surface: Surface = None
    cursor: Cursor = None


class SeveralPlatforms(Arguments):
    """Arguments of `compare_platforms`."""

    slugs: Annotated[
        list[Slug],
        Field(
            description="Platforms to compare, each once; the answer keeps their order.",
            min_length=2,
            max_length=MOST_PLATFORMS,
            json_schema_extra={"uniqueItems": True},
            examples=[["acme-chat", "example-studio"]],
        ),
        AfterValidator(_each_once),
    ]


class ClauseQuery(Arguments):
    """Arguments of `search_clauses`."""

    query: Annotated[
        str,
        Field(
            description="Words that a clause must hold, all of them, in any order; nothing in it is an operator.",
            min_length=1,
            max_length=MOST_CHARACTERS,
            examples=["train models prompts"],
        ),
        AfterValidator(_worded),
    ]
    surface: Surface = None
    cursor: Cursor = None


def told(model: type[Arguments], error: ValidationError) -> ToolError:
    """Return the sentence for arguments that a model refused; what was sent is not repeated.

    Parameters
    ----------
    model : type
        Arguments of the tool that was called.
    error : ValidationError
    """
    first = error.errors(include_url=False, include_input=False)[0]
    known = ", ".join(model.model_fields)
    if first["type"] == "extra_forbidden":
        return ToolError(f"An argument is not known to this tool: send only {known}.")
    where = str(first["loc"][0]) if first["loc"] else "arguments"
    if first["type"] == "missing":
        return ToolError(f"The argument {where} is missing: send {known} as the tool's input schema describes them.")
    said = first["msg"].removeprefix("Value error, ").replace(" after validation", "")
    return ToolError(f"The argument {where} cannot be used: {said[0].lower()}{said[1:]}.")
