"""Which riskanalytics this is."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path


@cache
def package_hash() -> str:
    """Return the version of this package with the hash of its files, those that a page depends on among them.

    Notebooks are left out: they stand in the package where it is installed, and beside it in a checkout.
    """
    package = Path(__file__).parent
    told = sha256()
    for file in sorted(package.rglob("*")):
        parts = file.relative_to(package).parts
        if file.is_file() and "__pycache__" not in parts and parts[0] != "notebooks":
            told.update(f"{'/'.join(parts)}\0".encode() + sha256(file.read_bytes()).digest())
    return f"{version('riskanalytics')} {told.hexdigest()}"
