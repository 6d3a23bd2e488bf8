"""Training use: each platform's stance, the clauses that decide it, and the shares of the stances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import STANCES, audience_of_document, names_way_out
from riskanalytics.pages.rows import grouped

from .. import shape

__all__ = ["stance_shares", "training_clauses", "training_use"]

_CLAUSE: Final = (
    "finding_id lead_in:str lead_in_start lead_in_end:Int64 quote:str risk:rating clause_level:level document:str "
    "captured_at:time snapshot_sha256 archive_url document_url:str start end:Int64 verification_status:str"
)
TRAINING_COLUMNS: Final = shape.schema(
    "slug name:str rating:rating level:level stance consumer_stance business_stance:str level_rating:level way_out:bool "
    f"basis:str clauses:Int64 {_CLAUSE}"
)
SIDE_COLUMNS: Final = shape.schema(f"slug name audience stance:str {_CLAUSE}")
SHARE_COLUMNS: Final = shape.schema("audience stance:str platforms total unknown:Int64 share low high:Float64")
AUDIENCES: Final = {"all": "stance", "consumer": "consumer_stance", "business": "business_stance"}
"""Audience -> column with the stance for that audience."""

Row = dict[str, Any]


def training_use(training_use: pd.DataFrame, findings: pd.DataFrame, leads: pd.DataFrame | None = None) -> pd.DataFrame:
    """Join each platform's stance on training use to the clause that decides it.

    If the service names deciding clauses in `decided_by`, one of them is taken, preferably on the surface `training_use`; else
    a clause on that surface is taken. Of several clauses, the one with the highest level is taken; if levels are equal, the
    one with the highest confidence, then the first in its document. A platform with the stance `silent` has no clause.

    Parameters
    ----------
    training_use : pandas.DataFrame
        `data.training_use`: `slug`, `name`, `rating`, `level`, `stance`, `consumer_stance`, `business_stance`, `decided_by`.
    findings : pandas.DataFrame
        `data.findings`: clauses with `slug`, `finding_id`, `surface`, `risk`, `confidence`, `quote`, document and offsets.
    leads : pandas.DataFrame, optional
        `data.leads`, if a lead may be the deciding clause, too. Leads are not counted in `clauses`.

    Returns
    -------
    pandas.DataFrame
        One row for each platform: `slug`, `name` str, `rating` category, `level` category (of the surface `training_use`),
        `stance`, `consumer_stance`, `business_stance` str, `level_rating` category (the rating; UNKNOWN if it is not LOW, MED or
        HIGH), `way_out` bool (True if a clause on training offers an opt-out or a right to object), `basis` str (how the clause
        was chosen: `decided_by`, `highest_risk`, or `none` without a clause), `clauses` Int64 (number of findings on training use;
        findings that repeat another one do not count). Then of the deciding clause: `finding_id`, `lead_in` (with its offsets),
        `quote` str, `risk`, `clause_level` category, `document` str, `captured_at` time, `snapshot_sha256`, `archive_url`,
        `document_url` str, `start`, `end` Int64, `verification_status` str. Sorted by stance, from `trains_by_default` to
        `silent` (`models.STANCES`), then by name.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> stances[["name", "stance", "document", "risk"]].head(2)
                   name             stance        document  risk
    0       Alalix Chat  trains_by_default  Privacy Policy  HIGH
    1  Albriquill Notes  trains_by_default  Privacy Policy  HIGH
    """
    needed = ("slug", "name", "rating", "level", "stance", "consumer_stance", "business_stance", "decided_by")
    answers = shape.named(shape.with_columns(training_use, "training_use", *needed))
    found = shape.records(findings, "training_use", "slug", "finding_id", "surface", "risk", "quote")
    clauses, to_read = grouped(found, "slug"), grouped([] if leads is None else rows_of(leads), "slug")
    rows = [_answer(row, clauses.get(row["slug"], []), to_read.get(row["slug"], [])) for row in rows_of(answers)]
    rows.sort(key=lambda row: (stance_order(row["stance"]), row["name"].casefold(), row["slug"]))
    return shape.shaped(rows, TRAINING_COLUMNS)


def stance_order(stance: object) -> tuple[int, str]:
    """Return a sort key for stances: from `trains_by_default` to `silent`, as in `models.STANCES`, then unknown words."""
    word = shape.word_of(stance) or shape.NOT_GIVEN
    return (STANCES.index(word), "") if word in STANCES else (len(STANCES), word)


def _answer(row: Row, clauses: Sequence[Row], leads: Sequence[Row]) -> Row:
    """Return a stance with its deciding clause."""
    training = [clause for clause in clauses if clause["surface"] == "training_use"]
    decided = [clause for clause in (*clauses, *leads) if clause["finding_id"] in shape.items_of(row["decided_by"])]
    chosen = [] if row["stance"] == "silent" else decided or training
    basis = "decided_by" if decided else "highest_risk"
    clause = min(chosen, key=_training_first, default={"risk": None})
    return {
        **clause,
        **row,
        "level_rating": shape.level_of(row["rating"]),
        "way_out": any(one.get("polarity") == "mitigates_risk" and names_way_out(one["quote"]) for one in training),
        "basis": basis if chosen else "none",
        "clauses": sum(is_missing(one.get("duplicate_of")) for one in training),
        "clause_level": shape.level_of(clause["risk"]),
    }


def _training_first(clause: Row) -> tuple[Any, ...]:
    return (clause["surface"] != "training_use", not is_missing(clause.get("duplicate_of")), *shape.clause_rank(clause))


def training_clauses(
    training_use: pd.DataFrame, findings: pd.DataFrame, leads: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List all clauses that decide each platform's stance on training use, for consumers and for business users.

    A clause belongs to business users if its column `audience` limits it to them or to developers; if this is missing, the name
    of its document decides. All other clauses belong to consumers. If a platform has a stance for only one of the two
    audiences, all its clauses belong to that audience.

    Parameters
    ----------
    training_use : pandas.DataFrame
        `data.training_use`: `slug`, `name`, `stance`, `consumer_stance`, `business_stance`, `decided_by`.
    findings : pandas.DataFrame
        `data.findings`: clauses with `slug`, `finding_id`, `risk`, `quote`, `audience`, document and offsets.
    leads : pandas.DataFrame, optional
        `data.leads`, if leads among the deciding clauses are to be listed, too; they have no level.

    Returns
    -------
    pandas.DataFrame
        One row for each platform, audience and clause: `slug`, `name`, `audience` (`consumer`, `business`), `stance` str (for
        that audience). Then of the clause: `finding_id`, `lead_in` (with its offsets), `quote` str, `risk`, `clause_level`
        category, `document` str, `captured_at` time, `snapshot_sha256`, `archive_url`, `document_url` str, `start`, `end` Int64,
        `verification_status` str. Sorted by slug, consumers first, then in the order of `decided_by`.

    Examples
    --------
    >>> clauses = analysis.training_clauses(data.training_use, data.findings)
    >>> clauses.query("slug == 'elravane-studio'")[["audience", "stance", "risk"]]
        audience               stance risk
    72  consumer  trains_with_opt_out  MED
    73  business       does_not_train  LOW
    """
    unsure = [] if leads is None else shape.records(leads, "training_clauses", "slug", "finding_id", "quote")
    sure = shape.records(findings, "training_clauses", "slug", "finding_id", "risk", "quote")
    by_id = {(row["slug"], row["finding_id"]): row for row in (*(row | {"risk": None} for row in unsure), *sure)}
    needed = ("slug", "name", "stance", "consumer_stance", "business_stance", "decided_by")
    rows = [
        _side(answer, by_id[key])
        for answer in shape.records(training_use, "training_clauses", *needed)
        for item in shape.items_of(answer["decided_by"])
        if (key := (answer["slug"], item)) in by_id
    ]
    rows.sort(key=lambda row: (row["slug"], row["audience"] != "consumer"))
    return shape.named(shape.shaped(rows, SIDE_COLUMNS))


def _side(answer: Row, clause: Row) -> Row:
    """Return a clause with its audience, and the stance for that audience."""
    known = [key for key in ("consumer", "business") if not is_missing(answer[f"{key}_stance"])]
    said, document = shape.word_of(clause.get("audience")), shape.word_of(clause.get("document"))
    business = said in ("business", "developer") if said else audience_of_document(document) == "business"
    audience = "business" if business else "consumer"
    audience = known[0] if len(known) == 1 else audience
    stance = answer[f"{audience}_stance"] if known else answer["stance"]
    own = {"slug": answer["slug"], "name": answer["name"], "audience": audience, "stance": stance}
    return {**clause, **own, "clause_level": shape.level_of(clause["risk"])}


def stance_shares(training_use: pd.DataFrame) -> pd.DataFrame:
    """Count the stances on training use, with shares and 95 % intervals.

    The interval is Wilson's score interval (E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22, 1927, 209-212): the range of plausible shares among all
    platforms of this kind, if the given platforms were a random sample of them.

    Parameters
    ----------
    training_use : pandas.DataFrame
        `data.training_use`, or any frame with the columns `stance`, `consumer_stance` and `business_stance`.

    Returns
    -------
    pandas.DataFrame
        One row for each audience and stance: `audience` str (`all`, `consumer`, `business`), `stance` str, `platforms` Int64
        (with this stance), `total` Int64 (with any stance for that audience: the denominator), `unknown` Int64 (without a stance
        for it), `share` Float64 and its interval `low`, `high` (0..1, missing if total is 0). Each audience has every stance of
        `models.STANCES`, then stances that are not in it, in alphabetical order.

    Examples
    --------
    >>> shares = analysis.stance_shares(data.training_use)
    >>> shares[["audience", "stance", "platforms", "total"]].head(3)
      audience               stance  platforms  total
    0      all    trains_by_default         50    313
    1      all      depends_on_plan         26    313
    2      all  trains_with_opt_out         87    313
    """
    answers = shape.with_columns(training_use, "stance_shares", *AUDIENCES.values())
    words = {audience: answers[column].fillna("") for audience, column in AUDIENCES.items()}
    order = stances_in(stance for stances in words.values() for stance in stances)
    rows = ({"audience": audience, **row} for audience, stances in words.items() for row in shares_of(stances, order))
    return shape.shaped(rows, SHARE_COLUMNS)


def stances_in(stances: Iterable[str]) -> list[str]:
    """Return all stances of `models.STANCES` in their order, then the given stances that are not in it."""
    return sorted({*STANCES, *stances} - {""}, key=stance_order)


def shares_of(stances: pd.Series[str], order: Iterable[str]) -> Iterator[Row]:
    """Count platforms by stance: yield a dict for each stance in `order`, which lists the stances to count.

    Each value of `stances` is the stance of one platform, empty if it is unknown.

    Yields
    ------
    dict
        `stance`, `platforms` (with this stance), `total` (with any stance), `unknown` (without one), `share` (of `total`), and
        its 95 % interval `low`, `high`.
    """
    counts = stances.value_counts()
    unknown = int(counts.get("", 0))
    total = len(stances) - unknown
    for stance in order:
        part = int(counts.get(stance, 0))
        row = {"stance": stance, "platforms": part, "total": total, "unknown": unknown}
        yield row | shape.share_row(part, total)
