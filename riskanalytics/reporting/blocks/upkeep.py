"""For the person who maintains the data: what is not verified and why, broken captures, old texts, silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import DOCUMENT_STATE_NAMES, surface_name
from riskanalytics.reporting.blocks.words import (
    day,
    grouped,
    is_missing,
    joined,
    link,
    name,
    percent,
    plural,
    sortable,
    text,
)
from riskanalytics.reporting.display import Block

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
    "unverified": "No document could be read.",
    "stale": "The newest capture of a document is broken; its last good text is used.",
    "not given": "The service tells no state of verification.",
    "partial": "A document could not be read, or is no policy; the others are read.",
}


def unverified_platforms(reasons: pd.DataFrame, tracked: int) -> Block:
    """Show each platform that is not verified: by state, those of the same reason together.

    Parameters
    ----------
    reasons : pandas.DataFrame
        As `analysis.unverified_platforms` gives it.
    tracked : int
        How many platforms there are.
    """
    if reasons.empty:
        return Block("<p>Every platform is verified.</p>", "every platform is verified")
    parts = []
    for state, rows in grouped(rows_of(reasons), "state").items():
        share = f"{len(rows):,} of {plural(tracked, 'platform')}, {percent(len(rows) / max(tracked, len(rows)))}"
        reasoned = sorted(grouped(rows, "reason").items(), key=lambda item: -len(item[1]))
        listed = "".join(
            f"<li><strong>{text(reason)}</strong>: {', '.join(name(row['name']) for row in alike)}</li>"
            for reason, alike in reasoned
        )
        parts.append(
            f"<h3>{text(state.capitalize())} <span class=thin>{share}</span></h3><p>{text(_STATES.get(state, ''))}</p>"
            f"<ul>{listed}</ul>"
        )
    html = f"<section aria-label='Platforms that are not verified'>{''.join(parts)}{_explained(reasons['reason'])}</section>"
    return Block(html, f"{plural(len(reasons), 'platform')} not verified")


def _explained(told: Iterable[Any]) -> str:
    """Return what the checks say that are named."""
    named = " ".join(str(value) for value in told).replace("_", " ")
    words = [
        f"{label.capitalize()}: {said}."
        for check, said in _CHECKS.items()
        if (label := check.replace("_", " ")) in named
    ]
    return f"<p class=note>{text(' '.join(words))}</p>" if words else ""


def broken_captures(broken: pd.DataFrame, *, recorded: bool = True) -> Block:
    """Show the documents whose newest capture is broken, newest break first.

    Parameters
    ----------
    broken : pandas.DataFrame
        As `analysis.broken_captures` gives it.
    recorded : bool
        Whether the failures that were recorded are known; where they are not, the page says so.
    """
    if broken.empty:
        return Block("<p>No newest capture is broken.</p>", "no newest capture is broken")
    listed = rows_of(broken)
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td>{text(row['document'])}</td><td class=whole>{_since(row)}</td>"
        f"<td>{_check(row['check'])}</td><td class=whole>{_last_good(row)}</td></tr>"
        for row in listed
    )
    caption = "Documents whose newest capture is broken, the newest break first"
    why = "no failure before it is recorded" if recorded else "the service shows recorded failures to Pro keys only"
    guessed = f"<p class=note>“By” a day: the capture broke on that day or before; {why}.</p>"
    note = guessed if not all(row["since_known"] for row in listed) else ""
    table = sortable(caption, rows, "Platform", "Document", "Broken since", "Check", "Last good text")
    return Block(table + note, plural(len(listed), "broken capture"))


def _last_good(row: Mapping[str, Any]) -> str:
    """Return the day of the last good text, which leads to it; that there never was one."""
    if is_missing(row["last_good_at"]):
        return "<span class=bad>never</span>"
    return link(row["archive_url"], day(row["last_good_at"]))


def _since(row: Mapping[str, Any]) -> str:
    """Return since when a capture is broken."""
    if is_missing(row["since"]):
        return "not known"
    return day(row["since"]) if row["since_known"] else f"by {day(row['since'])}"


def _check(check: Any) -> str:
    """Return a check by its name."""
    return "not told" if is_missing(check) else text(str(check).replace("_", " "))


def not_policies(documents: pd.DataFrame) -> Block:
    """Show the documents whose capture is no policy.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.
    """
    listed = rows_of(documents[documents["state"] == "not_a_policy"].sort_values(["name", "document"], kind="stable"))
    if not listed:
        return Block("<p>Every page that could be read is a policy.</p>", "every page read is a policy")
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td>{link(row['archive_url'], text(row['document']))}</td>"
        f"<td>{_check(row['check'])}</td><td class=whole>{day(row['captured_at'])}</td></tr>"
        for row in listed
    )
    table = sortable(
        "Pages that are no policy: nothing is read in them", rows, "Platform", "Document", "Check", "Captured"
    )
    return Block(table, f"{plural(len(listed), 'document')} of no policy")


def unchanged_documents(documents: pd.DataFrame, *, most: int = 400) -> Block:
    """Show the documents that have not changed for long, the oldest first: flagged, never called wrong.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.
    most : int
        Documents shown.
    """
    if documents.empty:
        return Block("<p>No document is known.</p>", "no document is known")
    days = int(documents["unchanged_days"].iloc[0])
    old = sorted(rows_of(documents[documents["age_days"] > days]), key=lambda row: -row["age_days"])
    odd = "".join(
        f"<p class=note>{plural(int((documents['flag'] == flag).sum()), 'document')} {words}.</p>"
        for flag, words in (("no date", "without a date"), ("after now", "dated after the data"))
        if (documents["flag"] == flag).any()
    )
    if not old:
        html = f"<p>No document stands unchanged for more than {days:,} days.</p>{odd}"
        return Block(html, "no document is long unchanged")
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td>{link(row['archive_url'], text(row['document']))}</td>"
        f"<td class=whole>{day(row['captured_at'])}</td><td class=n>{int(row['age_days']):,}</td>"
        f"<td class=roomy>{text(DOCUMENT_STATE_NAMES.get(str(row['state']), row['state']))}</td></tr>"
        for row in old[:most]
    )
    rest = f"<p class=note>{plural(len(old) - most, 'more document')} not shown.</p>" * (len(old) > most)
    summary = f"{plural(len(old), 'document')} unchanged for more than {days:,} days, the oldest first"
    html = (
        "<p>An archive records a document when it changes, so an old text may well be today's. Age flags a text for a look at "
        f"the vendor's page; it says nothing against it.</p><details{' class=keep' * (len(old) <= _PRINTED)}>"
        f"<summary>{summary}</summary>"
        f"{sortable(f'Texts unchanged for more than {days:,} days', rows, 'Platform', 'Document', 'Text of', 'n:Days old')}{rest}"
        f"</details>{odd}"
    )
    return Block(html, summary)


def quiet_surfaces_by_name(surfaces: pd.DataFrame, platforms: pd.DataFrame, *, most: int = 60) -> Block:
    """Show which platforms are quiet on which surface, and which on unusually many.

    Parameters
    ----------
    surfaces, platforms : pandas.DataFrame
        As `analysis.quiet_surfaces` and `analysis.quiet_platforms` give them.
    most : int
        Platforms named of one surface.
    """
    if platforms.empty:
        return Block("<p>No platform could be read.</p>", "no platform could be read")
    listed = [row for row in rows_of(surfaces) if row["quiet"]]
    folded = "".join(_surface(row, most) for row in listed)
    html = (
        f"<section aria-label='Quiet surfaces'>{_unusual(platforms)}"
        "<h3>Which platforms are quiet, by surface</h3><p>Nothing found is no promise, and never counts as low.</p>"
        f"{folded or '<p>None: something was found on every surface.</p>'}</section>"
    )
    unusual = platforms[platforms["unusual"]]
    return Block(html, f"{plural(len(unusual), 'platform')} quiet on unusually many surfaces")


def _unusual(platforms: pd.DataFrame) -> str:
    """Return the platforms on which unusually many surfaces are quiet; that there are none, with the quietest."""
    usual = float(platforms["usual"].iloc[0])
    rule = (
        f"Half of the {plural(len(platforms), 'platform')} read are quiet on at most {usual:g} of the surfaces. Unusual is a "
        "modified z-score of 3.5 or more above that median (Iglewicz and Hoaglin, <i>How to Detect and Handle Outliers</i>, 1993)"
    )
    outliers = rows_of(platforms[platforms["unusual"]])
    if not outliers:
        most = platforms[platforms["quiet"] == platforms["quiet"].max()]
        top = rows_of(most)[0]
        who = name(top["name"]) if len(most) == 1 else plural(len(most), "platform")
        return (
            f"<h3>Quiet on unusually many</h3><p>None. {rule}; the most is {int(top['quiet'])} of {int(top['read'])} ({who}, score "
            f"{float(top['score']):.1f}).</p>"
        )
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td class=n>{int(row['quiet'])} of {int(row['read'])}</td>"
        f"<td class='n roomy'>{float(row['score']):.1f}</td><td class='n roomy'>{int(row['documents'])}</td>"
        f"<td>{text(', '.join(surface_name(str(surface)) for surface in row['surfaces']))}</td></tr>"
        for row in outliers
    )
    heads = ("Platform", "n:Quiet", "n roomy:Score", "n roomy:Documents read", "Nothing found on")
    return (
        f"<h3>Quiet on unusually many</h3><p>{rule}. Worth a look: a document may not be collected, or its wording not be "
        f"known to the extraction.</p>{sortable('Platforms quiet on unusually many surfaces', rows, *heads)}"
    )


def _surface(row: Mapping[str, Any], most: int) -> str:
    """Return one surface: how many are quiet, with the interval, and who."""
    named = [name(title) for _, title in row["platforms"]]
    rest = f" and {len(named) - most:,} more" if len(named) > most else ""
    share = (
        f"{percent(float(row['share']))}, 95 % interval {percent(float(row['low']))} to {percent(float(row['high']))}"
    )
    who = f"{', '.join(named[:most])}{rest}" if rest else joined(named)
    return (
        f"<details><summary>{text(surface_name(str(row['surface'])))} <span class=meta>{int(row['quiet']):,} of "
        f"{int(row['read']):,} ({share})</span></summary><p>{who}.</p></details>"
    )


def course_not_known() -> Block:
    """Say that the service tells only today's state, so that no course can be shown."""
    words = "How coverage moved is not known: the service tells only today's state."
    return Block(f"<p>{words}</p>", words)
