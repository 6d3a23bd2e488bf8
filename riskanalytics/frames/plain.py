"""Frames as files hold them: nested values as JSON text, and Parquet."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pandas as pd

from riskanalytics.errors import MissingExtraError, ParameterError

MISSING = 'Parquet files need pyarrow: pip install "riskanalytics[parquet]"'


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its index as columns, columns named by text, and nested values as JSON text.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any; its own index is kept as columns unless it is the count of rows.
    """
    counted = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    told = frame.reset_index(drop=counted, allow_duplicates=True)
    names = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in told.columns]
    plain = told.set_axis(pd.RangeIndex(len(names)), axis=1)
    for place, dtype in enumerate(plain.dtypes):
        if isinstance(dtype, pd.PeriodDtype):
            plain[place] = plain[place].astype(str)
        elif pd.api.types.is_object_dtype(dtype):
            plain[place] = plain[place].map(_unnested)
    return plain.set_axis(pd.Index(names, dtype=object), axis=1)


def _unnested(value: object) -> object:
    """Return a list or mapping as JSON text, anything else as it is."""
    if isinstance(value, tuple | set | frozenset):
        value = list(value)
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def check_parquet() -> None:
    """Refuse to go on where Parquet files cannot be written.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError(MISSING)


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Return a frame as Parquet; its dtypes come back when it is read.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `plain_frame` gives it.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    ParameterError
        If two columns share a name, or a column holds values of several kinds.
    """
    try:
        return frame.to_parquet(None, engine="pyarrow", index=False, compression="zstd")
    except ImportError as error:
        raise MissingExtraError(MISSING) from error
    except (ValueError, TypeError) as error:  # two columns of a name, or values of several kinds in one
        raise ParameterError(f"Parquet cannot hold this frame: {error}; save it as .csv or .xlsx") from error
