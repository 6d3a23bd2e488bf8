"""Coverage on a page: platforms that are not verified, broken captures, old texts, quiet surfaces, the interface."""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import language_name
from riskanalytics.pages.rows import Shown, below, cut, day, grouped, link, name, number, rows_table, separated, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Listing, Paragraph, Part, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import percent, plural
from riskanalytics.topics.coverage import KINDS
from riskanalytics.topics.coverage.documents import unchanged
from riskanalytics.topics.shape import Record, found_share

__all__ = [
    "broken_captures", "contract_drift", "freshness", "not_policies", "quiet_platforms", "unchanged_documents",
    "unverified_platforms",
]  # fmt: skip

_CHECKS: Final = {
    "empty": "nothing to read",
    "script wall": "asks for JavaScript, a captcha or cookies",
    "error page": "the message of a fault instead of the document",
    "collapsed": "far shorter than the last good text",
    "title only": "a title and nothing under it",
    "other language": "another language than before",
    "login page": "a form to sign in",
    "no policy words": "hardly a word that policies are made of",
}
"""What the known checks say."""
_PRINTED: Final = 60
"""Old texts that are unfolded in print; more would be pages of it."""
_STATES: Final = {
    "unverified": "No document is read: its captures are broken, no policy, or in a language that is not read.",
    "stale": "The newest capture of a document is broken; its last good text is used.",
    "not given": "The service gives no state of verification.",
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
_PLATFORM: Final = ("Platform", "name")
_DOCUMENT: Final[tuple[str, Shown]] = ("Document", lambda row: link(text(row["document"]), row["archive_url"]))
_CHECK: Final[tuple[str, Shown]] = (
    "Check",
    lambda row: "not known" if is_missing(row["check"]) else text(row["check"]).replace("_", " "),
)


@of_data(reasons="unverified_platforms", tracked="size")
def unverified_platforms(reasons: pd.DataFrame, tracked: int) -> Section:
    """Show the platforms that are not verified, by state; platforms of the same reason together.

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
        return Section((Paragraph("Every platform is verified."),), "every platform is verified")
    parts: list[Part] = []
    for state, rows in grouped(rows_of(reasons), "state").items():
        share = f"{len(rows):,} of {plural(tracked, 'platform')}, {percent(len(rows) / max(tracked, len(rows)))}"
        by_reason = sorted(grouped(rows, "reason").items(), key=lambda item: -len(item[1]))
        items = (
            (Text(reason, "strong"), ": ", separated((name(row["name"]) for row in alike), ", "))
            for reason, alike in by_reason
        )
        head = Heading((state.capitalize(), " ", Text(share, "thin")))
        parts += [head, Paragraph(_STATES.get(state, "")), Listing(tuple(items))]
    named = " ".join(reasons["reason"]).replace("_", " ")
    checks = " ".join(f"{check.capitalize()}: {said}." for check, said in _CHECKS.items() if check in named)
    parts.append(Paragraph(checks, "note"))
    return section("Platforms that are not verified", *parts, text=f"{plural(len(reasons), 'platform')} not verified")


@of_data(broken="broken_captures", recorded="failures_known")
def broken_captures(broken: pd.DataFrame, *, recorded: bool = True) -> Section:
    """Show the documents whose newest capture is broken, those that broke last first.

    Parameters
    ----------
    broken : pandas.DataFrame
        As `analysis.broken_captures` gives it.
    recorded : bool
        Whether the recorded failures are known.

    Examples
    --------
    >>> documents = analysis.freshness(data.documents, data.day)
    >>> broken = analysis.broken_captures(documents, data.changes(change_class="capture_failure"))
    >>> sections.broken_captures(broken).text
    '34 broken captures'
    """
    if broken.empty:
        return Section((Paragraph("No newest capture is broken."),), "no newest capture is broken")
    caption = "Documents whose newest capture is broken, the newest break first"
    when = ("whole:Broken since", _since), _CHECK, ("whole:Last good text", _last_good)
    shown = rows_table(caption, rows_of(broken), _PLATFORM, ("Document", "document"), *when)
    why = "no failure before it is recorded" if recorded else "the service shows recorded failures to Pro keys only"
    guessed = f"“By” a day: the capture broke on that day or before; {why}."
    note = Paragraph("" if broken["since_known"].all() else guessed, "note")
    return Section((shown, note), plural(len(broken), "broken capture"))


def _last_good(row: Record) -> Words:
    """Return the day of the last good text as a link to that text; `never` if there was none."""
    missing = is_missing(row["last_good_at"])
    return Text("never", "bad") if missing else link(day(row["last_good_at"]), row["archive_url"])


def _since(row: Record) -> str:
    """Return since when a capture is broken."""
    by = "" if row["since_known"] else "by "
    return "not known" if is_missing(row["since"]) else f"{by}{day(row['since'])}"


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
    pages = documents[documents["state"] == "not_a_policy"].sort_values(["name", "document"], kind="stable")
    if pages.empty:
        return Section((Paragraph("Every page that could be read is a policy."),), "every page read is a policy")
    caption = "Pages that are no policy: nothing is read in them"
    shown = rows_table(caption, rows_of(pages), _PLATFORM, _DOCUMENT, _CHECK, ("whole:Captured", "captured_at"))
    return Section((shown,), f"{plural(len(pages), 'document')} of no policy")


@of_data(documents="freshness")
def unchanged_documents(documents: pd.DataFrame, *, most: int = 400) -> Section:
    """Show the documents that have not changed for long, the oldest first.

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
        return Section((Paragraph("No document is known."),), "no document is known")
    days, old = f"{int(documents['unchanged_days'].iloc[0]):,}", rows_of(unchanged(documents))
    flags = documents["flag"].value_counts()
    odd = [
        Paragraph(f"{plural(int(flags[flag]), 'document')} {words}.", "note")
        for flag, words in (("no date", "without a date"), ("after now", "dated after the data"))
        if flag in flags
    ]
    if not old:
        none = Paragraph(f"No document is unchanged for more than {days} days.")
        return Section((none, *odd), "no document is long unchanged")
    dated = ("whole:Text of", "captured_at"), ("n:Days old", "age_days")
    listed = rows_table(f"Texts unchanged for more than {days} days", old[:most], _PLATFORM, _DOCUMENT, *dated)
    summary = f"{plural(len(old), 'document')} unchanged for more than {days} days, the oldest first"
    note = f"{_AN_OLD_TEXT} Age flags a text for a look at the vendor's page; it says nothing against it. {_COUNTED}"
    rest = Paragraph(f"{plural(len(old) - most, 'more document')} not shown." if len(old) > most else "", "note")
    fold = Fold(summary, (listed, rest), "keep" if len(old) <= _PRINTED else "")
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
    flagged, old = rows_of(documents[documents["flag"].isin(list(_FLAGS))]), len(unchanged(documents))
    whole = plural(len(documents), "document")
    listed: Part = Paragraph(f"All {whole} could be read.")
    if flagged:
        listed = rows_table(
            "Documents that need a look",
            flagged,
            _PLATFORM,
            ("Document", "document"),
            ("State", lambda row: _FLAGS[row["flag"]].format(language_name(row["language"]))),
            ("Check", lambda row: "" if row["flag"] == "language" else text(row["check"]).replace("_", " ")),
            ("Text of", "captured_at"),
        )
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
        The `figures` of the service's extraction: which share is found.

    Examples
    --------
    >>> surfaces = analysis.quiet_surfaces(data.surfaces)
    >>> platforms = analysis.quiet_platforms(data.surfaces, data.documents)
    >>> sections.quiet_platforms(surfaces, platforms).text
    '0 platforms quiet on unusually many surfaces'
    """
    if platforms.empty:
        return Section((Paragraph("No platform could be read."),), "no platform could be read")
    folds: list[Part] = [_surface(row, most) for row in rows_of(surfaces) if row["quiet"]]
    parts = (
        Heading("Quiet on unusually many"),
        *_unusual(platforms),
        Heading("Which platforms are quiet, by surface"),
        Paragraph(f"Nothing found never counts as low. {found_share(figures)}"),
        *(folds or [Paragraph("No platform is known to be quiet on any surface.")]),
    )
    unusual = plural(int(platforms["unusual"].sum()), "platform")
    return section("Quiet surfaces", *parts, text=f"{unusual} quiet on unusually many surfaces")


def _unusual(platforms: pd.DataFrame) -> list[Part]:
    """Return the platforms on which unusually many surfaces are quiet; the quietest platform where there is no such one."""
    half = f"{platforms['usual'].iloc[0]:g} of the surfaces"
    usual = f"Half of the {plural(len(platforms), 'platform')} read are quiet on at most {half}"
    rule = f"{usual}. Unusual is a modified z-score of 3.5 or more above that median (Iglewicz and Hoaglin, 1993)"
    outliers = platforms[platforms["unusual"]]
    if outliers.empty:
        most = rows_of(platforms[platforms["quiet"] == platforms["quiet"].max()])
        who = name(most[0]["name"]) if len(most) == 1 else plural(len(most), "platform")
        ends = f"; the most is {most[0]['quiet']} of {most[0]['read']} (", who, f", score {most[0]['score']:.1f})."
        return [Paragraph(("None. ", rule, ends))]
    look = ". Worth a look: a document may not be collected, or its wording not be known to the extraction."
    table = rows_table(
        "Platforms quiet on unusually many surfaces",
        rows_of(outliers),
        _PLATFORM,
        ("n:Quiet", lambda row: f"{row['quiet']} of {row['read']}"),
        ("n roomy:Score", lambda row: f"{row['score']:.1f}"),
        ("n roomy:Documents read", "documents"),
        ("Nothing found on", lambda row: ", ".join(map(surface_name, row["surfaces"]))),
    )
    return [Paragraph((rule, look)), table]


def _surface(row: Record, most: int) -> Fold:
    """Return one surface: how many platforms are quiet, with the interval, and which."""
    share, low, high = (percent(row[key]) for key in ("share", "low", "high"))
    counts = f"{row['quiet']:,} of {row['read']:,} ({share}, 95 % interval {low} to {high})"
    named = [name(title) for _, title in row["platforms"]]
    summary = (surface_name(str(row["surface"])), " ", Text(counts, "meta"))
    more = f" {plural(row['to_read'], 'more platform')}: clauses to read." if row["to_read"] else ""
    return Fold(summary, (Paragraph((cut(named, most), f".{more}")),))


_DRIFT: Final = {"retyped": "another type", "unknown": "not known", "unseen": "new value"}
_ENDPOINTS: Final = {"no key": "not asked: needs a key", "not shown": "not shown to this key"}
_NO_DRIFT: Final = "No drift: every answer has the form of the interface specification and its documented additions."
_TOLERANT: Final = "the answers and their description. What is missing or of another type is missing from every page."


@of_data(drift="contract_drift")
def contract_drift(drift: pd.DataFrame, endpoints: pd.DataFrame, *, most: int = 100) -> Section:
    """Show where the service's answers differ from their description: fields not described, missing, of another type.

    Parameters
    ----------
    drift : pandas.DataFrame
        As `analysis.contract_drift` gives it.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: the endpoints whose answers were compared.
    most : int
        Differences shown.

    Examples
    --------
    >>> contract = data.of(["orvewick-voice"]).contract()
    >>> drift = analysis.contract_drift(contract.differences, contract.endpoints)
    >>> sections.contract_drift(drift, contract.endpoints).text
    '0 differences in the interface'
    """
    found = rows_of(drift[drift["drift"]])
    counted = plural(len(found), "difference")
    parts: list[Part] = [Paragraph(_NO_DRIFT)]
    if found:
        rest = f"{plural(len(found) - most, 'more difference')} not shown." if len(found) > most else ""
        differences = rows_table(
            "Differences, the gravest first",
            found[:most],
            ("Field", _field),
            ("What", _kind),
            ("roomy:Read as", "expected"),
            ("n roomy whole:Times", lambda row: f"{row['count']:,} of {row['of']:,}"),
            ("roomy:First seen in", lambda row: name(row["example"])),
        )
        parts = [Paragraph(f"{counted} between {_TOLERANT}"), differences, Paragraph(rest, "note")]
    for kind, words in zip(KINDS[-2:], ("additions that this service lacks", "additions"), strict=True):
        rows = rows_of(drift[drift["kind"] == kind])
        items = (
            (Text(endpoint, "code"), ": ", ", ".join(text(row["field"]) for row in group))
            for endpoint, group in grouped(rows, "endpoint").items()
        )
        parts += [Fold(f"{len(rows):,} documented {words}", (Listing(tuple(items)),))] if rows else []
    answers = rows_table(
        "Answers that were compared",
        rows_of(endpoints),
        ("Endpoint", lambda row: Text(text(row["endpoint"]), "code")),
        ("n:Answers", "answers"),
        ("State", _state),
    )
    return section("Interface", *parts, answers, text=f"{counted} in the interface")


def _field(row: Record) -> Words:
    """Return the field that differs, with its endpoint."""
    field, endpoint = text(row["field"]), text(row["endpoint"])
    return (Text(field, "code"), below(endpoint)) if field else Text(endpoint, "meta")


def _kind(row: Record) -> Words:
    """Return what differs: the kind, and what the answer holds instead."""
    instead = () if row["told"] == "absent" else (": ", name(row["told"]))
    return _DRIFT.get(str(row["kind"]), text(row["kind"])), *instead


def _state(row: Record) -> Words:
    """Return whether the answers of an endpoint were compared, and why not."""
    state, status = text(row["state"]), row["status"]
    if state == "compared":
        return state
    code = "" if is_missing(status) or not status else f" (HTTP {int(number(status))})"
    return Text(Text(state, "strong"), "bad") if state == "failed" else _ENDPOINTS.get(state, state), code
