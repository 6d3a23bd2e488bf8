"""Public page of one platform: semantic HTML without scripts or external requests, and its Markdown form."""

import base64
import functools
import hashlib
import re
from importlib import resources
from itertools import groupby
from operator import itemgetter
from typing import Final
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from riskanalytics.models import document_words, languages_not_read, stance_name, state_words
from riskanalytics.models.provenance import around
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import live_url, live_words, plain_words
from riskanalytics.text.untrusted import visible_line
from riskanalytics.text.wording import led_in

from ..store.records import Json, led
from ..wire import Service

_STYLE: Final = resources.files(__package__).joinpath("templates", "platform.css").read_text(encoding="utf-8")
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the page: allows nothing but the page's own style."""
_MOST_CHANGES: Final = 20
_SHOWN: Final = ("material", "revert", "capture_failure")
_MARKS: Final = re.compile(r"[\\`*_{}\[\]<>#|~&!]")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LEVELS: Final = {"HIGH": "▲", "MED": "◆", "LOW": "▼"}
"""Symbol of a level, shown in addition to its colour."""


def platform_page(service: Service, record: Json) -> str:
    """Return the page of one platform.

    Parameters
    ----------
    service : Service
        Database and public address of the service.
    record : dict
        Rating, levels, findings and documents of the platform, as `machine_platform` returns them.

    Returns
    -------
    str
        Complete HTML document.
    """
    total, _ = service.store.changes(limit=1, platform=record["slug"])
    recent, changes = service.store.changes(limit=_MOST_CHANGES, platform=record["slug"], classes=_SHOWN)
    hashes = {finding["provenance"]["snapshot_sha256"] for finding in record["findings"]}
    texts = {sha256: service.store.text(sha256) for sha256 in hashes}
    order = list(record["surfaces"])
    findings = sorted(record["findings"], key=lambda finding: order.index(finding["surface"]))
    shown = [_shown(service, finding, texts) | {"number": number} for number, finding in enumerate(findings, 1)]
    page = templates().get_template("platform.html.jinja")
    return page.render(
        style=_STYLE,
        record=record,
        at=service.public_url,
        reason=_reason(record),
        groups=[(name, list(rows)) for name, rows in groupby(shown, itemgetter("surface"))],
        numbers={finding["id"]: finding["number"] for finding in shown},
        changes=changes,
        older=recent - len(changes),
        quiet=total - recent,
        not_read=languages_not_read(record["documents"]),
    )


def platform_markdown(service: Service, record: Json) -> str:
    """Return the page of one platform in Markdown. Only the HTML page also shows the text around each quote.

    Parameters
    ----------
    service : Service
        Database and public address of the service.
    record : dict
        Rating, levels, findings and documents of the platform, as `machine_platform` returns them.
    """
    return templates().get_template("platform.md.jinja").render(record=record, service=service, reason=_reason(record))


def _reason(record: Json) -> str:
    """Return the reason for the rating, without the rating in front of it."""
    return str(record["risk_reason"]).removeprefix(f"{record['rating']}: ")


def _shown(service: Service, finding: Json, texts: dict[str, str]) -> Json:
    """Return one finding with the text around its quote and its links."""
    source, lead_in = finding["provenance"], finding["lead_in"]
    text, start, end = texts[source["snapshot_sha256"]], source["start"], source["end"]
    before, after = around(text, start, end)
    snapshot, archived = service.archived(source["snapshot_sha256"]), source["archive_url"]
    public = archived if archived != snapshot and urlsplit(archived).scheme in ("http", "https") else None
    live = live_url(source["document_url"], public, text, start, end)
    # otherwise the text before the quote contains it
    apart = lead_in and start - lead_in["start"] > len(before)
    words = {"before": before, "quote": finding["quote"], "after": after}
    words["lead"] = led_in(lead_in["quote"], lead_in["end"], start) if apart else ""
    return {
        **finding,
        **{name: plain_words(text) for name, text in words.items()},
        "snapshot": snapshot,
        "public": public,
        "live": live,
        "words": live_words(live or ""),
    }


def inline(text: str) -> str:
    """Return a text escaped for use within a line of Markdown, so that Markdown does not interpret its characters.

    Characters of Markdown syntax become character references, invisible characters are replaced by their code points, and line
    breaks become spaces.

    Parameters
    ----------
    text : str
    """
    return _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", visible_line(_BREAKS.sub(" ", text)))


def quoted(text: str) -> str:
    """Return a text as a Markdown block quote, line by line.

    Parameters
    ----------
    text : str
    """
    return "\n".join("> " + inline(line) for line in plain_words(text).splitlines() or [""])


@functools.cache
def templates() -> Environment:
    """Return the Jinja environment with the templates of the pages.

    Values in HTML are escaped automatically; the templates for Markdown escape values with the filter `inline`.
    """
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=select_autoescape(("html.jinja",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Markup values are generated here
        finalize=lambda value: visible_line(value, "\n\t") if type(value) is str else value,
    )
    environment.filters |= {
        "inline": inline,
        "quoted": quoted,
        "led": led,
        "title_of": surface_name,
        "mark": lambda level: _LEVELS.get(level, "?"),
        "level_class": lambda level: level.lower() if level in _LEVELS else "unknown",
        "stance": stance_name,
        "state": document_words,
        "known": state_words,
    }
    return environment
