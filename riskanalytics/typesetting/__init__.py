"""Make a tagged PDF from a template and data with typst; visible marks replace characters that its fonts cannot draw.

Data never become markup: they are passed as one JSON text in typst's `sys.inputs`, which the template reads as
`json(bytes(sys.inputs.data))` and writes as strings. Nothing is read from disk or network: the template is passed as text,
system fonts are ignored, typst packages are not used. Equal input gives equal bytes on every machine.
"""

import json
import os
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ExecutorError, ReportError
from riskanalytics.settings import optional_module
from riskanalytics.text.untrusted import code_points
from riskanalytics.work.executors import processes


def visible(value: Any, care: int = 0) -> Any:
    """Return a JSON value in which visible marks replace characters that cannot be seen or drawn; keys stay unchanged.

    Replaced are control and format characters (bidirectional controls, zero-width characters, tags), private-use and unassigned
    code points, and all characters that the fonts in typst lack. A run of them becomes their code points in one bracket, such as
    `[U+4E2D 6587]`, or, if it is more than three letters long, `[18 CJK characters]`. Line breaks are kept; a tab becomes a space.

    Parameters
    ----------
    value : JSON value
        A text, or lists and mappings with texts; other values are returned unchanged.
    care : int
        How much to replace: with 0, only the characters listed above; with 1, combining marks, too, because one font may have the
        letter and only another the mark; with 2, all characters except Basic Latin and Latin-1.

    Returns
    -------
    JSON value
        A copy of the value with the marks.
    """
    if isinstance(value, str):
        return _hidden(care).sub(lambda match: f"[{_described(match[0])}]", value.replace("\t", " "))
    if isinstance(value, dict):
        return {key: visible(part, care) for key, part in value.items()}
    return [visible(part, care) for part in value] if isinstance(value, list | tuple) else value


def _described(letters: str) -> str:
    """Return how a run of characters that cannot be drawn is described: by its script and length, else by its code points."""
    scripts = [unicodedata.name(letter).split()[0] for letter in letters if unicodedata.category(letter)[0] in "LM"]
    readable = all(unicodedata.category(letter)[0] in "LMNP" for letter in letters)
    if len(letters) < 4 or not scripts or not readable:
        return f"U+{code_points(letters)}"
    return f"{len(letters)} {scripts[0] if scripts[0] == 'CJK' else scripts[0].title()} characters"


def undrawn(text: str) -> int:
    """Return the number of characters of a text that `visible` replaces."""
    return sum(len(match[0]) for match in _hidden(0).finditer(text.replace("\t", " ")))


def covered() -> list[tuple[int, int]]:
    """Return the ranges of code points, both ends included, that the fonts in typst can draw."""
    lines = Path(__file__).with_name("embedded_fonts.txt").read_text("ascii").splitlines()
    pairs = [line.split() for line in lines if not line.startswith("#")]
    return [(int(first, 16), int(last, 16)) for first, last in pairs]


@cache
def _hidden(care: int) -> re.Pattern[str]:
    """Return the pattern of characters to replace; cached, because the ranges of the fonts take a while."""
    # without controls and the soft hyphen: one font draws all of these, in every combination
    if care > 1:
        return re.compile("[^\n -~\u00a1-\u00ac\u00ae-\u00ff]+")
    ranges = covered()
    if care:
        codes = (code for first, last in ranges for code in range(first, last + 1))
        ranges = [(code, code) for code in codes if not unicodedata.category(chr(code)).startswith("M")]
    inside = "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in ranges)
    return re.compile(rf"[^\n{inside}]+")


MOST_SECONDS: Final = 60


def check_installed() -> Any:
    """Import and return the module typst, which is needed for PDFs only.

    Raises
    ------
    MissingExtraError
        If typst is not installed; the message says what to install.
    """
    return optional_module("typst", "PDF needs typst", "pdf")


def typeset(
    template: str, data: Mapping[str, object], *, timestamp: datetime, files: Mapping[str, str] | None = None
) -> bytes:
    """Return a document as a tagged PDF 1.7 that conforms to PDF/UA-1 (ISO 14289-1), with the fonts in typst only.

    Parameters
    ----------
    template : str
        Typst source; it sets the title and the language of the document.
    data : mapping
        JSON values, which the template reads from `sys.inputs.data`. Characters that no font draws are replaced by their code
        points or their number (see `visible`).
    timestamp : datetime
        Creation date in the document; take it from the data, not from the clock, so that equal data give equal bytes.
    files : mapping, optional
        Name -> text of a file that the template attaches unchanged; it reads the text from `sys.inputs` by that name.

    Returns
    -------
    bytes
        The PDF file; the same bytes for the same input.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the template is invalid, or uses something that PDF/UA-1 forbids.
    """
    typst, inputs = check_installed(), dict(files or {})
    for care in range(3):
        inputs["data"] = json.dumps(visible(data, care))
        try:
            return bytes(
                typst.compile(
                    template.encode(), format="pdf", root=Path(__file__).parent, sys_inputs=inputs, pdf_standards=["ua-1"],
                    font_paths=typst.Fonts(include_system_fonts=False), ignore_system_fonts=True,
                    timestamp=int(timestamp.timestamp()),
                )
            )  # fmt: skip
        except typst.TypstError as error:
            if care == 2 or "could not be displayed" not in str(error):
                raise ReportError(f"the PDF could not be made: {' '.join(str(error).split())[:300]}") from error
    raise AssertionError


def typeset_apart(template: str, data: Mapping[str, object], **named: Any) -> bytes:
    """Typeset a document as `typeset` does, but in a separate process, because typst never frees the memory that it uses.

    Parameters
    ----------
    template, data, **named
        The arguments of `typeset`; its keyword arguments are passed in `named`.

    Returns
    -------
    bytes
        The PDF file.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the document cannot be typeset, or takes more than a minute or too much memory.
    """
    check_installed()
    try:
        with processes(1) as apart:
            return apart.submit(_nicely, template, data, **named).result(MOST_SECONDS)
    except (TimeoutError, ExecutorError, OSError):
        raise ReportError(
            f"the PDF could not be made: typesetting took more than {MOST_SECONDS} s, or too much memory; make a smaller report"
        ) from None


def _nicely(template: str, data: Mapping[str, object], **named: Any) -> bytes:
    """Typeset a document with low priority, so that a service still answers quickly."""
    if hasattr(os, "nice"):
        os.nice(10)
    return typeset(template, data, **named)
