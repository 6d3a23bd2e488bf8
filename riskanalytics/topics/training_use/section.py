"""Page sections on training use: stances for consumers and business users, the clauses behind them, and who changed."""

from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.text.wording import percent, plural

from ..changes import section as changed
from ..changes.clauses import clause_pairs
from ..changes.section import States
from ..shape import Record, found_share
from .history import STANCE_DIRECTIONS

__all__ = ["stance_moves", "stance_table", "training_clauses", "training_use"]

_USERS: Final = {"consumer": "Consumers", "business": "Business users"}
_APART: Final = "no separate answer"
_CAPTION: Final = (
    "Platforms with separate answers come first, those with the riskiest answers at the top. "
    f"“{_APART.capitalize()}”: no answer for these users alone; the answer for all may apply to them."
)
_TO_READ: Final = "These documents conflict, or leave out the deciding words: read the sentences below."
_OPEN: Final = 3
"""Number of platforms of each answer whose clauses are shown without a click."""


@of_data(stances="stances_quoted", shares="stance_shares", figures="figures")
def training_use(stances: pd.DataFrame, shares: pd.DataFrame, *, figures: object = None) -> Section:
    """Return a section that shows who trains on content: the platforms by stance, each with its deciding clause.

    Parameters
    ----------
    stances : pandas.DataFrame
        Result of `analysis.training_use`.
    shares : pandas.DataFrame
        Result of `analysis.stance_shares`: it gives the share of each stance, with its interval.
    figures : object, optional
        Accuracy figures, `data.extraction.get("figures")`. A note states the share of clauses that the extraction finds.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> sections.training_use(stances, analysis.stance_shares(stances)).text
    '320 platforms by stance'
    """
    parts: list[v.Part] = []
    none = v.Paragraph("No clause is shown for this answer.", "note")
    for rows, head in _answers(stances, shares, figures):
        full = 30 if len(rows) <= 30 else 12
        if _is_silent(rows[0]):
            parts += [*head, v.Paragraph(show.cut([show.name(row["name"]) for row in rows], 60))]
            continue
        quotes = [v.Group((none if is_missing(row["quote"]) else show.quote(row),)) for row in rows[:full]]
        named = zip(map(_platform, rows), quotes, strict=False)
        groups = [v.Group((v.Paragraph(platform), quote), "row") for platform, quote in named]
        more: list[v.Part] = [*groups[6:]]
        more += [v.Listing(tuple(map(_platform, rows[full:])))] if len(rows) > full else []
        folded = [v.Fold(plural(len(rows) - 6, "more platform"), tuple(more))] if more else []
        parts += [*head, *groups[:6], *folded]
    return section("Training use by stance", *parts, text=f"{plural(len(stances), 'platform')} by stance")


def _answers(stances: pd.DataFrame, shares: pd.DataFrame, figures: object) -> Iterator[tuple[show.Rows, list[v.Part]]]:
    """Yield the platforms of each stance with its heading: their number, the interval if known, and a note."""
    notes = {"silent": found_share(figures), "undetermined": _TO_READ}
    share_of = {row["stance"]: row for row in rows_of(shares[shares["audience"] == "all"])}
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        name, words = stance_name(None), f"{len(rows):,} of {plural(len(stances), 'platform')}"
        if row := share_of.get(stance):
            share, low, high = (percent(row[key]) for key in ("share", "low", "high"))
            name, whole = stance_name(row["stance"]), plural(row["total"], "platform")
            words = (
                f"{len(rows):,} of {whole} read, {share} (95 % interval {low} to {high}), by the answer for all users"
            )
        note = v.Paragraph(notes.get(str(stance), ""), "note")
        yield rows_of(rows), [v.Heading((name, " ", v.Text(words, "thin"))), note]


def _is_silent(row: Record) -> bool:
    """Return whether no clause gives an answer for a platform."""
    return is_missing(row["stance"]) or row["stance"] == "silent"


def _apart(row: Record) -> v.Words:
    """Return both answers on a separate line if they differ, or if only business users have one."""
    answers = {key: stance_name(str(row[f"{key}_stance"])) for key in _USERS if not is_missing(row[f"{key}_stance"])}
    if len(set(answers.values())) > 1:
        return show.below(" · ".join(f"{_USERS[key]}: {stance.lower()}" for key, stance in answers.items()))
    return show.below("clauses for business users only") if list(answers) == ["business"] else ""


def _platform(row: Record) -> v.Words:
    """Return a platform with its rating, its answers if they differ, and a way out for some users."""
    some = row["stance"] == "trains_by_default" and row["way_out"]
    way_out = show.below("Some users may opt out or object.") if some else ""
    return v.Text(show.name(row["name"]), "strong"), " ", show.level(row["level_rating"]), _apart(row), way_out


@of_data()
def stance_table(stances: pd.DataFrame, *, first: int = 25) -> Section:
    """Return a section with a table of every platform's stance on training use, for consumers and for business users.

    Parameters
    ----------
    stances : pandas.DataFrame
        Result of `analysis.training_use`.
    first : int
        Number of rows that are visible until the reader chooses to see all.

    Examples
    --------
    >>> sections.stance_table(analysis.training_use(data.training_use, data.findings)).text
    '320 platforms, consumers and business users'
    """
    rows = sorted(rows_of(stances), key=lambda row: sum(is_missing(row[f"{audience}_stance"]) for audience in _USERS))
    lines = []
    for row in rows:
        label = show.name(row["name"])
        who = label if _is_silent(row) else v.Link(label, f"#platform-{row['slug']}")
        cells = (who, show.level(row["level_rating"]), *(_stance(row, audience) for audience in _USERS))
        lines.append(v.Row(cells, slug=row["slug"], value=show.text(row["stance"])))
    choice = v.Choice("Answer", tuple((one, stance_name(one)) for one in stances["stance"].dropna().unique()), first)
    heads = show.columns("Platform", "roomy:Rating", "Consumers", "Business")
    answers = v.Table(tuple(lines), heads, _CAPTION, "sortable", anchor="stance-table", choice=choice)
    words = f"{plural(len(rows), 'platform')}, consumers and business users"
    return section("Answers by platform", answers, text=words)


def _stance(row: Record, audience: str) -> v.Words:
    """Return an answer in words, or that there is no separate answer for these users."""
    stance = row[f"{audience}_stance"]
    if is_missing(stance):
        return v.Text("not read" if is_missing(row["stance"]) else _APART, "meta")
    return stance_name(str(stance))


@of_data(clauses="training_clauses", shares="stance_shares", figures="figures")
def training_clauses(
    stances: pd.DataFrame, clauses: pd.DataFrame, shares: pd.DataFrame, *, most: int = 100, figures: object = None
) -> Section:
    """Return a section with all clauses that decide the platforms' stances on training use, by stance and platform.

    Platforms without a stance or a clause on training use are only named.

    Parameters
    ----------
    stances, clauses, shares : pandas.DataFrame
        Results of `analysis.training_use`, `analysis.training_clauses` (after `data.verify`) and `analysis.stance_shares`.
    most : int
        Maximum number of platforms of one stance to show with clauses; the others are only named.
    figures : object, optional
        Accuracy figures, `data.extraction.get("figures")`. A note states the share of clauses that the extraction finds.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> stances = analysis.training_use(one.training_use, one.findings)
    >>> clauses = data.verify(analysis.training_clauses(one.training_use, one.findings, one.leads))
    >>> sections.training_clauses(stances, clauses, analysis.stance_shares(stances)).text
    '1 clause of 1 platform'
    """
    by_slug = show.grouped(rows_of(clauses), "slug")
    parts: list[v.Part] = []
    for rows, head in _answers(stances, shares, figures):
        full = 0 if _is_silent(rows[0]) else most
        folds = (_folded(row, by_slug.get(row["slug"], []), at < _OPEN) for at, row in enumerate(rows[:full]))
        labels = (v.Text(show.name(row["name"]), anchor=f"platform-{row['slug']}") for row in rows[full:])
        names = show.separated(labels, ", ")
        note = (" To see their clauses, name them with ", v.Text("-p platforms=", "code"), ".") if full else ""
        parts += [*head, *folds, *([v.Paragraph((names, ".", note))] if names else [])]
    words = f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}"
    return section("Clauses by answer", *parts, text=words)


def _folded(row: Record, clauses: show.Rows, opened: bool) -> v.Fold:
    """Return the clauses of one platform, in two columns if both consumers and business users have clauses."""
    sides = show.grouped(clauses, "audience")
    quotes = {key: tuple(show.quote(one, mark=show.level(one["clause_level"])) for one in sides[key]) for key in sides}
    inner: v.Parts = next(iter(quotes.values()), (v.Paragraph("The service shows no clause for this answer.", "note"),))
    if len(quotes) > 1:
        heads = {key: v.Paragraph((f"{words}: ", _stance(row, key)), "side") for key, words in _USERS.items()}
        inner = (v.Pair(tuple(v.Group((head, *quotes[key])) for key, head in heads.items())),)
    return v.Fold(_platform(row), inner, "keep platform", opened, f"platform-{row['slug']}")


@of_data(moves="stance_moves", changes="stance_changes", checked="stance_change_clauses")
def stance_moves(moves: pd.DataFrame | None, changes: pd.DataFrame | None, checked: pd.DataFrame | None) -> Section:
    """Return a section with the platforms that changed their stance on training use, and the clauses that changed.

    Parameters
    ----------
    moves, changes : pandas.DataFrame or None
        Results of `analysis.stance_moves` and `analysis.stance_changes`; None if changes are not known.
    checked : pandas.DataFrame or None
        Result of `analysis.changed_clauses` for `changes`, after `data.verify`; None if changes are not known.

    Examples
    --------
    >>> changes = analysis.stance_changes(data.of(["alalix-chat"]).changes())
    >>> clauses = data.verify(analysis.changed_clauses(changes))
    >>> print(sections.stance_moves(analysis.stance_moves(changes), changes, clauses).text)
    Alalix Chat: undetermined → trains_by_default
    """
    if moves is None or changes is None:
        return changed.unknown("Who changed their answer")
    if moves.empty:
        return sentence("No answer changed in this period.")
    rows, states, by_slug = rows_of(moves), changed.states_of(checked), show.grouped(rows_of(changes), "slug")
    table = show.rows_table(
        "Answers before the first change and after the last",
        rows,
        ("Platform", lambda row: v.Link(show.name(row["name"]), f"#moved-{row['slug']}")),
        ("Direction", _direction),
        ("roomy:Before", lambda row: stance_name(row["stance_before"])),
        ("roomy:After", lambda row: stance_name(row["stance_after"])),
        ("n roomy:Changes", "steps"),
        ("whole:Last change", "last_at"),
    )
    movers = [_mover(row, by_slug.get(row["slug"], []), states, at < _OPEN) for at, row in enumerate(rows)]
    said = "\n".join(f"{row['name']}: {row['stance_before']} → {row['stance_after']}" for row in rows)
    return section("Who changed", table, *movers, text=said)


def _direction(row: Record) -> v.Text:
    """Return the direction of an answer as a sign with words, not only as a colour."""
    sign, style, words = STANCE_DIRECTIONS[row["direction"]]
    return v.Text((v.Text(f"{sign} ", "sign"), words), style)


def _mover(row: Record, steps: Sequence[Record], states: States, opened: bool) -> v.Fold:
    """Return the changes of one platform, newest first."""
    summary = (show.name(row["name"]), " ", _direction(row), " ", v.Text(show.day(row["last_at"]), "meta"))
    parts = show.first_shown([_step(step, states) for step in steps], 3, "earlier change")
    return v.Fold(summary, parts, "keep platform", opened, f"moved-{row['slug']}")


def _step(step: Record, states: States) -> v.Group:
    """Return one change: the answer before and after, and its clauses on training."""
    pairs, document = clause_pairs(step), show.text(step["document"])
    moved = " → ".join(stance_name(str(step[f"stance_{side}"])) for side in ("before", "after"))
    head = v.Paragraph((f"{show.day(step['reviewed_at'])} · {document} · ", v.Text(moved, "strong")), "meta")
    none = (
        f"No clause on training use was added or removed, but the text of {document} changed. "
        "The answer follows from all clauses together."
    )
    why = v.Paragraph(changed.clauses_counted(pairs) if pairs else none, "why")
    return v.Group((head, why, *changed.clauses_of(pairs, states)), "article")
