"""A notebook's parameters: read without running it, and validated before anything runs.

The cell tagged `parameters` contains assignments, each with a comment (papermill's convention). It is parsed here because
papermill's inspection does not support `str | None` and takes long to import. A batch takes the values from the rows of a
table, or from the list of platforms.
"""

import ast
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.files import Cells, read_cells, reported_as
from riskanalytics.settings.databases import holds_password, without_password
from riskanalytics.text.arguments import as_day

NOTEBOOKS: Final = {
    "monthly_report": "what changed in a month, ratings, heatmap, training use, coverage: month, since, portfolio, rules, top",
    "portfolio": "the platforms you use: changes, exposure, rules, deadlines: month, since, portfolio, rules, decisions, top",
    "training_use": "who trains on customer content, and who changed it: as_of, platforms, portfolio",
    "platform_dossier": "one platform with all clauses: platform, as_of",
    "comparison": "two to eight platforms, clause by clause: platforms, as_of",
    "explore": "all platforms on one surface (risk topic), worst first: surface",
    "coverage": "the state of the data: unverified, broken, old and silent documents: as_of, unchanged_days",
    "method": "how ratings are made, and their accuracy: platform, labels, faults",
}
"""Name of a built-in notebook -> its subject and the names of its parameters, for help texts."""
_TYPES: Final[dict[str, type]] = {"str": str, "int": int, "float": float, "bool": bool, "list": list}
_TYPE: Final = re.compile(rf"\b(?:{'|'.join(_TYPES)})\b", re.IGNORECASE)


class Parameter(NamedTuple):
    """One parameter of a notebook.

    Parameters
    ----------
    name : str
    kind : str
        Type: `str`, `int`, `float`, `bool` or `list`; empty if the notebook computes the value and declares no type.
    default : object
        The value in the notebook. If the notebook computes the value: a list of the string literals in the expression, or None
        if it contains none.
    """

    name: str
    kind: str
    default: object


def parameters_of(notebook: Path) -> dict[str, Parameter]:
    """Return the parameters that a notebook declares in its tagged cell, by name, without running the notebook.

    Raises
    ------
    ReportError
        If the file cannot be read, or is not a notebook.
    """
    try:
        with reported_as(ReportError, f"the notebook {notebook} cannot be read"):
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = ["".join(cell["source"]) for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", ())]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ReportError(f"{notebook} is not a Jupyter notebook (.ipynb)") from error
    return declared_in(tagged[0]) if tagged else {}


def declared_in(source: str) -> dict[str, Parameter]:
    """Return the parameters that the source of a cell assigns, by name."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        raise ReportError("the notebook's cell tagged 'parameters' cannot be read as Python code") from error
    found = {}
    for node in body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if isinstance(target, ast.Name):
            annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else None
            found[target.id] = _declared(target.id, annotation, node.value)
    return found


def _declared(name: str, annotation: str | None, value: ast.expr) -> Parameter:
    """Return the parameter of an assignment; its type is the first in the annotation, otherwise the type of the value."""
    try:
        default = ast.literal_eval(value)
        json.dumps(default)
        kind = type(default).__name__
    except (ValueError, TypeError):
        default, kind = None, ""
    if annotation is not None:
        kind = match[0].lower() if (match := _TYPE.search(annotation)) else "str"
    if not isinstance(default, tuple(_TYPES.values())):
        parts = (part.value for part in ast.walk(value) if isinstance(part, ast.Constant))
        default = [part for part in parts if isinstance(part, str)] or None
    return Parameter(name, kind, default)


def checked(declared: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[str, object]:
    """Return the given parameters, validated and converted to their types; papermill itself only logs wrong values.

    Parameters
    ----------
    declared : mapping of str to Parameter
        Name -> parameter that the notebook declares.
    given : mapping
        Name -> value. A text is converted to the type of its parameter, a date to YYYY-MM-DD.

    Raises
    ------
    ParameterError
        If a name is unknown (the nearest known one is suggested), or a value has another type.
    """
    return {name: _value(known(declared, name), value) for name, value in given.items()}


def known(declared: Mapping[str, Parameter], name: str) -> Parameter:
    """Return the parameter with this name from `declared`, the parameters that a notebook declares.

    Raises
    ------
    ParameterError
        If the name is unknown. The message suggests the nearest name, or lists all names.
    """
    if name not in declared:
        near = difflib.get_close_matches(name, declared, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; its parameters: {', '.join(declared) or 'none'}"
        raise ParameterError(f"the notebook has no parameter {without_password(name)[:60]!r}{hint}")
    return declared[name]


def _value(parameter: Parameter, value: object) -> object:
    """Return a value of the parameter's type."""
    name, kind = parameter.name, _TYPES.get(parameter.kind, str)
    if any(isinstance(item, str) and holds_password(item) for item in (value if isinstance(value, list) else [value])):
        raise ParameterError(
            f"the parameter {name!r} contains the address of a database, or a password, which a page would show: "
            "name the database with --database or RISKANALYTICS_DATABASE instead"
        )
    if not parameter.kind:
        raise ParameterError(
            f"the parameter {name!r} is computed in the notebook, so its type is not known: "
            f"to set it, write a type and a value in the notebook, such as `{name}: int = 1`"
        )
    if isinstance(value, date) and kind is str:
        value = str(as_day(value))
    try:
        read = _read(kind, value) if isinstance(value, str) and kind is not str else value
        written = json.dumps(read, allow_nan=False, ensure_ascii=False).encode()  # no NaN, no lone surrogate
    except (KeyError, ValueError, TypeError):
        read = written = None
    if type(read) is not kind or written is None or b"\\u0000" in written:
        raise ParameterError(
            f"the parameter {name!r} must be of the type {parameter.kind}, such as {parameter.default!r}"
        )
    return read


def _read(kind: type, text: str) -> object:
    """Convert a text of the command line or of a table."""
    if kind is bool:
        return {"true": True, "false": False}[text.strip().lower()]
    if kind is list and not text.startswith("["):
        return [part for word in text.split(",") if (part := word.strip())]
    return json.loads(text) if kind is list else kind(text)


def refuse_secrets(given: object, secrets: Sequence[str], where: str = "a parameter") -> None:
    """Raise an error for parameters that contain the service's key or the database's password, because pages show parameters.

    Parameters
    ----------
    given : object
        JSON values.
    secrets : sequence of str
        Keys, passwords and addresses that contain a password, as `Settings.secrets` lists them.
    where : str
        What contains the parameters, as the error message names it.

    Raises
    ------
    ParameterError
        If a parameter contains one of the secrets; the message does not repeat it.
    """
    said = json.dumps(given, default=str, ensure_ascii=False)
    if any(json.dumps(secret, ensure_ascii=False)[1:-1] in said for secret in secrets):
        raise ParameterError(
            f"{where} contains the service's key or the database's password, which pages would show: remove it"
        )


@dataclass(frozen=True, eq=False)
class Row:
    """One report of a batch.

    Parameters
    ----------
    number : int
        Number of its row in the table; the first row below the headings is 1.
    given : dict
        Parameters of the notebook, without empty cells.
    """

    number: int
    given: dict[str, object]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={without_password(str(value))}" for name, value in self.given.items())
        return f"row {self.number} ({values})" if values else f"row {self.number}"


def rows_of_table(path: Path, declared: Mapping[str, Parameter], secrets: Sequence[str] = ()) -> list[Row]:
    """Return a `Row` (the number, and the parameters of a report) for each row of a CSV file or workbook.

    Parameters
    ----------
    path : Path
        The file. Its headings are parameters of the notebook; empty columns and cells are skipped.
    declared : mapping
        The parameters of the notebook.
    secrets : sequence of str
        Keys and passwords that no cell may contain.

    Raises
    ------
    ParameterError
        If the file is not a table, has no rows, has an unknown or repeated heading, or contains one of `secrets`.
    """

    def width(rows: Cells) -> int:
        return sum(cell.strip() in declared for cell in rows[0]) if rows else 0

    cells = read_cells(path, width, "table")
    if len(cells) < 2:
        raise ParameterError(
            f"the table {path} has no rows below its headings: its first row names parameters, and each further row is a report"
        )
    for number, row in enumerate(cells):
        refuse_secrets(row, secrets, f"row {number} of the table {path}")
        if len(row) > len(cells[0]):
            raise ParameterError(f"row {number} of the table {path} has more cells than there are headings")
    used = {place for row in cells for place, cell in enumerate(row) if cell.strip()}
    heads = [head.strip() for head in cells[0]]
    named = [heads[place] for place in sorted(used)]
    for head in named:
        if not head or named.count(head) > 1:
            what = f"names {head!r} twice" if head else "has a column without a heading"
            raise ParameterError(
                f"the table {path} {what}; its headings must be parameters of the notebook: {', '.join(declared) or 'none'}"
            )
        known(declared, head)
    return [
        Row(number, {head: cell for head, cell in zip(heads, row, strict=False) if cell.strip()})
        for number, row in enumerate(cells[1:], 1)
    ]
