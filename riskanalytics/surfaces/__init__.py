"""Surfaces, the subjects that a clause may speak to: a file each.

`<id>.toml` in this folder holds all that is said of one: what it asks, its weight, its rules, the words of questions,
its controls, its part in the demo. The part before the first table of a file is its head; the heads alone are read
here, so that names cost next to nothing. `riskanalytics.surfaces.declared` reads the files whole.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from riskanalytics.errors import SurfaceError

_TABLE: Final = re.compile(r"^\[", re.MULTILINE)
_ID: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")


class Table(BaseModel):
    """Base of all that a file holds: frozen, and a field that nothing reads is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Checked = TypeVar("Checked", bound=Table)


class Surface(Table):
    """The head of a file: what a surface is called, what it asks, and how it counts."""

    id: str
    """The name of its file."""
    name: str
    order: int
    """Its place on pages, in rising order."""
    weight: int = Field(gt=0)
    """In the mean of the rating."""
    question: str
    high: str
    """What makes a clause of it HIGH."""
    med: str
    low: str
    not_counted: str
    longer_is: Literal[-1, 0, 1] = 0
    """Whether a longer period raises or lowers the risk."""
    users_part: bool = False
    """What the user grants, bears or accepts is the term itself, not a duty beside it."""
    protective_decide: bool = False
    """LOW as soon as protective clauses outnumber HIGH ones."""
    recipients: bool = False
    """Its clauses name who receives: see `recipients` in `riskanalytics/extraction/rules/words.toml`."""
    about_some: bool = False
    """It is about some people only: a promise to them answers a question."""
    collected_is_kept: bool = False
    """A question on what is kept is answered with what is collected, too."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """How sure a rule of it is while nothing is learned of the surface; without it just enough to be shown, which never
    makes a level HIGH."""


def parsed(file: str, text: str) -> dict[str, object]:
    """Parse a file, or a part of one.

    Parameters
    ----------
    file : str
        Its name, for messages.
    text : str

    Raises
    ------
    SurfaceError
        If it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SurfaceError(f"{file}: not well-formed: {error}") from error


def checked(model: type[Checked], file: str, table: Mapping[str, object]) -> Checked:
    """Check a table of a file.

    Parameters
    ----------
    model : type
        What it must be.
    file : str
        Its name, for messages.
    table : mapping

    Raises
    ------
    SurfaceError
        If a field is missing, unknown or not what it must be: one line with the file, the place and the reason.
    """
    try:
        return model.model_validate(table)
    except ValidationError as error:
        first, place = error.errors(include_url=False)[0], [file]
        here: object = table
        for step in first["loc"]:
            if isinstance(here, list):
                here = here[int(step)]
            elif isinstance(here, Mapping):
                here = here.get(step)
            place.append(str(here["id"] if isinstance(here, Mapping) and "id" in here else step))
        reason = " ".join(first["msg"].removeprefix("Value error, ").split())
        raise SurfaceError(f"{': '.join(place)}: {reason}") from error


def texts() -> dict[str, str]:
    """Return the text of each file by its surface."""
    files = (path for path in resources.files(__name__).iterdir() if path.name.endswith(".toml"))
    return {path.name.removesuffix(".toml"): path.read_text(encoding="utf-8") for path in files}


def _head(surface: str, text: str) -> Surface:
    """Read the head of a file."""
    file = f"{surface}.toml"
    if not _ID.fullmatch(surface):
        raise SurfaceError(f"{file}: a surface is named in lower-case letters, its words joined by underscores")
    return checked(Surface, file, {**parsed(file, _TABLE.split(text, maxsplit=1)[0]), "id": surface})


SURFACE_DESCRIPTIONS: Final = {
    surface.id: surface
    for surface in sorted((_head(*one) for one in texts().items()), key=lambda one: (one.order, one.id))
}
"""The heads of the known surfaces, in the order in which pages show them."""
SURFACES: Final = tuple(SURFACE_DESCRIPTIONS)
SURFACE_NAMES: Final = {surface.id: surface.name for surface in SURFACE_DESCRIPTIONS.values()}


def surface_name(surface: str) -> str:
    """Return the readable name of a surface; one never seen is its identifier with spaces."""
    return SURFACE_NAMES.get(surface) or surface.replace("_", " ").strip().capitalize()
