"""Rows of the table of benchmarks: each is a ratio against a floor or a peer of the same run."""

from __future__ import annotations

HEAD = "| measure | seen, and against what | ratio | aim |\n| --- | --- | --- | --- |"


def row(measure: str, seen: str, ratio: float, aim: float | None = None, *, least: bool = False) -> None:
    """Print one row.

    Parameters
    ----------
    measure : str
    seen : str
        Both sides of the ratio, with their units.
    ratio : float
    aim : float, optional
        What the ratio is to be at most; or, where `least`, at least.
    least : bool
    """
    aimed = "" if aim is None else f"{'≥' if least else '≤'} {aim:.3g}"
    missed = aim is not None and (ratio < aim if least else ratio > aim)
    print(f"| {measure} | {seen} | {ratio:.3g} | {aimed}{': missed' if missed else ''} |", flush=True)
