"""What the shipped reports say first, and what they count at their foot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from riskanalytics import analysis as a
from riskanalytics.dataset.views import Views

_UNKNOWN: Final = "not known"


@dataclass(frozen=True)
class Story:
    """What a report says first, and what it counts at its foot.

    Parameters
    ----------
    title : str
    sentences : sequence of str
    figures : mapping
        Name -> number of what the report is made from.
    covered : tuple of pandas.DataFrame
        What its digest covers besides ratings and findings.
    name, scope : str
        As of `Report.headline`.
    """

    title: str
    sentences: Sequence[str]
    figures: Mapping[str, object]
    covered: tuple[pd.DataFrame, ...] = ()
    name: str = ""
    scope: str = ""


def _count(rows: pd.DataFrame | None) -> object:
    """Return how many rows there are; that it is not known."""
    return _UNKNOWN if rows is None else len(rows)


def _monthly(v: Views) -> Story:
    periods = None if v.span.month else v.equal_periods
    told = {"material": v.material, "noise": v.change_noise, "moves": v.rating_moves, "shares": v.stance_shares}
    facts = a.monthly_facts(v.platforms, **told, coverage=v.coverage, freshness=v.freshness, periods=periods)
    goes_on = v.day < v.span.until
    said = a.monthly_sentences(facts, kind=v.kind, goes_on=goes_on, unfinished=v.unfinished)
    for quoted in (
        "evidence",
        "changed_clauses",
        "stances_quoted",
    ):  # checked before the headline counts what was checked
        getattr(v, quoted)
    recorded = "changes recorded in twelve months" if v.span.month else "changes recorded"
    figures = {"platforms": len(v.slugs), "clauses read": len(v.findings), recorded: _count(v.recorded)}
    name = f"{v.span.name}-{Path(v.asked['portfolio']).stem}" if v.scope else v.span.name
    covered = () if periods is None else (periods,)
    return Story(f"AI platform risk, {v.span.title}", said, figures, covered, name)


def _comparison(v: Views) -> Story:
    figures = {
        "platforms": len(v.slugs),
        "deciding clauses": len(v.compared_clauses),
        "changes where they differ": _count(v.compared_changes),
    }
    v.compared_change_clauses  # noqa: B018 (checked before the headline counts what was checked)
    said = a.comparison_sentences(v.comparison, v.compared)
    covered = (v.comparison[["surface", "slug", "risk"]],)
    return Story(a.comparison_title(v.comparison), said, figures, covered, "-".join([str(v.day), *v.slugs]))


def _training_use(v: Views) -> Story:
    figures = {
        "platforms": len(v.slugs),
        "deciding clauses": len(v.training_clauses),
        "changes of an answer": _count(v.stance_changes),
    }
    v.stance_change_clauses  # noqa: B018 (checked before the headline counts what was checked)
    said = a.training_sentences(v.stance_shares, v.stances, v.stance_moves, v.period)
    name = "-".join([str(v.day), *(v.slugs if v.asked["platforms"] else [])])
    return Story("Who trains on customer content", said, figures, (v.stances[["slug", "stance"]],), name)


def _coverage(v: Views) -> Story:
    told = {"reasons": v.unverified_platforms, "freshness": v.freshness, "broken": v.broken_captures}
    told |= {"quiet": v.quiet_platforms, "unsure": v.unsure_findings}
    for quoted in ("unsure_clauses", "surest_leads"):  # checked before the headline counts what was checked
        getattr(v, quoted)
    said = a.coverage_sentences(v.coverage, **told, integrity=v.integrity, drift=v.contract_drift)
    figures = {
        "platforms": len(v.slugs),
        "documents": len(v.freshness),
        "clauses": len(v.findings),
        "failures recorded": _count(v.failures),
    }
    covered = (v.freshness[["slug", "document", "captured_at", "state"]],)
    return Story("State of the data", said, figures, covered)


def _platform_dossier(v: Views) -> Story:
    for quoted in ("clauses_to_read", "platform_change_clauses"):  # checked before the headline counts what was checked
        getattr(v, quoted)
    figures = {
        "clauses, with near-copies": len(v.clauses),
        "citations, without near-copies": int(v.clauses["duplicate_of"].isna().sum()),
        "changes recorded": _count(v.recorded),
    }
    title = a.dossier_title(v.platform, v.data.training_use["stance"].iloc[0])
    moved = (v.platform_moves, v.recorded, v.course.states)
    said = a.dossier_sentences(v.peer_levels, v.data.training_use, *moved, v.freshness, v.findings)
    scope = f"one of {len(v.market.slugs):,} tracked platforms"
    return Story(title, said, figures, (), f"{v.slugs[0]}-{v.day}", scope)


def _method(v: Views) -> Story:
    v.rating_clauses  # noqa: B018 (checked before the headline counts what was checked)
    told, market = v.measured.told, v.market.views
    figures = {
        "platforms": len(market.slugs),
        "changes recorded": _count(market.recorded),
        "figures of accuracy": "from the labels given"
        if v.asked.get("labels")
        else f"{told['source']} {told.get('measured_on', '')}",
    }
    said = a.accuracy_sentences(v.accuracy, told, market.change_noise)
    title = "How the ratings are made, and how far to trust them"
    return Story(title, said, figures, (v.measured.figures,), "", f"all {len(market.slugs):,} tracked platforms")


def _explore(v: Views) -> Story:
    surface = v.asked["surface"]
    figures = {"platforms": len(v.slugs), "clauses quoted": len(v.surface_clauses)}
    said = a.surface_sentences(v.surface_matrix, surface)
    covered = (v.surface_matrix[["slug", "surface", "state"]],)
    return Story(a.surface_title(v.surface_matrix, surface), said, figures, covered, f"{surface}-{v.day}")


STORIES: Final[Mapping[str, Callable[[Views], Story]]] = {
    "monthly_report": _monthly,
    "comparison": _comparison,
    "training_use": _training_use,
    "coverage": _coverage,
    "platform_dossier": _platform_dossier,
    "method": _method,
    "explore": _explore,
}
"""Notebook -> its story."""
MONTHS: Final[Mapping[str, Any]] = {"comparison": {"months": 12}, "training_use": {"months": 24}}
"""Notebook -> how far back it looks, where that is not all that is recorded."""
