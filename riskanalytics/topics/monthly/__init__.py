"""Headline numbers and sentences of the monthly report, and the tracked platforms that a portfolio names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics.errors import IncompleteReportError
from riskanalytics.frames import rows_of
from riskanalytics.models import VERIFICATIONS, languages_not_read
from riskanalytics.pages.section import Section, of_data
from riskanalytics.pages.values import Fold, Listing
from riskanalytics.text.wording import dated, joined, listed, plural

from ..coverage import coverage as covered
from ..shape import schema, shaped, word_of
from ..training_use.history import stance_sentence
from .portfolio import Names, attributes_of, given_rows

__all__ = ["Headline", "PortfolioScope", "monthly_facts", "monthly_sentences", "portfolio_coverage", "portfolio_scope"]

MATCH_COLUMNS: Final = schema("row:Int64 given slug name matched_by:str confidence:Float64")
_VERBS: Final = {"up": "rose", "down": "fell", "unclear": "became unclear"}
_STATES: Final = {
    "partial": "partial (not all read)", "stale": "stale (an earlier text used)", "unverified": "unverified (none read)",
}  # fmt: skip
_LISTED: Final = 50
_SAID: Final = 20
"""Maximum number of unmatched rows in the page's record and in the output of the command."""


@dataclass(frozen=True)
class Headline:
    """Headline numbers and platform names of a report on a month, or on another period.

    A field is None if the data do not contain it.

    Parameters
    ----------
    platforms : int
        Number of platforms in the report.
    material : int or None
        Number of material changes in the period.
    changed : tuple of str
        Names of the platforms with a material change, each once, worst first.
    noise : int or None
        Number of recorded changes that are not material: of wording or format, reverts, capture failures, technical changes.
    moved : mapping of str to tuple of str, or None
        `rose`, `fell` or `became unclear` -> names of the platforms whose rating did so. A rating becomes unclear if it moves
        from or to a word other than LOW, MED and HIGH.
    returned : tuple of str
        Names of platforms whose rating moved and returned to its first value within the period.
    stances : str
        A sentence on who trains on customer content.
    tracked : int or None
        Number of all tracked platforms, or for a report on a portfolio, of the platforms in it.
    states : mapping of str to int, or None
        State of verification (`verified`, `partial`, `stale`, `unverified`) -> number of platforms.
    broken : tuple of str, or None
        Names of the platforms with a document whose newest capture is broken or stale, each once.
    languages : str
        A phrase that counts the documents in languages that are not read; empty if there are no such documents.
    foreign : tuple of str
        Names of the platforms that have documents in languages that are not read, each once.
    since, until : date or None
        For a period that is not a month: the day before its first day, and its last day.
    first_change : date or None
        For a period that is not a month: day of the first change on record, if the period begins before that day.
    """

    platforms: int
    material: int | None
    changed: tuple[str, ...]
    noise: int | None
    moved: Mapping[str, tuple[str, ...]] | None
    returned: tuple[str, ...]
    stances: str
    tracked: int | None
    states: Mapping[str, int] | None
    broken: tuple[str, ...] | None
    languages: str
    foreign: tuple[str, ...]
    since: date | None
    until: date | None
    first_change: date | None


def monthly_facts(
    platforms: pd.DataFrame,
    *,
    material: pd.DataFrame | None = None,
    noise: pd.DataFrame | None = None,
    moves: pd.DataFrame | None = None,
    shares: pd.DataFrame | None = None,
    coverage: pd.DataFrame | None = None,
    freshness: pd.DataFrame | None = None,
    periods: pd.DataFrame | None = None,
) -> Headline:
    """Gather the headline numbers of a month: changes, rating moves, stances on training use, verification, broken texts.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms in the report, one row for each.
    material, noise, moves, shares, coverage, freshness : pandas.DataFrame, optional
        Results of the analyses `material_changes`, `change_noise`, `rating_moves`, `stance_shares`, `coverage` and
        `freshness`. If one is missing, the sentences say that its numbers are unknown.
    periods : pandas.DataFrame, optional
        Result of `equal_periods`, for a period that is not a calendar month.

    Returns
    -------
    Headline
        The numbers and platform names, for `monthly_sentences`.

    Examples
    --------
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> facts = analysis.monthly_facts(data.platforms, material=material)
    >>> facts.material, facts.changed[:2]
    (8, ('Corzothorn Chat', 'KellothornMusic'))
    """
    since = until = first_change = tracked = states = None
    if periods is not None:
        last, day = periods.iloc[-1], timedelta(days=1)
        since, until = last["since"].date() - day, last["until"].date() - day
        first_change = last["first_change"].date() if last["first_change"] > last["since"] else None
    known = coverage is not None and len(coverage) and coverage[["platforms", "tracked"]].notna().all(axis=None)
    if coverage is not None and known:
        tracked = int(coverage["tracked"].max())
        states = dict(zip(coverage["state"], coverage["platforms"].astype(int), strict=True))
    return Headline(
        platforms=len(platforms),
        material=None if material is None else len(material),
        changed=_names(material),
        noise=None if noise is None else int(noise.loc[~noise["material"], "changes"].sum()),
        moved=None if moves is None else {verb: _names(moves, "direction", way) for way, verb in _VERBS.items()},
        returned=_names(material, "came_back", True),
        stances=stance_sentence(shares),
        tracked=tracked,
        states=states,
        broken=None if freshness is None else _names(freshness, "state", "broken", "stale"),
        languages="" if freshness is None else languages_not_read(rows_of(freshness)),
        foreign=_names(freshness, "flag", "language"),
        since=since,
        until=until,
        first_change=first_change,
    )


def _names(frame: pd.DataFrame | None, column: str = "", *values: object) -> tuple[str, ...]:
    """Return the names of the platforms in rows with one of the given values, each once."""
    if frame is None:
        return ()
    rows = frame[frame[column].isin(values)] if column else frame
    return tuple(map(word_of, rows.drop_duplicates("slug")["name"]))


def monthly_sentences(
    facts: Headline, names: int = 3, *, kind: str = "tracked platform", goes_on: bool = False, unfinished: bool = False
) -> tuple[str, str, str]:
    """Sum up a month in three sentences: what changed, who trains on content, and which documents could not be read.

    Parameters
    ----------
    facts : Headline
        Result of `monthly_facts`.
    names : int
        Maximum number of platforms to name; the others are counted.
    kind : str
        Noun for one platform: `tracked platform` or `portfolio platform`.
    goes_on : bool
        Whether the data end before the end of the month.
    unfinished : bool
        Whether an ingest is running or was interrupted, so that more platforms may follow.

    Returns
    -------
    tuple of three str
        The three sentences in that order, as text without HTML escapes.

    Examples
    --------
    >>> from datetime import date
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> moves = analysis.rating_moves(data.at(date(2026, 9, 30)).platforms, data.platforms)
    >>> facts = analysis.monthly_facts(data.platforms, material=material, moves=moves)
    >>> print(analysis.monthly_sentences(facts, names=1)[0])
    8 material changes on 6 of 320 platforms (Corzothorn Chat and 5 others); no rating moved.
    """
    quiet = "A quiet period" if facts.since else "A quiet month"
    quiet = "Quiet so far" if goes_on or unfinished else quiet
    verified = "How many platforms are verified is not known"
    if facts.states is not None:
        whole = f"{plural(facts.states['verified'], 'is', 'are')} verified (all documents read)"
        states = [whole, *(f"{n:,} {words}" for state, words in _STATES.items() if (n := facts.states[state]))]
        platforms = f"{plural(facts.tracked or 0, kind)}{' stored so far' if unfinished else ''}"
        verified = f"Of {platforms}, {joined(states)}"
    return _changed(facts, names, quiet), facts.stances, f"{verified}; {_not_read(facts, names)}."


def _changed(facts: Headline, names: int, quiet: str) -> str:
    """Return a sentence on what changed and whose rating moved."""
    if facts.since and facts.since == facts.until:
        return f"No change since {dated(facts.since)}: the data end on that day."
    if facts.material is None:
        return "Changes are not known: those of this period could not be read."
    where, counted = plural(facts.platforms, "platform"), plural(facts.material, "material change")
    material = f"{counted} on {len(facts.changed):,} of {where} ({listed(facts.changed, names)})"
    parts = [material if facts.material else f"{quiet}: no material change on {where}", _moved(facts, names)]
    if facts.noise:
        parts.append(f"{plural(facts.noise, 'other change is', 'other changes are')} not material")
    if facts.first_change:
        parts.append(f"the first change on record is from {dated(facts.first_change)}")
    return f"{'; '.join(parts)}."


def _moved(facts: Headline, names: int) -> str:
    """Return whose rating moved, and how many ratings returned to their first value."""
    if facts.moved is None:
        return "rating moves are not known"
    moved = joined([f"the rating of {listed(who, names)} {verb}" for verb, who in facts.moved.items() if who])
    back = f"{plural(len(facts.returned), 'rating')} moved and returned"
    if not facts.returned:
        return moved or "no rating moved"
    return f"{moved}; {back}" if moved else f"{back}, no other moved"


def _not_read(facts: Headline, names: int) -> str:
    """Return which documents could not be read."""
    if facts.broken is None:
        return "which documents could not be read is not known"
    foreign = f"; not read: {facts.languages} ({listed(facts.foreign, names)})" if facts.languages else ""
    broken = f"the newest capture failed on {len(facts.broken):,} ({listed(facts.broken, names)})"
    return f"{broken if facts.broken else 'all newest captures are good'}{foreign}"


class PortfolioScope(NamedTuple):
    """The tracked platforms that a portfolio names, and how the rows of the portfolio were matched with them.

    Three frames. `platforms` has the rows of these platforms. `matches` has the rows of the portfolio that name a platform for
    certain: its `slug`, how the row was matched (`matched_by`, such as `name` or `website`), and the `confidence`, from 0 to 1.
    `unmatched` has the other rows of the portfolio, each with up to three platforms that it may mean (`candidates`).
    """

    platforms: pd.DataFrame
    """Rows of the platforms frame that the portfolio names, in the order of that frame, with the same columns."""
    matches: pd.DataFrame
    """Rows with a certain match: `row` Int64 (from 1), `given`, `slug`, `name`, `matched_by` str, `confidence` Float64."""
    unmatched: pd.DataFrame
    """Rows without a certain match: the columns of `matches` (`slug` to `confidence` are missing) and `candidates` object,
    at most three mappings of `slug`, `name`, `matched_by`, `confidence`, the likeliest first."""
    uses: pd.DataFrame
    """One row for each row of `matches`: `row`, `slug`, and the portfolio's `owner`, `data_class`, `plan` and `region`, if any."""


def portfolio_scope(platforms: pd.DataFrame, portfolio: pd.DataFrame) -> PortfolioScope:
    """Find the tracked platforms that a portfolio names.

    A row is matched only if it names exactly one platform for certain. For any other row, possible platforms are listed as
    candidates.

    Parameters
    ----------
    platforms : pandas.DataFrame
        The tracked platforms, with `slug`, `name`, `website`.
    portfolio : pandas.DataFrame
        Result of `read_portfolio`, or any frame with a column `slug`, `name` or `website` (or a common synonym, in any
        case). Other columns are ignored.

    Returns
    -------
    PortfolioScope
        The frames `platforms`, `matches` and `unmatched`. In `matches`, `matched_by` says how the row of the portfolio was
        matched, and `confidence` how certainly:
        `slug`, `name` or `website` (1.0): equal, apart from case, diacritics and spaces;
        `spelling` (0.95): equal, apart from punctuation, an article, a legal form such as Inc., or an ending such as .com;
        `alias` (0.9): another or a former name of the product;
        `maker` (0.8): the name of a vendor that is known for this product.
        A website is used only if the row has neither slug nor name. It matches by host and path, or by host alone if the
        platform owns the whole host. Candidates have a similar name, or share a word or a vendor; their confidence is below
        0.8. A row that names several platforms equally well is not matched.

    Raises
    ------
    ParameterError
        If the portfolio has no column for slugs, names or websites.
    IncompleteReportError
        If no row names a tracked platform; the message lists the first candidates.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick-Voice Ltd.", "Orvewik", "Nobody Chat"]})
    >>> scope = analysis.portfolio_scope(data.platforms, wanted)
    >>> scope.matches[["given", "slug", "matched_by", "confidence"]]
                     given            slug matched_by  confidence
    0  Orvewick-Voice Ltd.  orvewick-voice   spelling        0.95
    >>> scope.unmatched["given"].tolist()
    ['Orvewik', 'Nobody Chat']
    """
    names = Names(rows_of(platforms))
    found, lost = [], []
    for place, row in enumerate(rows_of(given_rows(portfolio).fillna("")), 1):
        if not any(row.values()):
            continue
        line, hits = {"row": place, "given": next(filter(None, row.values()))}, names.certain(row)
        if len(hits) == 1:
            found.append(line | hits[0]._asdict())
        else:
            lost.append(line | {"candidates": [near._asdict() for near in names.candidates(row)]})
    if not found:
        meant = [
            f"row {row['row']}, {row['given']!r}{suggestion(row['candidates'])}" for row in lost if row["candidates"]
        ]
        said = f"the portfolio names no tracked platform in its {plural(len(lost), 'row')}"
        raise IncompleteReportError(f"{said}; {'; '.join(meant[:3]) or 'check its columns slug, name and website'}")
    scope = platforms[platforms["slug"].isin([match["slug"] for match in found])].reset_index(drop=True)
    matches = shaped(found, MATCH_COLUMNS)
    own = attributes_of(portfolio).iloc[(matches["row"] - 1).tolist()]
    uses = pd.concat([matches[["row", "slug"]], own.reset_index(drop=True)], axis=1)
    return PortfolioScope(scope, matches, shaped(lost, {**MATCH_COLUMNS, "candidates": "object"}), uses)


def suggestion(candidates: list[dict[str, Any]]) -> str:
    """Return a question such as `: did you mean Orvewick Voice (orvewick-voice, 0.75)?`, to append to an error message.

    It names the platforms that a row of a portfolio may mean: `candidates`, dicts with `name`, `slug` and `confidence`. Without
    candidates it is empty.
    """
    offered = [f"{one['name']} ({one['slug']}, {one['confidence']:.2f})" for one in candidates]
    return f": did you mean {' or '.join(offered)}?" if offered else ""


def portfolio_coverage(platforms: pd.DataFrame, as_of: date) -> pd.DataFrame:
    """Count the platforms of a portfolio by state of verification, one row for each state.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms of the portfolio, with their state of verification in the column `verification`.
    as_of : date
        Day of the data.

    Returns
    -------
    pandas.DataFrame
        The columns of the result of `analysis.coverage`: `as_of`, `state`, `platforms` (in this state), `tracked` (here all
        platforms of the portfolio), `share`, `consistent`. All numbers are missing if the state of any platform is missing.

    Examples
    --------
    >>> some = data.of(["alfisen-music", "orvewick-voice"])
    >>> analysis.portfolio_coverage(some.platforms, data.day)[["state", "platforms", "tracked"]].head(2)
          state  platforms  tracked
    0  verified          2        2
    1   partial          0        2
    """
    states = platforms["verification"]
    counts = {one: None if states.isna().any() else (states == one).sum() for one in VERIFICATIONS}
    return covered(pd.DataFrame([{"as_of": as_of.isoformat(), "tracked": len(platforms), **counts}]))


@of_data()
def portfolio_rows(matches: pd.DataFrame | None, unmatched: pd.DataFrame) -> Section:
    """Return a section that lists the rows of a portfolio without a match, and the rows matched by another spelling or name.

    The section is empty if every row has the slug, name or website of a platform, or if there is no portfolio.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        The frames of these names in the result of `analysis.portfolio_scope`; `matches` is None if there is no portfolio.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick Voice", "A name that nobody has"]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> sections.portfolio_rows(scope.matches, scope.unmatched).text
    '1 portfolio row matched no tracked platform'
    """
    if matches is None:
        return Section((), "no portfolio")
    lost = [f"{row['row']}, {row['given']}{suggestion(row['candidates'])}" for row in rows_of(unmatched)]
    taken = [
        f"{row['row']}, {row['given']}: {row['name']} ({row['slug']}, {row['matched_by']}, {row['confidence']:.2f})"
        for row in rows_of(matches[matches["matched_by"].isin(["spelling", "alias", "maker"])])
    ]
    said = f"{plural(len(lost), 'portfolio row')} matched no tracked platform"
    folds = {said: lost, f"{plural(len(taken), 'portfolio row')} matched by another spelling or name": taken}
    parts = tuple(
        Fold(title, (Listing(tuple(lines[:_LISTED])),), "keep", open=lines is lost)
        for title, lines in folds.items()
        if lines
    )
    report = {"unmatched": {"said": said, "first": "\n".join(lost[:_SAID])}} if lost else {}
    return Section(parts, said if lost else f"{plural(len(matches), 'row')} matched", report)
