"""The public page of one platform: plain semantic HTML without scripts and outside requests, and its Markdown form."""

from __future__ import annotations

import base64
import hashlib
import itertools
from importlib import resources
from typing import Final
from urllib.parse import urlsplit

from riskanalytics.models import languages_not_read
from riskanalytics.models.provenance import around
from riskanalytics.service.pages.templates import template
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.page_words import live_url, live_words, plain_words
from riskanalytics.text.wording import led_in

_STYLE: Final = resources.files(__package__).joinpath("templates", "platform.css").read_text(encoding="utf-8")
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the page: its own style and nothing else."""
_MOST_CHANGES: Final = 20
_TELLING: Final = ("material", "revert", "capture_failure")


def platform_page(service: Service, record: Json) -> str:
    """Return the page of one platform.

    Parameters
    ----------
    service : Service
    record : dict
        The machine record.

    Returns
    -------
    str
        A whole HTML document.
    """
    total, _ = service.store.changes(limit=1, platform=record["slug"])
    telling, changes = service.store.changes(limit=_MOST_CHANGES, platform=record["slug"], classes=_TELLING)
    texts = _texts(service, record)
    order = list(dict.fromkeys((*SURFACES, *record["surfaces"])))
    findings = sorted(record["findings"], key=lambda finding: order.index(finding["surface"]))
    shown = [_shown(service, finding, texts) | {"number": number} for number, finding in enumerate(findings, 1)]
    return template("platform.html.jinja").render(
        style=_STYLE,
        record=record,
        at=service.public_url,
        reason=_reason(record),
        groups=[(name, list(rows)) for name, rows in itertools.groupby(shown, lambda finding: finding["surface"])],
        numbers={finding["id"]: finding["number"] for finding in shown},
        changes=changes,
        older=telling - len(changes),
        quiet=total - telling,
        not_read=languages_not_read(record["documents"]),
    )  # fmt: skip


def platform_markdown(service: Service, record: Json) -> str:
    """Return the same in Markdown, without context around the quotes.

    Parameters
    ----------
    service : Service
    record : dict
        The machine record.
    """
    return template("platform.md.jinja").render(record=record, service=service, reason=_reason(record))


def _reason(record: Json) -> str:
    """Return the reason of the rating without the rating, which stands before it already."""
    return str(record["risk_reason"]).removeprefix(f"{record['rating']}: ")


def _texts(service: Service, record: Json) -> dict[str, str]:
    """Return the snapshots that the findings stand in, by hash."""
    hashes = {finding["provenance"]["snapshot_sha256"] for finding in record["findings"]}
    bodies = {sha256: service.store.snapshot(sha256) or b"" for sha256 in hashes}
    return {sha256: body.decode("utf-8", errors="replace") for sha256, body in bodies.items()}


def _shown(service: Service, finding: Json, texts: dict[str, str]) -> Json:
    """Return one clause with the words around it."""
    source = finding["provenance"]
    before, after = around(texts[source["snapshot_sha256"]], source["start"], source["end"])
    snapshot, archived = service.snapshot_address(source["snapshot_sha256"]), source["archive_url"]
    public = archived if archived != snapshot and urlsplit(archived).scheme in ("http", "https") else None
    live = live_url(source["document_url"], public, texts[source["snapshot_sha256"]], source["start"], source["end"])
    lead_in = finding["lead_in"] or {"start": source["start"]}
    told = source["start"] - lead_in["start"] <= len(before)  # the paragraph holds it
    return {
        **finding,
        "lead": "" if told else plain_words(led_in(lead_in["quote"], lead_in["end"], source["start"])),
        **{
            name: plain_words(words)
            for name, words in (("before", before), ("quote", finding["quote"]), ("after", after))
        },
        "snapshot": snapshot,
        "public": public,
        "live": live,
        "words": live_words(live or ""),
    }
