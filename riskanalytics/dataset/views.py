"""What the sections of a report show of a data set, each analysis once, and what the shipped reports say first and last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from riskanalytics import analysis as a
from riskanalytics.errors import ParameterError

if TYPE_CHECKING:
    from riskanalytics.dataset.data import Dataset

ASKED: Final[Mapping[str, Any]] = {"top": 40}
"""What a report shows unless its parameters say otherwise."""
_CHANGES_SHOWN: Final = 8
"""Changes of one platform that its dossier shows in full."""


class Views:
    """The frames that sections and charts show of a data set: `charts.freshness(data)` draws `data.views.freshness`.

    A name that is no key of `VIEWS` is a property of the data set itself, such as `findings`.

    Parameters
    ----------
    data : Dataset

    Attributes
    ----------
    asked : mapping
        Parameters of the report, such as `top`: how much it shows.
    checked : list of pandas.DataFrame
        Clauses that the page quotes, checked again.
    """

    unsure_below: Final = 0.7
    """Confidence below which a finding is listed to be checked by hand."""

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self.asked: Mapping[str, Any] = ASKED
        self.checked: list[pd.DataFrame] = []

    def __getattr__(self, name: str) -> Any:
        """Return a view, and keep it."""
        if name not in VIEWS:
            if name not in vars(self.data) and not hasattr(type(self.data), name):
                raise ParameterError(f"a data set alone has no {name}: give {name}= or the frame of its analysis")
            return getattr(self.data, name)
        made = vars(self)[name] = VIEWS[name](self)
        return made

    def verify(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return clauses checked again, and keep them among those that the page quotes."""
        self.checked.append(self.data.verify(findings))
        return self.checked[-1]

    def read(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return clauses checked again, with their paragraphs, and keep them likewise."""
        self.checked.append(self.data.read(findings))
        return self.checked[-1]

    @property
    def quoted(self) -> list[pd.DataFrame]:
        """All clauses that the page quotes: of a sample those alone that did not verify."""
        sample = vars(self).get("sample")
        failed = [] if sample is None else [sample[sample["verification_status"] != "verified"]]
        return [*self.checked, *failed]

    @property
    def spanned(self) -> Any:
        """The `Span` that the data were loaded for.

        Raises
        ------
        ParameterError
            If they were loaded for one day.
        """
        if self.span is None:
            raise ParameterError("the data are of one day: load them with ra.load(month=...) or ra.load(since=...)")
        return self.span

    @property
    def days(self) -> tuple[Any, ...]:
        """The first day of the report and the day after its last; empty where it speaks of one day."""
        return (self.span.first, self.span.after) if self.span else ()


def _known(analysis: Callable[..., Any], frame: pd.DataFrame | None, *more: object) -> Any:
    """Return what an analysis makes of a frame; None where the frame is not known."""
    return None if frame is None else analysis(frame, *more)


def _surface(v: Views) -> str:
    """Return the surface that the report is on."""
    if "surface" not in v.asked:
        raise ParameterError('name the surface first: ra.Report("explore", data, surface=...)')
    return str(v.asked["surface"])


def _recorded(v: Views) -> Any:
    """Return the changes of these platforms that the report looks at; None where this key does not see them."""
    if v.span is None:
        return v.data.changes(months=v.asked.get("months"))
    return _known(lambda told: told[told["slug"].isin(v.slugs)], v.on_record)


def _rating_moves(v: Views) -> pd.DataFrame | None:
    """Return the ratings that moved in the days of the report; None where no platform was tracked before them."""
    before = v.data.at(v.spanned.before).platforms
    return None if before.empty else a.rating_moves(before, v.platforms, v.recorded, *v.days)


def _evidence(v: Views) -> pd.DataFrame:
    """Return the clauses of the worst platforms and those that decide a stance, checked again."""
    deciding = a.training_use(v.data.training_use, v.findings)["finding_id"]
    return v.verify(v.findings[v.findings["slug"].isin(v.worst) | v.findings["finding_id"].isin(deciding)])


def _shown(changes: pd.DataFrame) -> list[str]:
    """Return the identifiers of the changes of one platform that are shown in full."""
    return list(changes.sort_values("moved", ascending=False, kind="stable")["change_id"].head(_CHANGES_SHOWN))


VIEWS: Final[Mapping[str, Callable[[Views], Any]]] = {
    # changes; None where this key does not see them
    "on_record": lambda v: v.market.changes(v.span.recorded_from if v.span else None),
    "recorded": _recorded,
    "material": lambda v: _known(a.material_changes, v.recorded, *v.days),
    "change_noise": lambda v: _known(a.change_noise, v.recorded, *v.days),
    "changed_clauses": lambda v: v.verify(a.changed_clauses(v.material)),
    "changes_by_month": lambda v: _known(a.changes_by_month, v.recorded, v.spanned.recorded_from, v.spanned.after),
    "equal_periods": lambda v: a.equal_periods(
        v.on_record, v.spanned.first, v.spanned.after, v.slugs, history=v.history
    ),
    "days_called": lambda v: v.spanned.kind,
    # ratings
    "history": lambda v: v.data.history(v.asked.get("months", 12)),
    "rating_history": lambda v: a.rating_history(v.history),
    "rating_transitions": lambda v: a.rating_transitions(v.history, v.recorded),
    "rating_moves": _rating_moves,
    "platform": lambda v: v.platforms.iloc[0],
    "rating_parts": lambda v: a.rating_parts(v.surfaces, v.findings, v.formula),
    "rating_mean": lambda v: a.rating_mean(v.rating_parts),
    "formula": lambda v: v.extraction.get("rating") or {},
    "rules": lambda v: v.records[0].get("rules"),
    "rating_clauses": lambda v: v.verify(
        v.findings[v.findings["finding_id"].isin(v.rating_parts["decided_by"].explode())]
    ),
    # levels
    "risk_matrix": lambda v: a.risk_matrix(v.findings, v.surfaces, v.platforms),
    "worst": lambda v: list(a.worst_platforms(v.risk_matrix, v.asked["top"])["slug"]),
    "surface_matrix": lambda v: a.surface_matrix(v.risk_matrix, _surface(v)),
    "surface_clauses": lambda v: v.verify(a.surface_clauses(v.findings, v.surface_matrix, _surface(v))),
    "evidence": _evidence,
    # training use
    "stances": lambda v: a.training_use(v.data.training_use, v.findings),
    "stances_quoted": lambda v: a.training_use(v.data.training_use, v.evidence, v.stance_leads),
    "stance_leads": lambda v: v.verify(
        v.leads[v.leads["finding_id"].isin(v.data.training_use["decided_by"].explode())]
    ),
    "stance_shares": lambda v: a.stance_shares(v.data.training_use),
    "training_clauses": lambda v: v.verify(a.training_clauses(v.data.training_use, v.findings, v.leads)),
    "stance_changes": lambda v: _known(a.stance_changes, v.recorded),
    "stance_moves": lambda v: _known(a.stance_moves, v.stance_changes),
    "stance_history": lambda v: _known(lambda told: a.stance_history(v.history, v.stances, told, v.day), v.recorded),
    "stance_change_clauses": lambda v: v.verify(a.changed_clauses(v.stance_changes)),
    # platforms beside each other
    "comparison": lambda v: a.comparison(v.risk_matrix, v.surfaces, v.findings, v.data.training_use, v.slugs),
    "compared": lambda v: a.compared_platforms(v.comparison, v.platforms, v.data.training_use, v.freshness),
    "compared_clauses": lambda v: v.verify(a.comparison_clauses(v.comparison, v.surfaces, v.findings)),
    "compared_changes": lambda v: _known(a.comparison_changes, v.recorded, v.comparison),
    "compared_change_clauses": lambda v: v.verify(a.changed_clauses(a.comparison_shown(v.compared_changes))),
    "period": lambda v: f"in the {v.asked.get('months', 12)} months to {v.day}",
    # one platform
    "peer_levels": lambda v: a.peer_levels(v.market.views.risk_matrix, v.slugs[0]),
    "course": lambda v: v.past_states(v.slugs[0]),
    "platform_history": lambda v: a.platform_history(v.course.states, v.course.surfaces),
    "platform_moves": lambda v: a.platform_moves(v.course.states, v.recorded),
    "platform_changes": lambda v: _known(a.platform_changes, v.recorded),
    "shown": lambda v: _known(_shown, v.platform_changes) or [],
    "platform_change_clauses": lambda v: v.verify(
        a.changed_clauses(_known(lambda told: told[told["change_id"].isin(v.shown)], v.platform_changes))
    ),
    "clauses": lambda v: v.read(v.findings),
    "clauses_to_read": lambda v: v.read(v.leads),
    "conflicts": lambda v: a.conflicts(v.clauses),
    # state of the data
    "size": lambda v: len(v.slugs),
    "matches": lambda v: v.scope and v.scope.matches,
    "unmatched": lambda v: v.scope and v.scope.unmatched,
    "figures": lambda v: v.extraction.get("figures"),
    "bound": lambda v: v.extraction.get("finding_from"),
    "freshness": lambda v: a.freshness(v.documents, v.day, v.asked.get("unchanged_days", 365)),
    "coverage": lambda v: a.portfolio_coverage(v.platforms, v.day) if v.scope else a.coverage(v.data.coverage),
    "coverage_history": lambda v: _known(a.coverage_history, v.data.coverage_history()),
    "unverified_platforms": lambda v: a.unverified_platforms(v.platforms, v.documents),
    "failures": lambda v: v.data.changes(change_class="capture_failure"),
    "failures_known": lambda v: v.failures is not None,
    "broken_captures": lambda v: a.broken_captures(v.freshness, v.failures),
    "quiet_surfaces": lambda v: a.quiet_surfaces(v.surfaces),
    "quiet_platforms": lambda v: a.quiet_platforms(v.surfaces, v.documents),
    "unsure_findings": lambda v: a.unsure_findings(v.findings, v.unsure_below),
    "unsure_clauses": lambda v: v.verify(v.findings[v.findings["confidence"] < v.unsure_below]),
    "leads_by_platform": lambda v: a.leads_by_platform(v.leads),
    "surest_leads": lambda v: v.verify(v.leads.groupby("slug").head(2).head(100)),
    "sample": lambda v: v.data.verify(a.sample_findings(v.findings)),
    "integrity": lambda v: a.integrity(v.sample, len(v.findings)),
    "contract": lambda v: v.data.contract(),
    "endpoints": lambda v: v.contract.endpoints,
    "contract_drift": lambda v: a.contract_drift(v.contract.differences, v.contract.endpoints),
    "measured": lambda v: v.data.accuracy(v.asked.get("labels", "")),
    "measured_figures": lambda v: v.measured.figures,
    "measured_told": lambda v: v.measured.told,
    "accuracy": lambda v: a.accuracy(v.measured.figures),
    "reliability": lambda v: a.reliability(v.measured.reliability),
    "extraction_errors": lambda v: a.extraction_errors(v.measured.faults),
}
"""Name -> how it is made of the others; those with the name of an analysis are what that analysis gives."""


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


def _count(rows: pd.DataFrame | None) -> Any:
    """Return how many rows there are; that it is not known."""
    return "not known" if rows is None else len(rows)


def _monthly(v: Views) -> Story:
    periods = None if v.spanned.month else v.equal_periods
    moved = {"material": v.material, "noise": v.change_noise, "moves": v.rating_moves, "shares": v.stance_shares}
    facts = a.monthly_facts(v.platforms, **moved, coverage=v.coverage, freshness=v.freshness, periods=periods)
    said = a.monthly_sentences(facts, kind=v.kind, goes_on=v.day < v.span.until, unfinished=v.unfinished)
    recorded = "changes recorded in twelve months" if v.span.month else "changes recorded"
    figures = {"platforms": len(v.slugs), "clauses read": len(v.findings), recorded: _count(v.recorded)}
    name = f"{v.span.name}-{Path(v.asked['portfolio']).stem}" if v.scope else v.span.name
    return Story(f"AI platform risk, {v.span.title}", said, figures, () if periods is None else (periods,), name)


def _comparison(v: Views) -> Story:
    figures = {"platforms": len(v.slugs), "deciding clauses": len(v.compared_clauses)}
    figures |= {"changes where they differ": _count(v.compared_changes)}
    title, said = a.comparison_title(v.comparison), a.comparison_sentences(v.comparison, v.compared)
    return Story(title, said, figures, (v.comparison[["surface", "slug", "risk"]],), "-".join([str(v.day), *v.slugs]))


def _training_use(v: Views) -> Story:
    figures = {"platforms": len(v.slugs), "deciding clauses": len(v.training_clauses)}
    figures |= {"changes of an answer": _count(v.stance_changes)}
    said = a.training_sentences(v.stance_shares, v.stances, v.stance_moves, v.period)
    name = "-".join([str(v.day), *(v.slugs if v.asked["platforms"] else [])])
    return Story("Who trains on customer content", said, figures, (v.stances[["slug", "stance"]],), name)


def _coverage(v: Views) -> Story:
    seen = {"reasons": v.unverified_platforms, "freshness": v.freshness, "broken": v.broken_captures}
    seen |= {"quiet": v.quiet_platforms, "unsure": v.unsure_findings}
    said = a.coverage_sentences(v.coverage, **seen, integrity=v.integrity, drift=v.contract_drift)
    figures = {"platforms": len(v.slugs), "documents": len(v.freshness), "clauses": len(v.findings)}
    figures |= {"failures recorded": _count(v.failures)}
    return Story("State of the data", said, figures, (v.freshness[["slug", "document", "captured_at", "state"]],))


def _platform_dossier(v: Views) -> Story:
    cited = int(v.clauses["duplicate_of"].isna().sum())
    figures = {"clauses, with near-copies": len(v.clauses), "citations, without near-copies": cited}
    figures |= {"changes recorded": _count(v.recorded)}
    title = a.dossier_title(v.platform, v.data.training_use["stance"].iloc[0])
    moved = (v.platform_moves, v.recorded, v.course.states)
    said = a.dossier_sentences(v.peer_levels, v.data.training_use, *moved, v.freshness, v.findings)
    scope = f"one of {len(v.market.slugs):,} tracked platforms"
    return Story(title, said, figures, (), f"{v.slugs[0]}-{v.day}", scope)


def _method(v: Views) -> Story:
    told, market = v.measured.told, v.market.views
    source = "from the labels given" if v.asked.get("labels") else f"{told['source']} {told.get('measured_on', '')}"
    figures: dict[str, object] = {"platforms": len(market.slugs), "changes recorded": _count(market.recorded)}
    figures["figures of accuracy"] = source
    said = a.accuracy_sentences(v.accuracy, told, market.change_noise)
    title = "How the ratings are made, and how far to trust them"
    return Story(title, said, figures, (v.measured.figures,), "", f"all {len(market.slugs):,} tracked platforms")


def _explore(v: Views) -> Story:
    surface, matrix = _surface(v), v.surface_matrix
    figures = {"platforms": len(v.slugs), "clauses quoted": len(v.surface_clauses)}
    title, said = a.surface_title(matrix, surface), a.surface_sentences(matrix, surface)
    return Story(title, said, figures, (matrix[["slug", "surface", "state"]],), f"{surface}-{v.day}")


STORIES: Final[Mapping[str, tuple[Callable[[Views], Story], str]]] = {
    "monthly_report": (_monthly, "evidence changed_clauses stances_quoted"),
    "comparison": (_comparison, "compared_clauses compared_change_clauses"),
    "training_use": (_training_use, "training_clauses stance_change_clauses"),
    "coverage": (_coverage, "unsure_clauses surest_leads"),
    "platform_dossier": (_platform_dossier, "clauses_to_read platform_change_clauses"),
    "method": (_method, "rating_clauses"),
    "explore": (_explore, "surface_clauses"),
}
"""Notebook -> its story, and the clauses that are checked before its headline counts what was checked."""
MONTHS: Final[Mapping[str, Any]] = {"comparison": {"months": 12}, "training_use": {"months": 24}}
"""Notebook -> how far back it looks, where that is not all that is recorded."""


def story_of(notebook: str, views: Views) -> Story:
    """Return the story of a shipped notebook.

    Parameters
    ----------
    notebook : str
    views : Views
    """
    made, quoted = STORIES[notebook]
    for name in quoted.split():
        getattr(views, name)
    return made(views)
