"""Check the platforms of a data set against the rules of an organisation."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from riskanalytics.topics.appetite import rule_results
from riskanalytics.topics.appetite.rules import Appetite, read_appetite
from riskanalytics.topics.decisions import accepted_results

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
        Day on which exceptions must hold. Default: today, or the day of the data if they are of a past day.
    decisions : pandas.DataFrame, optional
        Result of `ra.decisions`. A result that fails is excepted if reviewers accepted all clauses that break the rule (see
        `analysis.accepted_results`).

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
    uses = None if data.scope is None else data.scope.uses
    results = rule_results(appetite, data.platforms, data.surfaces, data.training_use, day, uses)
    return results if decisions is None else accepted_results(results, appetite, decisions, data.findings)
