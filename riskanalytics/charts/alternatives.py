"""Text alternatives: what a figure shows, in one or two sentences made from its frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pandas as pd

from riskanalytics.charts.labels import count, percent
from riskanalytics.errors import ReportError
from riskanalytics.frames import rows_of
from riskanalytics.models import DECIDED_BY, stance_name, surface_name

_SHOWN: Final = 4
"""Surfaces that the alternative of a comparison tells in full; the table below the figure has all."""


def alternative(name: str, frame: pd.DataFrame) -> str:
    """Return the text alternative of a figure.

    Parameters
    ----------
    name : str
        Name of the chart, such as `risk_matrix`.
    frame : pandas.DataFrame
        The frame given to the chart.

    Returns
    -------
    str
        One or two sentences, plain text: the caller escapes them.

    Raises
    ------
    ReportError
        There is no chart of that name.
    """
    if name not in _TEXTS:
        raise ReportError(f"there is no chart named {name!r}; the charts are {', '.join(_TEXTS)}")
    return "No data for this chart." if frame.empty else _TEXTS[name](frame)


def _mix(frame: pd.DataFrame) -> str:
    parts = [
        f"{count(row.platforms)} {row.rating} ({percent(row.share)})" for row in frame.itertuples() if row.platforms
    ]
    return f"Ratings of {count(frame['total'].iloc[0], 'platform')}: {', '.join(parts) or 'none'}."


def _history(frame: pd.DataFrame) -> str:
    days = [frame["date"].min(), frame["date"].max()]
    parts = [
        f"{day:%B %Y}: "
        + ", ".join(
            f"{count(row.platforms)} {row.rating}" for row in frame[frame["date"] == day].itertuples() if row.platforms
        )
        for day in dict.fromkeys(days)
    ]
    return f"Stacked bars of platforms by rating at each month's end. {'; '.join(parts)}."


def _matrix(frame: pd.DataFrame) -> str:
    found = frame[frame["state"] == "found"]
    states = frame["state"].value_counts()
    levels = found["level"].value_counts()
    first = frame["name"].iloc[0]
    return (
        f"Heatmap of {count(frame['slug'].nunique(), 'platform')} "
        f"by {count(frame['surface'].nunique(), 'surface')}, "
        f"worst first, beginning with {first}. {count(levels.get('HIGH', 0))} cells are HIGH, "
        f"{count(levels.get('MED', 0))} MED, {count(levels.get('LOW', 0))} LOW, "
        f"{count(states.get('quiet', 0))} read with nothing found, "
        f"{count(levels.get('UNKNOWN', 0) + states.get('unread', 0))} not known."
    )


def _surface(frame: pd.DataFrame) -> str:
    surface = frame["surface"].iloc[0]
    column = frame[frame["surface"] == surface]
    high = column[(column["state"] == "found") & (column["level"] == "HIGH")]
    shown = "none" if high.empty else ", ".join(str(name) for name in high["name"].head(10))
    more = f" and {count(len(high) - 10)} more" if len(high) > 10 else ""
    return f"{_matrix(frame)} In the order of {surface_name(str(surface))}; at HIGH there: {shown}{more}."


def _counts(frame: pd.DataFrame) -> str:
    high = frame[(frame["state"] == "found") & (frame["level"] == "HIGH")]
    parts = [f"{surface_name(str(row.surface))} {count(row.platforms)}" for row in high.head(3).itertuples()]
    total = count(frame["total"].iloc[0], "platform")
    return f"Levels of {total} on each surface. Most at HIGH: {', '.join(parts)}."


def _training(frame: pd.DataFrame) -> str:
    parts = []
    for audience in ("consumer", "business"):
        told = frame[f"{audience}_stance"].dropna().value_counts()
        words = [f"{stance_name(str(stance))} {count(n)}" for stance, n in sorted(told.items(), key=_by_count)]
        parts.append(f"{audience} terms: {', '.join(words) or 'none'} (not known: {count(len(frame) - told.sum())})")
    return f"Stance on training use of {count(len(frame), 'platform')}; {'; '.join(parts)}."


def _by_count(item: tuple[Any, Any]) -> tuple[int, str]:
    return (-int(item[1]), str(item[0]))


def _shares(frame: pd.DataFrame) -> str:
    parts = [
        f"{row.audience}, {stance_name(str(row.stance))}: {percent(row.share)} of {count(row.total)} "
        f"(interval {percent(row.low)} to {percent(row.high)})"
        for row in frame[frame["audience"] != "all"].itertuples()
        if row.platforms
    ]
    return f"Shares of the stances with 95 % intervals. {'; '.join(parts) or 'No stance is known'}."


def _courses(frame: pd.DataFrame) -> str:
    told = frame[frame["total"] > 0]
    if told.empty:
        return f"The stances at {count(frame['date'].nunique(), 'date')} are not known."
    first, last = (told[told["date"] == day] for day in (told["date"].min(), told["date"].max()))
    before = dict(zip(first["stance"], first["share"], strict=True))
    parts = [
        f"{stance_name(str(row.stance))} {percent(before.get(row.stance))}, then {percent(row.share)}"
        for row in last.itertuples()
    ]
    days = f"{first['date'].iloc[0]:%Y-%m-%d} to {last['date'].iloc[0]:%Y-%m-%d}"
    whose = f"of the {count(last['total'].iloc[0], 'platform')} tracked all that time"
    return f"Share of each stance at the ends of months, {days}, {whose}, with 95 % intervals: {'; '.join(parts)}."


def _months(frame: pd.DataFrame) -> str:
    material = frame[frame["change_class"] == "material"]
    most = material.sort_values(["changes", "month"], ascending=[False, True]).iloc[0]
    told = f"{count(material['changes'].sum(), 'material change')} in {count(len(material), 'month')}"
    peak = f"most in {most['month']:%B %Y} ({count(most['changes'])})"
    return f"{told}, {peak}; {count(frame['changes'].sum())} differences in all."


def _coverage(frame: pd.DataFrame) -> str:
    parts = [f"{count(row.platforms)} {row.state} ({percent(row.share)})" for row in frame.itertuples()]
    return f"Of {count(frame['tracked'].iloc[0], 'tracked platform')}: {', '.join(parts)}."


def _freshness(frame: pd.DataFrame) -> str:
    ages = frame["age_days"].dropna()
    flags = frame["flag"].value_counts()
    parts = [f"{count(n)} {str(flag).replace('_', ' ')}" for flag, n in sorted(flags.items(), key=_by_count) if flag]
    middle = f"half are older than {count(ages.median(), 'day')}" if len(ages) else "none has a date"
    return f"Age of {count(len(frame), 'document')}: {middle}; flagged: {', '.join(parts) or 'none'}."


def _accuracy(frame: pd.DataFrame) -> str:
    decided = frame["surface"].isin(DECIDED_BY)
    whole, rest = frame[decided], frame[~decided]
    over = "".join(
        f" {DECIDED_BY[row['surface']]}: precision {_interval(row, 'precision')}, recall {_interval(row, 'recall')}."
        for _, row in whole.iterrows()
    )
    worst = {
        measure: ", ".join(
            f"{surface_name(str(row['surface']))} {_interval(row, measure)}"
            for _, row in rest.sort_values(measure, kind="stable").head(3).iterrows()
        )
        for measure in ("recall", "precision")
    }
    return (
        f"Precision and recall of {count(len(rest), 'surface')} with 95 % intervals.{over} Lowest recall: "
        f"{worst['recall'] or 'none'}. Lowest precision: {worst['precision'] or 'none'}."
    )


def _reliability(frame: pd.DataFrame) -> str:
    whole = frame[frame["decided_by"] == "all"]
    parts = [
        f"of {count(row['whole'], 'finding')} that state {percent(row['stated'])}, {percent(row['share'])} are right"
        for _, row in whole.iterrows()
    ]
    errors = frame.drop_duplicates("decided_by")
    off = [f"{DECIDED_BY.get(row['decided_by'], '')} {row['error']:.3f}" for _, row in errors.iterrows()]
    return (
        f"Stated confidence: {'; '.join(parts) or 'none'}. Expected calibration error: {', '.join(off) or 'not known'}."
    )


def _interval(row: Any, measure: str) -> str:
    return f"{percent(row[measure])} ({percent(row[f'{measure}_low'])} to {percent(row[f'{measure}_high'])})"


def _noise(frame: pd.DataFrame) -> str:
    parts = [
        f"{count(row.changes)} {str(row.change_class).replace('_', ' ')} ({percent(row.share)})"
        for row in frame.itertuples()
    ]
    return f"Of {count(frame['total'].iloc[0], 'recorded change')}: {', '.join(parts)}."


def _peers(frame: pd.DataFrame) -> str:
    others = count(frame["peers"].max(), "other platform")
    parts = [
        f"{words} on {_stands(rows_of(frame[frame['standing'] == words]), side) or 'no surface'}"
        for words, side in (("above most", "below"), ("below most", "above"))
    ]
    quiet = count((frame["state"] == "quiet").sum(), "surface")
    return f"Its level beside those of {others}: {'; '.join(parts)}; nothing found on {quiet}."


def _stands(rows: list[dict[str, Any]], side: str) -> str:
    words = {"below": "lower", "above": "higher"}[side]
    return ", ".join(
        f"{surface_name(str(row['surface']))} ({row['risk']}; {count(row[side])} are {words})" for row in rows
    )


def _course(frame: pd.DataFrame) -> str:
    parts: list[tuple[str, str]] = []
    for row in rows_of(frame[frame["subject"] == "rating"]):
        word = str(row["risk"] if row["state"] == "found" else row["state"])
        if not parts or parts[-1][0] != word:
            parts.append((word, f"{word} from {row['date']:%Y-%m-%d}"))
    subjects = count(frame["subject"].nunique() - 1, "surface")
    return f"Heatmap of the rating and {subjects} by day. Rating: {', then '.join(text for _, text in parts)}."


def _transitions(frame: pd.DataFrame) -> str:
    moved = frame[frame["direction"] != "stayed"]
    parts = [f"{row.rating_before} to {row.rating_after}: {count(row.platforms)}" for row in moved.itertuples()]
    stayed = count(frame.loc[frame["direction"] == "stayed", "platforms"].sum())
    days = f"{frame['since'].iloc[0]:%Y-%m-%d} and {frame['until'].iloc[0]:%Y-%m-%d}"
    return f"Ratings of {count(frame['total'].iloc[0], 'platform')} on {days}. {'; '.join(parts) or 'None moved'}. {stayed} stayed."


def _quiet(frame: pd.DataFrame) -> str:
    quiet = frame[frame["quiet"] > 0]
    parts = [
        f"{surface_name(str(row.surface))} {count(row.quiet)} of {count(row.read)} ({percent(row.share)})"
        for row in quiet.head(4).itertuples()
    ]
    rest = f"; on {count(len(quiet) - 4, 'more surface')} fewer" if len(quiet) > 4 else ""
    return f"Platforms read on which nothing was found, by surface: {', '.join(parts) or 'none'}{rest}."


def _coverages(frame: pd.DataFrame) -> str:
    days = dict.fromkeys((frame["as_of"].min(), frame["as_of"].max()))
    parts = [
        f"{day:%Y-%m-%d}: {', '.join(f'{count(row.platforms)} {row.state}' for row in rows.itertuples())} "
        f"of {count(rows['tracked'].iloc[0], 'platform')}"
        for day in days
        for rows in [frame[frame["as_of"] == day]]
    ]
    return f"Platforms by state of verification at the ends of months. {'; '.join(parts)}."


def _comparison(frame: pd.DataFrame) -> str:
    names = list(dict.fromkeys(frame["label"]))
    groups: dict[str, dict[str, list[str]]] = {}
    for row in rows_of(frame[frame["relation"] == "levels"]):
        levelled = row["state"] == "found" and row["standing"] != "undetermined"
        told = str(row["level"] if levelled else row["standing"])
        groups.setdefault(surface_name(str(row["surface"])), {}).setdefault(told, []).append(str(row["label"]))
    parts = [
        f"{surface} ({'; '.join(_who(word, who) for word, who in told.items())})" for surface, told in groups.items()
    ]
    total = count(frame["surface"].nunique(), "surface")
    if not parts:
        return f"Levels of {', '.join(names)}, surface by surface. No different levels on {total}."
    more = f" and {count(len(parts) - _SHOWN, 'more surface')}" if len(parts) > _SHOWN else ""
    return (
        f"Levels of {', '.join(names)}, surface by surface. Different levels on {count(len(parts))} of {total}: "
        f"{', '.join(parts[:_SHOWN])}{more}."
    )


def _who(word: str, names: list[str]) -> str:
    return f"{word}: {', '.join(names)}"


_TEXTS: Final[dict[str, Callable[[pd.DataFrame], str]]] = {
    "rating_mix": _mix,
    "rating_history": _history,
    "rating_transitions": _transitions,
    "risk_matrix": _matrix,
    "surface_matrix": _surface,
    "level_counts": _counts,
    "training_use": _training,
    "stance_shares": _shares,
    "stance_history": _courses,
    "changes_by_month": _months,
    "coverage": _coverage,
    "freshness": _freshness,
    "accuracy": _accuracy,
    "change_noise": _noise,
    "reliability": _reliability,
    "peers": _peers,
    "course": _course,
    "quiet_surfaces": _quiet,
    "coverage_history": _coverages,
    "comparison": _comparison,
}
