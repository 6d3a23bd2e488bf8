"""Imports go one way and come first; modules and functions stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "riskanalytics").rglob("*.py"))
MARKUP = re.compile(
    r"</?(?:div|p|span|section|table|t[dhr]|[uo]l|li|h[1-6]|details|summary|blockquote|article|figure)\b[^<]*>"
)
LAZY = (
    "riskanalytics/__init__.py",  # names are handed on when asked for (PEP 562)
    "riskanalytics/cli/",  # a command imports only what it needs
    "riskanalytics/dataset/embedded.py",  # who holds its data needs no service
    "riskanalytics/dataset/connecting.py",  # nor a demo
    "riskanalytics/dataset/checks.py",  # nor labels
    "riskanalytics/reporting/batches.py",  # who runs reports here sends no orders
    "riskanalytics/reporting/runner.py",  # its checks need no frames, and papermill is imported while the kernel starts
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


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in MODULES}


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its signature and docstring."""
    body = [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return (node.end_lineno or 0) - (body[0].lineno if body else node.end_lineno or 0) + 1


def test_modules_have_at_most_400_lines_and_functions_40() -> None:
    long = [named(path) for path in MODULES if len(path.read_text("utf-8").splitlines()) > 400]
    long += [
        f"{named(path)}: {node.name}: {length(node)} lines"
        for path, tree in trees().items()
        for node in functions(tree)
        if length(node) > 40
    ]
    assert not long


def test_imports_come_first_in_a_module() -> None:
    late = [
        f"{named(path)}: {node.name} imports"
        for path, tree in trees().items()
        if not named(path).startswith(LAZY)
        for node in functions(tree)
        if any(isinstance(part, ast.Import | ast.ImportFrom) for part in ast.walk(node))
    ]
    assert not late


def test_markup_is_in_templates_and_conditional_expressions_are_not_nested() -> None:
    wrong = []
    for path, tree in trees().items():
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                wrong += [f"{named(path)}:{node.lineno}: markup"] * bool(MARKUP.search(node.value))
            if isinstance(node, ast.IfExp):
                inner = [part for part in ast.walk(node) if isinstance(part, ast.IfExp) and part is not node]
                wrong += [f"{named(path)}:{node.lineno}: nested conditional expression"] * bool(inner)
    assert not wrong
