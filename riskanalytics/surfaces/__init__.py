"""The surfaces: the risk topics on which clauses are judged, each declared in one file.

The file `<id>.toml` in this folder contains everything about a surface: the question that the surface asks of a policy, its weight,
the rules that find its clauses, patterns of users' questions, the controls of compliance frameworks that the surface concerns, and
its clauses in the demo. The fields before the first TOML table of a file are a `Surface`. This module reads these fields only, so
that it is imported fast; `riskanalytics.surfaces.declared` reads the complete files.
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
    """Base class of all parts of a surface's file: frozen, and unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Checked = TypeVar("Checked", bound=Table)


class Surface(Table):
    """The fields of a surface's file before its first TOML table: name, question, weight, what each level means, and so on."""

    id: str
    """The name of the file."""
    name: str
    order: int
    """Position on pages; smaller numbers come first."""
    weight: int = Field(gt=0)
    """Weight in the mean of the rating."""
    question: str
    high: str
    """Description of clauses with level HIGH."""
    med: str
    """Description of clauses with level MED."""
    low: str
    """Description of clauses with level LOW."""
    not_counted: str
    """Description of similar clauses that do not count."""
    longer_is: Literal[-1, 0, 1] = 0
    """1 if a longer period raises the risk, -1 if it lowers the risk, 0 if it does neither."""
    users_part: bool = False
    """Whether clauses on what users grant, bear or accept count; on other surfaces, these are duties of users and do not count."""
    protective_decide: bool = False
    """Whether the level is LOW as soon as protective clauses outnumber HIGH ones."""
    recipients: bool = False
    """Whether its clauses name recipients: see `recipients` in `riskanalytics/extraction/rules/words.toml`."""
    about_some: bool = False
    """Whether the surface concerns only some people, so that a promise to these people alone answers a question."""
    collected_is_kept: bool = False
    """Whether clauses on collected data also answer a question on stored data."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """Confidence of the surface's rules while the model does not know the surface. The default is the minimum confidence of a
    finding, which is too low to make a level HIGH."""


def checked(model: type[Checked], file: str, text: str, **more: str) -> Checked:
    """Parse the TOML text of a file, or of a part of it, and return it as a model.

    Parameters
    ----------
    model : type
        Class of the result.
    file : str
        Name of the file, for messages.
    text : str
        The text of the file, or of a part of it.
    **more : str
        Fields that the text does not contain.

    Raises
    ------
    SurfaceError
        If the text is not valid TOML, or a field is missing, unknown or invalid: one line with file, place and reason.
    """
    try:
        table = tomllib.loads(text) | more
        return model.model_validate(table)
    except tomllib.TOMLDecodeError as error:
        raise SurfaceError(f"{file}: the file is not valid TOML: {error}") from error
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
    """Return the TOML text of each surface's file, by the identifier of the surface."""
    files = (path for path in resources.files(__name__).iterdir() if path.name.endswith(".toml"))
    return {path.name.removesuffix(".toml"): path.read_text(encoding="utf-8") for path in files}


def _head(surface: str, text: str) -> Surface:
    """Read the fields of a file before its first TOML table."""
    file = f"{surface}.toml"
    if not _ID.fullmatch(surface):
        raise SurfaceError(
            f"{file}: the name of a surface has lower-case letters only, with underscores between words: rename the file"
        )
    return checked(Surface, file, _TABLE.split(text, maxsplit=1)[0], id=surface)


SURFACE_DESCRIPTIONS: Final = {
    surface.id: surface
    for surface in sorted((_head(*item) for item in texts().items()), key=lambda head: (head.order, head.id))
}
"""Identifier of a surface -> the fields of its file before the first TOML table; in the order of pages."""
SURFACES: Final = tuple(SURFACE_DESCRIPTIONS)
SURFACE_NAMES: Final = {surface.id: surface.name for surface in SURFACE_DESCRIPTIONS.values()}


def surface_name(surface: str) -> str:
    """Return the readable name of a surface; for an unknown surface, its identifier with spaces."""
    return SURFACE_NAMES.get(surface) or surface.replace("_", " ").strip().capitalize()


def surface_phrase(surface: str) -> str:
    """Return the readable name of a surface as it appears within a sentence: "web data training", "IP liability"."""
    name = surface_name(surface)
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]
