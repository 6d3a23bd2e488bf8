"""What is imported before plotly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PARSER = """
print("the parser is built")
def is_valid_syntax(term, value):
    return value == "right"
"""
_ASKED = """
import riskanalytics.theme
from jsonschema import Draft7Validator
print("imported")
print([Draft7Validator.FORMAT_CHECKER.conforms(word, "iri") for word in ("right", "wrong")])
"""


def test_jsonschema_builds_its_parser_of_iris_when_one_is_checked_and_checks_as_ever(tmp_path: Path) -> None:
    (tmp_path / "rfc3987_syntax.py").write_text(_PARSER)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{_ASKED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["imported", "the parser is built", "[True, False]"]
