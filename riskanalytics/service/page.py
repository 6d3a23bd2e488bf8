"""The public page of one platform: plain semantic HTML, everything escaped."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from riskanalytics.service.store.read import Json

_STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.55 system-ui,sans-serif;max-width:44rem;margin:2rem auto;"
    "padding:0 1rem}blockquote{border-left:3px solid;margin:1rem 0 .2rem;padding-left:1rem;font-family:Georgia,serif}"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.3rem 1.2rem .3rem 0;border-bottom:1px solid #8886}"
    "footer,cite{font-size:.9rem;font-style:normal}td.n{text-align:right;font-variant-numeric:tabular-nums}"
)


def platform_page(record: Json, public_url: str) -> str:
    """Return the page of one platform.

    Parameters
    ----------
    record : dict
        The machine record.
    public_url : str
        Address that the service answers at.

    Returns
    -------
    str
        A whole HTML document without scripts and outside requests.
    """
    name = escape(record["name"])
    surfaces = "".join(
        f"<tr><th scope=row>{escape(_title(key))}</th><td>{escape(surface['risk'] or 'nothing found')}</td>"
        f"<td class=n>{surface['count']}</td></tr>"
        for key, surface in record["surfaces"].items()
    )
    quotes = "".join(_quote(finding, public_url) for finding in record["findings"])
    documents = "".join(
        f"<li>{escape(row['document'])}: captured {escape(row['captured_at'][:10])}, {escape(row['state'])}</li>"
        for row in record["documents"]
    )
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{name}: {escape(record['rating'])}</title>"
        f"<meta name=viewport content='width=device-width,initial-scale=1'><style>{_STYLE}</style></head><body><main>"
        f"<h1>{name}</h1><p><strong>{escape(record['rating'])}</strong> &middot; {escape(record['risk_reason'])}</p>"
        f"<p>Last reviewed {escape(record['last_reviewed'])}; evidence {escape(record['verification_status'])}.</p>"
        f"<h2>Surfaces</h2><table><thead><tr><th scope=col>Surface<th scope=col>Level<th scope=col>Clauses</tr></thead>"
        f"<tbody>{surfaces}</tbody></table><h2>Documents</h2><ul>{documents}</ul><h2>Clauses</h2>{quotes}</main>"
        f"<footer><p>{escape(record['disclaimer'])}</p></footer></body></html>"
    )


def _quote(finding: Json, public_url: str) -> str:
    """Return one clause with its source."""
    source = finding["provenance"]
    snapshot = f"{public_url}/archive/{source['snapshot_sha256']}"
    public = source["archive_url"]
    link = f" &middot; <a href='{escape(public)}'>archive</a>" if public != snapshot and _is_web(public) else ""
    return (
        f"<blockquote id='{escape(finding['id'])}'>{escape(finding['quote'])}</blockquote><p><cite>"
        f"{escape(_title(finding['surface']))}, {escape(finding['risk'])} &middot; {escape(source['document'])}, "
        f"{escape(source['captured_at'][:10])}, characters {source['start']} to {source['end']} of "
        f"<a href='{escape(snapshot)}'>{escape(source['snapshot_sha256'][:12])}</a>{link}</cite></p>"
    )


def _title(surface: str) -> str:
    """Return a surface's name for people."""
    return surface.replace("_", " ").capitalize()


def _is_web(url: str) -> bool:
    """Say whether an address may be a link."""
    return urlsplit(url).scheme in ("http", "https")
