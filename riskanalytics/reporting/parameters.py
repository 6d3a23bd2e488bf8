"""A notebook's parameters: read without running it, and checked before anything runs.

The cell tagged `parameters` holds annotated assignments with a comment each (papermill's convention). Names
that it does not hold, values of another type, and names or values that papermill would turn into code or
into broken JSON are refused (papermill itself only logs them).
"""

from __future__ import annotations

import ast
import difflib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.models.asked import as_day

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
        `str`, `int`, `float`, `bool` or `list`.
    default : object
    meaning : str
        The comment behind it.
    """

    name: str
    kind: str
    default: object
    meaning: str


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
    except ValueError as error:
        raise ReportError(f"{path} is no notebook") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ReportError(f"{path} is no notebook")
    return notebook


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
    except SyntaxError as error:
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
        default = ast.literal_eval(value)
        kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else type(default).__name__
        comment = lines[node.lineno - 1].partition("#")[2].strip()
        found.append(Parameter(target.id, kind.partition("[")[0], default, comment))
    return found


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
    values = {}
    for name, value in given.items():
        if not _NAME.fullmatch(name) or name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it knows {', '.join(declared) or 'none'}"
            raise ParameterError(f"the notebook has no parameter {name[:60]!r}{hint}")
        values[name] = _value(declared[name], value)
    return values


def _value(parameter: Parameter, value: object) -> object:
    """Return a value of the parameter's type."""
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
