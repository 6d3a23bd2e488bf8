"""Page sections on a portfolio: its rows without a certain match, and its uses of platforms."""

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages import rows as show
from riskanalytics.pages.section import Section, of_data
from riskanalytics.pages.values import Fold, Listing, Paragraph
from riskanalytics.text.wording import plural

from ..appetite.section import used_by
from ..shape import word_of
from . import unmatched_words, use_sentence

__all__ = ["portfolio_rows", "portfolio_uses"]

_MATCHED: Final = {
    "spelling": "another spelling", "alias": "another name", "maker": "name of its vendor", "confirmed": "match confirmed by you",
}  # fmt: skip
"""Way in which a row was matched -> words for it, for rows that a person should check."""
_SAID: Final = 20
"""Maximum number of unmatched rows in the page's record and in the output of the command."""


@of_data()
def portfolio_rows(matches: pd.DataFrame | None, unmatched: pd.DataFrame) -> Section:
    """Return a section that lists the rows of a portfolio without a match, and the rows matched by another spelling or name.

    The section is empty if every row has the slug, name or website of a platform, or if there is no portfolio.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        The frames of these names in the result of `analysis.portfolio_scope`; `matches` has the value None without a portfolio.

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
    known = unmatched["matched_by"].notna()
    lost, other = ([unmatched_words(row) for row in rows_of(unmatched[part])] for part in (~known, known))
    taken = [
        f"{row['row']}, “{row['given']}”: {row['name']} ({row['slug']}; {_MATCHED[row['matched_by']]}, confidence "
        f"{row['confidence']:.2f})"
        for row in rows_of(matches[matches["matched_by"].isin(list(_MATCHED))])
    ]
    said = f"{plural(len(lost), 'portfolio row')} matched no tracked platform"
    folds = {said: lost, f"{plural(len(taken), 'portfolio row')} matched by another spelling or name": taken}
    folds[f"{plural(len(other), 'portfolio row')} confirmed as not tracked"] = other
    parts = tuple(
        Fold(head, (Listing(tuple(f"Row {line}" for line in own[:50])),), "keep", open=own is lost)
        for head, own in folds.items()
        if own
    )
    report = {"unmatched": {"said": said, "first": "\n".join(lost[:_SAID])}} if lost else {}
    return Section(parts, said if lost else f"{plural(len(matches), 'row')} matched", report)


@of_data(uses="portfolio_uses")
def portfolio_uses(uses: pd.DataFrame) -> Section:
    """Return a section that lists the uses of platforms, with their ratings now and at approval, and what changed since.

    Parameters
    ----------
    uses : pandas.DataFrame
        Result of `analysis.portfolio_uses`.

    Examples
    --------
    >>> uses = analysis.portfolio_uses(None, data.platforms.head(2), data.changes(), data.day)
    >>> sections.portfolio_uses(uses).text
    'Of 2 uses of 2 platforms, 1 is on a platform rated HIGH.'
    """
    heads: list[tuple[str, show.Shown]] = [
        ("Platform", "name"), ("Rating", lambda row: show.level(row["rating"])),
        ("Then", lambda row: show.level(row["rating_before"]) if word_of(row["rating_before"]) else "not known"),
        ("n:Changes since", "material"),
        ("whole:Approved", "approved_on"), ("roomy:Used by", used_by), ("n:Users", "users"),
    ]  # fmt: skip
    given = [head for head in heads if not isinstance(head[1], str) or uses[head[1]].notna().any()]
    note = "“Then” is the day of approval or, without one, the beginning of the period. Only material changes count."
    table = show.rows_table("Platforms in use", rows_of(uses), *given, most=400)
    return Section((table, Paragraph(note, "note")), use_sentence(uses))
