"""How documents are read, on a page: figures of accuracy, what each surface asks, faults, the noise, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import Json, mapping_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages import values as v
from riskanalytics.pages.rows import Rows, grouped, level, quoted, separated, span, table, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.text.wording import percent, plural
from riskanalytics.topics.shape import Record

__all__ = ["accuracy", "change_noise", "extraction_errors", "extraction_quality", "limits", "surfaces"]

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
_ERROR: Final = "calibration_error"
_IN_SHORT: Final = {
    "precision": "of all findings shown are right",
    "recall": "of the firm labels are found",
    "high": "of the findings shown as HIGH are right and HIGH",
}
_STANCES: Final = {
    "acceptable": "given a stance that a reader accepts",
    "said_to_train": "right where they are said to train on user content",
    "said_not_to_train": "right where they are said not to train, or only after opt-in",
    "said_to_be_silent": "right where they are said to be silent",
    "undetermined": "left undetermined",
}
_OLDER: Final = {
    "never_seen": "on platforms that nothing was made from",
    "vendors_left_out": "with each family of vendors left out in turn",
    "written_with_them": "on the clauses that the rules were written with",
}
_OLDER_SHARES: Final = {"precision": "of judged findings right", "recall": "of labelled clauses found"}
_WHOLE: Final = v.Paragraph(
    "Readers labelled every sentence of these documents without seeing what the program finds; a finding that they did not "
    "label counts as wrong. A label is firm where a second reader would not leave it out; others need not be found. "
    "95 % intervals: whole families of vendors are drawn again 1,000 times, since the texts of one vendor are alike."
)
_NOT_TOLD: Final = v.Paragraph(
    "The service reports no accuracy on whole documents: read the clause before you act on a level."
)
_NONE_LABELLED: Final = v.Paragraph("The labels given hold no document that is labelled whole and that the data hold.")
_AUDITED: Final = {
    "findings": {
        "right": "right", "borderline": "borderline", "embarrassing": "embarrassing to quote", "level": "with the right level",
        "polarity": "with the right effect on the risk",
    },
    "stances": {"right": "right", "half_right": "half right (a plan, a way out or a better clause was missed)"},
    "changes": {"material": "material", "direction": "with the right direction", "cause": "with the right cause"},
}  # fmt: skip
"""What readers judged -> its shares and what they count."""
_AMOUNTS: Final = {
    "documents": ("document", "documents"),
    "families": ("family of vendors", "families of vendors"),
    "labels": ("label", "labels"),
}
_KINDS: Final = {
    "missed": ("Missed", "A reader labelled these clauses; nothing was found in them."),
    "false_alarm": ("False alarms", "Found; a reader says that they are not about the surface."),
    "level": ("Another level", "Found, and rated higher or lower than the reader did."),
}
_NOISE: Final = {
    "material": "on some surface a finding was added or removed, or changed level, scope or polarity",
    "wording": "statements differ, and no finding moved",
    "format": "only links, marks, dates or spacing differ",
    "revert": "the document went back to what an earlier text said",
    "capture_failure": "the page was broken, an error, in another language or another document, or came back from that",
    "technical": "the archive changed how it reads the page",
}
_LIMITS: Final = (
    "Labels are made by readers, not by the vendors. Two readers of the same 48 documents found 96 % and 98 % of each other's "
    "firm labels and gave the same level to 94 % of those they share: no figure can be surer than that.",
    "What the readers did not label counts as wrong even where a third reader might let it pass; a label of which the readers "
    "were not sure may be found and need not be.",
    "That a surface is labelled as absent means that its reader found nothing in the documents read, not that the platform "
    "does nothing of the kind.",
    "Levels describe what the text says, not what the vendor does.",
    "Only archived documents are read, not help articles, your own contract or settings pages. Some are frozen old texts of "
    "services that were renamed.",
    "Clauses in other languages than English and Chinese are missed.",
)


@of_data(figures="measured_figures", told="measured_told")
def accuracy(figures: pd.DataFrame, told: Json) -> Section:
    """Show how well the extraction reads, for each part of the labels that was scored; withdrawn figures below.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, as `Dataset.accuracy` gives them.
    told : mapping
        What `Dataset.accuracy` gives beside the figures.

    Examples
    --------
    >>> measured = data.accuracy()
    >>> sections.accuracy(measured.figures, measured.facts).text
    'measured on ...'
    """
    by_part = grouped(rows_of(figures), "labels")
    shown = [name for name in ACCURACY_PARTS if name in by_part]
    none = _NONE_LABELLED if told.get("source") == "labels" else _NOT_TOLD
    parts: list[v.Part] = [_WHOLE if shown else none]
    parts += [_part(name, by_part[name], told, opened=name == shown[0]) for name in shown]
    parts += [*_audit(mapping_of(told.get("audit"))), *_withdrawn(told)]
    if missing := told.get("not_scored"):
        words = f"{plural(int(str(missing)), 'label or text', 'labels or texts')} could not be scored."
        parts.append(v.Paragraph(words, "alarm"))
    when = f"on {told.get('measured_on') or 'an unknown day'}"
    said = f"measured {'against the labels given' if told.get('source') == 'labels' else when}"
    return section("Accuracy", *parts, text=said if by_part else "no figures of accuracy are reported")


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
        What `Dataset.accuracy` gives beside the figures.

    Examples
    --------
    >>> measured = data.accuracy()
    >>> sections.extraction_quality(data.extraction, measured.figures, measured.facts).text
    'extraction ...'
    """
    version, part = extraction.get("version"), ACCURACY_PARTS.get(str(told.get("labels")))
    reads = ("Version ", v.Text(str(version), "code"), ".") if version else "The service does not report its version."
    chosen = figures[(figures["labels"] == told.get("labels")) & (figures["surface"] == "all")]
    rows = {row["measure"]: row for row in rows_of(chosen.dropna(subset="share"))}
    known = {words: rows[measure] for measure, words in _IN_SHORT.items() if measure in rows}
    shares = [f"{_share(row, interval='95 % interval ')} {words}" for words, row in known.items()]
    measured = _NOT_TOLD
    if part and shares:
        when = f" on {told['measured_on']}" if told.get("measured_on") else ""
        error = f" (expected calibration error {rows[_ERROR]['share']:.3f})" if _ERROR in rows else ""
        whole = f"documents of {part}, labelled whole, so that whatever nobody labelled counts as wrong"
        words = f"Measured{when} on {whole}: {', '.join(shares)}{error}. "
        measured = v.Paragraph((words, v.Text("riskanalytics report method", "code"), " says more."))
    parts = [v.Paragraph(reads), measured, *_withdrawn(told)]
    if version and (rules := told.get("rules")) and not str(version).startswith(str(rules)):
        parts.append(v.Paragraph(f"The figures are those of version {rules}, not of the one that reads now.", "alarm"))
    return Section(tuple(parts), f"extraction {version or 'not reported'}")


def _share(share: Record, *, interval: str | None = "", marked: bool = False) -> v.Words:
    """Return a share with the counts and the interval that are known; without the interval where `interval` is None."""
    low, high, part, whole = (share.get(key) for key in ("low", "high", "part", "whole"))
    known = [f"{part:,} of {whole:,}"] if isinstance(part, int) and isinstance(whole, int) else []
    if interval is not None and isinstance(low, int | float) and isinstance(high, int | float):
        known.append(f"{interval}{percent(low)} to {percent(high)}")
    value, counts = percent(share["share"]), ", ".join(known)
    if marked:
        return v.Text(value, "strong"), " ", v.Text(counts, "meta")
    return f"{value} ({counts})" if counts else value


def _shares(group: object, names: Mapping[str, str], interval: str | None = None) -> list[str]:
    """Return the known shares of a group in words, by the names given."""
    found = {name: mapping_of(mapping_of(group).get(name)) for name in names}
    known = {name: share for name, share in found.items() if isinstance(share.get("value"), int | float)}
    return [
        f"{_share({**share, 'share': share['value']}, interval=interval)} {names[name]}"
        for name, share in known.items()
    ]


def _audit(audit: Json) -> list[v.Part]:
    """Return what readers found who judged what is shown; nothing where nobody did."""
    shares = {subject: _shares(audit.get(subject), words) for subject, words in _AUDITED.items()}
    items = tuple(f"{subject.capitalize()}: {', '.join(told)}." for subject, told in shares.items() if told)
    read, day, rules = (audit.get(key) or "not reported" for key in ("read", "measured_on", "rules"))
    head = v.Heading("Read by others"), v.Paragraph(f"Read on {day}, rules {rules}: {read}.")
    return [*head, v.Listing(items)] if items else []


def _withdrawn(told: Json) -> list[v.Part]:
    """Return the figures of the older measure, marked as withdrawn, and why; nothing without them."""
    withdrawn = mapping_of(told.get("withdrawn"))
    shares = {name: _shares(mapping_of(withdrawn.get("groups")).get(name), _OLDER_SHARES) for name in _OLDER}
    items = tuple(v.Text(f"{_OLDER[name]}: {', '.join(said)}", "withdrawn") for name, said in shares.items() if said)
    when = f", measured on {withdrawn['measured_on']}" if withdrawn.get("measured_on") else ""
    because = withdrawn.get("why") or "they counted only text that somebody had judged"
    why = v.Paragraph(f"Do not rely on these older figures{when}: {because}.")
    return [v.Heading("Withdrawn"), why, v.Listing(items)] if items else []


def _part(name: str, rows: Rows, told: Json, *, opened: bool) -> v.Fold:
    """Return one part: what it is of, its shares by what decided, and the stances of its platforms."""
    part, title = mapping_of(mapping_of(told.get("parts")).get(name)), ACCURACY_PARTS[name]
    shares = {(row["surface"], row["measure"]): row for row in rows if not is_missing(row["share"])}
    cells = (
        (words, *(_cell(shares.get((group, measure)), group) for group in DECIDED_BY))
        for measure, words in _MEASURES.items()
        if ("all", measure) in shares
    )
    amounts = [plural(many, *nouns) for key, nouns in _AMOUNTS.items() if isinstance(many := part.get(key), int)]
    amounts += [f"{many:,} of them firm"] if isinstance(many := part.get("firm"), int) else []
    summary = (f"{title[:1].upper()}{title[1:]} ", v.Text(", ".join(amounts), "thin"))
    shown: list[v.Part] = [_history(part), table("", cells, "", *DECIDED_BY.values(), style="text")]
    if stances := _shares(part.get("stances"), _STANCES, ""):
        shown += [v.Paragraph("Platforms and training on user content:"), v.Listing(tuple(stances))]
    return v.Fold(summary, tuple(shown), "keep", opened)


def _cell(row: Record | None, group: str) -> v.Words:
    """Return a share with its counts and interval; empty without one."""
    if row is None or (row["measure"] == "leads" and group != "all"):
        return ""
    return f"{row['share']:.3f}" if row["measure"] == _ERROR else _share(row, marked=True)


def _history(part: Json) -> v.Paragraph:
    """Return when a part was measured, by which version, and how often it was scored, as far as that is known."""
    told: list[v.Words] = []
    if part.get("measured_on"):
        told.append(f"Measured on {part['measured_on']}")
    if part.get("rules"):
        told.append(("version ", v.Text(str(part["rules"]), "code")))
    if isinstance(times := part.get("times_scored"), int):
        told.append(f"scored {plural(times, 'time')} so far; three are allowed")
    return v.Paragraph((separated(told, "; "), ".") if told else "", "note")


def surfaces() -> Section:
    """Show each surface: its question, what makes a clause HIGH, MED or LOW, and what is not counted.

    Examples
    --------
    >>> print(sections.surfaces().text)
    surfaces: Training use, Web data training, Content licence, Output rights, IP liability, ...
    """
    note = (
        "A clause counts where the provider says what it does, may do or promises not to do. Duties and bans on the user, "
        "definitions, headings and menus do not. A clause may speak to two surfaces."
    )
    folds = []
    for surface, told in SURFACE_DESCRIPTIONS.items():
        rows: list[tuple[v.Words, str]] = [
            (level(word), getattr(told, word.lower())) for word in ("HIGH", "MED", "LOW")
        ]
        rows.append(("not counted", told.not_counted))
        summary = (f"{surface_name(surface)}: ", v.Text(told.question, "thin"))
        folds.append(v.Fold(summary, (table("", rows, style="text"),), "keep"))
    names = ", ".join(surface_name(surface) for surface in SURFACE_DESCRIPTIONS)
    return section("Surfaces", v.Paragraph(note), *folds, text=f"surfaces: {names}")


@of_data(faults="extraction_errors")
def extraction_errors(faults: pd.DataFrame, *, most: int = 10) -> Section:
    """Show the worst faults of the extraction: missed clauses, false alarms, other levels.

    Parameters
    ----------
    faults : pandas.DataFrame
        As `analysis.extraction_errors` gives it.
    most : int
        Quotes shown of each kind; how many there are is said.

    Examples
    --------
    >>> sections.extraction_errors(analysis.extraction_errors(data.accuracy().faults)).text
    'no labels, so no faults to show'
    """
    if faults.empty:
        command = v.Text("riskanalytics report method -p labels=LABELS --database FILE", "code")
        words = ("Missed clauses and false alarms can be shown only beside labels: ", command, ".")
        return Section((v.Paragraph(words),), "no labels, so no faults to show")
    parts: list[v.Part] = []
    for kind, (title, meaning) in _KINDS.items():
        listed = rows_of(faults[faults["kind"] == kind])
        many = f"{most} of {len(listed):,}" if len(listed) > most else f"{len(listed):,}"
        parts += [v.Heading((title, " ", v.Text(many, "thin"))), v.Paragraph(meaning, "note")]
        parts += [part for row in listed[:most] for part in _fault(row)] or [v.Paragraph("None.")]
    return section("Faults", *parts, text=plural(len(faults), "fault"))


def _fault(row: Record) -> list[v.Part]:
    """Return one fault: surface and levels, then the quote."""
    head: v.Words = (
        v.Text(surface_name(text(row["surface"])), "strong"),
        () if is_missing(row["risk"]) else (" labelled ", level(row["risk"])),
        () if is_missing(row["given"]) else (" found ", level(row["given"])),
        () if is_missing(row["rule"]) else (" by ", v.Text(text(row["rule"]), "code")),
    )
    sha256 = v.Text(text(row["snapshot_sha256"])[:12], "code")
    source = v.Text(separated([text(row["slug"]), text(row["document"]), sha256, f"characters {span(row)}"]), "cite")
    return [v.Paragraph(head), v.Quote(quoted(row["quote"]), source)]


def limits() -> Section:
    """Say plainly what the figures and ratings do not show.

    Examples
    --------
    >>> print(sections.limits().text.splitlines()[3])
    Levels describe what the text says, not what the vendor does.
    """
    return section("Limits", v.Listing(_LIMITS), text="\n".join(_LIMITS))


@of_data(noise="change_noise")
def change_noise(noise: pd.DataFrame | None) -> Section:
    """Say how much of what is recorded as changes is noise, and what each class of change is.

    Parameters
    ----------
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it; None where changes are not shown to this key.

    Examples
    --------
    >>> print(sections.change_noise(analysis.change_noise(data.changes())).text)
    87 % of 1,549 recorded steps are noise
    """
    if noise is None:
        words = "Recorded changes are not known here: the service shows them to Pro keys only."
        return Section((v.Paragraph(words),), "changes are not known: they need a Pro key")
    total = int(noise["changes"].sum())
    if not total:
        return Section((v.Paragraph("No change is recorded."),), "no change is recorded")
    share = percent(int(noise.loc[~noise["material"], "changes"].sum()) / total)
    counted = f"{share} of {plural(total, 'recorded step')} {'is' if total == 1 else 'are'} noise"
    said = (
        f"{counted}. Each is judged against all earlier texts of the document, not the last one only. After a capture "
        "failure the last good text stays current, so a broken page never makes a risk go away."
    )
    classes = ((change_class.replace("_", " "), words) for change_class, words in _NOISE.items())
    return section("Recorded changes", v.Paragraph(said), table("", classes, style="text"), text=counted)
