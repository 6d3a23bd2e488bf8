"""Portfolios, tables of the platforms that organisations use: matching with tracked platforms, changes and exposure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics.errors import IncompleteReportError
from riskanalytics.frames import rows_of
from riskanalytics.models import VERIFICATIONS
from riskanalytics.pages.rows import Rows, grouped
from riskanalytics.text.wording import listed, plural

from ..coverage import coverage as covered
from ..shape import NOT_GIVEN, SEVERITY, Record, instant, level_of, schema, shaped, word_of
from .names import KEYS, Names
from .reading import NOT_TRACKED, attributes_of, given_rows

__all__ = [
    "PortfolioScope", "near_changes", "portfolio_coverage", "portfolio_exposure", "portfolio_scope", "portfolio_uses",
    "use_sentence",
]  # fmt: skip

MATCH_COLUMNS: Final = schema("row:Int64 given slug name matched_by:str confidence:Float64")
USE_COLUMNS: Final = schema(
    "row:Int64 slug name:str rating:rating owner data_class plan region:str users:Int64 approved_on:str approved:bool "
    "rating_before:rating material:Int64"
)
EXPOSURE_COLUMNS: Final = schema("by group:str high med unknown low uses platforms users:Int64")
GROUPS: Final = {"owner": "owner", "data_class": "data class"}
"""Columns by which `portfolio_exposure` counts uses, and the names of these columns on a page."""
_NEAR: Final = 0.6
"""Minimum confidence of the candidates that `near_changes` names."""


class PortfolioScope(NamedTuple):
    """The tracked platforms that a portfolio names, and how the rows of the portfolio were matched with them.

    Four frames. `platforms` has the rows of these platforms. `matches` has the rows of the portfolio that name a platform for
    certain: its `slug`, how the row was matched (`matched_by`, such as `name` or `website`), and the `confidence`, from 0 to 1.
    `unmatched` has the other rows of the portfolio, each with up to three platforms that it may mean (`candidates`).
    `uses` says, for each row of `matches`, how the platform is used (`owner`, `plan`, ...).
    """

    platforms: pd.DataFrame
    """Rows of the platforms frame that the portfolio names, in the order of that frame, with the same columns."""
    matches: pd.DataFrame
    """Rows with a certain match: `row` Int64 (from 1), `given`, `slug`, `name`, `matched_by` str, `confidence` Float64."""
    unmatched: pd.DataFrame
    """Rows without a certain match: the columns of `matches` (`slug` to `confidence` are missing) and `candidates` object,
    at most three mappings of `slug`, `name`, `matched_by`, `confidence`, the likeliest first. `matched_by` is `confirmed` if
    somebody confirmed that no tracked platform is meant; the row then has no candidates."""
    uses: pd.DataFrame
    """One row for each row of `matches`: `row`, `slug`, and those of `owner`, `data_class`, `plan`, `region`, `users` and
    `approved_on` that the portfolio has."""

    @property
    def open(self) -> pd.DataFrame:
        """The rows of `unmatched` that nobody has confirmed as not tracked."""
        return self.unmatched[self.unmatched["matched_by"].isna()]

    @property
    def listed(self) -> pd.DataFrame:
        """All rows as a table of texts: `row`, `given`, `slug`, `matched by`, `platform` (its name, or the candidates)."""
        rows = sorted((*rows_of(self.matches), *rows_of(self.unmatched)), key=lambda row: int(row["row"]))
        for row in rows:
            near = suggestion(row.get("candidates") or []).removeprefix(": ")
            row["platform"] = word_of(row["name"]) or near or "not tracked"
            row["matched by"] = word_of(row["matched_by"]) or ("to confirm" if near else "")
        return shaped(rows, dict.fromkeys(("row", "given", "slug", "matched by", "platform"), "str"))

    @property
    def said(self) -> str:
        """The rows counted in words, such as `25 rows: 13 matched, 9 to confirm, 3 not tracked`."""
        near = int((self.unmatched["candidates"].str.len() > 0).sum())
        counts = {"matched": len(self.matches), "to confirm": near, "not tracked": len(self.unmatched) - near}
        parts = [f"{number:,} {words}" for words, number in counts.items() if number]
        return f"{plural(len(self.matches) + len(self.unmatched), 'row')}: {', '.join(parts)}"


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
        case). If it has a column `confirmed` (a slug, or `none` for no tracked platform), this match precedes all others.

    Returns
    -------
    PortfolioScope
        The frames `platforms`, `matches`, `unmatched` and `uses`. In `matches`, `matched_by` says how the row of the portfolio was
        matched, and `confidence` how certainly:
        `confirmed` (1.0): by a person, in the file of matches beside the portfolio;
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
    scope = matched_scope(platforms, portfolio)
    if scope.matches.empty:
        meant = [f"row {unmatched_words(row)}" for row in rows_of(scope.unmatched) if row["candidates"]]
        said = f"the portfolio names no tracked platform in its {plural(len(scope.unmatched), 'row')}"
        raise IncompleteReportError(f"{said}; {'; '.join(meant[:3]) or 'check its columns slug, name and website'}")
    return scope


def matched_scope(platforms: pd.DataFrame, portfolio: pd.DataFrame) -> PortfolioScope:
    """Return the result of `portfolio_scope`, also if no row names a tracked platform."""
    names = Names(rows_of(platforms))
    near = cache(lambda *texts: [one._asdict() for one in names.candidates(dict(zip(KEYS, texts, strict=True)))])
    found, lost, given = list[dict[str, Any]](), list[dict[str, Any]](), given_rows(portfolio)
    confirmed = portfolio["confirmed"].map(word_of) if "confirmed" in portfolio else [""] * len(given)
    for place, (row, slug) in enumerate(zip(rows_of(given.fillna("")), confirmed, strict=True), 1):
        if not any(row.values()):
            continue
        line = {"row": place, "given": next(filter(None, row.values()))}
        hits = names.confirmed(slug) if slug else names.certain(row)
        if len(hits) == 1:
            found.append(line | hits[0]._asdict())
        elif slug == NOT_TRACKED:
            lost.append(line | {"matched_by": "confirmed", "candidates": []})
        else:
            lost.append(line | {"candidates": near(*row.values())})
    scope = platforms[platforms["slug"].isin([match["slug"] for match in found])].reset_index(drop=True)
    matches = shaped(found, MATCH_COLUMNS)
    own = attributes_of(portfolio).iloc[(matches["row"] - 1).tolist()]
    uses = pd.concat([matches[["row", "slug"]], own.reset_index(drop=True)], axis=1)
    return PortfolioScope(scope, matches, shaped(lost, {**MATCH_COLUMNS, "candidates": "object"}), uses)


def near_changes(unmatched: pd.DataFrame, material: pd.DataFrame, names: int = 3) -> tuple[str, ...]:
    """Return a sentence that asks to confirm rows of a portfolio which may mean a platform that changed.

    The result is a tuple of one sentence, or an empty tuple if there are no such rows.

    Parameters
    ----------
    unmatched : pandas.DataFrame
        The frame `unmatched` in the result of `portfolio_scope`. Only candidates with a confidence of at least 0.6 count.
    material : pandas.DataFrame
        Result of `analysis.material_changes`, for all tracked platforms.
    names : int
        Maximum number of rows to name; the others are counted.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick Voice", "Corzothorn Chatt"]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> material = analysis.material_changes(data.changes(), "2026-10-01", "2026-11-01")
    >>> print(*analysis.near_changes(scope.unmatched, material))
    A platform that you may use changed materially. Confirm first: 'Corzothorn Chatt' in row 2 may mean Corzothorn Chat.
    """
    slugs, said = set(material["slug"]), []
    for row in rows_of(unmatched):
        near = [one["name"] for one in row["candidates"] if one["confidence"] >= _NEAR and one["slug"] in slugs]
        said += [f"{row['given']!r} in row {row['row']} may mean {name}" for name in near[:1]]
    changed = "A platform that you may use changed materially. Confirm first"
    return (f"{changed}: {listed(said, names)}.",) if said else ()


def suggestion(candidates: list[dict[str, Any]]) -> str:
    """Return a question such as `: did you mean Orvewick Voice (orvewick-voice, confidence 0.75)?`, to append to a message.

    It names the platforms that a row of a portfolio may mean: `candidates`, dicts with `name`, `slug` and `confidence`. Without
    candidates it is empty.
    """
    offered = [f"{one['name']} ({one['slug']}, confidence {one['confidence']:.2f})" for one in candidates]
    return f": did you mean {' or '.join(offered)}?" if offered else ""


def unmatched_words(row: Record) -> str:
    """Return a row without a match in words: its number, its text and its candidates, such as `3, Opall: did you mean ...?`."""
    return f"{row['row']}, {row['given']}{suggestion(row['candidates'])}"


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


def is_day(approved: object) -> bool:
    """Return whether a value of the column `approved_on` is a day (YYYY-MM-DD); False for another text or a missing value."""
    with suppress(ValueError):
        return date.fromisoformat(text := word_of(approved)).isoformat() == text
    return False


def unread_days(uses: pd.DataFrame) -> list[str]:
    """Return a line for each use of a platform whose day of approval is no day."""
    given = [(row, word_of(row.get("approved_on"))) for row in rows_of(uses)]
    return [
        f"row {row['row']}, {row['slug']}: the day of approval {text!r} cannot be read: write YYYY-MM-DD"
        for row, text in given
        if text and not is_day(text)
    ]


def portfolio_uses(
    uses: pd.DataFrame | None,
    platforms: pd.DataFrame,
    changes: pd.DataFrame | None,
    since: date,
    past: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """List the uses of platforms with what changed since each was approved.

    Parameters
    ----------
    uses : pandas.DataFrame or None
        The frame `uses` in the result of `portfolio_scope`. None without a portfolio: then each platform is one use.
    platforms : pandas.DataFrame
        The platforms, with `slug`, `name`, `rating`.
    changes : pandas.DataFrame or None
        Recorded changes of all classes (`data.changes()`); None if they are not known.
    since : date
        For uses without a day of approval: the first day whose changes are counted.
    past : mapping, optional
        Day of approval, YYYY-MM-DD -> the platforms on that day. For a use whose day is not a key, `rating_before` is the rating
        before the first of the counted changes.

    Returns
    -------
    pandas.DataFrame
        One row for each use: `row` Int64, `slug`, `name` str, `rating` category, `owner`, `data_class`, `plan`, `region` str,
        `users` Int64, `approved_on` str (as the portfolio gives it), `approved` bool (whether that is a day), `rating_before`
        category (at the end of the day of approval, or before `since`; missing if the platform was not listed then, or if
        neither `past` nor `changes` gives it), `material` Int64 (material changes after the day of approval, or from `since`;
        missing if changes are not known). Both are missing if `approved_on` is no day.

    Examples
    --------
    >>> from datetime import date
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"slug": ["cordowick-draft", "alalix-chat"], "approved on": ["2026-04-30", None]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> uses = analysis.portfolio_uses(scope.uses, scope.platforms, data.changes(), date(2026, 10, 1))
    >>> uses[["slug", "rating_before", "rating", "material"]].values.tolist()
    [['cordowick-draft', 'MED', 'HIGH', 1], ['alalix-chat', 'HIGH', 'HIGH', 0]]
    """
    known = {row["slug"]: row for row in rows_of(platforms)}
    ordered = [] if changes is None else rows_of(changes.sort_values("reviewed_at", kind="stable"))
    by_slug = grouped(ordered, "slug")
    rows = []
    for use in rows_of(platforms[["slug"]] if uses is None else uses):
        own, text = known[use["slug"]], word_of(use.get("approved_on"))
        approved = is_day(text)
        users = re.sub(r"(?<=\d)[., '](?=\d{3}\b)", "", word_of(use.get("users")).removesuffix(".0"))
        row = {**use, "name": own["name"], "rating": own["rating"], "approved": approved}
        row["users"] = int(users) if users.isdecimal() and len(users) < 16 else None
        begin = instant(use["approved_on"]) + pd.Timedelta(days=1) if approved else instant(since)
        later = [change for change in by_slug.get(use["slug"], []) if change["reviewed_at"] >= begin]
        if changes is not None and (approved or not text):
            before = (change["rating_before"] for change in later if word_of(change["rating_before"]))
            row["rating_before"] = next(before, own["rating"])
            row["material"] = sum(change["change_class"] == "material" for change in later)
        if approved and past and (then := past.get(use["approved_on"])) is not None:
            row["rating_before"] = next(iter(then.loc[then["slug"] == use["slug"], "rating"]), None)
        rows.append(row)
    return shaped(rows, USE_COLUMNS)


def portfolio_exposure(uses: pd.DataFrame) -> pd.DataFrame:
    """Count uses of platforms by owner and by data class, and by the rating of the platform.

    Parameters
    ----------
    uses : pandas.DataFrame
        Result of `portfolio_uses`.

    Returns
    -------
    pandas.DataFrame
        One row for each owner and each data class: `by` (`owner`, `data_class`), `group` str (`not given` for uses without one),
        `high`, `med`, `unknown`, `low` Int64 (numbers of uses of platforms with this rating; `unknown` for any other rating),
        `uses`, `platforms`, `users` Int64 (total numbers; `users` is missing if no use gives it). Owners come before data
        classes; of each, the groups with the most uses of platforms rated HIGH, then MED, come first.

    Examples
    --------
    >>> from datetime import date
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"slug": ["alalix-chat", "orvewick-voice"], "owner": ["Ann", "ann"], "users": ["1,200", None]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> uses = analysis.portfolio_uses(scope.uses, scope.platforms, None, date(2026, 10, 1))
    >>> analysis.portfolio_exposure(uses)[["by", "group", "high", "uses", "users"]].values.tolist()
    [['owner', 'Ann', 2, 2, 1200], ['data_class', 'not given', 2, 2, 1200]]
    """
    rows: Rows = []
    for by in GROUPS:
        for _, own in uses.groupby(uses[by].fillna(NOT_GIVEN).str.casefold()):
            levels, group = [level_of(rating) for rating in own["rating"]], word_of(own[by].iloc[0]) or NOT_GIVEN
            row: dict[str, Any] = {"by": by, "group": group, "uses": len(own), "platforms": own["slug"].nunique()}
            row |= {level.lower(): levels.count(level) for level in SEVERITY}
            rows.append(row | {"users": own["users"].sum(min_count=1)})
    rows.sort(key=lambda row: (row["by"] != "owner", -row["high"], -row["med"], row["group"].casefold()))
    return shaped(rows, EXPOSURE_COLUMNS)


def use_sentence(uses: pd.DataFrame) -> str:
    """Return a sentence that counts uses of platforms rated HIGH, and uses of platforms that changed since their approval.

    Parameters
    ----------
    uses : pandas.DataFrame
        Result of `portfolio_uses`.

    Examples
    --------
    >>> print(analysis.use_sentence(analysis.portfolio_uses(None, data.platforms, None, data.day)))
    Of 320 uses of 320 platforms, 89 are on platforms rated HIGH.
    """
    high = plural(int((uses["rating"] == "HIGH").sum()), "is on a platform", "are on platforms")
    since = uses.loc[uses["approved"] & (uses["material"] > 0), "name"].drop_duplicates().tolist()
    changed = f"; {listed(since, 3)} changed materially since approval" if since else ""
    if unread := unread_days(uses):
        changed += f"; {plural(len(unread), 'day')} of approval cannot be read: write YYYY-MM-DD"
    return f"Of {plural(len(uses), 'use')} of {plural(uses['slug'].nunique(), 'platform')}, {high} rated HIGH{changed}."
