"""Charts of training use: consumer beside business, platform by platform, as shares, and over time."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import STANCE_NAMES, stance_name
from riskanalytics.pages import figures
from riskanalytics.pages.figures import Chart, canvas, count, draws, label, percent, percents
from riskanalytics.pages.rows import Rows
from riskanalytics.theme import PAGE
from riskanalytics.topics.training_use import SHARE_COLUMNS, TRAINING_COLUMNS
from riskanalytics.topics.training_use import stance_shares as counted
from riskanalytics.topics.training_use.history import STANCE_HISTORY_COLUMNS

__all__ = ["stance_history", "stance_shares", "training_use"]

_COLOURS: Final = {"consumer": PAGE["light"]["accent"], "business": PAGE["light"]["second"]}
_AUDIENCES: Final = (("consumer", "circle", "●", -0.2), ("business", "diamond", "◆", 0.2))
"""Audience, mark of its shares, the same as a character, and its place above or below the middle of a row."""
_TOTALS: Final = {"textposition": "middle right", "textfont": {"size": 11}, "cliponaxis": False, "hoverinfo": "skip"}
"""Look of the number at the end of a row."""
_APART, _UNREAD = "no separate answer", "not read"
"""Rows of platforms without an answer for these users, and of those that are not read."""
_HATCHED: Final = {_APART: "/", _UNREAD: "x", "undetermined": "."}
"""Pattern of what is no answer."""
_NO_SHARE: Final = ("How common is each stance?", "No platform has a stance for consumers or businesses.")
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
        Bars of one segment per platform (hover names it); a dotted row is undetermined, a hatched one no separate answer, a
        crossed one not read. Its table holds the shares of the stances.

    Examples
    --------
    >>> print(charts.training_use(analysis.training_use(data.training_use, data.findings)).title)
    Who trains on customer content? 313 platforms (7 more not read), consumer beside business
    """
    unknown = int(training_use["stance"].isna().sum())
    more = f" ({count(unknown)} more not read)" if unknown else ""
    whole = f"{count(len(training_use) - unknown, 'platform')}{more}"
    answers, parts = {}, []
    for audience, *_ in _AUDIENCES:
        stance = training_use[f"{audience}_stance"]
        column = answers[audience] = stance.fillna(_APART).mask(stance.isna() & training_use["stance"].isna(), _UNREAD)
        numbers = column.value_counts()
        ranked = sorted(
            numbers.drop([_APART, _UNREAD], errors="ignore").items(), key=lambda item: (-item[1], str(item[0]))
        )
        words = ", ".join(f"{stance_name(str(stance))} {count(number)}" for stance, number in ranked) or "none"
        rest = "; ".join(f"{word}: {count(numbers[word])}" for word in (_APART, _UNREAD) if word in numbers)
        parts.append(f"{audience} terms: {words}{rest and f' ({rest})'}")
    figure = canvas(f"Who trains on customer content? {whole}, consumer beside business", height=height)
    _add_bars(figure, answers, [label(name, 40) for name in training_use["name"]])
    said = f"Stance on training use of {whole}; {'; '.join(parts)}."
    return Chart("training_use", figure, said, counted(training_use))


def _add_bars(figure: go.Figure, answers: dict[str, pd.Series[str]], names: list[str]) -> None:
    """Draw the bars of both audiences, one segment a platform."""
    said = {word for column in answers.values() for word in column}
    stances = list(dict.fromkeys((*STANCE_NAMES, *sorted(said - {_APART, _UNREAD}), _APART, _UNREAD)))
    stances = [word for word in stances if word in said]
    longest = 0
    for audience, _, _, shift in _AUDIENCES:
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
            customdata=names,
            marker={"color": _COLOURS[audience], "pattern": {"shape": [_HATCHED.get(word, "") for word in column]}},
            hovertemplate="%{customdata}<br>%{fullData.name}<extra></extra>",
        )
        rows = [place + shift for place in range(len(lengths))]
        ends = [f" {audience} {count(length)}" for length in lengths]
        figure.add_scatter(mode="text", x=lengths, y=rows, text=ends, **_TOTALS)
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_yaxes(**_rows(stances), showgrid=False)
    figure.update_xaxes(title="Platforms", range=[0, 1.6 * longest], tickformat=",d")


def _rows(stances: list[str]) -> dict[str, object]:
    """Return the vertical axis of a chart of stances, the first on top."""
    words = [label(stance_name(stance), 28) for stance in stances]
    return {"tickvals": list(range(len(stances))), "ticktext": words, "range": [len(stances) - 0.5, -0.5]}


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
    shown = shares[(shares["audience"] != "all") & (shares["platforms"] > 0)]
    parts = [
        f"{row['audience']}, {stance_name(row['stance'])}: {percent(row['share'])} of {count(row['total'])} "
        f"(interval {percent(row['low'])} to {percent(row['high'])})"
        for row in rows_of(shown)
    ]
    words = f"Shares of the stances with 95 % intervals. {'; '.join(parts) or 'No stance is known'}."
    figure = _intervals(shares, list(shown["stance"].unique()), height) if len(shown) else figures.empty(*_NO_SHARE)
    return Chart("stance_shares", figure, words, shares)


def _intervals(shares: pd.DataFrame, said: list[str], height: int) -> go.Figure:
    """Return a mark with its interval for each stance and audience."""
    stances = [stance for stance in dict.fromkeys(shares["stance"]) if stance in said]
    ruled_out = shares[(shares["stance"] == "does_not_train") & (shares["audience"] != "all") & (shares["total"] > 0)]
    parts = [f"{percent(row['share'])} of those with known {row['audience']} terms" for row in rows_of(ruled_out)]
    figure = canvas(f"Ruling out training: {' and '.join(parts)}" if parts else _NO_SHARE[0], height=height)
    whole = ""
    for audience, symbol, mark, shift in _AUDIENCES:
        group = shares[(shares["audience"] == audience) & shares["stance"].isin(said)]
        rows = [stances.index(stance) + shift for stance in group["stance"]]
        hovers = [
            f"{label(stance_name(row['stance']), 28)}, {audience}<br>{figures.share_words(row, 'platforms', 'total')}"
            for row in rows_of(group)
        ]
        bounds = [group[column] for column in ("share", "low", "high")]
        marker = {"symbol": symbol, "size": 8, "color": _COLOURS[audience]}
        figures.add_shares(figure, bounds, hovers, rows, marker=marker, name=audience)
        whole += f"<br>{mark} {audience}: of {count(group['total'].iloc[0])}"
    figure.update_yaxes(**_rows(stances))
    title = f"Share of platforms, 95 % interval{whole}"
    return figure.update_xaxes(title=title, range=[-2, 102], ticksuffix=" %")


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
        A line per stance within the band of its 95 % interval; gaps if no stance is known.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> history = analysis.stance_history(data.history(months=3), stances, data.changes(), data.day)
    >>> print(charts.stance_history(history).title)
    2 of 313 platforms read since July 2026 answer otherwise now; the share that moved most: ...
    """
    known = history[history["total"] > 0].groupby("stance", sort=False)
    last = known[["date", "share", "platforms", "total", "unknown", "moved", "compared"]].last()
    ends = rows_of(last.assign(since=known["date"].first(), before=known["share"].first()).reset_index())
    if not ends:
        words = f"The stances at {count(history['date'].nunique(), 'date')} are not known."
        return Chart("stance_history", figures.empty(*_NO_COURSE), words, history)
    parts = [f"{stance_name(end['stance'])} {percent(end['before'])}, then {percent(end['share'])}" for end in ends]
    one = ends[0]
    days = f"{one['since']:%Y-%m-%d} to {one['date']:%Y-%m-%d}"
    rest = f" ({count(one['unknown'])} more not read at some of these dates)" if one["unknown"] else ""
    whose = f"of the {count(one['total'], 'platform')} read all that time{rest}"
    words = f"Share of each stance at the ends of months, {days}, {whose}, with 95 % intervals: {'; '.join(parts)}."
    return Chart("stance_history", _courses(history, ends, height), words, history)


def _courses(history: pd.DataFrame, ends: Rows, height: int) -> go.Figure:
    """Return a row of axes for each stance: the course of its share within the band of its interval."""
    heads = [
        f"<b>{label(stance_name(end['stance']), 28)}</b>  {percent(end['before'])} → {percent(end['share'])} "
        f"({count(end['platforms'])})"
        for end in ends
    ]
    figure = figures.course_rows(_course_title(ends), heads, height=height, gap=0.055)
    top = 5 + -int(-100 * history["high"].max() // 10) * 10
    ticks = [0, top // 20 * 10]
    edge = {"mode": "lines", "hoverinfo": "skip", "line": {"width": 0}}
    band = edge | {"fill": "tonexty", "fillcolor": PAGE["light"]["hairline"]}
    hover = "%{x}<br>%{fullData.name}: %{y:.0f} % (%{customdata})<extra></extra>"
    for row, end in enumerate(ends, 1):
        course = history[history["stance"] == end["stance"]]
        days = figures.day_names(course["date"])
        of = [
            f"{count(part)} of {count(all_)}" for part, all_ in zip(course["platforms"], course["total"], strict=True)
        ]
        line = {"mode": "lines", "line": figures.LINE, "name": label(stance_name(end["stance"]), 28), "customdata": of}
        for column, look in (("low", edge), ("high", band), ("share", line | {"hovertemplate": hover})):
            figure.add_scatter(x=days, y=percents(course[column]), row=row, col=1, **look)
        figure.update_yaxes(range=[0, top], tickvals=ticks, ticktext=[f"{tick} %" for tick in ticks], row=row, col=1)
    return figure


def _course_title(ends: Rows) -> str:
    """Return how many platforms answer otherwise than at the first date, and which share moved most."""
    most = max(ends, key=lambda end: abs(end["share"] - end["before"]))
    if most["since"] == most["date"]:
        return _NO_COURSE[0]
    whose = f"{count(most['compared'], 'platform')} read since {most['since']:%B %Y}"
    moved = f"{count(most['moved'])} of {whose} {'answers' if most['moved'] == 1 else 'answer'} otherwise now"
    if percent(most["before"]) == percent(most["share"]):
        return f"{moved}; no share moved"
    name = label(stance_name(most["stance"]), 28)
    return f"{moved}; the share that moved most: {name}, {percent(most['before'])} then, {percent(most['share'])} now"
