"""Charts of training use for consumer and business terms: by platform, as shares, and over time."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages import figures
from riskanalytics.pages.figures import Chart, canvas, count, draws, label, percent, percents
from riskanalytics.pages.rows import Rows
from riskanalytics.theme import PAGE

from . import SHARE_COLUMNS, TRAINING_COLUMNS, stances_in
from . import stance_shares as counted
from .history import STANCE_HISTORY_COLUMNS

__all__ = ["stance_history", "stance_shares", "training_use"]

_AUDIENCES: Final = (("consumer", "accent", "circle", "●", -0.2), ("business", "second", "diamond", "◆", 0.2))
"""Audience, colour, mark of its shares, the same mark as a character, and its offset from the middle of a row."""
_APART, _UNREAD = "no separate answer", "not read"
"""Rows of platforms without an answer for these users, and of platforms that are not read."""
_HATCHED: Final = {_APART: "/", _UNREAD: "x", "undetermined": "."}
"""Pattern of rows that are not an answer."""
_NO_SHARE: Final = ("How common is each stance?", "No platform has a stance for consumers or businesses.")
_NO_COURSE: Final = ("How did the answers change?", "The stances of earlier dates are not known.")


@draws(TRAINING_COLUMNS, "Who trains on customer content?", table=counted, view="stances")
def training_use(training_use: pd.DataFrame) -> Chart:
    """Draw how many platforms have each stance on training use, by their terms for consumers and for business users.

    Parameters
    ----------
    training_use : pandas.DataFrame
        Result of `analysis.training_use`.

    Returns
    -------
    Chart
        Two bars for each stance, with a segment for each platform, whose name is shown on hover. Segments are dotted if the
        stance is undetermined, hatched if there is no separate stance for these users, and crossed if the platform was not
        read. The table of the chart has the shares of the stances.

    Examples
    --------
    >>> print(charts.training_use(analysis.training_use(data.training_use, data.findings)).title)
    61 of 313 platforms (7 more not read) train on consumer content with no opt-out found; 272 have no separate business answer
    """
    unknown = int(training_use["stance"].isna().sum())
    more = f" ({count(unknown)} more not read)" if unknown else ""
    whole = f"{count(len(training_use) - unknown, 'platform')}{more}"
    missing = training_use["stance"].isna().map({False: _APART, True: _UNREAD})
    answers = {audience: training_use[f"{audience}_stance"].fillna(missing) for audience, *_ in _AUDIENCES}
    trains, apart = (answers["consumer"] == "trains_by_default").sum(), (answers["business"] == _APART).sum()
    title = f"{count(trains)} of {whole} train on consumer content with no opt-out found; "
    title += f"{count(apart)} have no separate business answer"
    figure = canvas(title, height=440)
    _add_bars(figure, answers, [label(name, 40) for name in training_use["name"]])
    parts = [
        f"{audience} terms: {', '.join(f'{stance_name(str(word))} {count(number)}' for word, number in numbers.items())}"
        for audience, numbers in ((audience, column.value_counts()) for audience, column in answers.items())
    ]
    said = f"Stance on training use of {whole}; {'; '.join(parts)}."
    return Chart("training_use", figure, said, counted(training_use))


def _add_bars(figure: go.Figure, answers: dict[str, pd.Series[str]], names: list[str]) -> None:
    """Draw the bars of both audiences, one segment for each platform."""
    said = {word for column in answers.values() for word in column}
    stances = [word for word in stances_in(said) if word in said]
    longest = 0
    for audience, colour, _, _, shift in _AUDIENCES:
        column = answers[audience]
        lengths = column.value_counts().reindex(stances, fill_value=0).tolist()
        longest = max(longest, *lengths)
        figure.add_bar(
            orientation="h",
            y=list(map(stances.index, column)),
            base=column.groupby(column).cumcount().tolist(),
            x=[1] * len(column),
            width=0.38,
            offset=shift - 0.19,
            name=audience,
            customdata=names,
            marker={"color": PAGE["light"][colour], "pattern": {"shape": [_HATCHED.get(word, "") for word in column]}},
            hovertemplate="%{customdata}<br>%{fullData.name}<extra></extra>",
        )
        figure.add_scatter(
            mode="text",
            x=lengths,
            y=[place + shift for place in range(len(lengths))],
            text=[f" {audience} {count(length)}" for length in lengths],
            textposition="middle right",
            textfont={"size": 11},
            cliponaxis=False,
            hoverinfo="skip",
        )
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_yaxes(**figures.row_axis(list(map(_named, stances))))
    figure.update_xaxes(title="Platforms", range=[0, 1.6 * longest], tickformat=",d")


def _named(stance: object) -> str:
    """Return the name of a stance, shortened for a figure."""
    return label(stance_name(str(stance)), 28)


@draws(SHARE_COLUMNS, *_NO_SHARE)
def stance_shares(shares: pd.DataFrame) -> Chart:
    """Draw the share of each stance on training use, for consumer and business terms, with 95 % intervals.

    Parameters
    ----------
    shares : pandas.DataFrame
        Result of `analysis.stance_shares`.

    Returns
    -------
    Chart
        A mark with an interval for each stance and audience; stances without a platform are left out.

    Examples
    --------
    >>> print(charts.stance_shares(analysis.stance_shares(data.training_use)).title)
    Training ruled out by 14 % of platforms with known consumer terms and 100 % of platforms with known business terms
    """
    shown = shares[(shares["audience"] != "all") & (shares["platforms"] > 0)]
    parts = [
        f"{row['audience']}, {stance_name(row['stance'])}: {figures.share_words(row, 'platforms', 'total')}"
        for row in rows_of(shown)
    ]
    words = f"Shares of the stances with 95 % intervals. {'; '.join(parts) or 'No stance is known'}."
    figure = figures.empty(*_NO_SHARE) if shown.empty else _intervals(shares[shares["stance"].isin(shown["stance"])])
    return Chart("stance_shares", figure, words, shares)


def _intervals(shares: pd.DataFrame) -> go.Figure:
    """Return a mark with its interval for each stance and audience."""
    ruled_out = shares[(shares["stance"] == "does_not_train") & (shares["audience"] != "all") & (shares["total"] > 0)]
    parts = [f"{percent(row['share'])} of platforms with known {row['audience']} terms" for row in rows_of(ruled_out)]
    figure = canvas(f"Training ruled out by {' and '.join(parts)}" if parts else _NO_SHARE[0], height=440)
    whole = ""
    for audience, colour, symbol, mark, shift in _AUDIENCES:
        group = shares[shares["audience"] == audience]
        names = [f"{_named(stance)}, {audience}" for stance in group["stance"]]
        marker = {"symbol": symbol, "size": 8, "color": PAGE["light"][colour]}
        figures.add_shares(figure, group, names, "platforms", "total", shift=shift, marker=marker, name=audience)
        whole += f"<br>{mark} {audience}: of {count(group['total'].iloc[0])}"
    figure.update_yaxes(**figures.row_axis(list(map(_named, shares["stance"].unique()))) | {"showgrid": None})
    title = f"Share of platforms, 95 % interval{whole}"
    return figure.update_xaxes(title=title, range=[-2, 102], ticksuffix=" %")


@draws(STANCE_HISTORY_COLUMNS, *_NO_COURSE)
def stance_history(history: pd.DataFrame) -> Chart:
    """Draw the share of each stance on training use over time, in one small diagram for each stance, all with the same scale.

    Parameters
    ----------
    history : pandas.DataFrame
        Result of `analysis.stance_history`.

    Returns
    -------
    Chart
        For each stance a line within the band of its 95 % interval, with a gap at dates on which no stance is known.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> history = analysis.stance_history(data.history(months=3), stances, data.changes(), data.day)
    >>> print(charts.stance_history(history).title)
    2 of 313 platforms read since July 2026 changed their answer; largest change: ...
    """
    known = history[history["total"] > 0].groupby("stance", sort=False)
    begin = known.first()
    ends = known.last().assign(since=begin["date"], before=begin["share"], first=begin["platforms"])
    if ends.empty:
        words = f"The stances at {count(history['date'].nunique(), 'date')} are not known."
        return Chart("stance_history", figures.empty(*_NO_COURSE), words, history)
    rows = rows_of(ends.reset_index())
    parts = [f"{stance_name(row['stance'])} {percent(row['before'])}, then {percent(row['share'])}" for row in rows]
    days = f"{rows[0]['since']:%Y-%m-%d} to {rows[0]['date']:%Y-%m-%d}"
    unknown = rows[0]["unknown"]
    rest = f" ({count(unknown)} more not read at some of these dates)" if unknown else ""
    whose = f"of {count(rows[0]['total'], 'platform')} read on all these dates{rest}"
    words = f"Share of each stance at the ends of months, {days}, {whose}, with 95 % intervals: {'; '.join(parts)}."
    return Chart("stance_history", _courses(history, rows), words, history)


def _courses(history: pd.DataFrame, ends: Rows) -> go.Figure:
    """Return a row of axes for each stance: its share over time within the band of its interval."""
    names = [_named(end["stance"]) for end in ends]
    heads = [
        f"<b>{name}</b>  {percent(end['before'])} → {percent(end['share'])} ({count(end['platforms'])})"
        for name, end in zip(names, ends, strict=True)
    ]
    figure = figures.course_rows(_course_title(ends), heads, height=640, gap=0.055)
    top = 5 + -int(-100 * history["high"].max() // 10) * 10
    ticks = [0, top // 20 * 10]
    edge = {"mode": "lines", "hoverinfo": "skip", "line": {"width": 0}}
    band = edge | {"fill": "tonexty", "fillcolor": PAGE["light"]["hairline"]}
    hover = "%{x}<br>%{fullData.name}: %{y:.0f} % (%{customdata})<extra></extra>"
    for row, (name, end) in enumerate(zip(names, ends, strict=True), 1):
        course = history[history["stance"] == end["stance"]]
        of = [f"{count(one.platforms)} of {count(one.total)}" for one in course.itertuples()]
        line = {"mode": "lines", "line": figures.LINE, "name": name, "customdata": of, "hovertemplate": hover}
        for column, look in (("low", edge), ("high", band), ("share", line)):
            days = figures.day_names(course["date"])
            figure.add_scatter(x=days, y=percents(course[column]), row=row, col=1, **look)
    return figure.update_yaxes(range=[0, top], tickvals=ticks, ticktext=[f"{tick} %" for tick in ticks])


def _course_title(ends: Rows) -> str:
    """Return how many platforms changed their answer since the first date, and the stance whose number changed most."""
    most = max(ends, key=lambda end: abs(end["platforms"] - end["first"]))
    if most["since"] == most["date"]:
        return _NO_COURSE[0]
    whose = f"{count(most['compared'], 'platform')} read since {most['since']:%B %Y}"
    moved = f"{count(most['moved'])} of {whose} changed {'its' if most['moved'] == 1 else 'their'} answer"
    if most["first"] == most["platforms"]:
        return f"{moved}; no share changed"
    return f"{moved}; largest change: {_named(most['stance'])}, from {most['first']:,} to {count(most['platforms'], 'platform')}"
