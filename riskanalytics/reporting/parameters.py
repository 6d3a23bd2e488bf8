"""A notebook's parameters: read without running it, and checked before anything runs.

The cell tagged `parameters` holds annotated assignments with a comment each (papermill's convention). Names
that it does not hold, values of another type, and names or values that papermill would turn into code or
into broken JSON are refused (papermill itself only logs them). A batch takes them
from the rows of a table, or from the list of platforms.
"""

from __future__ import annotations

import ast
import difflib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.files import Cells, read_cells
from riskanalytics.settings.databases import holds_password, without_password
from riskanalytics.text.arguments import as_day

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TYPES: Final[dict[str, type]] = {"str": str, "int": int, "float": float, "bool": bool, "list": list}
_WORDS: Final = {"true": True, "false": False}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a notebook.

    Parameters
    ----------
    name : str
    kind : str
        `str`, `int`, `float`, `bool` or `list`; empty where the notebook computes it.
    default : object
        As the notebook writes it; None where it computes it, or where JSON has no such value.
    meaning : str
        The comment behind it.
    texts : list of str
        Those that the default is made of.
    """

    name: str
    kind: str
    default: object
    meaning: str
    texts: list[str] = field(default_factory=list)


def read_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook's JSON.

    Raises
    ------
    ReportError
        If it is not there or is no notebook: one line.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"the notebook {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path} is no notebook") from error
    if (
        not isinstance(notebook, dict)
        or not isinstance(cells := notebook.get("cells"), list)
        or not all(map(_is_cell, cells))
    ):
        raise ReportError(f"{path} is no notebook")
    return notebook


def _is_cell(cell: object) -> bool:
    """Say whether a value of JSON is a cell of a notebook, as far as it is read here (nbformat 4)."""
    if not isinstance(cell, dict) or not isinstance(metadata := cell.get("metadata", {}), dict):
        return False
    source = cell.get("source")
    return isinstance(metadata.get("tags", []), list) and (
        isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source))
    )


def parameters_of(notebook: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return the parameters that a notebook's tagged cell declares, by name; nothing of it is run.

    Parameters
    ----------
    notebook : mapping
        The notebook's JSON.
    """
    for cell in notebook["cells"]:
        if "parameters" in cell.get("metadata", {}).get("tags", ()):
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            return {parameter.name: parameter for parameter in _declared(source)}
    return {}


def _declared(source: str) -> list[Parameter]:
    """Read the assignments of a cell."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ReportError("the notebook's parameters cell is no Python") from error
    lines = source.splitlines()
    found = []
    for node in body:
        target: ast.expr | None = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        value = getattr(node, "value", None)
        if not isinstance(target, ast.Name) or value is None:
            continue
        kind, default = _default(value)
        if isinstance(node, ast.AnnAssign):
            kind = _kind(node.annotation)
        comment = lines[node.lineno - 1].partition("#")[2].strip()
        constants = (part.value for part in ast.walk(value) if isinstance(part, ast.Constant))
        texts = [constant for constant in constants if isinstance(constant, str)]
        found.append(Parameter(target.id, kind, default, comment, texts))
    return found


def defaults_of(declared: Mapping[str, Parameter]) -> dict[str, object]:
    """Return what a notebook begins with where nothing is given: of what it computes, the texts that it is made of.

    Parameters
    ----------
    declared : mapping of str to Parameter
    """
    plain = (str, int, float, bool, list)
    return {
        name: one.default if isinstance(one.default, plain) else one.texts or None for name, one in declared.items()
    }


def _kind(annotation: ast.expr) -> str:
    """Return the one type that an annotation names: `str` of `str | None` and `Optional[str]`, `list` of `list[str]`."""
    if isinstance(annotation, ast.BinOp):
        return next((kind for side in (annotation.left, annotation.right) if (kind := _kind(side)) != "None"), "")
    if isinstance(annotation, ast.Subscript):
        outer = _kind(annotation.value)
        return _kind(annotation.slice) if outer == "Optional" else outer
    return annotation.attr if isinstance(annotation, ast.Attribute) else ast.unparse(annotation)


def _default(value: ast.expr) -> tuple[str, object]:
    """Return the type and the value of a default that is written out in JSON's values."""
    try:
        default = ast.literal_eval(value)
        json.dumps(default)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return "", None
    return type(default).__name__, default


def checked(declared: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[str, object]:
    """Return values fit for papermill.

    Parameters
    ----------
    declared : mapping of str to Parameter
        What the notebook knows.
    given : mapping
        Name -> value; a text for a parameter of another type is read as that type, a date is written as YYYY-MM-DD.

    Raises
    ------
    ParameterError
        One line: unknown name with the nearest one that is known, or what the value should be.
    """
    return {name: _value(known(declared, name), value) for name, value in given.items()}


def refuse_secrets(given: Mapping[str, object], secrets: Sequence[str], where: str = "") -> None:
    """Refuse parameters that hold the key of the service or the password of its database: pages tell their parameters.

    Parameters
    ----------
    given : mapping
        Name -> value.
    secrets : sequence of str
        `Settings.secrets`.
    where : str
        What the parameters stand in.

    Raises
    ------
    ParameterError
        One line, in which none is repeated.
    """
    said = json.dumps(dict(given), default=str, ensure_ascii=False)
    if any(json.dumps(secret, ensure_ascii=False)[1:-1] in said for secret in secrets):
        raise ParameterError(
            f"{where or 'a parameter'} holds the key of the service, or the password of its database: pages tell their parameters"
        )


def known(declared: Mapping[str, Parameter], name: str) -> Parameter:
    """Return the parameter of a name.

    Parameters
    ----------
    declared : mapping of str to Parameter
    name : str

    Raises
    ------
    ParameterError
        One line, with the nearest name that is known.
    """
    if not _NAME.fullmatch(name) or name not in declared:
        near = difflib.get_close_matches(name, declared, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; it knows {', '.join(declared) or 'none'}"
        raise ParameterError(f"the notebook has no parameter {without_password(name)[:60]!r}{hint}")
    return declared[name]


def _value(parameter: Parameter, value: object) -> object:
    """Return a value of the parameter's type."""
    if any(isinstance(item, str) and holds_password(item) for item in (value if isinstance(value, list) else [value])):
        raise ParameterError(
            f"the parameter {parameter.name!r} holds the address of a database, or a password, which a page would show: give "
            "it by the settings"
        )
    if not parameter.kind:
        raise ParameterError(
            f"the parameter {parameter.name!r} is computed in the notebook: write `{parameter.name}: int = 1` there, "
            "with its type, for it to be given"
        )
    kind = _TYPES.get(parameter.kind, str)
    if isinstance(value, date) and kind is str:
        value = str(as_day(value))
    if isinstance(value, str) and kind is not str:
        value = _read(kind, value)
    right = isinstance(value, kind) and not (kind is not bool and isinstance(value, bool))
    if not right or not _is_plain(value):
        raise ParameterError(
            f"the parameter {parameter.name!r} takes a {parameter.kind}, such as {parameter.default!r}"
        )
    return value


def _read(kind: type, text: str) -> object:
    """Read a text of the command line as a value; what cannot be read stays a text and is refused later."""
    if kind is bool:
        return _WORDS.get(text.strip().lower(), text)
    if kind is list:
        return [part.strip() for part in text.split(",") if part.strip()] if not text.startswith("[") else _json(text)
    try:
        return kind(text)
    except ValueError:
        return text


def _json(text: str) -> object:
    """Read a list given as JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_plain(value: object) -> bool:
    """Say whether a value survives JSON and UTF-8: no NaN, no lone surrogate, only plain types."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value) and "\0" not in value
    if isinstance(value, list):
        return all(_is_plain(item) and not isinstance(item, list) for item in value)
    return isinstance(value, bool | int)


ALL: Final = "all"
"""What stands for each tracked platform."""
_PLATFORM: Final = "platform"


@dataclass(frozen=True, eq=False)
class Row:
    """One report of a batch.

    Parameters
    ----------
    number : int
        Its row in the table, from 1 below the headings.
    given : dict
        Parameters of the notebook, as they stand there; empty cells are left out.
    """

    number: int
    given: dict[str, object]

    def __str__(self) -> str:
        told = ", ".join(f"{name}={without_password(str(value))}" for name, value in self.given.items())
        return f"row {self.number} ({told})" if told else f"row {self.number}"


def check_all(declared: Mapping[str, Parameter]) -> None:
    """Refuse `all` for a notebook that does not take a platform.

    Raises
    ------
    ParameterError
    """
    if _PLATFORM not in declared:
        raise ParameterError(
            "the notebook has no parameter 'platform': --over all has nothing to vary; give a CSV file"
        )


def rows_of_platforms(slugs: list[str]) -> list[Row]:
    """Return a report for each platform."""
    return [Row(number, {_PLATFORM: slug}) for number, slug in enumerate(slugs, 1)]


def rows_of_table(path: Path, declared: Mapping[str, Parameter], secrets: Sequence[str] = ()) -> list[Row]:
    """Return a report for each row of a CSV file or workbook; a row that repeats another is left out.

    Parameters
    ----------
    path : Path
        Its headings are parameters of the notebook; a column in which nothing stands is none. Fields of a CSV stand
        between commas, semicolons, tabs or bars, and are taken as they stand there; blank ones are not given.
    declared : mapping
        The parameters of the notebook.
    secrets : sequence of str
        No cell may hold one of them.

    Raises
    ------
    ParameterError
        If the file is none, has no rows, or a heading is no parameter, or stands there twice.
    """

    def width(rows: Cells) -> int:
        return sum(cell.strip() in declared for cell in rows[0]) if rows else 0

    cells = read_cells(path, width, "table")
    if len(cells) < 2:
        raise ParameterError(f"the table {path} is empty: its first row names parameters, each further row is a report")
    for number, cells_of in enumerate(cells):
        refuse_secrets(
            {"cells": cells_of}, secrets, f"row {number} of the table {path}" if number else f"the table {path}"
        )
    heads = [head.strip() for head in cells[0]]
    used = {place for row in cells for place, cell in enumerate(row) if cell.strip()}
    named = [head for place, head in enumerate(heads) if place in used]
    for head in named:
        if not head or named.count(head) > 1:
            what = f"names {head!r} twice" if head else "has a column without a heading"
            raise ParameterError(f"the table {path} {what}; headings are parameters: {', '.join(declared) or 'none'}")
        known(declared, head)
    rows: dict[tuple[str, ...], Row] = {}
    for number, row in enumerate(cells[1:], 1):
        if len(row) > len(heads):
            raise ParameterError(f"row {number} of the table {path} has more cells than there are headings")
        given = {head: cell for head, cell in zip(heads, row, strict=False) if cell.strip()}
        rows.setdefault(tuple(sorted(f"{name}={value}" for name, value in given.items())), Row(number, dict(given)))
    return list(rows.values())
