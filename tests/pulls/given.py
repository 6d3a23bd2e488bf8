"""A small service on two days, and pulls of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.client.connection import recorded
from riskanalytics.dataset.storage import Manifest
from tests.http_server import reply
from tests.service.given import FILES, build_database

LATER = "Aurelia Chat/Privacy Policy/2026-03-05.md"
FRAMES = ("platforms", "findings", "leads", "surfaces", "training_use", "documents", "dates", "coverage")


def earlier_database(folder: Path) -> Path:
    """The service of `later_database` before its last document came: a database of the same name."""
    return build_database(folder / "earlier", {name: text for name, text in FILES.items() if name != LATER})


def later_database(folder: Path) -> Path:
    return build_database(folder / "later")


def pulled(folder: Path, database: Path, **options: object) -> Manifest:
    """Write a pull of a database."""
    with ra.connect(database) as client:
        return ra.pull(folder, client, **options)  # type: ignore[arg-type]


def files(folder: Path) -> dict[str, bytes]:
    """Files of a folder of pulls, but for its lock."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


Record = dict[str, Any]


def platform(slug: str, rating: str, captured: str, **more: object) -> Record:
    """A machine record of one document."""
    times = {"captured_at": captured, "newest_capture_at": captured}
    return {"slug": slug, "name": slug.title(), "rating": rating, "documents": [{"document": "Terms", **times}], **more}


def change(slug: str, at: str, before: str, after: str) -> Record:
    ratings = {"rating_before": before, "rating_after": after}
    return {"platform": slug, "reviewed_at": at, "document": "Terms", "class": "material", "summary": "New.", **ratings}


def speaking(day: str, records: list[Record], feed: list[Any] | None = None, **claims: int) -> Client:
    """A service that tells one state, the newest; it shows no changes where there is no feed.

    A record with a `detail` is listed, and not shown.
    """

    def answered(path: str, asked: Mapping[str, str]) -> tuple[int, str, bytes]:
        listed = [{**row, "id": row["slug"], "verification": "verified"} for row in records]
        lists = {"/api/v1/platforms": listed, "/api/v1/changes": feed}
        result: object = {"detail": "not here"}
        if path == "/api/coverage" and asked.get("as_of", day) == day:
            result = {"as_of": day, "tracked": len(records), "extraction": {"version": claims.get("rules")}}
        elif (rows := lists.get(path)) is not None and "as_of" not in asked:
            start = int(asked.get("offset", 0))
            page = rows[start : start + int(asked["limit"])]
            result = {"total": claims.get(path.rpartition("/")[2], len(rows)), "data": page}
        elif found := [row for row in records if path == f"/api/machine/platform/{row['slug']}"]:
            result = found[0]
        return (200 if "detail" not in result else 404, "application/json", json.dumps(result).encode())  # type: ignore[operator]

    source = "https://ratings.example"
    return Client("https://ratings.localhost", KEY, transport=recorded(answered), source=source)


KEY = "svc_MARKER-0123456789abcdef"


def coverage(_: bytes) -> bytes:
    return json.dumps({"tracked": 2, "verified": 2, "as_of": "2026-05-01", "note": f"your key {KEY}"}).encode()


def answering(request: bytes, fault: bytes = b"") -> bytes:
    """A service with two platforms, whose answers repeat the key; `fault` answers for the second of them."""
    path = request.split()[1].decode().partition("?")[0]
    if path == "/api/coverage":
        return reply("200 OK", coverage(request))
    if path == "/llms-full.txt":
        return reply("200 OK", f"key {KEY}".encode(), "Content-Type: text/plain")
    if path == "/api/v1/platforms":
        rows = [{"id": slug, "name": f"N {KEY}", "rating": "MED"} for slug in ("a.b", "z")]
        return reply("200 OK", json.dumps({"object": "list", "total": 2, "data": rows}).encode())
    if path.startswith("/api/machine/platform/"):
        slug = path.rpartition("/")[2]
        if slug == "z" and fault:
            return fault
        return reply("200 OK", json.dumps({"slug": slug, "name": KEY, "rating": "MED", "findings": []}).encode())
    return reply("403 Forbidden", json.dumps({"detail": f"not for {KEY}"}).encode())
