"""Imports jsonschema, which plotly imports by way of nbformat, without a second's work that no notebook asks for.

Where rfc3987-syntax is installed, and JupyterLab brings it, jsonschema imports it for its checks of IRIs, and it builds a
parser at once (python-jsonschema/jsonschema#1428). Here the parser is built by the first check of an IRI.
"""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

_PARSER: Final = "rfc3987_syntax"


class _Later(ModuleType):
    """Stands in for the parser's module while jsonschema is imported."""

    @staticmethod
    def is_valid_syntax(*words: Any, **named: Any) -> Any:
        """Ask the module itself."""
        return import_module(_PARSER).is_valid_syntax(*words, **named)


if "jsonschema" not in sys.modules and _PARSER not in sys.modules and find_spec(_PARSER):
    sys.modules[_PARSER] = _Later(_PARSER)
    try:
        with contextlib.suppress(ImportError):
            import_module("jsonschema")
    finally:
        del sys.modules[_PARSER]
