"""What is built holds all that runs, and nothing of this machine."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_wheel_holds_the_notebooks_the_rules_and_the_schema(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for path in ROOT.glob("riskanalytics/**/*"):
        if path.is_file() and "__pycache__" not in path.parts and path.name != ".gitkeep":
            assert path.relative_to(ROOT).as_posix() in names
    for notebook in ROOT.glob("notebooks/*.ipynb"):
        assert f"riskanalytics/notebooks/{notebook.name}" in names


def test_nothing_committed_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout")
    words = [
        b"".join(parts)
        for parts in ((b"py", b"pi.org"), (b"python", b"hosted.org"), (b"/ro", b"ot/"), (b"npm", b"js.org"))
    ]
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file():
            body = path.read_bytes()
            assert not [word for word in words if word in body], name
