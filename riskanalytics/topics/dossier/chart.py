"""What is shown of one platform: charts of its levels among its peers and over time, its title, and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics import models
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.chart import Chart, Mark, add_grid, draws
from riskanalytics.pages.figures import add_bars, canvas, count, day_names, empty, label
from riskanalytics.pages.rows import Rows, day
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural
from riskanalytics.theme import LEVEL_CODES, PAGE, letter_of
from riskanalytics.topics.changes import SIDES
from riskanalytics.topics.dossier import COURSE_COLUMNS, RATING, STANDING_COLUMNS
from riskanalytics.topics.ratings.chart import COUNTED, STACK_AXIS, mark_marker
from riskanalytics.topics.ratings.matrix import LETTERS, cell_words, mark_of
from riskanalytics.topics.shape import NOT_GIVEN, Record, word_of

__all__ = ["peer_levels", "platform_history"]

_ALONE: Final = ("Where does it stand among its peers?", "There is no other platform to compare it with.")
"""Title and words of a figure that has no peers to show."""
_SIDES: Final = (("above most", "below", "lower"), ("below most", "above", "higher"))
"""Word of `standing`, the column that counts peers, and where these are."""
_PAST: Final = {"untracked": "not tracked yet", "not known": "not known"}
_NAMED: Final = 4
_TITLES: Final = {
    "depends_on_plan": "training depends on the plan",
    "undetermined": "training undetermined",
    "silent": "no clause found on training",
}
_BAD: Final = ("broken", "stale", "not_a_policy", "no date")


@draws(STANDING_COLUMNS, *_ALONE)
def peer_levels(standing: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw how many other platforms have each level on each surface, and where one platform is among them.

    Parameters
    ----------
    standing : pandas.DataFrame
        What `analysis.peer_levels` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        Stacked bars of peers; a ring with the platform's own letter marks the segment where it belongs.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.peer_levels(analysis.peer_levels(matrix, "orvewick-voice")).title)
    Higher than most of 319 other platforms on 7 surfaces; its own level in the ring
    """
    rows, words = rows_of(standing), _peers_words(standing)
    if not standing["peers"].max():
        return Chart("peer_levels", empty(*_ALONE), words, standing)
    names = [label(surface_name(surface), 28) for surface in standing["surface"]]
    figure = canvas(_peers_title(rows), height=height or 124 + 30 * len(standing), barmode="stack", bargap=0.25)
    for mark, name in COUNTED.items():
        hover = "%{y}<br>peers %{fullData.name}: %{x:,d}"
        add_bars(figure, names, standing[mark.lower()], hover, name=name, marker=mark_marker(mark))
    figure.add_scatter(y=names, **_rings(rows))
    figure.update_xaxes(title=f"Other platforms, HIGH to the left{STACK_AXIS}", tickformat=",d")
    return Chart("peer_levels", figure, words, standing)


def _rings(rows: Rows) -> dict[str, object]:
    """Return the marks of the platform itself: on each surface a ring with its letter, in the middle of its segment."""
    ink, paper, order = PAGE["light"]["text"], PAGE["light"]["background"], list(COUNTED)
    marks, places, hints = [mark_of(row) for row in rows], [], []
    for mark, row in zip(marks, rows, strict=True):
        before = sum(int(row[one.lower()]) for one in order[: order.index(mark)])
        places.append(before + int(row[mark.lower()]) / 2)
        others = f"{count(row['below'])} peers lower, {count(row['above'])} higher"
        own = f"{mark}, {count(row['clauses'], 'clause')}; {others}" if mark in LEVEL_CODES else own_words(row)
        hints.append(f"this platform: {own}")
    look = {"size": 20, "color": paper, "line": {"width": 2, "color": ink}}
    letters = {"text": [LETTERS[mark] for mark in marks], "textfont": {"size": 11, "color": ink, "weight": 700}}
    hover = {"hovertext": hints, "hovertemplate": "%{y}<br>%{hovertext}<extra></extra>"}
    return {"mode": "markers+text", "x": places, "marker": look, **letters, **hover}


def _peers_words(standing: pd.DataFrame) -> str:
    """Return on which surfaces the platform's level is above or below that of most others, with counts."""
    others, parts = count(standing["peers"].max(), "other platform"), []
    for words, side, told in _SIDES:
        surfaces = [
            f"{surface_name(str(row['surface']))} ({row['risk']}; {count(row[side])} are {told})"
            for row in rows_of(standing[standing["standing"] == words])
        ]
        parts += [f"{words} on {', '.join(surfaces)}"] if surfaces else []
    said = f"Its level beside those of {others}: {'; '.join(parts)}" if parts else nothing_unusual(rows_of(standing))
    quiet = int((standing["state"] == "quiet").sum())
    return f"{said}; nothing found on {count(quiet, 'surface')}." if quiet else f"{said}."


def _peers_title(rows: Rows) -> str:
    """Return on how many surfaces the platform's level is above or below that of most others."""
    most = f"than most of {count(max(row['peers'] for row in rows), 'other platform')}"
    above, below = (len(surfaces_where(rows, standing=words)) for words, *_ in _SIDES)
    if not above and not below:
        return nothing_unusual(rows)
    title = f"Higher {most} on {count(above, 'surface')}" if above else f"Lower {most} on {count(below, 'surface')}"
    return f"{title}{f', lower on {count(below)}' if above and below else ''}; its own level in the ring"


@draws(COURSE_COLUMNS, "How did its levels move?", "The state of past days is not known.")
def platform_history(course: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw a platform's rating and its levels over several days.

    Parameters
    ----------
    course : pandas.DataFrame
        What `analysis.platform_history` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        One heatmap, days from left to right; the rating on top, set apart by a gap. Letters as in the risk heatmap.

    Examples
    --------
    >>> course = data.past_states("alalix-chat", quarters=2)
    >>> print(charts.platform_history(analysis.platform_history(course.states, course.surfaces)).title)
    Read on 3 days, June 2026 to October 2026: the rating stayed, 1 surface moved
    """
    subjects, days = (list(course[column].drop_duplicates()) for column in ("subject", "date"))
    marks = {(row["subject"], row["date"]): _mark(row) for row in rows_of(course)}
    grid = [[marks.get((subject, day), (None, "", "")) for day in days] for subject in (RATING, None, *subjects[1:])]
    names = ["Rating", " ", *(label(surface_name(subject), 28) for subject in subjects[1:])]
    figure = canvas(_course_title(course), height=height or 124 + 22 * len(names))
    add_grid(figure, day_names(days), names, grid, hovertemplate="%{x}<br>%{y}: %{hovertext}<extra></extra>")
    shared = {"type": "category", "showgrid": False, "fixedrange": True}
    figure.update_yaxes(autorange="reversed", dtick=1, ticks="", **shared)
    title = "State at that day (? clauses to read, – not read,<br>blank: read, nothing found)"
    ticks = [f"{day:%b}<br>{day:%Y}" if (len(days) - 1 - place) % 3 == 0 else "" for place, day in enumerate(days)]
    figure.update_xaxes(title=title, tickangle=0, tickvals=day_names(days), ticktext=ticks, **shared)
    return Chart("platform_history", figure, _course_words(course), course)


def _course_words(course: pd.DataFrame) -> str:
    """Return the ratings that followed each other, each with its first day."""
    rated = course[course["subject"] == RATING]
    words = rated["risk"].astype("str").where(rated["state"] == "found", rated["state"]).fillna(NOT_GIVEN)
    first = words != words.shift()
    parts = [f"{word} from {day:%Y-%m-%d}" for word, day in zip(words[first], rated["date"][first], strict=True)]
    subjects = count(course["subject"].nunique() - 1, "surface")
    return f"Heatmap of the rating and {subjects} by day. Rating: {', then '.join(parts)}."


def _course_title(course: pd.DataFrame) -> str:
    """Return on how many days the platform was read, whether its rating moved, and how many surfaces did."""
    known = course[~course["state"].isin(["untracked", "not known", "unread"])]
    days = known["date"].nunique()
    if days < 2:
        return "Its levels today: past days are not known"
    moved = known["risk"].astype("str").fillna("").groupby(known["subject"]).nunique() > 1
    surfaces = int(moved.drop(RATING, errors="ignore").sum())
    rating = "the rating moved" if moved.get(RATING, False) else "the rating stayed"
    told = f"{count(surfaces, 'surface')} moved" if surfaces else "no surface moved"
    read = f"Read on {count(days, 'day')}, {known['date'].min():%B %Y} to {course['date'].iloc[-1]:%B %Y}"
    return f"{read}: {rating}, {told}"


def _mark(cell: Record) -> Mark:
    """Return the mark of one subject on one day."""
    if cell["state"] != "found":
        told = _PAST.get(cell["state"]) or cell_words(cell)
        blank = cell["state"] in ("quiet", "untracked")
        return (None, "", told) if blank else (LEVEL_CODES["UNKNOWN"], LETTERS[mark_of(cell)], told)
    level = cell["level"]
    word = level if level != "UNKNOWN" else label(cell["risk"], 16) or "no level given"
    told = "" if is_missing(cell["stance"]) else f"; {label(models.stance_name(str(cell['stance'])), 40)}"
    return LEVEL_CODES[level], letter_of(str(cell["risk"])), f"{word}{told}"


def dossier_title(platform: Record, stance: object) -> str:
    """Return the title of a platform's dossier: its name, its rating, its answer on training use.

    Parameters
    ----------
    platform : mapping
        A row of `frames.PLATFORMS_COLUMNS`.
    stance : object
        Its stance; a missing one is left out.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> analysis.dossier_title(one.platforms.iloc[0], one.training_use["stance"].iloc[0])
    'Orvewick Voice: rated HIGH, trains, no opt-out found'
    """
    rating = f"rated {platform['rating']}" if platform["rating"] in models.RATINGS else "not rated"
    words = "" if is_missing(stance) else _TITLES.get(str(stance), models.stance_name(str(stance)).lower())
    return f"{word_of(platform['name']) or platform['slug']}: {', '.join(filter(None, (rating, words)))}"


def dossier_sentences(
    standing: pd.DataFrame,
    training_use: pd.DataFrame,
    moves: pd.DataFrame,
    changes: pd.DataFrame | None,
    states: pd.DataFrame,
    documents: pd.DataFrame,
    findings: pd.DataFrame | None = None,
) -> tuple[str, ...]:
    """Sum up one platform in five plain sentences: levels, peers, training use, moves, documents.

    Parameters
    ----------
    standing, moves, documents : pandas.DataFrame
        What `peer_levels`, `platform_moves` and `freshness` returned for the platform.
    training_use, states : pandas.DataFrame
        `frames.TRAINING_USE_COLUMNS` and `frames.STATES_COLUMNS` of the platform.
    changes : pandas.DataFrame or None
        `frames.CHANGES_COLUMNS` of the platform; None where this key does not see them.
    findings : pandas.DataFrame, optional
        Its clauses; without them no sentence says that an opt-out is missing.

    Returns
    -------
    tuple of str
        Plain text, not escaped, in that order. What is not known is said to be.

    Examples
    --------
    >>> one, slug = data.of(["orvewick-voice"]), "orvewick-voice"
    >>> standing = analysis.peer_levels(analysis.risk_matrix(data.findings, data.surfaces, data.platforms), slug)
    >>> states, changes = one.past_states(slug, 4).states, one.changes()
    >>> moves, fresh = analysis.platform_moves(states, changes), analysis.freshness(one.documents, one.day)
    >>> analysis.dossier_sentences(standing, one.training_use, moves, changes, states, fresh, one.findings)[2]
    'Training use: it trains on user content by default, and no opt-out was found.'
    """
    rows, answers, texts = rows_of(standing), rows_of(training_use), rows_of(documents)
    training = _training(answers[0] if answers else {}, findings, models.languages_not_read(texts))
    return _levels(rows), _peers(rows), training, _last_move(moves, changes, states), _documents(texts)


def own_words(row: Record) -> str:
    """Return what is known of the platform itself on a surface without a level, of a row of `peer_levels`."""
    return models.state_words(mark_of(row).lower(), 0 if is_missing(row["clauses"]) else int(row["clauses"]))


def surfaces_where(rows: Sequence[Record], **values: object) -> list[str]:
    """Return the names of the surfaces whose rows have these values."""
    return [surface_name(str(row["surface"])) for row in rows if all(row[key] == values[key] for key in values)]


def _levels(rows: Sequence[Record]) -> str:
    """Return on how many surfaces the platform has each level, and what is known of the others."""
    if not rows:
        return "No surface was read."
    whole, high = plural(len(rows), "surface"), surfaces_where(rows, state="found", risk="HIGH")
    first = (
        f"Rated HIGH on {len(high)} of {whole}: {listed(high, _NAMED)}" if high else f"None of {whole} is rated HIGH"
    )
    counts = Counter("" if mark_of(row) == "HIGH" else mark_of(row) for row in rows)
    words = {"MED": "MED", "LOW": "LOW", "QUIET": "nothing found", "TO_READ": "clauses to read", "UNREAD": "not read"}
    rest = joined([f"{said} on {counts[mark]}" for mark, said in words.items() if counts[mark]])
    return f"{first}; {rest}." if rest else f"{first}."


def _peers(rows: Sequence[Record]) -> str:
    """Return on which surfaces the platform's level is above or below that of most others."""
    count = max((int(row["peers"]) for row in rows), default=0)
    if not count:
        return "There is no other platform to compare it with."
    sides = {"Higher than": "above most", "Lower than": "below most"}
    others, named = (
        plural(count, "other platform"),
        {side: surfaces_where(rows, standing=side) for side in sides.values()},
    )
    parts = [
        f"{words} most of {others} on {listed(named[side], _NAMED)}" for words, side in sides.items() if named[side]
    ]
    return f"{'. '.join(parts) or nothing_unusual(rows)}."


def nothing_unusual(rows: Sequence[Record]) -> str:
    """Return that no surface is unusually high or low, of how many could be compared: of the rows of `peer_levels`."""
    compared = sum(bool(row["standing"]) for row in rows)
    peers = plural(max(int(row["peers"]) for row in rows), "peer")
    if compared == len(rows):
        return f"Typical of its {peers}: no surface is unusually high or low"
    if not compared:
        return f"No surface has a level to compare with those of its {peers}"
    return f"On the {compared:,} of {plural(len(rows), 'surface')} with a level it is typical of its {peers}"


def _training(row: Record, findings: pd.DataFrame | None, not_read: str) -> str:
    """Return what the platform does with user content in training, by audience where the answers differ."""
    stance = row.get("stance")
    if is_missing(stance):
        return f"What it does with user content in training is not known{not_read and ': not read: '}{not_read}."
    plans = {"for consumers": row["consumer_stance"], "for business customers": row["business_stance"]}
    sides = {words: said for words, said in plans.items() if not is_missing(said) and said != "silent"}
    if len(set(sides.values())) > 1:
        return f"Training use: {'; '.join(f'{words}, it {_said(said, findings)}' for words, said in sides.items())}."
    return (
        "No clause on training use was found." if stance == "silent" else f"Training use: it {_said(stance, findings)}."
    )


def _said(stance: object, findings: pd.DataFrame | None) -> str:
    """Return a stance as the end of a sentence about the platform."""
    if stance == "trains_by_default" and findings is not None:
        own = findings[(findings["surface"] == "training_use") & (findings["polarity"] == "mitigates_risk")]
        some = own["quote"].map(models.names_way_out).any()
        return f"{models.STANCE_CLAUSES[stance]}, and {'the way out is for some users only' if some else 'no opt-out was found'}"
    if stance == "undetermined":
        return "is undetermined: clauses conflict or are not explicit, and are to be read"
    return models.STANCE_CLAUSES.get(str(stance)) or f"is reported as {models.stance_name(str(stance)).lower()}"


def _last_move(moves: pd.DataFrame, changes: pd.DataFrame | None, states: pd.DataFrame) -> str:
    """Return when the rating moved last, as exactly as it is known, and how many changes are recorded."""
    last = next((row for row in rows_of(moves) if row["direction"]), None)
    went = ""
    if last is not None:
        went = "from {} to {}".format(*(word_of(last[side]) or "not known" for side in SIDES[:2]))
    if changes is None:
        known = states.loc[states["state"] == "known", "date"]
        if len(known) < 2:
            return "How its rating moved is not known: the changes and the past states are not shown here."
        if last is not None:
            return f"Its rating last moved between {day(last['since'])} and {day(last['at'])}, {went}."
        return f"Its rating is the same on all {len(known)} days read since {day(known.iloc[0])}."
    if changes.empty:
        return "No change is recorded."
    material = int((changes["change_class"] == "material").sum())
    amount = f"{plural(material, 'material change')} among {plural(len(changes), 'recorded difference')}"
    if last is not None:
        return f"Its rating last moved on {day(last['at']) or 'an unknown day'}, {went}; {amount}."
    begins = day(changes["reviewed_at"].min()) or "an unknown day"
    return f"Its rating has not moved since the record of changes begins, {begins}; {amount}."


def _documents(rows: Sequence[Record]) -> str:
    """Return how many documents could be read, and which could not."""
    if not rows:
        return "Which documents were read is not known."
    whole = plural(len(rows), "document")
    bad = [word_of(row["document"]) for row in rows if row["flag"] in _BAD]
    told = [f"The last capture of {len(bad):,} of {whole} could not be read: {listed(bad, _NAMED)}."] if bad else []
    if languages := models.languages_not_read(rows):
        names = [word_of(row["document"]) for row in rows if models.in_other_language(row)]
        told.append(f"Not read: {languages} ({listed(names, _NAMED)}).")
    return " ".join(told) or f"{'All ' if len(rows) > 1 else ''}{whole} could be read."
