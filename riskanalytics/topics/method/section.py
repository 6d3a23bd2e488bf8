"""Page sections on the method: its accuracy, the question of each surface, errors, changes that are not material, and limits."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import accuracy_frame, is_missing, rows_of
from riskanalytics.frames.building import Json, mapping_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.text.wording import percent, plural

from ..changes.section import unknown

__all__ = ["accuracy", "change_noise", "extraction_errors", "extraction_quality", "limits", "surfaces"]

_MEASURES: Final = {
    "precision": "findings shown that are right",
    "recall": "firm labels found",
    "high": "findings shown as HIGH that are right and HIGH",
    "level": "right findings whose level matches a label",
    "polarity": "right findings whose polarity matches a label",
    "sure": "findings with a confidence of .95 or more that are right",
    "leads": "missed firm labels that are among the leads",
    "calibration_error": "expected calibration error: mean distance between confidence and share of right findings",
}
_IN_SHORT: Final = {
    "precision": "of all findings shown are right",
    "recall": "of the clauses that these readers were sure of are found",
    "high": "of the findings shown as HIGH are right and HIGH",
}
_ERROR: Final = "calibration_error"
_STANCES: Final = {
    "acceptable": "given a stance that a reader accepts",
    "said_to_train": "right when reported to train on user content",
    "said_not_to_train": "right when reported not to train, or only after opt-in",
    "said_to_be_silent": "right when reported to have no clause",
    "undetermined": "left undetermined",
}
_OLDER: Final = {
    "never_seen": "on platforms that were not used to develop the program",
    "vendors_left_out": "on each family of related vendors, with rules and weights made from other families only",
    "written_with_them": "on the clauses that the rules were written with",
}
_GROUPS: Final = {**_OLDER, **{name: f"on {vendors}" for name, vendors in ACCURACY_PARTS.items()}}
_OLDER_SHARES: Final = {"precision": "of judged findings right", "recall": "of labelled clauses found"}
_WHOLE: Final = (
    "Readers labelled every sentence of these documents without seeing the findings of the program; a finding without a label "
    "counts as wrong. A label is firm if a second reader would keep it; other labels need not be found. The 95 % intervals "
    "come from 1,000 random redraws of whole families (groups of related vendors), because the texts of related vendors are alike."
)
_NOT_REPORTED: Final = (
    "The service reports no accuracy on fully labelled documents: read a clause before you act on its level."
)
_AUDITED: Final = {
    "findings": {
        "right": "right", "borderline": "borderline (the others are wrong)", "embarrassing": "misleading about the vendor",
        "level": "of the right and borderline ones with the right level", "polarity": "of them with the right effect on the risk",
    },
    "stances": {"right": "right", "half_right": "half right (a plan, a way out or a better clause was missed)"},
    "changes": {
        "material": "material", "direction": "of the directions on single surfaces right",
        "cause": "of the clauses named as cause right",
    },
}  # fmt: skip
"""Subject that readers judged -> its shares and their words."""
_OTHERS: Final[Mapping[str, tuple[str, str, Mapping[str, Mapping[str, str]]]]] = {
    "with_readings": (
        "Where language models read the documents", "Measured on {measured_on}. The documents were read by {read}.",
        dict.fromkeys(ACCURACY_PARTS, _OLDER_SHARES),
    ),
    "audit": ("Judged by readers", "Judged on {measured_on}, version {rules} of the rules: {read}.", _AUDITED),
    "withdrawn": (
        "Withdrawn", "Do not rely on these older figures, measured on {measured_on}, because {why}.",
        dict.fromkeys(_OLDER, _OLDER_SHARES),
    ),
}  # fmt: skip
"""Kind of other measurement in the facts -> its title, its note, and the shares of each group and their words."""
_AMOUNTS: Final = ("documents", "families", "labels", "firm")
_FAULTS: Final = {
    "missed": ("Missed", "A reader labelled these clauses; the program found nothing in them."),
    "false_alarm": (
        "False alarms",
        "The program found these clauses; a reader says that they are not about the surface.",
    ),
    "level": ("Different level", "The program rated these clauses higher or lower than the reader."),
}
_NOISE: Final = {
    "material": "a finding was added or removed, or changed its level, scope or polarity",
    "wording": "statements differ, but no finding changed",
    "format": "only links, punctuation, dates or spacing differ",
    "revert": "the document went back to an earlier text",
    "capture_failure": "the captured page was broken, an error page, another document or language, or had just recovered",
    "technical": "the archive changed how it reads the page",
}
_LIMITS: Final = (
    "Readers make the labels, not vendors. Two readers of the same 48 documents found 96 % and 98 % of each other's firm "
    "labels and gave 94 % of the common ones the same level: no figure can be more certain than that.",
    "A clause that the readers did not label counts as wrong, even if another reader might accept it. Labels marked as unsure "
    "need not be found.",
    "A surface labelled as absent means that its reader found nothing in the documents, not that the platform does nothing "
    "of the kind.",
    "Levels describe what the text says, not what the vendor does.",
    "Only archived documents are read, not help articles, your own contract or settings pages. Some are old texts of "
    "renamed services.",
    "Without a language model, documents that are not in English count as not read. Some clauses in Chinese are found in them "
    "all the same; clauses in other languages are missed.",
)


@of_data(figures="measured_figures", facts="measured_facts")
def accuracy(figures: pd.DataFrame, facts: Json) -> Section:
    """Return a section with the accuracy of the extraction on each set of labelled documents.

    If the service reports them, the section also shows how people judged published findings, stances and changes, and older
    figures that were withdrawn. Instead of both arguments, a data set can be passed: `sections.accuracy(data)`.

    Parameters
    ----------
    figures : pandas.DataFrame
        `data.accuracy().figures`.
    facts : mapping
        `data.accuracy().facts`: when and on which documents the figures were measured, human judgements, withdrawn figures.

    Examples
    --------
    >>> sections.accuracy(data).text
    'measured on ...'
    """
    by_part, given = show.grouped(rows_of(figures), "labels"), facts.get("source") == "labels"
    none = "The given labels contain no fully labelled document of the data." if given else _NOT_REPORTED
    parts: list[v.Part] = [v.Paragraph(_WHOLE if by_part else none)]
    parts += [_part(name, rows, facts, opened=len(parts) == at) for at, (name, rows) in enumerate(by_part.items(), 1)]
    parts += [part for kind in _OTHERS for part in _other(facts, kind)]
    if missing := facts.get("not_scored"):
        words = f"{plural(int(str(missing)), 'label or text', 'labels or texts')} could not be scored."
        parts.append(v.Paragraph(words, "alarm"))
    said = "against the labels given" if given else f"on {facts.get('measured_on') or 'an unknown day'}"
    return section("Accuracy", *parts, text=f"measured {said}" if by_part else "no figures of accuracy are reported")


@of_data(figures="measured_figures", facts="measured_facts")
def extraction_quality(extraction: Json, figures: pd.DataFrame, facts: Json) -> Section:
    """Return a section with the version of the extraction that reads the documents, and the last measured accuracy.

    A note says if the accuracy was measured with another version. Instead of all arguments, a data set can be passed:
    `sections.extraction_quality(data)`.

    Parameters
    ----------
    extraction : mapping
        `data.extraction`; only its `version` is shown.
    figures : pandas.DataFrame
        `data.accuracy().figures`.
    facts : mapping
        `data.accuracy().facts`: day of the measurement, version of the extraction that was measured, withdrawn figures.

    Examples
    --------
    >>> sections.extraction_quality(data).text
    'extraction ...'
    """
    version, labels, rules = extraction.get("version"), facts.get("labels"), facts.get("rules")
    reads = ("Version ", v.Text(str(version), "code"), ".") if version else "The service does not report its version."
    chosen = figures[(figures["labels"] == labels) & (figures["surface"] == "all")].dropna(subset="share")
    rows = {row["measure"]: row for row in rows_of(chosen)}
    measured: v.Words = _NOT_REPORTED
    if shares := [f"{_share(rows[name])} {words}" for name, words in _IN_SHORT.items() if name in rows]:
        off = "The stated confidence is off by {:.3f} on average (expected calibration error). "
        error = off.format(rows[_ERROR]["share"]) if _ERROR in rows else ""
        day = facts.get("measured_on") or "an unknown day"
        whole = f"documents that readers labelled sentence by sentence, of {ACCURACY_PARTS[str(labels)]}"
        wrong = "A finding without a label counts as wrong; brackets hold the counts and the 95 % interval."
        words = f"Measured on {day} on {whole}. {wrong} {'; '.join(shares)}. {error}"
        measured = (words, v.Text("riskanalytics report method", "code"), " shows more.")
    parts = [v.Paragraph(reads), v.Paragraph(measured), *_other(facts, "withdrawn")]
    if version and rules and not str(version).startswith(str(rules)):
        parts.append(v.Paragraph(f"These figures are for version {rules}, not for the present version.", "alarm"))
    return Section(tuple(parts), f"extraction {version or 'not reported'}")


def _share(row: show.Record, interval: bool = True) -> str:
    """Return a share with its counts and interval, as far as they are known."""
    known = [] if is_missing(row["whole"]) else [f"{row['part']:,} of {row['whole']:,}"]
    if interval and not is_missing(row["low"]):
        known.append(f"{percent(row['low'])} to {percent(row['high'])}")
    return percent(row["share"]) + (f" ({', '.join(known)})" if known else "")


def _shares(groups: object, group: str, names: Mapping[str, str], interval: bool = False) -> list[str]:
    """Return the known shares of a group in words, in the order of the given names."""
    known = accuracy_frame({"": {"groups": groups}}).dropna(subset="share")
    rows = {row["measure"]: row for row in rows_of(known[known["surface"] == group])}
    return [f"{_share(rows[name], interval)} {words}" for name, words in names.items() if name in rows]


def _other(facts: Json, kind: str) -> v.Parts:
    """Return shares of another kind of measurement, a line for each group, with a note; empty without shares."""
    given, (title, note, names) = mapping_of(facts.get(kind)), _OTHERS[kind]
    note = note.format_map({key: given.get(key) or "not reported" for key in ("measured_on", "read", "rules", "why")})
    groups = given.get("groups", given)
    shares = ((_GROUPS.get(group, group.capitalize()), _shares(groups, group, own)) for group, own in names.items())
    style = "withdrawn" if kind == "withdrawn" else ""
    items = tuple(v.Text(f"{label}: {', '.join(said)}", style) for label, said in shares if said)
    return (v.Heading(title), v.Paragraph(note), v.Listing(items)) if items else ()


def _part(name: str, rows: show.Rows, facts: Json, *, opened: bool) -> v.Fold:
    """Return one part of the labels: its documents, its shares by what decided, and the stances of its platforms."""
    part, title = mapping_of(mapping_of(facts.get("parts")).get(name)), ACCURACY_PARTS[name]
    shares = {(row["measure"], row["surface"]): row for row in rows if not is_missing(row["share"])}
    cells = (
        (words, *(_cell(shares.get((measure, group))) for group in DECIDED_BY))
        for measure, words in _MEASURES.items()
        if (measure, "all") in shares
    )
    amounts = [f"{key}: {many:,}" for key in _AMOUNTS if isinstance(many := part.get(key), int)]
    summary = (f"{title[0].upper()}{title[1:]} ", v.Text(", ".join(amounts), "thin"))
    day, rules, times = (part.get(key) for key in ("measured_on", "rules", "times_scored"))
    known: list[v.Words] = [
        f"Measured on {day}" if day else "",
        ("version ", v.Text(str(rules), "code")) if rules else "",
        f"measured {times} of at most 3 times, so that the program is not fitted to these documents"
        if isinstance(times, int)
        else "",
    ]
    history = v.Paragraph(show.separated(known, "; "), "note")
    shown: list[v.Part] = [history, show.table("", cells, "", *DECIDED_BY.values(), style="text")]
    if stances := _shares({"": part.get("stances")}, "", _STANCES, True):
        shown += [v.Paragraph("Platforms and training on user content:"), v.Listing(tuple(stances))]
    return v.Fold(summary, tuple(shown), "keep", opened)


def _cell(row: show.Record | None) -> str:
    """Return a share with its counts and interval; empty without a share."""
    if row is None or (row["measure"] == "leads" and row["surface"] != "all"):
        return ""
    return f"{row['share']:.3f}" if row["measure"] == _ERROR else _share(row)


def surfaces() -> Section:
    """Return a section that explains each surface: its question, its levels HIGH, MED and LOW, and clauses that do not count.

    Examples
    --------
    >>> sections.surfaces().text
    '12 surfaces'
    """
    note = (
        "A clause counts if the provider says what it does, may do or promises not to do. Duties and bans on the user, "
        "definitions, headings and menus do not count. A clause may be about two surfaces."
    )
    folds = []
    for surface in SURFACE_DESCRIPTIONS.values():
        rows = [(show.level(word), getattr(surface, word.lower())) for word in ("HIGH", "MED", "LOW")]
        table = show.table("", [*rows, ("not counted", surface.not_counted)], style="text")
        folds.append(v.Fold((f"{surface.name}: ", v.Text(surface.question, "thin")), (table,), "keep"))
    return section("Surfaces", v.Paragraph(note), *folds, text=plural(len(folds), "surface"))


@of_data(faults="extraction_errors")
def extraction_errors(faults: pd.DataFrame, *, most: int = 10) -> Section:
    """Return a section with the worst errors of the extraction: missed clauses, false alarms, and clauses with a wrong level.

    Parameters
    ----------
    faults : pandas.DataFrame
        Result of `analysis.extraction_errors`.
    most : int
        Maximum number of quotes for each of these three kinds; a heading states how many there are.

    Examples
    --------
    >>> sections.extraction_errors(analysis.extraction_errors(data.accuracy().faults)).text
    'no labels, so no errors to show'
    """
    if faults.empty:
        command = v.Text("riskanalytics report method -p labels=LABELS --database FILE", "code")
        words = ("To list missed clauses and false alarms, give documents that you labelled: ", command, ".")
        return Section((v.Paragraph(words),), "no labels, so no errors to show")
    parts: list[v.Part] = []
    for kind, (title, meaning) in _FAULTS.items():
        rows = rows_of(faults[faults["kind"] == kind])
        many = f"{most} of {len(rows):,}" if len(rows) > most else f"{len(rows):,}"
        parts += [v.Heading((title, " ", v.Text(many, "thin"))), v.Paragraph(meaning, "note")]
        parts += [part for row in rows[:most] for part in _fault(row)] or [v.Paragraph("None.")]
    return section("Errors", *parts, text=plural(len(faults), "error"))


def _fault(row: show.Record) -> list[v.Part]:
    """Return one error: surface and levels, then the quote."""
    levels = {"labelled": row["risk"], "found": row["given"]}
    head = (
        v.Text(surface_name(row["surface"]), "strong"),
        *((f" {word} ", show.level(level)) for word, level in levels.items() if not is_missing(level)),
        () if is_missing(row["rule"]) else (" by ", v.Text(row["rule"], "code")),
    )
    sha256 = v.Text(show.text(row["snapshot_sha256"])[:12], "code")
    place = (show.text(row["slug"]), show.text(row["document"]), sha256, f"characters {show.span(row)}")
    return [v.Paragraph(head), v.Quote(show.quoted(row["quote"]), v.Text(show.separated(place), "cite"))]


def limits() -> Section:
    """Return a section that lists the limits of ratings and accuracy figures: what they do not prove.

    Examples
    --------
    >>> print(sections.limits().text.splitlines()[3])
    Levels describe what the text says, not what the vendor does.
    """
    return section("Limits", v.Listing(_LIMITS), text="\n".join(_LIMITS))


@of_data(noise="change_noise")
def change_noise(noise: pd.DataFrame | None) -> Section:
    """Return a section with the share of recorded changes that are noise (not material), and the meaning of each class.

    Parameters
    ----------
    noise : pandas.DataFrame or None
        Result of `analysis.change_noise`; None if the key of the service gives no access to changes.

    Examples
    --------
    >>> print(sections.change_noise(analysis.change_noise(data.changes())).text)
    87 % of 1,548 recorded changes are noise
    """
    if noise is None:
        return unknown("The share of noise among recorded changes")
    total = int(noise["changes"].sum())
    if not total:
        return Section((v.Paragraph("No change is recorded."),), "no change is recorded")
    share = percent(int(noise.loc[~noise["material"], "changes"].sum()) / total)
    counted = f"{share} of {plural(total, 'recorded change')} {'is' if total == 1 else 'are'} noise"
    said = (
        f"{counted}. Each text is compared with all earlier texts of the document. After a capture failure the last good "
        "text stays current, so a broken page never lowers a risk."
    )
    classes = ((name.replace("_", " "), words) for name, words in _NOISE.items())
    return section("Recorded changes", v.Paragraph(said), show.table("", classes, style="text"), text=counted)
