"""Imports go one way, stand at the top, and modules stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "riskanalytics").rglob("*.py"))
MARKUP = re.compile(
    r"</?(?:div|p|span|section|table|t[dhr]|[uo]l|li|h[1-6]|details|summary|blockquote|article|figure)\b[^<]*>"
)
LAZY = (
    "riskanalytics/__init__.py",  # names are handed on when asked for (PEP 562)
    "riskanalytics/cli/",  # a command imports only what it needs
    "riskanalytics/embedded.py",  # who is answered by another process needs no service
    "riskanalytics/sources/__init__.py",  # nor a demo
    "riskanalytics/sources/accuracy.py",  # nor labels
    "riskanalytics/reporting/loading.py",
    "riskanalytics/reporting/beside.py",  # who begins a process needs nothing of what it does
    "riskanalytics/reporting/runner.py",  # its checks need no frames
    "riskanalytics/reporting/making.py",  # imports papermill while the kernel starts
)


def test_every_contract_of_the_floors_is_kept() -> None:
    words = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    ]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_of_at_most_400_lines_and_its_functions_of_40(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = [
                part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ]
            lines = (node.end_lineno or 0) - (body[0].lineno if body else node.end_lineno or 0) + 1
            assert lines <= 40, f"{node.name}: {lines} lines"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_stand_at_the_top(path: Path) -> None:
    if path.relative_to(ROOT).as_posix().startswith(LAZY):
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = [part for part in ast.walk(node) if isinstance(part, ast.Import | ast.ImportFrom)]
            assert not inner, f"{node.name} imports inside"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_markup_stands_in_templates_and_choices_are_not_nested(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            assert not MARKUP.search(node.value), f"line {node.lineno}: {node.value[:60]}"
        if isinstance(node, ast.IfExp):
            inner = [part for part in ast.walk(node) if isinstance(part, ast.IfExp) and part is not node]
            assert not inner, f"line {node.lineno}: a choice inside a choice"
