"""Write files completely or not at all, and read tables (CSV, workbooks) as rows of cells."""

import csv
import errno
import io
import os
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ParameterError
from riskanalytics.settings import optional_module

_MARK: Final = ".riskanalytics-"


def write_file(path: Path, content: str | bytes, *, mode: int = 0o644, sync: bool = True) -> None:
    """Write a file completely or not at all: first under another name in the same folder, then renamed to its own name.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.
    content : str or bytes
        Text is written as UTF-8.
    mode : int
        Permissions of the file, as for `os.chmod`.
    sync : bool
        Whether to wait until the content is on the disk; not needed for files that can be made again.

    Raises
    ------
    OSError
        If the file cannot be written; the previous file is kept. `filename` is the file, or the folder if that is missing.
    """
    made: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(prefix=_MARK, suffix=path.suffix, dir=path.parent, delete=False) as file:
            made = Path(file.name)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        made.chmod(mode)
        made.replace(path)
        if sync:
            sync_folder(path.parent)
    except OSError as error:
        if made is None and isinstance(error, FileNotFoundError):
            raise FileNotFoundError(errno.ENOENT, "No such folder", str(path.parent)) from None
        if made is not None:
            with suppress(OSError):
                made.unlink()
        error.filename = str(path)
        del error.filename2  # else the message names the temporary file, too
        raise


@contextmanager
def reported_as(kind: type[Exception], said: str, advice: str = "") -> Iterator[None]:
    """Raise a failure to read or write files as an error of this package; a context manager.

    Parameters
    ----------
    kind : type of Exception
        Class of the error.
    said : str
        What failed, such as "page.html cannot be written"; the message adds the reason of the operating system.
    advice : str
        End of the message, after the reason.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{said}: {error.strerror}{advice}") from error


def clear_unfinished(folder: Path) -> None:
    """Remove temporary files that `write_file` left when its process was killed.

    Only temporary files of pages and feeds that are older than five minutes are removed.

    Parameters
    ----------
    folder : Path
        Folder to clean; its subfolders are not searched.
    """
    for path in folder.glob(f"{_MARK}*"):
        # only names made by `tempfile`; no file takes longer to write
        with suppress(OSError):
            named = re.fullmatch(re.escape(_MARK) + r"[a-z0-9_]{8}\.(?:html|ics|json|pdf|xml)", path.name)
            if named and time.time() - path.stat().st_mtime > 300:
                path.unlink()


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, if the system supports it.

    Parameters
    ----------
    folder : Path
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


ABOVE: Final = 10
"""Number of rows at the top of a table in which to look for its headings, because titles may precede the headings."""
SEPARATORS: Final = "\t;,|"
Cells = list[list[str]]


def matches_file(portfolio: Path) -> Path:
    """Return the file of confirmed matches beside a portfolio: `ours.matches.csv` beside `ours.csv` or `ours.xlsx`."""
    return portfolio.with_name(f"{portfolio.stem}.matches.csv")


def with_matches(path: Path) -> list[Path]:
    """Return a file or folder and, if it is a portfolio with a file of confirmed matches beside it, that file."""
    return [path, *([beside] if path.is_file() and (beside := matches_file(path)).is_file() else [])]


def read_cells(path: Path, width: Callable[[Cells], int], what: str = "portfolio") -> Cells:
    """Return the rows of a CSV file, or of the first non-empty sheet of a workbook, without empty rows.

    Parameters
    ----------
    path : Path
    width : callable
        Scores a possible separator of a CSV file: takes the first rows, split by this separator, and returns a number, such
        as the number of known columns. The separator with the highest number is used.
    what : str
        What the file is, such as "portfolio"; for error messages.

    Returns
    -------
    list of list of str
        The rows, without blank cells at their ends.

    Raises
    ------
    ParameterError
        If the file is missing, cannot be read, or is neither a CSV file nor a workbook.
    MissingExtraError
        If the file is a workbook and openpyxl is not installed.
    """
    if not path.is_file():
        raise ParameterError(f"the {what} {path} is not a file" if path.exists() else f"there is no {what} {path}")
    with reported_as(ParameterError, f"the {what} {path} cannot be read"):
        content = path.read_bytes()
    try:
        return _sheet(content) if content.startswith(b"PK\x03\x04") else _separated(_decoded(content), width)
    except ParameterError as error:
        raise ParameterError(f"the {what} {path} cannot be read: {error}") from error.__cause__


def _decoded(content: bytes) -> str:
    """Return the text of a CSV file."""
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise ParameterError("the file is an old or locked Excel file; save it as XLSX without a password, or as CSV")
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ["utf-16"] if marked else ["utf-8-sig", "cp1252"]:
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            if not re.search("[\x00-\x08\x0e-\x1f\x7f]", text):
                return re.sub(r"\Asep=.\r?\n", "", text)
    raise ParameterError("the file is neither text nor a workbook; give a CSV or an XLSX file")


def _separated(text: str, width: Callable[[Cells], int]) -> Cells:
    """Return the rows of a CSV file, split by the separator that fits best."""

    def rows(lines: list[str], separator: str) -> Cells:
        return _filled(csv.reader(lines, delimiter=separator))

    lines = io.StringIO(text, newline="").readlines()
    try:
        best = max(SEPARATORS, key=lambda separator: width(rows(lines[: 10 * ABOVE], separator)[:ABOVE]))
        return rows(lines, best)
    except csv.Error as error:
        raise ParameterError(
            f"the file is not a valid CSV file ({error}); save the table as CSV or XLSX again"
        ) from error


def _sheet(content: bytes) -> Cells:
    """Return the rows of the first non-empty sheet of a workbook."""
    # slow to import, and needed for workbooks only
    openpyxl = optional_module("openpyxl", "Excel files need openpyxl", "excel")
    try:
        # warnings about styles and forms, which are not read
        with warnings.catch_warnings(action="ignore"):
            books = (
                openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=one) for one in (True, False)
            )
            sheets = zip(*(book.worksheets for book in books), strict=True)
            both = ([sheet.iter_rows(max_col=100) for sheet in pair] for pair in sheets)
            return next(filter(None, (_filled(map(_computed, *pair)) for pair in both)), [])
    # for a damaged workbook, openpyxl may raise any error
    except Exception as error:
        raise ParameterError("the file is not a readable workbook; save it again as XLSX or CSV") from error


def _computed(cells: Sequence[Any], formulas: Sequence[Any]) -> list[object]:
    """Return the values of a row of a workbook; a formula whose value the workbook does not keep is its own text."""
    pairs = zip(cells, formulas, strict=True)  # a kept empty text has no value, but its type
    return [of.value if cell.value is None and cell.data_type != "str" else cell.value for cell, of in pairs]


def _filled(rows: Iterable[Sequence[object]]) -> Cells:
    """Return the rows that are not empty, as texts; dates of a workbook lose their time of midnight."""
    texts = (["" if cell is None else str(cell).removesuffix(" 00:00:00") for cell in row] for row in rows)
    kept = (row[: max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0)] for row in texts)
    return [row for row in kept if row]
