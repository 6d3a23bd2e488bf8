"""Check platforms against the rules of an organisation, and load their past ratings, from the days of its approvals."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError, ServiceError
from riskanalytics.topics.appetite import rule_results
from riskanalytics.topics.appetite.rules import Appetite, read_appetite
from riskanalytics.topics.decisions import accepted_results
from riskanalytics.topics.portfolio import is_day

from .scope import slugs_of

if TYPE_CHECKING:
    from .data import Dataset


def check(
    rules: Appetite | str | Path, data: Dataset, day: date | None = None, decisions: pd.DataFrame | None = None
) -> pd.DataFrame:
    r"""Judge the platforms of a data set by the rules of an organisation.

    Parameters
    ----------
    rules : Appetite, str or Path
        The rules, or their TOML file (see `read_appetite`).
    data : Dataset
        Result of `ra.load`. If it was loaded with a portfolio, each row of the portfolio is judged.
    day : date, optional
        Day on which exceptions must be in force. Default: today; for data of a past day, that day.
    decisions : pandas.DataFrame, optional
        Result of `ra.decisions`. A failed result counts as covered by an exception if reviewers accepted all clauses that break
        the rule (see `analysis.accepted_results`).

    Returns
    -------
    pandas.DataFrame
        The result of `analysis.rule_results`: one row for each platform (or row of the portfolio) and each rule that applies to
        it, the worst results first.

    Raises
    ------
    ParameterError
        If the rules cannot be read, an exception is for a platform that is not tracked (the message suggests the nearest slugs),
        or a rule needs a column that the portfolio does not have.

    Examples
    --------
    >>> file = folder / "rules.toml"
    >>> _ = file.write_text('[[rule]]\nid = "no-high"\ntitle = "No platform rated HIGH"\nrating = "MED"\n')
    >>> results = ra.check(file, ra.load(client, platforms=["alalix-chat", "orvewick-voice"]))
    >>> results[["slug", "result", "observed"]].values.tolist()
    [['alalix-chat', 'fail', 'rated HIGH'], ['orvewick-voice', 'fail', 'rated HIGH']]
    """
    appetite = rules if isinstance(rules, Appetite) else read_appetite(rules)
    slugs_of([one.platform for one in appetite.exception], data.market.tracked, data.day)
    day = day or (datetime.now(UTC).date() if data.past is None else data.day)
    results = rule_results(appetite, data.platforms, data.surfaces, data.training_use, day, data.views.uses)
    return results if decisions is None else accepted_results(results, appetite, decisions, data.findings)


def past_platforms(data: Dataset, uses: pd.DataFrame | None) -> dict[str, pd.DataFrame]:
    """Return the platforms and their ratings on each day in the column `approved_on` of a portfolio.

    Parameters
    ----------
    data : Dataset
        The data set of the page.
    uses : pandas.DataFrame or None
        Uses of the portfolio (`data.scope.uses`); None without a portfolio.

    Returns
    -------
    dict of str to pandas.DataFrame
        Day, YYYY-MM-DD -> the frame `platforms` of that day. Days whose data cannot be loaded, such as days before the data
        begin, are left out, as are texts in `approved_on` that are not days.
    """
    days = () if uses is None or "approved_on" not in uses else filter(is_day, uses["approved_on"].dropna().unique())
    known = {}
    for day in days:
        with suppress(IncompleteReportError, ParameterError, ServiceError):
            known[day] = data.at(day).platforms
    return known
