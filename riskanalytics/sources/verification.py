"""Quotes checked again, and read in their paragraphs, against the snapshots that their provenance names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.errors import ServiceError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.page_words import live_url
from riskanalytics.pages.html import is_public
from riskanalytics.provenance import around, verify


def verify_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Check every quote again: fetch its snapshot, hash it, and look at its offsets.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        The same rows, `verification_status` as found now (`riskanalytics.provenance.VERIFICATION_STATUSES`), and `live_url`
        str: address of the vendor's page with a text fragment that leads to the quote, if the page is unchanged; missing
        where the quote did not verify, or no public address of the page is told (`page_words.live_url`).

    Examples
    --------
    >>> findings = ra.load_findings(client, slugs=["orvewick-voice"])
    >>> ra.verify_findings(client, findings)["verification_status"].unique().tolist()
    ['verified']
    """
    return _checked(findings, _bodies(client, findings))


def read_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Check every quote again, and read what stands around it.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        As `verify_findings`, with `before` and `after` str: the words of the quote's paragraph on either side, cut with
        an ellipsis where it is long; missing where the quote did not verify.
    """
    bodies = _bodies(client, findings)
    checked = _checked(findings, bodies)
    texts = _texts(bodies)
    columns = (checked[name] for name in ("snapshot_sha256", "start", "end", "verification_status"))
    sides = [
        around(texts[sha256], int(start), int(end)) if status == "verified" else (None, None)
        for sha256, start, end, status in zip(*columns, strict=True)
    ]
    told = {
        name: pd.Series([side[place] for side in sides], index=checked.index, dtype="str")
        for place, name in enumerate(("before", "after"))
    }
    return checked.assign(**told)


def _bodies(client: Client, findings: pd.DataFrame) -> dict[str, bytes | None]:
    """Fetch the snapshots of some findings, each once; None where one cannot be had."""
    told = client.snapshots([str(sha256) for sha256 in findings["snapshot_sha256"].dropna().unique()])
    return {sha256: None if isinstance(body, ServiceError) else body for sha256, body in told}


def _checked(findings: pd.DataFrame, bodies: dict[str, bytes | None]) -> pd.DataFrame:
    """Return findings with the verification status that the bodies tell."""
    places = findings[["quote", "start", "end", "snapshot_sha256"]]
    places = places.astype({"start": "Int64", "end": "Int64"}).astype("object")
    found = [
        verify(quote or "", start, end, sha256, bodies.get(sha256))
        for quote, start, end, sha256 in places.where(places.notna(), None).itertuples(index=False)
    ]
    checked = findings.assign(verification_status=pd.Series(found, index=findings.index, dtype="str"))
    texts = _texts(bodies)
    live = [_live_url(row, texts) for row in rows_of(checked)]
    return checked.assign(live_url=pd.Series(live, index=findings.index, dtype="str"))


def _live_url(row: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """Return the address of a verified quote on the vendor's page, where it is public."""
    if row["verification_status"] != "verified":
        return None
    page, copy = (None if is_missing(url := row.get(name)) else str(url) for name in ("document_url", "archive_url"))
    found = live_url(page, copy, texts[row["snapshot_sha256"]], int(row["start"]), int(row["end"]))
    return found if found and is_public(found) else None


def _texts(bodies: dict[str, bytes | None]) -> dict[str, str]:
    """Return snapshots as texts."""
    return {sha256: (body or b"").decode("utf-8", errors="replace") for sha256, body in bodies.items()}
