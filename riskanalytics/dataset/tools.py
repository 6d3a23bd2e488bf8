"""The tool for agents that checks platforms against the rules of an organisation; `riskanalytics mcp --rules` offers it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ParameterError
from riskanalytics.models import DISCLAIMER
from riskanalytics.settings import Settings
from riskanalytics.topics.appetite import RULE_RESULTS
from riskanalytics.topics.appetite.rules import read_appetite
from riskanalytics.topics.portfolio.reading import read_portfolio

from . import connect, load
from .appetite import check
from .scope import slugs_of

_MOST: Final = 50
"""Maximum number of results in one response."""


def rules_tool(rules: Path, settings: Settings, portfolio: str = "") -> Callable[..., dict[str, Any]]:
    """Return a tool for agents that checks platforms against the rules of an organisation.

    Parameters
    ----------
    rules : Path
        TOML file of the rules (see `read_appetite`); it is read at each call, so changes hold at once.
    settings : Settings
        Settings that name the database.
    portfolio : str, optional
        CSV or XLSX of the platforms in use. Without it, all platforms are checked.

    Raises
    ------
    ParameterError
        If the rules or the portfolio cannot be read.
    """

    def check_rules(slug: str | None = None) -> dict[str, Any]:
        """Check AI platforms against the rules of this organisation: pass, fail, or undetermined, which is no pass.

        Give the slug of a platform for all its results. Without it, the 50 worst results that are not a pass are listed. A result
        that an exception covers is still `fail`, and marked `excepted`. `decided_by` has the findings that decide; get their
        quotes with get_platform_risk.
        """
        with connect(settings=settings) as client:
            data = load(client, portfolio=portfolio)
            own = slugs_of(slug or (), data.tracked, data.day)
            if slug and slug not in data.slugs:
                raise ParameterError(f"{slug} is not in the portfolio, so no rule was checked")
            results = check(rules, data)
        chosen = results[results["slug"].isin(own)]
        counts = {word: int((chosen["result"] == word).sum()) for word in RULE_RESULTS}
        wanted = chosen if slug else chosen[chosen["result"] != "pass"]
        rows = json.loads(wanted.head(_MOST).to_json(orient="records", date_format="iso"))
        return {"counts": counts, "results": rows, "not_listed": len(wanted) - len(rows), "disclaimer": DISCLAIMER}

    read_appetite(rules)
    if portfolio:
        read_portfolio(portfolio)
    return check_rules
