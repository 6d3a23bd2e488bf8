"""Judge platforms by the rules of an organisation: pass, fail or undetermined, with the clauses that decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import pandas as pd

from riskanalytics.errors import ParameterError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name, state_words
from riskanalytics.pages.rows import grouped
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural

from ..shape import RANK, Record, items_of, level_of, schema, shaped, word_of
from .rules import Appetite, Exemption, Rule

__all__ = ["rule_results", "rules_said"]

RULE_RESULTS: Final = ("fail", "undetermined", "pass")
"""Results of a rule, worst first."""
RESULT_COLUMNS: Final = schema(
    "row:Int64 slug name owner data_class plan region rule title result observed allowed:str decided_by:object excepted:boolean "
    "exception:str expires:time"
)
_SCOPES: Final = {"data_class": "data_classes", "plan": "plans", "region": "regions"}
"""Column of a portfolio -> field of a rule that names the values to which the rule applies."""
_CUSTOMERS: Final = {
    "business_stance": {"business", "team", "teams", "enterprise", "api", "developer", "developers"},
    "consumer_stance": {"free", "personal", "individual", "consumer", "basic", "starter", "plus", "pro", "premium"},
}
"""Answer on training use -> words of plans to which it applies."""
_AUDIENCES: Final = {"consumer": "consumer_stance", "business": "business_stance", "developer": "business_stance"}
"""Audience of a clause -> the stance (a key of `_CUSTOMERS`) that applies to the same users."""
_OPEN: Final = frozenset({"undetermined", "unread", "depends_on_plan", ""})
_CLAUSES: Final = 4
"""Maximum number of deciding clauses of a result."""


_Judged = tuple[str, str, Sequence[str]]
"""Whether a platform keeps a rule: the result, what was observed, and the identifiers of the clauses that decide."""


def rule_results(
    appetite: Appetite,
    platforms: pd.DataFrame,
    surfaces: pd.DataFrame,
    training: pd.DataFrame,
    day: date,
    portfolio: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Judge platforms by the rules of an organisation.

    Parameters
    ----------
    appetite : Appetite
        Result of `read_appetite`.
    platforms, surfaces, training : pandas.DataFrame
        The frames of these names in a data set: `data.platforms`, `data.surfaces`, `data.training_use`.
    day : date
        Day on which exceptions must hold: an exception whose last day is earlier has expired.
    portfolio : pandas.DataFrame, optional
        A row for each use of a platform: `slug`, and optionally `row`, `owner`, `data_class`, `plan`, `region`. By default, each
        platform is judged once.

    Returns
    -------
    pandas.DataFrame
        One row for each use and each rule that applies to it, the worst results first: `row` Int64 (of the portfolio), `slug`,
        `name`, `owner`, `data_class`, `plan`, `region`, `rule`, `title` str; `result` str, one of `RULE_RESULTS`; `observed` and
        `allowed` str; `decided_by` object, identifiers of at most four findings; `excepted` boolean, whether an exception covers
        this result on that day; `exception` str (owner, reason); `expires` time, its last day.
        A result is `undetermined` if a clause must be read by a person, if a document was not read, or if no clause was found
        (unless the rule says otherwise in `silent`). An exception never changes a result.

    Raises
    ------
    ParameterError
        If a rule applies to some data classes, plans or regions only, and there is no portfolio with this column.

    Examples
    --------
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="retention", surface="data_retention", level="LOW")])
    >>> some = data.of(["alalix-chat", "orvewick-voice"])
    >>> results = analysis.rule_results(ours, some.platforms, some.surfaces, some.training_use, data.day)
    >>> results[["slug", "result", "observed"]].values.tolist()
    [['alalix-chat', 'fail', 'MED on Data retention'], ['orvewick-voice', 'fail', 'MED on Data retention']]
    """
    used = platforms[["slug"]] if portfolio is None else portfolio
    for rule in appetite.rule:
        for column, field in _SCOPES.items():
            if getattr(rule, field) and column not in used:
                raise ParameterError(
                    f"the rule {rule.id!r} applies to some {field.replace('_', ' ')} only: give a portfolio with a column {column}"
                )
    cells, answers = grouped(rows_of(surfaces), "slug"), {row["slug"]: row for row in rows_of(training)}
    known = {row["slug"]: row for row in rows_of(platforms)}
    for slug, row in known.items():
        row.update(surfaces={cell["surface"]: cell for cell in cells.get(slug, [])}, training=answers.get(slug, {}))
    rows = [
        {**judged, "row": use.get("row"), "slug": use["slug"]}
        for use in rows_of(used)
        if use["slug"] in known
        for rule in appetite.rule
        if (judged := _row(rule, appetite, known[use["slug"]], use, day))
    ]
    rows.sort(key=lambda row: (RULE_RESULTS.index(str(row["result"])), bool(row["excepted"])))
    return shaped(rows, RESULT_COLUMNS)


def unused_rules(appetite: Appetite, portfolio: pd.DataFrame | None) -> list[str]:
    """Return a sentence for each rule that applies to no row of a portfolio, with the values that the portfolio has instead.

    Often the rule and the portfolio only use different words for the same data class, plan or region.

    Parameters
    ----------
    appetite : Appetite
        The rules.
    portfolio : pandas.DataFrame or None
        The uses of platforms, as for `rule_results`. With None, no rule is reported.

    Examples
    --------
    >>> import pandas as pd
    >>> from riskanalytics.topics.appetite import unused_rules
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="secret", rating="MED", data_classes=["confidential"])])
    >>> unused_rules(ours, pd.DataFrame({"slug": ["alalix-chat"], "data_class": ["vertraulich"]}))
    ["The rule secret applies to no row of the portfolio, which has 'vertraulich' as data class"]
    """
    rows = [] if portfolio is None else rows_of(portfolio)
    uses, said = [{name: word_of(row.get(name)) for name in _SCOPES} for row in rows], []
    for rule in appetite.rule:
        if uses and all(_applies(rule, use) is None for use in uses):
            given = {name: {repr(use[name]) for use in uses} for name, field in _SCOPES.items() if getattr(rule, field)}
            had = [f"{listed(sorted(words), 4)} as {name.replace('_', ' ')}" for name, words in given.items()]
            said.append(f"The rule {rule.id} applies to no row of the portfolio, which has {joined(had)}")
    return said


def rules_said(results: pd.DataFrame) -> str:
    """Return how many rules are broken and how many results are undetermined, from the result of `rule_results`.

    Examples
    --------
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="no-high", rating="MED")])
    >>> results = analysis.rule_results(ours, data.platforms, data.surfaces, data.training_use, data.day)
    >>> analysis.rules_said(results)
    '1 of 1 rule broken: 89 results fail; 10 results are undetermined'
    """
    counted = results[~results["excepted"]]
    broken = counted.loc[counted["result"] == "fail", "rule"].nunique()
    fails, open_results = (int((counted["result"] == name).sum()) for name in ("fail", "undetermined"))
    failing = plural(fails, "result fails", "results fail")
    none = f"No rule is broken{' without an exception' if results['excepted'].any() else ''}"
    said = f"{broken} of {plural(results['rule'].nunique(), 'rule')} broken: {failing}" if fails else none
    return said + (f"; {plural(open_results, 'result is', 'results are')} undetermined" if open_results else "")


def _row(rule: Rule, appetite: Appetite, platform: Record, use: Record, day: date) -> dict[str, object]:
    """Return the result of a rule for one use of a platform; an empty dict if the rule does not apply to it."""
    given = {column: word_of(use.get(column)) for column in (*_SCOPES, "owner")}
    if (missing := _applies(rule, given)) is None:
        return {}
    result, observed, clauses = _judged(rule, appetite.weights, platform, given["plan"])
    if missing:
        result, observed, clauses = "undetermined", f"the portfolio does not give its {missing.replace('_', ' ')}", ()
    exception = next((one for one in appetite.exception if (one.rule, one.platform) == (rule.id, use["slug"])), None)
    allowed = _allowed(rule)
    return {
        **given, "name": word_of(platform["name"]) or use["slug"], "rule": rule.id, "result": result,
        "title": rule.title or allowed[:1].upper() + allowed[1:], "observed": observed, "allowed": allowed,
        "decided_by": list(clauses), **_excepted(exception, day, result),
    }  # fmt: skip


def _applies(rule: Rule, given: Mapping[str, str]) -> str | None:
    """Return None if a rule does not apply to a row of the portfolio; otherwise the column that does not settle it, or ''."""
    missing = ""
    for column, field in _SCOPES.items():
        wanted = {word.casefold() for word in getattr(rule, field)}
        if not wanted:
            continue
        if not given[column]:
            missing = missing or column
        elif given[column].casefold() not in wanted:
            return None
    return missing


def _judged(rule: Rule, weights: Mapping[str, float], platform: Record, plan: str) -> _Judged:
    """Judge one platform by one rule."""
    if rule.rating:
        return _by_rating(rule.rating, platform)
    if rule.level:
        return _by_level(rule, platform["surfaces"].get(rule.surface, {}))
    return _by_mean(rule, weights, platform) if rule.mean is not None else _by_stance(rule, platform["training"], plan)


def _by_rating(highest: str, platform: Record) -> _Judged:
    """Judge a platform by its rating; the clauses that decide are those of its worst surfaces."""
    level = level_of(platform["rating"])
    if level == "UNKNOWN":
        return "undetermined", f"rated {word_of(platform['rating']) or 'not at all'}", ()
    return "fail" if RANK[level] > RANK[highest] else "pass", f"rated {level}", _clauses(platform["surfaces"], level)


def _by_level(rule: Rule, cell: Record) -> _Judged:
    """Judge a platform by its level on one surface."""
    level, name = level_of(cell.get("risk")), surface_name(rule.surface)
    clauses = items_of(cell.get("decided_by"))[:_CLAUSES]
    if level != "UNKNOWN":
        return "fail" if RANK[level] > RANK[str(rule.level)] else "pass", f"{level} on {name}", clauses
    state = word_of(cell.get("state"))
    if state == "found":
        return rule.silent, f"only neutral clauses on {name}", clauses
    count = 0 if is_missing(number := cell.get("to_read")) else int(str(number))
    return rule.silent if state == "quiet" else "undetermined", f"{name}: {state_words(state, count)}", clauses


def _by_stance(rule: Rule, training: Record, plan: str) -> _Judged:
    """Judge a platform by its answers on training use. If the plan does not select one of them, both must keep the rule.

    Documents that give no answer for the users of a plan leave it undetermined, because terms of their own may bind them.
    """
    whole = word_of(training.get("stance"))
    both = [word_of(training.get(name)) for name in ("consumer_stance", "business_stance")]
    column = customers_of(plan)
    own = word_of(training.get(column)) if column else ""
    if column:
        answers = {f"on the plan {plan}" if own else f"(no answer for the plan {plan})": own or whole}
    elif all(both) or (any(both) and whole == "depends_on_plan"):
        answers = dict(zip(("for consumers", "for business users"), (one or whole for one in both), strict=True))
    else:
        answers = {"": whole or next(filter(None, both), "")}
    given = {"undetermined"} if column and not own and whole != "silent" else set(answers.values())
    if given <= set(rule.stances):
        result = "fail"
    elif given & {*rule.stances, *_OPEN}:
        result = "undetermined"
    else:
        result = rule.silent if "silent" in given else "pass"
    observed = ", ".join(f"{stance_name(answer or None).lower()} {whom}".strip() for whom, answer in answers.items())
    return result, observed, items_of(training.get("decided_by"))[:_CLAUSES]


def customers_of(plan: str) -> str:
    """Return the stance that applies to a plan: `business_stance` or `consumer_stance`; empty if no word of the plan is known."""
    words = set(re.findall("[a-z]+", plan.casefold()))
    return next((name for name, meant in _CUSTOMERS.items() if words & meant), "")


def unbound(clauses: pd.DataFrame, uses: pd.DataFrame) -> list[bool]:
    """Return for each clause whether it concerns only users who have none of the plans in use.

    A clause without a known audience concerns everybody. If a plan of a platform is not recognised or not given, all clauses of
    the platform concern its users. Terms for developers count as terms for business users.

    Parameters
    ----------
    clauses : pandas.DataFrame
        `slug`, `audience` (`consumer`, `business`, `developer` or missing).
    uses : pandas.DataFrame
        `slug`, and optionally `plan`, as in the result of `portfolio_scope`.
    """
    by_slug = grouped(rows_of(uses), "slug")
    sides = {slug: {customers_of(word_of(row.get("plan"))) for row in rows} for slug, rows in by_slug.items()}
    audiences = zip(clauses["slug"], map(word_of, clauses["audience"]), strict=True)
    return [who in _AUDIENCES and not sides.get(slug, {""}) & {"", _AUDIENCES[who]} for slug, who in audiences]


def _by_mean(rule: Rule, weights: Mapping[str, float], platform: Record) -> _Judged:
    """Judge a platform by its weighted mean; surfaces that are still to be read may have any level, silent ones do not count."""
    weights = {name: weight for name, weight in weights.items() if weight}
    cells = {name: platform["surfaces"].get(name, {}) for name in weights}
    points = {name: RANK[risk] for name, cell in cells.items() if (risk := level_of(cell.get("risk"))) != "UNKNOWN"}
    unsettled = (name for name, cell in cells.items() if cell.get("state") not in ("quiet", "found"))
    open_surfaces = [name for name in unsettled if name not in points]
    total = sum(weights[name] for name in points)
    if not total:
        return "undetermined", "no surface with a weight has a level", ()
    mean = sum(weights[name] * points[name] for name in points) / total
    whole = total + sum(weights[name] for name in open_surfaces)
    lowest, highest = mean * total / whole, (mean * total + 2 * (whole - total)) / whole
    limit = float(rule.mean or 0)
    decided = "fail" if lowest > limit else "pass"
    result = decided if lowest > limit or highest <= limit else "undetermined"
    to_read = f", {plural(len(open_surfaces), 'surface')} to be read" if open_surfaces else ""
    own = {name: cell for name, cell in platform["surfaces"].items() if name in weights}
    return result, f"mean {mean:.2f}{to_read}", _clauses(own, "HIGH")


def _clauses(surfaces: Mapping[str, Record], level: str) -> list[str]:
    """Return the identifiers of clauses that decided the surfaces with a level, one of each surface first."""
    lists = [items_of(row.get("decided_by")) for row in surfaces.values() if level_of(row.get("risk")) == level]
    longest = max(map(len, lists), default=0)
    return list(dict.fromkeys(one[at] for at in range(longest) for one in lists if at < len(one)))[:_CLAUSES]


def _allowed(rule: Rule) -> str:
    """Return in words what a rule allows."""
    if rule.rating:
        return f"rating at most {rule.rating}"
    if rule.level:
        return f"{surface_name(rule.surface)} at most {rule.level}"
    if rule.mean is not None:
        return f"weighted mean at most {rule.mean:g}"
    return f"any answer but {' or '.join(repr(stance_name(one).lower()) for one in rule.stances)}"


def _excepted(exception: Exemption | None, day: date, result: str) -> dict[str, Any]:
    """Return the columns that describe an exception; a rule that is kept needs none."""
    if exception is None:
        return {"excepted": False}
    holds = day <= exception.expires
    words = f"{exception.owner}: {exception.reason}{'' if holds else ' (expired)'}"
    return {"excepted": holds and result != "pass", "exception": words, "expires": exception.expires.isoformat()}
