"""Data quality on a page: unverified platforms, broken captures, old texts, quiet surfaces, differences from the specification."""

from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.rows import Rows, Shown, cut, day, link, name, rows_table, text
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.pages.values import Fold, Paragraph, Part, Table, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import percent, plural

from ..shape import Record, found_share
from .documents import flag_words, long_unchanged, unchanged

__all__ = [
    "broken_captures", "contract_drift", "freshness", "not_policies", "quiet_platforms", "unchanged_documents",
    "unverified_platforms",
]  # fmt: skip

_CHECKS: Final = {
    "empty": "nothing to read",
    "script wall": "asks for JavaScript, a captcha or cookies",
    "error page": "an error message instead of the document",
    "collapsed": "far shorter than the last good text",
    "title only": "a title without text",
    "other language": "another language than before",
    "login page": "a form to sign in",
    "no policy words": "hardly any words of a policy",
}
"""Checks that a capture may fail, in words."""
_STATES: Final = (
    "Unverified: no document is read. Stale: the last good text of a document is used. Partial: a document is not read."
)
_OLD: Final = (
    "An archive records a document when it changes, so an old text may be current. Documents that could not be read in their "
    "present form are not counted."
)
_PLATFORM: Final = ("Platform", "name")
DOCUMENT: Final[tuple[str, Shown]] = ("Document", lambda row: link(text(row["document"]), row["archive_url"]))
_CHECK: Final[tuple[str, Shown]] = ("Check", lambda row: text(row["check"]).replace("_", " ") or "not known")


_QUIET: Final[tuple[str, Shown]] = ("n:No clause", lambda row: f"{row['quiet']:,} of {row['read']:,}")


@of_data(reasons="unverified_platforms", tracked="size")
def unverified_platforms(reasons: pd.DataFrame, tracked: int) -> Section:
    """Return a section with the platforms that are not verified, with their state and the reason.

    Parameters
    ----------
    reasons : pandas.DataFrame
        Result of `analysis.unverified_platforms`.
    tracked : int
        Number of tracked platforms.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> sections.unverified_platforms(reasons, len(data.platforms)).text
    '35 of 320 platforms not verified'
    """
    if reasons.empty:
        return sentence("Every platform is verified.")
    said = f"{len(reasons):,} of {plural(tracked, 'platform')} not verified"
    shown = rows_table(said, rows_of(reasons), _PLATFORM, ("State", "state"), ("Reason", "reason"))
    named = " ".join(reasons["reason"]).replace("_", " ")
    checks = [f"{check.capitalize()}: {words}." for check, words in _CHECKS.items() if check in named]
    notes = Paragraph(" ".join([_STATES, *checks]), "note")
    return section("Platforms that are not verified", shown, notes, text=said)


@of_data(broken="broken_captures", recorded="failures_known")
def broken_captures(broken: pd.DataFrame, *, recorded: bool = True) -> Section:
    """Return a section with the documents whose newest capture is broken, the newest break first.

    Parameters
    ----------
    broken : pandas.DataFrame
        Result of `analysis.broken_captures`.
    recorded : bool
        Whether `broken` was made with the recorded failures. If not, a note says that these need a Pro key.

    Examples
    --------
    >>> documents = analysis.freshness(data.documents, data.day)
    >>> broken = analysis.broken_captures(documents, data.changes(change_class="capture_failure"))
    >>> sections.broken_captures(broken).text
    '34 broken captures'
    """
    if broken.empty:
        return sentence("All newest captures are good.")
    shown = rows_table(
        "Documents whose newest capture is broken, the newest break first",
        rows_of(broken),
        _PLATFORM,
        ("Document", "document"),
        ("whole:Broken since", lambda row: f"{'' if row['since_known'] else 'by '}{day(row['since']) or 'not known'}"),
        _CHECK,
        ("whole:Last good text", _last_good),
    )
    unknown = "the service shows recorded failures with a Pro key only"
    why = "the record does not say since when" if recorded else unknown
    guessed = f"“By” before a date: the capture failed on that date or earlier; {why}."
    note = Paragraph("" if broken["since_known"].all() else guessed, "note")
    return Section((shown, note), plural(len(broken), "broken capture"))


def _last_good(row: Record) -> Words:
    """Return the day of the last good text as a link to that text; `never` otherwise."""
    missing = is_missing(row["last_good_at"])
    return Text("never", "bad") if missing else link(day(row["last_good_at"]), row["archive_url"])


@of_data()
def not_policies(freshness: pd.DataFrame) -> Section:
    """Return a section with the documents whose captured page is not a policy.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `analysis.freshness`.

    Examples
    --------
    >>> sections.not_policies(analysis.freshness(data.documents, data.day)).text
    'Every page that could be read is a policy.'
    """
    pages = rows_of(freshness[freshness["flag"] == "not_a_policy"])
    if not pages:
        return sentence("Every page that could be read is a policy.")
    caption = "Pages that are not a policy; they are not read"
    shown = rows_table(caption, pages, _PLATFORM, DOCUMENT, _CHECK, ("whole:Captured", "captured_at"))
    return Section((shown,), f"{plural(len(pages), 'page')} not a policy")


@of_data()
def unchanged_documents(freshness: pd.DataFrame) -> Section:
    """Return a section with the documents that have not changed for long (with the flag `unchanged`), the oldest first.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `analysis.freshness`.

    Examples
    --------
    >>> sections.unchanged_documents(analysis.freshness(data.documents, data.day)).text
    '363 of 908 documents unchanged for more than 365 days'
    """
    if freshness.empty:
        return sentence("No document is known.")
    old, said = rows_of(unchanged(freshness)), long_unchanged(freshness)
    if not old:
        return sentence(f"{said}.")
    dated = ("whole:Text of", "captured_at"), ("n:Days old", "age_days")
    shown = rows_table("The oldest first", old, _PLATFORM, DOCUMENT, *dated, most=400)
    note = f"{_OLD} Compare a flagged text with the vendor's page; its age alone says nothing against it."
    # more than 60 rows fill pages of a PDF
    return Section((Paragraph(note), Fold(said, (shown,), "keep" if len(old) <= 60 else "")), said)


@of_data()
def freshness(freshness: pd.DataFrame) -> Section:
    """Return a section with the documents whose newest capture was not read, or that have no valid date.

    A note counts the documents that have not changed for long (with the flag `unchanged`).

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `analysis.freshness`.

    Examples
    --------
    >>> sections.freshness(analysis.freshness(data.documents, data.day)).text
    '39 documents need attention'
    """
    flagged = rows_of(freshness[~freshness["flag"].isin(["unchanged", ""])])
    columns = (_PLATFORM, ("Document", "document"), ("State", document_state), ("Text of", "captured_at"))
    shown = rows_table("Documents that need attention", flagged, *columns)
    every = Paragraph(f"All documents could be read ({len(freshness):,}).")
    words = plural(len(flagged), "document needs attention", "documents need attention")
    return Section((shown if flagged else every, Paragraph(unchanged_note(freshness), "note")), words)


def unchanged_note(freshness: pd.DataFrame) -> str:
    """Return a note that counts the documents that have not changed for long (flag `unchanged`); empty without such documents.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `analysis.freshness`.
    """
    return "" if unchanged(freshness).empty else f"{long_unchanged(freshness)}. {_OLD}"


def document_state(row: Record) -> Words:
    """Return words that say what is wrong with a document (its `flag`), emphasised if the document needs attention.

    Parameters
    ----------
    row : mapping
        A row of `analysis.freshness`.
    """
    words = flag_words(row)
    return words if row["flag"] in ("", "unchanged") else Text(words, "bad")


@of_data(surfaces="quiet_surfaces", platforms="quiet_platforms", figures="figures")
def quiet_platforms(surfaces: pd.DataFrame, platforms: pd.DataFrame, *, figures: object = None) -> Section:
    """Return a section with the platforms that have unusually many surfaces without a finding or lead (quiet surfaces).

    A part that opens on a click lists, for each surface, the platforms without a finding or lead on it.

    Parameters
    ----------
    surfaces, platforms : pandas.DataFrame
        Results of `analysis.quiet_surfaces` and `analysis.quiet_platforms`.
    figures : object, optional
        Measured accuracy of the extraction, `data.extraction.get("figures")`: the page states what share of clauses is found.

    Examples
    --------
    >>> surfaces = analysis.quiet_surfaces(data.surfaces)
    >>> platforms = analysis.quiet_platforms(data.surfaces, data.documents)
    >>> sections.quiet_platforms(surfaces, platforms).text
    '0 platforms have unusually many surfaces without a clause'
    """
    if platforms.empty:
        return sentence("No platform could be read.")
    unusual, whole = int(platforms["unusual"].sum()), plural(len(platforms), "platform")
    said = f"{plural(unusual, 'platform has', 'platforms have')} unusually many surfaces without a clause"
    rule = (
        f"{said}. For the {whole} that were read in full or in part, the median is {platforms['usual'].iloc[0]:g} such "
        "surfaces. The score of a platform is how far its number of such surfaces is above this median, divided by the usual "
        "spread of these numbers (the modified z-score; Iglewicz and Hoaglin, 1993); 3.5 or more is unusual. An unusual number "
        "may mean that a document is missing from the archive, or that the extraction does not know the vendor's wording."
    )
    by_surface = rows_table(
        "",
        rows_of(surfaces[surfaces["quiet"] > 0]),
        ("Surface", "surface"),
        _QUIET,
        ("n roomy:95 % interval", lambda row: f"{percent(row['low'])} to {percent(row['high'])}"),
        ("n roomy:Clauses to read", "to_read"),
        ("Platforms", lambda row: cut([name(title) for _, title in row["platforms"]], 60)),
    )
    parts = (
        Paragraph(rule),
        rows_table(
            "The platforms with the most surfaces without a clause",
            rows_of(platforms.head(max(unusual, 3))),
            _PLATFORM,
            _QUIET,
            ("n roomy:Score", lambda row: f"{row['score']:.1f}"),
            ("n roomy:Documents read", "documents"),
            ("No clause found on", lambda row: ", ".join(map(surface_name, row["surfaces"]))),
        ),
        Paragraph(f"A surface without a clause never counts as low. {found_share(figures)}"),
        Fold("Platforms without a clause, by surface", (by_surface,)),
    )
    return section("Surfaces without a clause", *parts, text=said)


_DRIFT = {"retyped": "another type", "unknown": "not known", "unseen": "new value", "lacking": "not in this service"}
_ENDPOINTS: Final = {"no key": "not requested: needs a key", "not shown": "not shown with this key"}
_NO_DRIFT: Final = "No drift: all answers have the form of the interface specification and its documented additions."


@of_data(drift="contract_drift")
def contract_drift(drift: pd.DataFrame, endpoints: pd.DataFrame) -> Section:
    """Return a section that lists how a service's answers differ from the specification.

    Differences are, for example, unknown or missing fields, other types, and new values.

    Parameters
    ----------
    drift : pandas.DataFrame
        Result of `analysis.contract_drift`.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: the endpoints whose answers were compared.

    Examples
    --------
    >>> contract = data.of(["orvewick-voice"]).contract()
    >>> drift = analysis.contract_drift(contract.differences, contract.endpoints)
    >>> sections.contract_drift(drift, contract.endpoints).text
    '0 differences in the interface'
    """
    found, added = (rows_of(drift[drift["drift"] == drifted]) for drifted in (True, False))
    counted = plural(len(found), "difference")
    parts: list[Part] = [Paragraph(_NO_DRIFT)]
    if found:
        lost = "Fields that are missing or of another type are missing from all pages."
        said = f"{counted} between the answers and their description. {lost}"
        parts = [Paragraph(said), _differences("Differences, the most serious first", found)]
    if added:
        parts.append(Fold(plural(len(added), "documented addition"), (_differences("", added),)))
    columns = (("Endpoint", "endpoint"), ("n:Answers", "answers"), ("State", _answered))
    answers = rows_table("Answers that were compared", rows_of(endpoints), *columns)
    return section("Interface", *parts, answers, text=f"{counted} in the interface")


def _differences(caption: str, rows: Rows) -> Table:
    """Return differences as a table."""
    return rows_table(
        caption,
        rows,
        ("Endpoint", "endpoint"),
        ("Field", "field"),
        ("What", lambda row: _DRIFT.get(row["kind"], str(row["kind"]))),
        ("Answer", lambda row: name(row["observed"])),
        ("roomy:Read as", "expected"),
        ("n roomy whole:Times", lambda row: f"{row['count']:,} of {row['of']:,}"),
        ("roomy:First seen in", lambda row: name(row["example"])),
        most=400,
    )


def _answered(row: Record) -> Words:
    """Return whether the answers of an endpoint were compared, or why not."""
    state, status = str(row["state"]), row["status"]
    code = "" if is_missing(status) or not status else f" (HTTP {status})"
    return Text(Text(state, "strong"), "bad") if state == "failed" else _ENDPOINTS.get(state, state), code
