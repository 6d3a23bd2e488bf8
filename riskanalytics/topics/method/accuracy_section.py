"""How well documents are read, on a page: the shares of every part that was scored, and the withdrawn figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import Json, mapping_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages.rows import Rows, grouped, number, separated, table
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Listing, Paragraph, Part, Text, Words
from riskanalytics.text.wording import percent, plural

__all__ = ["accuracy", "extraction_quality"]

_MEASURES: Final = {
    "precision": "right, of all findings shown",
    "recall": "found, of the firm labels",
    "high": "right and HIGH, of the findings shown as HIGH",
    "level": "at a labelled level, of the findings that are right",
    "polarity": "of a labelled polarity, of the findings that are right",
    "sure": "right, of the findings with a confidence of .95 or more",
    "leads": "among the leads, of the firm labels that rules and model miss",
    "calibration_error": "expected calibration error: how far confidence and share right lie apart",
}
_IN_SHORT: Final = {
    "precision": "of all findings shown are right",
    "recall": "of the firm labels are found",
    "high": "of the findings shown as HIGH are right and HIGH",
}
_STANCES: Final = {
    "acceptable": "told a stance that a reader accepts",
    "said_to_train": "said to train on user content: of these, rightly",
    "said_not_to_train": "said not to train, or only after opt-in: of these, rightly",
    "said_to_be_silent": "said to be silent: of these, rightly",
    "undetermined": "left undetermined",
}
_OLDER: Final = {
    "never_seen": "on platforms that nothing was made from",
    "vendors_left_out": "with each family of vendors left out in turn",
    "written_with_them": "on the clauses that the rules were written with",
}
_OLDER_SHARES: Final = {"precision": "of judged findings right", "recall": "of labelled clauses found"}
_WHOLE: Final = Paragraph(
    "Readers who did not see what the program finds read these documents whole, sentence by sentence: whatever it shows that "
    "they did not label counts as wrong. A label is firm where a careful second reader would not leave it out; any other may "
    "be found and need not be. Intervals: 95 %, whole families of vendors drawn again 1,000 times, since what one vendor "
    "writes hangs together."
)
_NOT_TOLD: Final = Paragraph(
    "The service tells no figures of its accuracy on whole documents: read the clause before you act on a level."
)
_NONE_LABELLED: Final = Paragraph("The labels given hold no document that is labelled whole and that the data hold.")
_AUDITED: Final = {
    "findings": {
        "right": "right", "borderline": "borderline", "embarrassing": "embarrassing to quote", "level": "with the right level",
        "polarity": "with the right effect on the risk",
    },
    "stances": {"right": "right", "half_right": "half right (a plan, a way out or a better clause was missed)"},
    "changes": {"material": "material", "direction": "with the right direction", "cause": "with the right cause"},
}  # fmt: skip
"""What readers judged, and what a share of it says."""
_JUDGED: Final = "they counted only text that somebody had judged"
_AMOUNTS: Final = {
    "documents": ("document", "documents"),
    "families": ("family of vendors", "families of vendors"),
    "labels": ("label", "labels"),
}


@of_data(figures="measured_figures", told="measured_told")
def accuracy(figures: pd.DataFrame, told: Json) -> Section:
    """Show how well the extraction reads, for each part of the labels that was scored; withdrawn figures below.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, as `Dataset.accuracy` gives them.
    told : mapping
        What `Dataset.accuracy` gives beside the figures: `source`, `measured_on`, `parts`, `audit`, `withdrawn`,
        `not_scored`.

    Examples
    --------
    >>> measured = data.accuracy()
    >>> sections.accuracy(measured.figures, measured.told).text
    'measured on ...'
    """
    by_part = grouped(rows_of(figures), "labels")
    shown = [name for name in ACCURACY_PARTS if name in by_part]
    none = _NONE_LABELLED if told.get("source") == "labels" else _NOT_TOLD
    parts: list[Part] = [_WHOLE if shown else none]
    parts += [_part(name, by_part[name], told, opened=name == shown[0]) for name in shown]
    parts += [*_audit(mapping_of(told.get("audit"))), *_withdrawn(told)]
    if missing := told.get("not_scored"):
        words = f"{plural(int(number(missing)), 'label or text', 'labels or texts')} could not be scored."
        parts.append(Paragraph(words, "alarm"))
    said = f"measured {_when(told)}" if by_part else "no figures of accuracy are told"
    return section("Accuracy", *parts, text=said)


def _when(told: Json) -> str:
    """Return against what or when the figures were measured."""
    if told.get("source") == "labels":
        return "against the labels given"
    return f"on {told.get('measured_on') or 'a day not told'}"


@of_data(figures="measured_figures", told="measured_told")
def extraction_quality(extraction: Json, figures: pd.DataFrame, told: Json) -> Section:
    """Show which version of the extraction reads the documents, and how well it, or the version measured last, reads.

    Parameters
    ----------
    extraction : mapping
        What the service gives in its coverage: `version`.
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, as `Dataset.accuracy` gives them.
    told : mapping
        What `Dataset.accuracy` gives beside the figures: `labels`, `measured_on`, `rules`, `withdrawn`.

    Examples
    --------
    >>> measured = data.accuracy()
    >>> sections.extraction_quality(data.extraction, measured.figures, measured.told).text
    'extraction ...'
    """
    version = extraction.get("version")
    reads: Words = "The service does not tell its version."
    if version:
        reads = ("Version ", Text(str(version), "code"), ".")
    chosen = figures[(figures["labels"] == told.get("labels")) & (figures["surface"] == "all")]
    rows = {row["measure"]: row for row in rows_of(chosen)}
    shares = [_in_short(rows[measure], words) for measure, words in _IN_SHORT.items() if measure in rows]
    part = ACCURACY_PARTS.get(str(told.get("labels")))
    measured = _NOT_TOLD
    if part and any(shares):
        when = f" on {told['measured_on']}" if told.get("measured_on") else ""
        error, off = rows.get("calibration_error"), ""
        if error is not None and not _is_nothing(error):
            off = f" (expected calibration error {error['share']:.3f})"
        whole = f"documents of {part}, labelled whole, so that whatever nobody labelled counts as wrong"
        words = f"Measured{when} on {whole}: {', '.join(filter(None, shares))}{off}. "
        measured = Paragraph((words, Text("riskanalytics report method", "code"), " says more."))
    parts = [Paragraph(reads), measured, *_withdrawn(told)]
    rules = told.get("rules")
    if version and rules and not str(version).startswith(str(rules)):
        words = f"The figures are those of version {rules}, not of the one that reads now."
        parts.append(Paragraph(words, "alarm"))
    return Section(tuple(parts), f"extraction {version or 'not told'}")


def _in_short(row: Json, words: str) -> str:
    """Return a share with its interval and counts; empty where one of them is not known."""
    if any(is_missing(row[key]) for key in ("share", "low", "high", "part", "whole")):
        return ""
    return f"{percent(number(row['share']))} (95 % interval {_interval(row)}, {_counts(row)}) {words}"


def _interval(row: Json) -> str:
    """Return the bounds of a share."""
    return f"{percent(number(row['low']))} to {percent(number(row['high']))}"


def _counts(row: Json) -> str:
    """Return the numbers behind a share."""
    return f"{int(number(row['part'])):,} of {int(number(row['whole'])):,}"


def _audit(audit: Json) -> list[Part]:
    """Return what readers found who judged what is shown; nothing where nobody did."""
    items: list[Words] = []
    for subject, words in _AUDITED.items():
        shares = _shares(audit.get(subject), words)
        told = [f"{_ratio(share)} {words[name]}" for name, share in shares.items()]
        items += [f"{subject.capitalize()}: {', '.join(told)}."] if told else []
    if not items:
        return []
    read, day, rules = (audit.get(key) or "not told" for key in ("read", "measured_on", "rules"))
    return [Heading("Read by others"), Paragraph(f"Read on {day}, rules {rules}: {read}."), Listing(tuple(items))]


def _withdrawn(told: Json) -> list[Part]:
    """Return the figures of the older measure, marked as withdrawn, and why; nothing where there are none."""
    withdrawn = mapping_of(told.get("withdrawn"))
    items: list[Words] = []
    for name, group in mapping_of(withdrawn.get("groups")).items():
        shares = _shares(group, _OLDER_SHARES)
        if name in _OLDER and "precision" in shares:
            said = ", ".join(f"{_ratio(share)} {_OLDER_SHARES[key]}" for key, share in shares.items())
            items.append(Text(f"{_OLDER[name]}: {said}", "withdrawn"))
    if not items:
        return []
    day = withdrawn.get("measured_on")
    when = f", measured on {day}" if day else ""
    why = Paragraph(f"Do not rely on these older figures{when}: {withdrawn.get('why') or _JUDGED}.")
    return [Heading("Withdrawn"), why, Listing(tuple(items))]


def _shares(group: object, names: Mapping[str, str]) -> dict[str, Json]:
    """Return the shares of a group that are known, by the names given."""
    found = {name: mapping_of(mapping_of(group).get(name)) for name in names}
    return {name: share for name, share in found.items() if isinstance(share.get("value"), int | float)}


def _ratio(share: Json) -> str:
    """Return a share as the service gives it, with its counts where these are known."""
    counted = all(isinstance(share.get(key), int) for key in ("part", "whole"))
    return f"{percent(number(share['value']))}{f' ({_counts(share)})' if counted else ''}"


def _part(name: str, rows: Rows, told: Json, *, opened: bool) -> Fold:
    """Return one part: what it is of, its shares by what decided, and the stances of its platforms."""
    part = mapping_of(mapping_of(told.get("parts")).get(name))
    shares = {(row["surface"], row["measure"]): row for row in rows}
    cells = (
        (words, *(_cell(shares.get((group, measure)), group) for group in DECIDED_BY))
        for measure, words in _MEASURES.items()
        if not _is_nothing(shares.get(("all", measure)))
    )
    title = ACCURACY_PARTS[name]
    summary = (f"{title[:1].upper()}{title[1:]} ", Text(_amount(part), "thin"))
    shown = table("", cells, "", *DECIDED_BY.values(), style="text")
    return Fold(summary, (_history(part), shown, *_stances(part.get("stances"))), "keep", opened)


def _is_nothing(row: Json | None) -> bool:
    """Say whether a share is not known."""
    return row is None or is_missing(row["share"])


def _cell(row: Json | None, group: str) -> Words:
    """Return a share with its counts and interval; empty where there is none."""
    if row is None or is_missing(row["share"]) or (row["measure"] == "leads" and group != "all"):
        return ""
    if row["measure"] == "calibration_error":
        return f"{number(row['share']):.3f}"
    share = percent(number(row["share"]))
    if any(is_missing(row[key]) for key in ("low", "high", "part", "whole")):
        return share
    return (Text(share, "strong"), " ", Text(f"{_counts(row)}, {_interval(row)}", "meta"))


def _amount(part: Json) -> str:
    """Return how much was labelled."""
    counts = [plural(many, *nouns) for key, nouns in _AMOUNTS.items() if isinstance(many := part.get(key), int)]
    firm = f", {many:,} of them firm" if isinstance(many := part.get("firm"), int) else ""
    return f"{', '.join(counts)}{firm}"


def _history(part: Json) -> Paragraph:
    """Return when a part was measured, by which version, and how often it was scored; nothing where that is not known."""
    times = part.get("times_scored")
    told: list[tuple[str, Words]] = []
    if part.get("measured_on"):
        told.append((f"measured on {part['measured_on']}", ""))
    if part.get("rules"):
        told.append(("version ", Text(str(part["rules"]), "code")))
    if isinstance(times, int):
        told.append((f"scored {plural(times, 'time')} so far; three are allowed", ""))
    if not told:
        return Paragraph("")
    (first, code), *rest = told
    return Paragraph((separated([(f"{first[:1].upper()}{first[1:]}", code), *rest], "; "), "."), "note")


def _stances(stances: object) -> list[Part]:
    """Return how the answers on training use of a part's platforms hold; nothing where that is not known."""
    shares = _shares(stances, _STANCES)
    items = tuple(f"{_STANCES[name]}: {_bounded(share)}" for name, share in shares.items())
    return [Paragraph("Platforms and training on user content:"), Listing(items)] if items else []


def _bounded(share: Json) -> str:
    """Return a share as the service gives it, with its interval where that is known."""
    known = all(isinstance(share.get(key), int | float) for key in ("low", "high"))
    return f"{_ratio(share)}{f', {_interval(share)}' if known else ''}"
