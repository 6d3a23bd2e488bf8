"""Run each analysis of a data set once, for all sections and charts; make the titles and main statements of reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from riskanalytics import analysis as a
from riskanalytics.errors import ParameterError
from riskanalytics.text.wording import plural
from riskanalytics.topics.appetite import unused_rules
from riskanalytics.topics.appetite.rules import read_appetite

from .appetite import check, past_platforms

if TYPE_CHECKING:
    from .data import Dataset

DEFAULTS: Final[Mapping[str, Any]] = {"top": 40}
"""Defaults of the parameters of reports."""


class Views:
    """Results of the analyses of a data set, as attributes; each is made on first use, then kept.

    For example, `data.views.freshness` is the frame that `charts.freshness(data)` draws. An attribute that is not an analysis is
    taken from the data set itself, such as `findings`.

    Parameters
    ----------
    data : Dataset
        The data set to analyse.

    Attributes
    ----------
    options : mapping
        Parameters of the report, such as `top`.
    checked : list of pandas.DataFrame
        Frames of clauses that the page quotes, with their verification status.
    decisions : pandas.DataFrame or None
        Result of `ra.decisions`; None without. Accepted clauses count as exceptions of rules.
    """

    unsure_below: Final = 0.7
    """Findings below this confidence are listed for a manual check."""

    def __init__(self, data: Dataset) -> None:
        self.data, self.options = data, DEFAULTS
        self.checked: list[pd.DataFrame] = []
        self.decisions: pd.DataFrame | None = None

    def __getattr__(self, name: str) -> Any:
        """Return a view, and keep it."""
        if name in _ANALYSES:
            first, *more = (attrgetter(view)(self) for view in _ANALYSES[name].split())
            made = None if first is None else getattr(a, name)(first, *more)
        elif name in _CLAUSES:
            made = self.keep(self.data.verify(_CLAUSES[name](self)))
        elif name in _OTHERS:
            made = _OTHERS[name](self)
        elif name in vars(self.data) or hasattr(type(self.data), name):
            return getattr(self.data, name)
        else:
            raise ParameterError(
                f"{name} is needed, which a data set does not contain: give {name}=... as well, "
                "or give a frame instead of the data set"
            )
        return vars(self).setdefault(name, made)

    def keep(self, checked: pd.DataFrame) -> pd.DataFrame:
        """Append a frame of checked clauses to the frames that the page quotes (`Views.checked`), and return that frame.

        Parameters
        ----------
        checked : pandas.DataFrame
            Clauses with their verification status.
        """
        self.checked.append(checked)
        return checked

    @property
    def quoted(self) -> list[pd.DataFrame]:
        """Frames of all clauses that the page quotes, with their verification status.

        If the page verifies a sample of the findings, the last frame has those of the sample whose quotes did not verify.
        """
        sample = vars(self).get("sample")
        return self.checked + ([] if sample is None else [sample[sample["verification_status"] != "verified"]])

    @property
    def spanned(self) -> Any:
        """The period (`Span`) for which the data were loaded.

        Raises
        ------
        ParameterError
            If the data were loaded for one day.
        """
        if self.span is None:
            raise ParameterError(
                "a period is needed, but the data were loaded for one day: load them with ra.load(month=...) or ra.load(since=...)"
            )
        return self.span

    @property
    def surface(self) -> str:
        """The surface that the report is about: its parameter `surface`."""
        if "surface" not in self.options:
            raise ParameterError('no surface was given: make the report with ra.Report("explore", data, surface=...)')
        return str(self.options["surface"])


def _of_ids(clauses: pd.DataFrame, ids: pd.Series[Any]) -> pd.DataFrame:
    """Return the clauses with these identifiers, given one by one or in lists."""
    return clauses[clauses["finding_id"].isin(ids.explode())]


def _broken(v: Views) -> pd.DataFrame:
    """Return the clauses that decide broken rules."""
    results = v.rule_results
    return v.findings[:0] if results is None else _of_ids(v.findings, results.query("result == 'fail'")["decided_by"])


def _recorded(v: Views) -> Any:
    """Return the changes of these platforms for the report; None if this key does not show them."""
    if v.span is None:
        return v.changes(months=v.options.get("months"))
    return None if v.on_record is None else v.on_record[v.on_record["slug"].isin(v.slugs)]


def _evidence(v: Views) -> pd.DataFrame:
    """Return the clauses of the worst platforms and those that decide a stance."""
    findings = v.data.findings
    return findings[findings["slug"].isin(v.worst) | findings["finding_id"].isin(v.stances["finding_id"])]


_ANALYSES: Final[Mapping[str, str]] = {
    "change_noise": "recorded begin end",
    "changes_by_month": "recorded spanned.recorded_from spanned.after",
    "rating_history": "history",
    "rating_transitions": "history recorded",
    "rating_moves": "before platforms recorded begin end",
    "rating_parts": "surfaces findings formula",
    "rating_mean": "rating_parts",
    "portfolio_exposure": "portfolio_uses",
    "risk_matrix": "findings surfaces platforms",
    "surface_matrix": "risk_matrix surface",
    "stance_shares": "training_use",
    "stance_changes": "recorded",
    "stance_moves": "stance_changes",
    "comparison": "risk_matrix surfaces findings training_use slugs",
    "platform_history": "course.states course.surfaces",
    "platform_moves": "course.states recorded",
    "platform_changes": "recorded",
    "conflicts": "clauses",
    "coverage_history": "counted",
    "unverified_platforms": "platforms documents",
    "broken_captures": "freshness failures",
    "quiet_surfaces": "surfaces",
    "quiet_platforms": "surfaces documents",
    "unsure_findings": "findings unsure_below",
    "leads_by_platform": "leads",
    "contract_drift": "contract.differences contract.endpoints",
    "accuracy": "measured.figures",
    "reliability": "measured.reliability",
    "extraction_errors": "measured.faults",
}
"""Name of an analysis -> views that are its arguments. If the first is None, so is the view, without an analysis."""

_CLAUSES: Final[Mapping[str, Callable[[Views], pd.DataFrame]]] = {
    "changed_clauses": lambda v: a.changed_clauses(v.material),
    "rating_clauses": lambda v: _of_ids(v.findings, v.rating_parts["decided_by"]),
    "surface_clauses": lambda v: a.surface_clauses(v.findings, v.surface_matrix, v.surface),
    "evidence": _evidence,
    "stance_leads": lambda v: _of_ids(v.leads, v.training_use["decided_by"]),
    "training_clauses": lambda v: a.training_clauses(v.training_use, v.findings, v.leads),
    "stance_change_clauses": lambda v: a.changed_clauses(v.stance_changes),
    "compared_clauses": lambda v: a.comparison_clauses(v.comparison, v.surfaces, v.findings),
    "compared_change_clauses": lambda v: a.changed_clauses(a.comparison_shown(v.compared_changes)),
    "platform_change_clauses": lambda v: a.changed_clauses(
        None if v.recorded is None else v.platform_changes[v.platform_changes["change_id"].isin(v.shown)]
    ),
    "unsure_clauses": lambda v: v.findings[v.findings["confidence"] < v.unsure_below],
    "rule_clauses": _broken,
    "stated_dates": lambda v: v.data.dates,
    "dates_ahead": lambda v: a.dates_ahead(v.data.dates, v.day),
    "surest_leads": lambda v: v.leads.groupby("slug").head(2).head(100),
}
"""Name of a view -> function that returns clauses that the page quotes; the view has them after verification."""

_OTHERS: Final[Mapping[str, Callable[[Views], Any]]] = {
    # days of the report (None for a report on one day), and changes (None if the service does not show them with this key)
    "begin": lambda v: v.span and v.span.first,
    "end": lambda v: v.span and v.span.after,
    "on_record": lambda v: v.market.changes(v.span and v.span.recorded_from),
    "recorded": _recorded,
    "material": lambda v: None if v.recorded is None else a.material_changes(v.recorded, v.begin, v.end),
    "equal_periods": lambda v: a.equal_periods(v.on_record, v.spanned.first, v.end, v.slugs, history=v.history),
    "days_called": lambda v: v.spanned.kind,
    # ratings
    "history": lambda v: v.data.history(v.options.get("months", 12)),
    "before": lambda v: None if (then := v.at(v.spanned.before).platforms).empty else then,
    "platform": lambda v: v.platforms.iloc[0],
    "formula": lambda v: v.extraction.get("rating") or {},
    "rules": lambda v: v.records[0].get("rules"),
    "worst": lambda v: list(a.worst_platforms(v.risk_matrix, v.options["top"])["slug"]),
    # training use
    "stances": lambda v: a.training_use(v.training_use, v.findings),
    "stances_quoted": lambda v: a.training_use(v.training_use, v.evidence, v.stance_leads),
    "stance_history": lambda v: (
        None if v.recorded is None else a.stance_history(v.history, v.stances, v.recorded, v.day)
    ),
    # platforms side by side
    "compared": lambda v: a.compared_platforms(v.comparison, v.platforms, v.training_use, v.freshness),
    "compared_changes": lambda v: None if v.recorded is None else a.comparison_changes(v.recorded, v.comparison),
    "period": lambda v: f"in the {v.options.get('months', 12)} months to {v.day}",
    # one platform
    "peer_levels": lambda v: a.peer_levels(v.market.views.risk_matrix, v.slugs[0]),
    "course": lambda v: v.past_states(v.slugs[0]),
    "shown": lambda v: (
        []
        if v.recorded is None
        else list(v.platform_changes.sort_values("moved", ascending=False, kind="stable")["change_id"].head(8))
    ),
    "clauses": lambda v: v.keep(v.read(v.findings)),
    "clauses_to_read": lambda v: v.keep(v.read(v.leads)),
    # state of the data
    "size": lambda v: len(v.slugs),
    "appetite": lambda v: read_appetite(v.options["rules"]) if v.options.get("rules") else None,
    "rule_results": lambda v: v.appetite and check(v.appetite, v.data, v.day, v.decisions),
    "unused_rules": lambda v: unused_rules(v.appetite, v.uses) if v.appetite else [],
    "uses": lambda v: v.scope and v.scope.uses,
    "portfolio_uses": lambda v: a.portfolio_uses(
        v.uses, v.platforms, v.data.changes(), v.spanned.first, v.past_platforms
    ),
    "past_platforms": lambda v: past_platforms(v.data, v.uses),
    "matches": lambda v: v.scope and v.scope.matches,
    "unmatched": lambda v: v.scope and v.scope.unmatched,
    "figures": lambda v: v.extraction.get("figures"),
    "bound": lambda v: v.extraction.get("finding_from"),
    "freshness": lambda v: a.freshness(v.documents, v.day, v.options.get("unchanged_days", 365)),
    "coverage": lambda v: a.portfolio_coverage(v.platforms, v.day) if v.scope else a.coverage(v.data.coverage),
    "counted": lambda v: v.data.coverage_history(),
    "failures": lambda v: v.changes(change_class="capture_failure"),
    "failures_known": lambda v: v.failures is not None,
    "sample": lambda v: v.verify(a.sample_findings(v.findings)),
    "integrity": lambda v: a.integrity(v.sample, len(v.findings)),
    "contract": lambda v: v.data.contract(),
    "endpoints": lambda v: v.contract.endpoints,
    "measured": lambda v: v.data.accuracy(v.options.get("labels", "")),
    "measured_figures": lambda v: v.measured.figures,
    "measured_facts": lambda v: v.measured.facts,
}


@dataclass(frozen=True)
class Story:
    """The title, the main statements and the figures of a built-in report.

    Parameters
    ----------
    title : str
        Title of the report.
    sentences : sequence of str
        The main statements, shown below the title.
    figures : mapping
        Label of a figure, such as `platforms` -> its value: a number, or a text such as `not known`.
    covered : tuple of pandas.DataFrame
        Frames that the hash of the report's data covers, in addition to ratings and findings.
    name : str
        Part of the page's file name. If empty, the day of the data.
    scope : str
        A phrase that says which platforms the report covers. If empty, a count such as "3 of 320 tracked platforms".
    """

    title: str
    sentences: Sequence[str]
    figures: Mapping[str, object]
    covered: tuple[pd.DataFrame, ...] = ()
    name: str = ""
    scope: str = ""


def _figures(v: Views, counted: Mapping[str, pd.DataFrame | None]) -> dict[str, object]:
    """Return the numbers of platforms and rows; `not known` for an unknown frame."""
    rows = {name: "not known" if frame is None else len(frame) for name, frame in counted.items()}
    return {"platforms": len(v.slugs), **rows}


def _scope(v: Views) -> str:
    """Return the scope of a report on a portfolio: its rows, and the tracked platforms that they name; else an empty text."""
    named = f"{len(v.slugs):,} of {plural(len(v.tracked), 'tracked platform')}"
    whose = "your" if v.options.get("portfolio") else "example"
    return f"{whose} portfolio of {v.scope.said}; {named}" if v.scope else ""


def _monthly(v: Views) -> Story:
    periods = None if v.spanned.month else v.equal_periods
    moved = {"material": v.material, "noise": v.change_noise, "moves": v.rating_moves, "shares": v.stance_shares}
    facts = a.monthly_facts(v.platforms, **moved, coverage=v.coverage, freshness=v.freshness, periods=periods)
    said = a.monthly_sentences(facts, kind=v.kind, goes_on=v.day < v.span.until, unfinished=v.unfinished)
    known = v.scope is not None and v.on_record is not None
    changed = a.near_changes(v.unmatched, a.material_changes(v.on_record, v.begin, v.end)) if known else ()
    recorded = f"changes recorded{' in twelve months' if v.span.month else ''}"
    figures = _figures(v, {"clauses read": v.findings, recorded: v.recorded})
    name = "-".join(filter(None, (v.span.name, Path(v.options.get("portfolio", "")).stem)))
    shown = () if periods is None else (periods,)
    return Story(f"AI platform risk, {v.span.title}", (*changed, *said), figures, shown, name, _scope(v))


def _portfolio(v: Views) -> Story:
    story = _monthly(v)
    rules = [] if v.rule_results is None else [f"{a.rules_said(v.rule_results)}."]
    said = (a.use_sentence(v.portfolio_uses), *story.sentences[:-2], *rules)
    return replace(story, title=f"AI platforms in use, {v.span.title}", sentences=said)


def _comparison(v: Views) -> Story:
    title, said = a.comparison_title(v.comparison), a.comparison_sentences(v.comparison, v.compared)
    figures = _figures(v, {"deciding clauses": v.compared_clauses, "changes on differing surfaces": v.compared_changes})
    return Story(title, said, figures, (v.comparison[["surface", "slug", "risk"]],), "-".join([str(v.day), *v.slugs]))


def _training_use(v: Views) -> Story:
    said = a.training_sentences(v.stance_shares, v.stances, v.stance_moves, v.period)
    figures = _figures(v, {"deciding clauses": v.training_clauses, "changes of an answer": v.stance_changes})
    whose = v.slugs if v.options.get("platforms") else [Path(v.options.get("portfolio", "")).stem]
    name = "-".join(filter(None, [str(v.day), *whose]))
    return Story("Who trains on customer content", said, figures, (v.stances[["slug", "stance"]],), name, _scope(v))


def _coverage(v: Views) -> Story:
    seen = {"reasons": v.unverified_platforms, "freshness": v.freshness, "broken": v.broken_captures}
    seen |= {"quiet": v.quiet_platforms, "unsure": v.unsure_findings}
    said = a.coverage_sentences(v.coverage, **seen, integrity=v.integrity, drift=v.contract_drift)
    figures = _figures(v, {"documents": v.freshness, "clauses": v.findings, "failures recorded": v.failures})
    return Story("State of the data", said, figures, (v.freshness[["slug", "document", "captured_at", "state"]],))


def _platform_dossier(v: Views) -> Story:
    cited = v.clauses[v.clauses["duplicate_of"].isna()]
    counted = {"clauses, with near-copies": v.clauses, "citations, without near-copies": cited}
    figures = _figures(v, {**counted, "changes recorded": v.recorded})
    # a dossier is of one platform
    del figures["platforms"]
    title = a.dossier_title(v.platform, v.training_use["stance"].iloc[0])
    moved = (v.platform_moves, v.recorded, v.course.states)
    said = a.dossier_sentences(v.peer_levels, v.training_use, *moved, v.freshness, v.findings)
    return Story(title, said, figures, (), f"{v.slugs[0]}-{v.day}", f"one of {len(v.market.slugs):,} tracked platforms")


def _method(v: Views) -> Story:
    facts, market = v.measured.facts, v.market.views
    source = "from the labels given" if v.options.get("labels") else f"{facts['source']} {facts.get('measured_on', '')}"
    figures = {**_figures(market, {"changes recorded": market.recorded}), "figures of accuracy": source}
    said = a.accuracy_sentences(v.accuracy, facts, market.change_noise)
    title = "How the ratings are made, and their accuracy"
    return Story(title, said, figures, (v.measured.figures,), "", f"all {len(market.slugs):,} tracked platforms")


def _explore(v: Views) -> Story:
    title, said = a.surface_title(v.surface_matrix, v.surface), a.surface_sentences(v.surface_matrix, v.surface)
    covered = (v.surface_matrix[["slug", "surface", "state"]],)
    return Story(title, said, _figures(v, {"clauses quoted": v.surface_clauses}), covered, f"{v.surface}-{v.day}")


STORIES: Final[Mapping[str, tuple[Callable[[Views], Story], str]]] = {
    "monthly_report": (_monthly, "evidence changed_clauses stances_quoted dates_ahead"),
    "portfolio": (_portfolio, "evidence changed_clauses rule_clauses"),
    "comparison": (_comparison, "compared_clauses compared_change_clauses"),
    "training_use": (_training_use, "training_clauses stance_change_clauses"),
    "coverage": (_coverage, "unsure_clauses surest_leads"),
    "platform_dossier": (_platform_dossier, "clauses_to_read platform_change_clauses stated_dates"),
    "method": (_method, "rating_clauses"),
    "explore": (_explore, "surface_clauses"),
}
"""Name of a notebook -> function that returns its story, and views of clauses to verify before the story counts them."""
MONTHS: Final[Mapping[str, Any]] = {"comparison": {"months": 12}, "training_use": {"months": 24}}
"""Name of a notebook without a period -> number of months whose changes it loads, if not all recorded changes."""


def story_of(notebook: str, views: Views) -> Story:
    """Return the title, main statements and figures of a built-in report, after verifying the clauses that it quotes.

    Parameters
    ----------
    notebook : str
        Name of the built-in notebook, such as `monthly_report`.
    views : Views
        `Dataset.views` of the report's data.
    """
    made, quoted = STORIES[notebook]
    for name in quoted.split():
        getattr(views, name)
    return made(views)
