"""Charts of training use: consumer beside business, platform by platform, as shares, and over time."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import STANCE_NAMES, stance_name
from riskanalytics.pages.chart import Chart, draws
from riskanalytics.pages.figures import (
    LINE,
    add_shares,
    canvas,
    count,
    course_rows,
    day_names,
    empty,
    label,
    percent,
    percents,
    share_words,
)
from riskanalytics.pages.rows import Rows
from riskanalytics.theme import PAGE
from riskanalytics.topics.training_use import SHARE_COLUMNS, TRAINING_COLUMNS
from riskanalytics.topics.training_use import stance_shares as counted
from riskanalytics.topics.training_use.history import STANCE_HISTORY_COLUMNS

__all__ = ["stance_history", "stance_shares", "training_use"]

_COLOURS: Final = {"consumer": PAGE["light"]["accent"], "business": PAGE["light"]["second"]}
_AUDIENCES: Final = (("consumer", "circle", -0.2), ("business", "diamond", 0.2))
"""Audience, mark of its shares, and where it stands beside its stance."""
_TOTALS: Final = {"textposition": "middle right", "textfont": {"size": 11}, "cliponaxis": False, "hoverinfo": "skip"}
"""Look of the number at the end of a row."""
_APART, _UNREAD = "not told apart", "not read"
"""Rows of platforms that were read and say nothing apart for these users, and of those that are not read."""
_HATCHED: Final = {_APART: "/", _UNREAD: "x", "undetermined": "."}
"""What is no answer, and the pattern that tells it from one."""
_NO_SHARE: Final = ("How common is each stance?", "No platform tells its stance for consumers or businesses.")
_NO_COURSE: Final = ("How did the answers move?", "The stances of earlier dates are not known.")


@draws(TRAINING_COLUMNS, "Who trains on customer content?", table=counted, view="stances")
def training_use(training_use: pd.DataFrame, *, height: int = 440) -> Chart:
    """Draw the platforms by stance, consumer terms beside business terms, one unit per platform.

    Parameters
    ----------
    training_use : pandas.DataFrame
        What `analysis.training_use` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        Bars made of one segment per platform (hover names it); platforms that are undetermined have a dotted row, those
        that say nothing apart for an audience a hatched one, and those that are not read
        a crossed one at the bottom. Its table holds the shares of the stances.

    Examples
    --------
    >>> print(charts.training_use(analysis.training_use(data.training_use, data.findings)).title)
    Who trains on customer content? 313 platforms (7 more not read), consumer beside business
    """
    figure = _bars(training_use, height)
    return Chart("training_use", figure, _stances_told(training_use), counted(training_use))


def _answers(frame: pd.DataFrame, audience: str) -> pd.Series[str]:
    """Return the answer of each platform for an audience, `_APART` where it gives none, `_UNREAD` where it is not read."""
    stance = frame[f"{audience}_stance"]
    return stance.fillna(_APART).mask(stance.isna() & frame["stance"].isna(), _UNREAD)


def _counted(frame: pd.DataFrame) -> str:
    """Return how many platforms have an answer, and how many more there are."""
    unknown = int(frame["stance"].isna().sum())
    return count(len(frame) - unknown, "platform") + (f" ({count(unknown)} more not read)" if unknown else "")


def _stances_told(frame: pd.DataFrame) -> str:
    """Say how many platforms give which answer, for consumers and for business users."""
    parts = []
    for audience, _, _ in _AUDIENCES:
        told = _answers(frame, audience).value_counts()
        ranked = sorted(
            told.drop([_APART, _UNREAD], errors="ignore").items(), key=lambda item: (-item[1], str(item[0]))
        )
        words = ", ".join(f"{stance_name(str(stance))} {count(number)}" for stance, number in ranked)
        rest = [f"{word}: {count(told[word])}" for word in (_APART, _UNREAD) if word in told]
        parts.append(f"{audience} terms: {words or 'none'}" + (f" ({'; '.join(rest)})" if rest else ""))
    return f"Stance on training use of {_counted(frame)}; {'; '.join(parts)}."


def _bars(training_use: pd.DataFrame, height: int) -> go.Figure:
    """Return the bars of both audiences, one segment a platform."""
    answers = {audience: _answers(training_use, audience) for audience, _, _ in _AUDIENCES}
    said = {word for column in answers.values() for word in column}
    strange = sorted(said - {*STANCE_NAMES, _APART, _UNREAD})
    stances = [word for word in (*STANCE_NAMES, *strange, _APART, _UNREAD) if word in said]
    title = f"Who trains on customer content? {_counted(training_use)}, consumer beside business"
    figure = canvas(title, height=height)
    figure.update_layout(barmode="overlay", bargap=0)
    longest = 0
    for audience, _, shift in _AUDIENCES:
        column = answers[audience]
        lengths = column.value_counts().reindex(stances, fill_value=0).tolist()
        longest = max(longest, *lengths)
        figure.add_bar(
            orientation="h",
            y=[stances.index(word) for word in column],
            base=column.groupby(column).cumcount().tolist(),
            x=[1] * len(column),
            width=0.38,
            offset=shift - 0.19,
            name=audience,
            customdata=[label(name, 40) for name in training_use["name"]],
            marker={"color": _COLOURS[audience], "pattern": {"shape": [_HATCHED.get(word, "") for word in column]}},
            hovertemplate="%{customdata}<br>%{fullData.name}<extra></extra>",
        )
        rows = [place + shift for place in range(len(lengths))]
        ends = [f" {audience} {count(length)}" for length in lengths]
        figure.add_scatter(mode="text", x=lengths, y=rows, text=ends, **_TOTALS)
    _set_stances(figure, stances)
    figure.update_yaxes(showgrid=False)
    figure.update_xaxes(title="Platforms", range=[0, 1.6 * longest], tickformat=",d")
    return figure


def _set_stances(figure: go.Figure, stances: list[str]) -> None:
    """Name the rows of a figure by stances, the first on top."""
    words = [label(stance_name(stance), 28) for stance in stances]
    figure.update_yaxes(tickvals=list(range(len(stances))), ticktext=words, range=[len(stances) - 0.5, -0.5])


@draws(SHARE_COLUMNS, *_NO_SHARE)
def stance_shares(shares: pd.DataFrame, *, height: int = 440) -> Chart:
    """Draw the share of platforms with each stance on training use, consumer beside business, with 95 % intervals.

    Parameters
    ----------
    shares : pandas.DataFrame
        What `analysis.stance_shares` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A mark per stance and audience with the interval of its share; stances that nobody gives are left out.

    Examples
    --------
    >>> print(charts.stance_shares(analysis.stance_shares(data.training_use)).title)
    Ruling out training: 14 % of those with known consumer terms and 100 % of those with known business terms
    """
    return Chart("stance_shares", _intervals(shares, height), _shares_told(shares), shares)


def _shares_told(shares: pd.DataFrame) -> str:
    """Say how large the share of each answer is, and between which bounds."""
    parts = [
        f"{row['audience']}, {stance_name(row['stance'])}: {percent(row['share'])} of {count(row['total'])} "
        f"(interval {percent(row['low'])} to {percent(row['high'])})"
        for row in rows_of(shares[(shares["audience"] != "all") & (shares["platforms"] > 0)])
    ]
    return f"Shares of the stances with 95 % intervals. {'; '.join(parts) or 'No stance is known'}."


def _intervals(shares: pd.DataFrame, height: int) -> go.Figure:
    groups = {audience: shares[shares["audience"] == audience] for audience, _, _ in _AUDIENCES}
    if not any(len(group) and group["total"].iloc[0] for group in groups.values()):
        return empty(*_NO_SHARE)
    said = {stance for group in groups.values() for stance in group.loc[group["platforms"] > 0, "stance"]}
    stances = [stance for stance in dict.fromkeys(shares["stance"]) if stance in said]
    figure = canvas(_shares_title(groups), height=height)
    for audience, symbol, shift in _AUDIENCES:
        group = groups[audience][groups[audience]["stance"].isin(said)]
        rows = [stances.index(stance) + shift for stance in group["stance"]]
        heads = (f"{label(stance_name(stance), 28)}, {audience}<br>" for stance in group["stance"])
        hovers = [
            head + share_words(row, "platforms", "total") for head, row in zip(heads, rows_of(group), strict=True)
        ]
        marker = {"symbol": symbol, "size": 8, "color": _COLOURS[audience]}
        bounds = [group[column] for column in ("share", "low", "high")]
        add_shares(figure, bounds, hovers, rows, marker=marker, name=audience)
    _set_stances(figure, stances)
    figure.update_xaxes(title=_denominators(groups), range=[-2, 102], ticksuffix=" %")
    return figure


def _shares_title(groups: dict[str, pd.DataFrame]) -> str:
    said = []
    for audience, group in groups.items():
        row = group[group["stance"] == "does_not_train"]
        if len(row) and row["total"].iloc[0]:
            said.append(f"{percent(row['share'].iloc[0])} of those with known {audience} terms")
    return f"Ruling out training: {' and '.join(said)}" if said else "How common is each stance?"


def _denominators(groups: dict[str, pd.DataFrame]) -> str:
    marks = {"consumer": "●", "business": "◆"}
    parts = [
        f"{marks[name]} {name}: of {count(group['total'].iloc[0])}" for name, group in groups.items() if len(group)
    ]
    return f"Share of platforms, 95 % interval<br>{'<br>'.join(parts)}"


@draws(STANCE_HISTORY_COLUMNS, *_NO_COURSE)
def stance_history(history: pd.DataFrame, *, height: int = 640) -> Chart:
    """Draw the share of platforms with each stance on training use over time, one row for each, all to the same scale.

    Parameters
    ----------
    history : pandas.DataFrame
        What `analysis.stance_history` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A line per stance within the band of its 95 % interval; gaps where no stance is known.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> history = analysis.stance_history(data.history(months=3), stances, data.changes(), data.day)
    >>> print(charts.stance_history(history).title)
    2 of 313 platforms read since July 2026 answer otherwise now; the share that moved most: ...
    """
    return Chart("stance_history", _courses(history, height), _courses_told(history), history)


def _ends(history: pd.DataFrame) -> Rows:
    """Return by stance its share at the first (`before`) and at the last date at which stances are known."""
    known = history[history["total"] > 0].groupby("stance", sort=False)
    last = known[["date", "share", "platforms", "total", "unknown", "moved", "compared"]].last()
    return rows_of(last.assign(since=known["date"].first(), before=known["share"].first()).reset_index())


def _courses_told(history: pd.DataFrame) -> str:
    """Say how large the share of each answer was at the first date and is at the last."""
    ends = _ends(history)
    if not ends:
        return f"The stances at {count(history['date'].nunique(), 'date')} are not known."
    parts = [f"{stance_name(end['stance'])} {percent(end['before'])}, then {percent(end['share'])}" for end in ends]
    one = ends[0]
    days = f"{one['since']:%Y-%m-%d} to {one['date']:%Y-%m-%d}"
    rest = f" ({count(one['unknown'])} more not read at some of these dates)" if one["unknown"] else ""
    whose = f"of the {count(one['total'], 'platform')} read all that time{rest}"
    return f"Share of each stance at the ends of months, {days}, {whose}, with 95 % intervals: {'; '.join(parts)}."


def _courses(history: pd.DataFrame, height: int) -> go.Figure:
    """Return a row of axes for each stance."""
    ends = _ends(history)
    if not ends:
        return empty(*_NO_COURSE)
    moved = [f"{percent(end['before'])} → {percent(end['share'])} ({count(end['platforms'])})" for end in ends]
    names = [f"<b>{label(stance_name(end['stance']), 28)}</b>" for end in ends]
    heads = [f"{name}  {shares}" for name, shares in zip(names, moved, strict=True)]
    figure = course_rows(_course_title(ends), heads, height=height, gap=0.055)
    top = 5 + -int(-100 * history["high"].max() // 10) * 10
    ticks = [0, top // 20 * 10]
    for row, end in enumerate(ends, 1):
        _add_course(figure, end["stance"], history[history["stance"] == end["stance"]], row)
        figure.update_yaxes(range=[0, top], tickvals=ticks, ticktext=[f"{tick} %" for tick in ticks], row=row, col=1)
    return figure


def _add_course(figure: go.Figure, stance: str, group: pd.DataFrame, row: int) -> None:
    """Draw the share of one stance in a row of axes, within the band of its interval."""
    days = day_names(group["date"])
    shown = {"mode": "lines", "hoverinfo": "skip", "line": {"width": 0}}
    figure.add_scatter(x=days, y=percents(group["low"]), row=row, col=1, **shown)
    band = {"fill": "tonexty", "fillcolor": PAGE["light"]["hairline"]}
    figure.add_scatter(x=days, y=percents(group["high"]), row=row, col=1, **shown, **band)
    told = [f"{count(part)} of {count(all_)}" for part, all_ in zip(group["platforms"], group["total"], strict=True)]
    look = {"mode": "lines", "line": LINE, "name": label(stance_name(stance), 28), "customdata": told}
    hover = "%{x}<br>%{fullData.name}: %{y:.0f} % (%{customdata})<extra></extra>"
    figure.add_scatter(x=days, y=percents(group["share"]), hovertemplate=hover, row=row, col=1, **look)


def _course_title(ends: Rows) -> str:
    """Return how many platforms answer otherwise than at the first date, and which share moved most."""
    most = max(ends, key=lambda end: abs(end["share"] - end["before"]))
    if most["since"] == most["date"]:
        return "How did the answers move?"
    answer = "answers" if most["moved"] == 1 else "answer"
    whose = f"{count(most['compared'], 'platform')} read since {most['since']:%B %Y}"
    told = f"{count(most['moved'])} of {whose} {answer} otherwise now"
    if percent(most["before"]) == percent(most["share"]):
        return f"{told}; no share moved"
    name = label(stance_name(most["stance"]), 28)
    return f"{told}; the share that moved most: {name}, {percent(most['before'])} then, {percent(most['share'])} now"
