"""The rules of an organisation for the platforms that it uses (its risk appetite), read from a TOML file.

[[rule]]
id = "no-default-training"
title = "Platforms with confidential data must not train by default"
stances = ["trains_by_default", "trains_with_opt_out"]
data_classes = ["confidential"]

[[rule]]
id = "retention"
surface = "data_retention"
level = "MED"

[[exception]]
rule = "retention"
platform = "example-chat"
owner = "Ann Example"
reason = "Replaced in spring."
expires = 2027-03-31
"""

import re
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from riskanalytics.errors import ParameterError
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES

Level = Literal["LOW", "MED"]
"""A level that a rule can set as the highest allowed one; a rule that allowed HIGH would forbid nothing."""
_PLAIN = {
    "extra_forbidden": "unknown field; check its spelling, or delete it", "missing": "the field is missing",
    "too_short": "give at least one", "string_too_short": "must not be empty",
}  # fmt: skip
"""Type of pydantic's errors -> what is wrong, in plain words."""
_TABLE: Final = re.compile(r"^\s*\[+\s*([\w.-]+)\s*\]+", re.MULTILINE)
_CONDITIONS: Final = ("rating", "level", "stances", "mean")


class _Table(BaseModel, extra="forbid", frozen=True, str_strip_whitespace=True):
    """Base class of the parts of the file: frozen, and unknown fields are errors."""


class Rule(_Table):
    """One rule. It has exactly one condition: `rating`, `level` (of a `surface`), `stances` or `mean`."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    """Identifier: lower-case letters, digits and hyphens."""
    title: str = ""
    """The rule in words, for people."""
    rating: Level | None = None
    """The highest rating allowed."""
    surface: str = ""
    """The surface whose level is limited by `level`."""
    level: Level | None = None
    """The highest level allowed on the surface."""
    stances: tuple[str, ...] = ()
    """Answers on training use that are not allowed, such as `trains_by_default`."""
    mean: float | None = Field(default=None, ge=0, le=2)
    """The highest weighted mean allowed (HIGH 2, MED 1, LOW 0), with the organisation's own `weights`."""
    silent: Literal["undetermined", "pass", "fail"] = "undetermined"
    """Result if no clause was found: silence is no promise."""
    data_classes: tuple[str, ...] = ()
    """Values of the portfolio's column `data_class` to which the rule applies; empty for all. `plans`, `regions` likewise."""
    plans: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [name for name in _CONDITIONS if getattr(self, name) not in (None, ())]
        if len(given) != 1:
            both = " and ".join(given) or "none"
            raise ValueError(f"a rule needs exactly one of {', '.join(_CONDITIONS)}; this rule has {both}")
        if (self.level is None) != (not self.surface):
            raise ValueError("surface and level belong together: give both")
        _known("surface", [self.surface] if self.surface else [], SURFACES)
        _known("answer on training use", self.stances, STANCES)
        return self


class Exemption(_Table):
    """A platform that may break a rule until a day, with the person who answers for it and the reason; all fields are required."""

    rule: str
    """Identifier of the rule."""
    platform: str = Field(min_length=1)
    """Slug of the platform."""
    owner: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    expires: date
    """The last day on which the exception holds."""


class Appetite(_Table):
    """The rules of an organisation.

    Attributes
    ----------
    title : str
        Name of the set of rules; may be empty.
    rule : tuple of Rule
        At least one; their identifiers differ.
    weights : dict of str to float
        Surface -> its weight in rules on the `mean`; surfaces that are not named do not count. Required for such rules.
    exception : tuple of Exemption
        Exceptions.
    """

    title: str = ""
    rule: tuple[Rule, ...] = Field(min_length=1)
    weights: dict[str, float] = {}
    exception: tuple[Exemption, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        ids = [rule.id for rule in self.rule]
        twice = [one for one, times in Counter(ids).items() if times > 1]
        if twice:
            raise ValueError(f"two rules have the id {twice[0]!r}: give each rule its own id")
        _known("rule", [one.rule for one in self.exception], ids)
        _known("surface", self.weights, SURFACES)
        if min(self.weights.values(), default=0) < 0:
            raise ValueError("a weight must not be negative")
        if not any(self.weights.values()) and any(rule.mean is not None for rule in self.rule):
            raise ValueError("a rule on the mean needs [weights]: give at least one surface a weight above 0")
        return self


def _known(what: str, given: object, known: object) -> None:
    """Raise an error if one of the given words is not known."""
    unknown = [word for word in given if word not in known]  # type: ignore[attr-defined, operator]
    if unknown:
        raise ValueError(f"unknown {what} {unknown[0]!r}: give one of {', '.join(known)}")  # type: ignore[arg-type]


def read_appetite(path: str | Path) -> Appetite:
    r"""Read the rules of an organisation from a TOML file.

    Parameters
    ----------
    path : str or Path
        The file: at least one table `[[rule]]`, and optionally `[weights]` and tables `[[exception]]`.

    Returns
    -------
    Appetite

    Raises
    ------
    ParameterError
        If the file is missing, has more than 1 MB, is not UTF-8 or not valid TOML, or if a field is missing, unknown or invalid.
        The message names the line.

    Examples
    --------
    >>> file = folder / "rules.toml"
    >>> _ = file.write_text('[[rule]]\nid = "no-high"\nrating = "MED"\n')
    >>> ra.read_appetite(file).rule[0].rating
    'MED'
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        if len(content) > 1_000_000:
            raise ParameterError(f"the rules {path} have more than 1 MB: a file of rules is much shorter")
        text = content.decode("utf-8-sig")
        table = tomllib.loads(text)
    except OSError as error:
        raise ParameterError(f"the rules {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"the rules {path} are not UTF-8: save the file as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"the rules {path} are not valid TOML: {error}") from error
    try:
        return Appetite.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        reason = _PLAIN.get(
            first["type"], " ".join(first["msg"].removeprefix("Value error, ").split()).replace("Input should", "must")
        )
        tables = ("rule", "exception") if len(first["loc"]) > 1 else ()
        steps = [step for step in first["loc"] if isinstance(step, str) and step not in tables]
        place = ", ".join(filter(None, (f"line {_line(text, first['loc'])}", ".".join(steps))))
        raise ParameterError(f"the rules {path}, {place}: {reason}") from error


def _line(text: str, loc: tuple[int | str, ...]) -> int:
    """Return the line of a field, or of the table that should contain it; 1 for the whole file."""
    table, *steps = loc or ("",)
    number = steps[0] if steps and isinstance(steps[0], int) else 0
    starts = [found.start(1) for found in _TABLE.finditer(text) if found[1] == table]
    begin, end, field = 0, len(text), str(table)
    if number < len(starts):
        begin = starts[number]
        end = next((found.start() for found in _TABLE.finditer(text, begin)), end)
        field = next((step for step in reversed(steps) if isinstance(step, str)), "")
    own = field and re.compile(rf"^\s*{re.escape(field)}\s*=", re.MULTILINE).search(text, begin, end)
    return text.count("\n", 0, own.end() if own else begin) + 1
