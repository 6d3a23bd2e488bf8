"""A small literal database, ingested from dated files of three fictional platforms, and an in-process caller."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from riskanalytics.extraction import ClauseFinding, Reading, Roles, Taken, unpacked, walked
from riskanalytics.extraction.compare import Comparer
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import UNLIMITED, Access, Pace, Store, create_app
from riskanalytics.service.review import histories, review_platform
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.evidence import keep, kept
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place, Server
from tests.postgres import opened

PUBLIC_URL = "https://ratings.example"

PRIVACY = """Aurelia Chat Privacy Policy
===========================

This policy tells which information the service handles, why, and which rights you have.

We use the prompts you enter to train our models.

We retain personal data for as long as necessary for the purposes described in this policy.

We do not sell your personal data.
"""

PRIVACY_LATER = PRIVACY.replace(
    "We use the prompts you enter to train our models.", "We do not use your prompts to train our models."
)

TERMS = """Aurelia Chat Terms
==================

These terms are the agreement between you and the company about the service.

You grant us a worldwide, perpetual, irrevocable and sublicensable licence to use and adapt your content.

We may change these terms at any time in our sole discretion.
"""

CAFE = """Café Lumière 隐私政策
====================

本政策说明我们如何处理您的个人信息，适用于您使用本服务的一切行为，并说明您的权利以及我们的责任与联系方式，请您仔细阅读本政策全文。

我们会使用您输入的内容训练我们的模型，以提升回答质量。

我们仅在实现目的所必要的期限内保存您的个人信息。
"""

FILES = {
    "Aurelia Chat/Privacy Policy/2026-01-10.md": PRIVACY,
    "Aurelia Chat/Privacy Policy/2026-03-05.md": PRIVACY_LATER,
    "Aurelia Chat/Terms of Service/2026-01-10.md": TERMS,
    "Café Lumière/Privacy Policy/2026-02-01.md": CAFE,
    "Northwind Draft/Imprint/2026-02-02.md": "Sign in",
}


@contextmanager
def by_hand(database: Place) -> Iterator[Any]:
    """Write into a database past its writer."""
    if isinstance(database, Server):
        with closing(opened(database)) as connection:
            yield connection
        return
    with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
        yield connection


def overwritten(database: bytes) -> bytes:
    """Return the bytes of a database with the head of a page overwritten: what it begins with can still be read."""
    page = len(database) // 8192 * 4096
    return database[:page] + b"\xff" * 64 + database[page + 64 :]


_BUILT: dict[tuple[tuple[str, str], ...], bytes] = {}
"""Files -> the database made of them: the same files are ingested once, and later copied."""


def build_database(folder: Path, files: Mapping[str, str] = MappingProxyType(FILES)) -> Path:
    """Write the files as a dataset folder, ingest them, and give the database."""
    database, key = folder / "given.sqlite", tuple(sorted(files.items()))
    if key in _BUILT:
        written(folder / "dataset", files)
        database.write_bytes(_BUILT[key])
    else:
        fill_database(database, folder, files)
        _BUILT[key] = database.read_bytes()
        assert not database.with_name("given.sqlite-wal").exists(), "all is in the one file"
    return database


def written(dataset: Path, files: Mapping[str, str]) -> Path:
    """Write the files as a dataset folder, and give it."""
    for name, text in files.items():
        path = dataset / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return dataset


def fill_database(database: Place, folder: Path, files: Mapping[str, str] = MappingProxyType(FILES)) -> None:
    """Write the files as a dataset folder, and ingest them into a database."""
    with open_collection(written(folder / "dataset", files)) as collection:
        ingest(collection, database)
    if CAFE in files.values():
        give_readings(database, "cafe-lumiere", in_chinese)


@dataclass(frozen=True)
class Reply:
    """An answer of the service."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """In-process caller of the service, without a socket."""

    def __init__(self, database: Place, pace: Pace = UNLIMITED) -> None:
        self.store = Store(database)
        self.access = Access(None)
        self.app = create_app(self.store, self.access, public_url=PUBLIC_URL, pace=pace)
        self.keys = {tier: self.access.issue("a@b.example", tier) for tier in ("starter", "pro", "enterprise")}

    def close(self) -> None:
        self.store.close()
        self.access.close()

    def call(
        self, path: str, *, method: str = "GET", tier: str = "", headers: dict[str, str] | None = None,
        body: bytes = b"", peer: str = "127.0.0.1",
    ) -> Reply:  # fmt: skip
        sent = {"accept": "application/json", **(headers or {})}
        if tier:
            sent["authorization"] = f"Bearer {self.keys[tier]}"
        return asyncio.run(self._call(path, method, sent, body, peer))

    def post(self, path: str, record: Any, **headers: str) -> Reply:
        """Send a record as JSON."""
        sent = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return self.call(path, method="POST", headers=sent, body=json.dumps(record).encode())

    async def _call(self, path: str, method: str, sent: dict[str, str], body: bytes, peer: str) -> Reply:
        raw, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "https",
            "path": raw, "raw_path": raw.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()],
            "server": ("ratings.example", 443), "client": (peer, 1),
        }  # fmt: skip
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        start = messages[0]
        headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Reply(start["status"], headers, b"".join(message.get("body", b"") for message in messages[1:]))


def lead_on(
    text: str, quote: str, confidence: float, surface: str = "third_party_sharing", **more: Any
) -> ClauseFinding:
    """A clause of a text that is read with this confidence."""
    start = text.index(quote)
    return ClauseFinding(
        surface, start, start + len(quote), quote, "MED", "raises_risk", f"{surface}.written", confidence,
        (round(confidence - 0.1, 3), min(1.0, round(confidence + 0.1, 3))), **more,
    )  # fmt: skip


def in_chinese(text: str, reading: Reading) -> Reading:
    """The reading of a Chinese policy: the rules and weights are seldom sure enough there, so it is given by hand."""
    if "我们会" not in text:
        return reading
    trains, kept_for = (line for line in text.splitlines() if line.startswith(("我们会", "我们仅")))
    training = lead_on(text, trains, 0.95, "training_use", stance="trains_by_default")
    return Reading(
        (
            training._replace(risk="HIGH", rule="training_use.used"),
            lead_on(text, kept_for, 0.9, "data_retention")._replace(rule="data_retention.as_long_as_necessary"),
        ),
        "zh",
        3,
    )


def led(text: str, reading: Reading) -> Reading:
    """A reading whose findings tell who does what, with each sentence as a lead."""
    roles = Roles("vendor", "may use", "your prompts", "unless you opt out")
    leads = (lead_on(text, line, 0.71) for line in text.splitlines() if line.endswith(".") and text.count(line) == 1)
    return Reading(tuple(finding._replace(roles=roles) for finding in reading.findings), leads=tuple(leads))


def without_lead_ins(connection: Any) -> None:
    """Take from tables what version 5 added."""
    for table in ("finding", "lead"):
        for name in ("lead_in", "lead_start", "lead_end"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {name}")


def give_readings(database: Place, slug: str, change: Callable[[str, Reading], Reading]) -> None:
    """Put readings by hand in place of those of a platform's texts, and review it with them."""
    with Writer(database) as writer:
        taken: dict[int, Taken] = {}
        readings: dict[str, Reading] = {}
        with writer.transaction() as connection:
            for history in histories(connection, slug):
                comparer = Comparer()
                for (capture, stored), one in zip(history.items(), walked(history.values()), strict=True):
                    taken[capture] = one
                    if one.reading is not None:
                        text = unpacked(stored.body)
                        if text not in readings:
                            which = "SELECT id FROM snapshot WHERE sha256 = :sha256"
                            snapshot = run(connection, which, sha256=stored.sha256).scalar_one()
                            keep(connection, snapshot, change(text, kept(connection, snapshot, text)), {})
                            readings[text] = kept(connection, snapshot, text)
                        compared = comparer.step(text, readings[text])
                        taken[capture] = replace(one, reading=readings[text], comparison=compared)
        review_platform(writer, slug, taken)
