"""Quotes checked again, and read in their paragraphs, against the snapshots that their provenance names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.errors import ServiceError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models.provenance import around, verify
from riskanalytics.text.page_words import live_url
from riskanalytics.text.untrusted import is_public


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
        The same rows, `verification_status` as found now (`riskanalytics.models.provenance.VERIFICATION_STATUSES`), and `live_url`
        str: address of the vendor's page with a text fragment that leads to the quote, if the page is unchanged; missing
        where the quote did not verify, or no public address of the page is known (`page_words.live_url`).

    Examples
    --------
    >>> data = ra.load(client, platforms=["orvewick-voice"])
    >>> data.verify(data.findings)["verification_status"].unique().tolist()
    ['verified']
    """
    return _checked(findings, _bodies(client, findings))


def read_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Check every quote again, and read the words around it.

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
    bodies = dict(_bodies(client, findings))
    checked = _checked(findings, bodies.items())
    texts = {sha256: _text(body) for sha256, body in bodies.items()}
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


def _bodies(client: Client, findings: pd.DataFrame) -> Iterator[tuple[str, bytes | None]]:
    """Fetch the snapshots of some findings, each once, and give them as they come; None where one cannot be had."""
    told = client.snapshots([str(sha256) for sha256 in findings["snapshot_sha256"].dropna().unique()])
    return ((sha256, None if isinstance(body, ServiceError) else body) for sha256, body in told)


def _checked(findings: pd.DataFrame, bodies: Iterable[tuple[str, bytes | None]]) -> pd.DataFrame:
    """Return checked findings; those of one body are checked while the next is on its way."""
    places = findings[["quote", "start", "end", "snapshot_sha256"]]
    places = places.astype({"start": "Int64", "end": "Int64"}).astype("object")
    claims = list(places.where(places.notna(), None).itertuples(index=False, name=None))
    rows, quoted = rows_of(findings), dict[str | None, list[int]]()
    for number, claim in enumerate(claims):
        quoted.setdefault(claim[3], []).append(number)
    status, live = ["unavailable"] * len(rows), list[str | None]([None] * len(rows))
    for sha256, body in bodies:
        text = _text(body)
        for number in quoted[sha256]:
            quote, start, end, _ = claims[number]
            status[number] = verify(quote or "", start, end, sha256, body)
            if status[number] == "verified" and not _stands(rows[number], text):
                status[number] = "altered"
            if status[number] == "verified":
                live[number] = _live_url(rows[number], text)
    told = {"verification_status": status, "live_url": live}
    return findings.assign(**{name: pd.Series(said, index=findings.index, dtype="str") for name, said in told.items()})


def _stands(row: Mapping[str, Any], text: str) -> bool:
    """Say whether the words before a quote are at their place; also where it has none, or no place for them."""
    lead_in, start, end = (row.get(f"lead_in{part}") for part in ("", "_start", "_end"))
    return any(map(is_missing, (lead_in, start, end))) or text[int(start) : int(end)] == lead_in  # type: ignore[arg-type]


def _live_url(row: Mapping[str, Any], text: str) -> str | None:
    """Return the address of a verified quote on the vendor's page, where it is public."""
    page, copy = (None if is_missing(url := row.get(name)) else str(url) for name in ("document_url", "archive_url"))
    found = live_url(page, copy, text, int(row["start"]), int(row["end"]))
    return found if found and is_public(found) else None


def _text(body: bytes | None) -> str:
    """Return a snapshot as a text."""
    return (body or b"").decode("utf-8", errors="replace")
