"""A stand-in for Parquet files: where pyarrow is not installed, tables are JSON, so that everything else of pulls is tested."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, BinaryIO

import pandas as pd
import pytest

INSTALLED = find_spec("pyarrow") is not None


def written(frame: pd.DataFrame, *_: object, **__: object) -> bytes:
    """Stand in for `DataFrame.to_parquet`."""
    return json.dumps({str(name): frame[name].tolist() for name in frame}, default=str).encode()


def read(content: BinaryIO, columns: list[str], **_: object) -> pd.DataFrame:
    """Stand in for `pandas.read_parquet`."""
    held: dict[str, list[Any]] = json.loads(content.read())
    return pd.DataFrame({name: held[name] for name in columns})


@contextmanager
def stand_in() -> Iterator[None]:
    """For the length of a block, pandas reads and writes JSON if it cannot read and write Parquet."""
    module = ModuleType("pyarrow")
    module.__spec__ = ModuleSpec("pyarrow", None)
    with pytest.MonkeyPatch.context() as patch:
        if not INSTALLED:
            patch.setitem(sys.modules, "pyarrow", module)
            patch.setattr(pd.DataFrame, "to_parquet", written)
            patch.setattr(pd, "read_parquet", read)
        yield
