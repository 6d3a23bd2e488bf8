"""The one door to typst: a template and data in, a tagged PDF out.

Data never become markup: they travel as one JSON text in typst's `sys.inputs`, and a template writes their strings as
strings. The template reads them as `json(bytes(sys.inputs.data))`. Nothing is read from disk or network: the template
is given as text, system fonts are ignored, packages are not used. So equal input gives equal bytes on every machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ExecutorError, MissingExtraError, ReportError
from riskanalytics.typesetting.shown import MOST_CARE, undrawn, visible, visible_data
from riskanalytics.work.executors import processes

__all__ = ["MISSING", "check_installed", "typeset", "typeset_apart", "undrawn", "visible"]

MISSING: Final = 'PDF needs typst: pip install "riskanalytics[pdf]"'
"""What is said where typst is not installed."""
MOST_SECONDS: Final = 60
_NICE: Final = 10
_NO_GLYPH: Final = "could not be displayed"


def check_installed() -> None:
    """Refuse where typst is not installed.

    Raises
    ------
    MissingExtraError
        One line: what to install.
    """
    _typst()


def _typst() -> Any:
    """Return typst; commands that make no PDF begin sooner without it."""
    try:
        return import_module("typst")
    except ImportError:
        raise MissingExtraError(MISSING) from None


def typeset(
    template: str, data: Mapping[str, object], *, timestamp: datetime, files: Mapping[str, str] | None = None
) -> bytes:
    """Typeset a document: PDF 1.7, tagged, PDF/UA-1 (ISO 14289-1), with the fonts inside typst only.

    Parameters
    ----------
    template : str
        Typst source; sets the title and the language of the document.
    data : mapping
        JSON values, read by the template from `sys.inputs.data`. Characters that no font draws are shown as their
        code points (`visible`).
    timestamp : datetime
        Creation date of the document; the same for the same data.
    files : mapping, optional
        Name -> text that the template attaches as it is, read from `sys.inputs` by that name.

    Returns
    -------
    bytes
        The same for the same input.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the template is not usable, or demands what PDF/UA-1 forbids.
    """
    typst = _typst()
    for care in range(MOST_CARE + 1):
        try:
            return _compiled(typst, template, visible_data(data, care=care), timestamp, files)
        except typst.TypstError as error:
            if care == MOST_CARE or _NO_GLYPH not in str(error):
                raise _failed(error) from error
    raise AssertionError


def typeset_apart(
    template: str, data: Mapping[str, object], *, timestamp: datetime, files: Mapping[str, str] | None = None
) -> bytes:
    """Typeset a document as `typeset` does, in a process that ends: typst keeps what it once took, and a service would grow.

    Parameters
    ----------
    template, data, timestamp, files
        As of `typeset`.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the document cannot be typeset, or not within a minute.
    """
    check_installed()
    try:
        with processes(1) as apart:
            return apart.submit(_nicely, template, data, timestamp=timestamp, files=files).result(MOST_SECONDS)
    except (TimeoutError, ExecutorError, OSError):
        raise ReportError("the PDF cannot be typeset: that took too long or too much memory") from None


def _nicely(template: str, data: Mapping[str, object], **named: Any) -> bytes:
    """Typeset a document; what a service answers meanwhile goes first."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    return typeset(template, data, **named)


def _compiled(typst: Any, template: str, data: object, timestamp: datetime, files: Mapping[str, str] | None) -> bytes:
    """Call typst."""
    compile_: Callable[..., bytes] = typst.compile
    return compile_(
        template.encode(),
        format="pdf",
        root=Path(__file__).parent,
        font_paths=typst.Fonts(include_system_fonts=False),
        ignore_system_fonts=True,
        sys_inputs={**(files or {}), "data": json.dumps(data, ensure_ascii=True)},
        pdf_standards=["ua-1"],
        timestamp=int(timestamp.timestamp()),
    )


def _failed(error: Exception) -> ReportError:
    """Return the failure in one line."""
    return ReportError(f"the PDF cannot be typeset: {' '.join(str(error).split())[:300]}")
