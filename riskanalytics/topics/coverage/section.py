"""Coverage on a page: platforms that are not verified, broken captures, old texts, quiet surfaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import language_name
from riskanalytics.pages.rows import Shown, cut, day, grouped, link, name, rows_table, separated, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Listing, Paragraph, Part, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import percent, plural
from riskanalytics.topics.coverage.documents import unchanged
from riskanalytics.topics.shape import Record, found_share

__all__ = [
    "broken_captures",
    "freshness",
    "not_policies",
    "quiet_platforms",
    "unchanged_documents",
    "unverified_platforms",
]

_CHECKS: Final = {
    "empty": "nothing to read",
    "script_wall": "asks for JavaScript, a captcha or cookies",
    "error_page": "the message of a fault instead of the document",
    "collapsed": "far shorter than the last good text",
    "title_only": "a title and nothing under it",
    "other_language": "another language than before",
    "login_page": "a form to sign in",
    "no_policy_words": "hardly a word that policies are made of",
}
"""What the known checks say."""
_PRINTED: Final = 60
"""Old texts that are unfolded in print; more would be pages of it."""
_STATES: Final = {
    "unverified": "No document is read: its captures are broken, no policy, or in a language that is not read.",
    "stale": "The newest capture of a document is broken; its last good text is used.",
    "not given": "The service tells no state of verification.",
    "partial": "A document could not be read, is no policy, or is in a language that is not read; the others are read.",
}
_FLAGS: Final = {
    "broken": "could not be read",
    "stale": "newest capture broken; the last good text is used",
    "not_a_policy": "is no policy",
    "language": "in {}, not read",
    "no date": "has no date",
    "after now": "is dated after the data",
}
_AN_OLD_TEXT: Final = "An archive records a document when it changes, so an old text may well be today's."
_COUNTED: Final = "A document that could not be read as it is now is not counted among them."


@of_data(reasons="unverified_platforms", tracked="size")
def unverified_platforms(reasons: pd.DataFrame, tracked: int) -> Section:
    """Show the platforms that are not verified, by state; platforms of the same reason stand together.

    Parameters
    ----------
    reasons : pandas.DataFrame
        As `analysis.unverified_platforms` gives it.
    tracked : int
        How many platforms there are.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> sections.unverified_platforms(reasons, len(data.platforms)).text
    '35 platforms not verified'
    """
    if reasons.empty:
        return _said("Every platform is verified.")
    parts: list[Part] = []
    for state, rows in grouped(rows_of(reasons), "state").items():
        share = f"{len(rows):,} of {plural(tracked, 'platform')}, {percent(len(rows) / max(tracked, len(rows)))}"
        by_reason = sorted(grouped(rows, "reason").items(), key=lambda item: -len(item[1]))
        items = tuple((Text(reason, "strong"), ": ", _names(alike)) for reason, alike in by_reason)
        head = Heading((state.capitalize(), " ", Text(share, "thin")))
        parts += [head, Paragraph(_STATES.get(state, "")), Listing(items)]
    parts.append(_explained(reasons["reason"]))
    return section("Platforms that are not verified", *parts, text=f"{plural(len(reasons), 'platform')} not verified")


def _said(sentence: str) -> Section:
    """Return a section of one sentence."""
    return Section((Paragraph(sentence),), f"{sentence[0].lower()}{sentence[1:].rstrip('.')}")


def _names(rows: Iterable[Record]) -> Words:
    """Return the names of platforms, parted by commas."""
    return separated((name(row["name"]) for row in rows), ", ")


def _explained(told: Iterable[object]) -> Paragraph:
    """Return what the checks say that are named in some reasons."""
    named = " ".join(str(value) for value in told).replace("_", " ")
    checks = {check.replace("_", " "): said for check, said in _CHECKS.items()}
    return Paragraph(
        " ".join(f"{check.capitalize()}: {said}." for check, said in checks.items() if check in named), "note"
    )


@of_data(broken="broken_captures", recorded="failures_known")
def broken_captures(broken: pd.DataFrame, *, recorded: bool = True) -> Section:
    """Show the documents whose newest capture is broken, those that broke last first.

    Parameters
    ----------
    broken : pandas.DataFrame
        As `analysis.broken_captures` gives it.
    recorded : bool
        Whether the failures that were recorded are known; where they are not, the page says so.

    Examples
    --------
    >>> documents = analysis.freshness(data.documents, data.day)
    >>> broken = analysis.broken_captures(documents, data.changes(change_class="capture_failure"))
    >>> sections.broken_captures(broken).text
    '34 broken captures'
    """
    if broken.empty:
        return _said("No newest capture is broken.")
    rows, caption = rows_of(broken), "Documents whose newest capture is broken, the newest break first"
    shown: tuple[tuple[str, Shown], ...] = (
        ("whole:Broken since", _since),
        _CHECK,
        ("whole:Last good text", _last_good),
    )
    listed = rows_table(caption, rows, _PLATFORM, ("Document", "document"), *shown)
    why = "no failure before it is recorded" if recorded else "the service shows recorded failures to Pro keys only"
    guessed = f"“By” a day: the capture broke on that day or before; {why}."
    note = "" if all(row["since_known"] for row in rows) else guessed
    return Section((listed, Paragraph(note, "note")), plural(len(rows), "broken capture"))


def _last_good(row: Record) -> Words:
    """Return the day of the last good text as a link to that text; or that there never was a good text."""
    if is_missing(row["last_good_at"]):
        return Text("never", "bad")
    return link(day(row["last_good_at"]), row["archive_url"])


def _since(row: Record) -> str:
    """Return since when a capture is broken."""
    if is_missing(row["since"]):
        return "not known"
    return f"{'' if row['since_known'] else 'by '}{day(row['since'])}"


def _check(row: Record) -> str:
    """Return the check that a document failed, by its name."""
    return "not told" if is_missing(row["check"]) else text(row["check"]).replace("_", " ")


@of_data(documents="freshness")
def not_policies(documents: pd.DataFrame) -> Section:
    """Show the documents whose captured page is no policy.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.

    Examples
    --------
    >>> sections.not_policies(analysis.freshness(data.documents, data.day)).text
    'every page read is a policy'
    """
    listed = rows_of(documents[documents["state"] == "not_a_policy"].sort_values(["name", "document"], kind="stable"))
    if not listed:
        return Section((Paragraph("Every page that could be read is a policy."),), "every page read is a policy")
    caption = "Pages that are no policy: nothing is read in them"
    shown = rows_table(caption, listed, _PLATFORM, _DOCUMENT, _CHECK, ("whole:Captured", "captured_at"))
    return Section((shown,), f"{plural(len(listed), 'document')} of no policy")


def _document(row: Record) -> Words:
    """Return a document's name as a link to its archive."""
    return link(text(row["document"]), row["archive_url"])


_PLATFORM: Final = ("Platform", "name")
_DOCUMENT: Final[tuple[str, Shown]] = ("Document", _document)
_CHECK: Final[tuple[str, Shown]] = ("Check", _check)


@of_data(documents="freshness")
def unchanged_documents(documents: pd.DataFrame, *, most: int = 400) -> Section:
    """Show the documents that have not changed for long, the oldest first: flagged, never called wrong.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.
    most : int
        Documents shown.

    Examples
    --------
    >>> sections.unchanged_documents(analysis.freshness(data.documents, data.day)).text
    '363 documents unchanged for more than 365 days, the oldest first'
    """
    if documents.empty:
        return _said("No document is known.")
    days = int(documents["unchanged_days"].iloc[0])
    old = rows_of(unchanged(documents))
    flags = documents["flag"].value_counts()
    words = {"no date": "without a date", "after now": "dated after the data"}
    odd = [
        Paragraph(f"{plural(int(flags[flag]), 'document')} {words[flag]}.", "note") for flag in words if flag in flags
    ]
    if not old:
        none = Paragraph(f"No document stands unchanged for more than {days:,} days.")
        return Section((none, *odd), "no document is long unchanged")
    dated = ("whole:Text of", "captured_at"), ("n:Days old", "age_days")
    listed = rows_table(f"Texts unchanged for more than {days:,} days", old[:most], _PLATFORM, _DOCUMENT, *dated)
    summary = f"{plural(len(old), 'document')} unchanged for more than {days:,} days, the oldest first"
    note = f"{_AN_OLD_TEXT} Age flags a text for a look at the vendor's page; it says nothing against it. {_COUNTED}"
    style = "keep" if len(old) <= _PRINTED else ""
    rest = f"{plural(len(old) - most, 'more document')} not shown." if len(old) > most else ""
    fold = Fold(summary, (listed, Paragraph(rest, "note")), style)
    return Section((Paragraph(note), fold, *odd), summary)


@of_data(documents="freshness")
def freshness(documents: pd.DataFrame) -> Section:
    """Show by name the documents that are not read, and how many have not changed for long.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.

    Examples
    --------
    >>> sections.freshness(analysis.freshness(data.documents, data.day)).text
    '39 documents need a look'
    """
    flagged = rows_of(documents[documents["flag"].isin(list(_FLAGS))])
    old = len(unchanged(documents))
    whole = plural(len(documents), "document")
    shown: tuple[tuple[str, Shown], ...] = (
        ("State", lambda row: _FLAGS[row["flag"]].format(language_name(row["language"]))),
        ("Check", lambda row: "" if row["flag"] == "language" else text(row["check"]).replace("_", " ")),
        ("Text of", "captured_at"),
    )
    listed: Part = Paragraph(f"All {whole} could be read.")
    if flagged:
        listed = rows_table("Documents that need a look", flagged, _PLATFORM, ("Document", "document"), *shown)
    note = ""
    if old:
        days = int(documents["unchanged_days"].iloc[0])
        note = f"{old:,} of {whole} have not changed for more than {days} days. {_AN_OLD_TEXT} {_COUNTED}"
    words = f"{plural(len(flagged), 'document')} {'needs' if len(flagged) == 1 else 'need'} a look"
    return Section((listed, Paragraph(note, "note")), words)


@of_data(surfaces="quiet_surfaces", platforms="quiet_platforms", figures="figures")
def quiet_platforms(
    surfaces: pd.DataFrame, platforms: pd.DataFrame, *, most: int = 60, figures: object = None
) -> Section:
    """Show on which surface which platforms are quiet (nothing was found), and which are quiet on unusually many.

    Parameters
    ----------
    surfaces, platforms : pandas.DataFrame
        As `analysis.quiet_surfaces` and `analysis.quiet_platforms` give them.
    most : int
        Platforms named of one surface.
    figures : object, optional
        What the service tells of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> surfaces = analysis.quiet_surfaces(data.surfaces)
    >>> platforms = analysis.quiet_platforms(data.surfaces, data.documents)
    >>> sections.quiet_platforms(surfaces, platforms).text
    '0 platforms quiet on unusually many surfaces'
    """
    if platforms.empty:
        return _said("No platform could be read.")
    folds: list[Part] = [_surface(row, most) for row in rows_of(surfaces) if row["quiet"]]
    note = Paragraph(f"Nothing found never counts as low. {found_share(figures)}")
    shown = folds or [Paragraph("No platform is known to be quiet on any surface.")]
    by_surface = (Heading("Which platforms are quiet, by surface"), note, *shown)
    parts = (Heading("Quiet on unusually many"), *_unusual(platforms), *by_surface)
    unusual = int(platforms["unusual"].sum())
    return section("Quiet surfaces", *parts, text=f"{plural(unusual, 'platform')} quiet on unusually many surfaces")


def _unusual(platforms: pd.DataFrame) -> list[Part]:
    """Return the platforms on which unusually many surfaces are quiet; the quietest platform where there are none."""
    rule: Words = (
        f"Half of the {plural(len(platforms), 'platform')} read are quiet on at most {float(platforms['usual'].iloc[0]):g} of "
        "the surfaces. Unusual is a modified z-score of 3.5 or more above that median (Iglewicz and Hoaglin, ",
        Text("How to Detect and Handle Outliers", "em"),
        ", 1993)",
    )
    outliers = rows_of(platforms[platforms["unusual"]])
    if not outliers:
        most = rows_of(platforms[platforms["quiet"] == platforms["quiet"].max()])
        who = name(most[0]["name"]) if len(most) == 1 else plural(len(most), "platform")
        score = f"{float(most[0]['score']):.1f}"
        told = (f"; the most is {int(most[0]['quiet'])} of {int(most[0]['read'])} (", who, f", score {score}).")
        return [Paragraph(("None. ", rule, told))]
    look = ". Worth a look: a document may not be collected, or its wording not be known to the extraction."
    shown: tuple[tuple[str, Shown], ...] = (
        ("n:Quiet", lambda row: f"{row['quiet']} of {row['read']}"),
        ("n roomy:Score", lambda row: f"{row['score']:.1f}"),
        ("n roomy:Documents read", "documents"),
        ("Nothing found on", lambda row: ", ".join(map(surface_name, row["surfaces"]))),
    )
    return [
        Paragraph((rule, look)),
        rows_table("Platforms quiet on unusually many surfaces", outliers, _PLATFORM, *shown),
    ]


def _surface(row: Record, most: int) -> Fold:
    """Return one surface: how many platforms are quiet, with the interval, and which."""
    share, low, high = (percent(row[key]) for key in ("share", "low", "high"))
    counts = f"{row['quiet']:,} of {row['read']:,} ({share}, 95 % interval {low} to {high})"
    named = [name(title) for _, title in row["platforms"]]
    who: Words = cut(named, most)
    if 1 < len(named) <= most:
        who = (separated(named[:-1], ", "), " and ", named[-1])
    summary = (surface_name(str(row["surface"])), " ", Text(counts, "meta"))
    more = f" {plural(row['to_read'], 'more platform')}: clauses to read." if row["to_read"] else ""
    return Fold(summary, (Paragraph((who, f".{more}")),))
