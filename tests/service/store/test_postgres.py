"""What is asked of a PostgreSQL server and written to it, without one: `test_server` has the same on a real server."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NoReturn

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.engine import engine_of, lent
from riskanalytics.service.store.schema import PLATFORM
from riskanalytics.service.store.search import _on_server, _vector
from riskanalytics.settings.databases import Server

psycopg = pytest.importorskip("psycopg", reason="needs psycopg: pip install 'riskanalytics[postgres]'")
ALWAYS = "-c search_path=riskanalytics -c jit=off -c lock_timeout=10s"
READS = " -c default_transaction_read_only=on -c statement_timeout=20s"


@pytest.mark.parametrize(
    ("address", "kind", "options", "wait"),
    [
        ("", {"reads": True}, ALWAYS + READS, "10"),
        ("", {"durable": False}, f"{ALWAYS} -c synchronous_commit=off", "10"),
        ("?options=-csearch_path%3Dratings&connect_timeout=3", {}, f"{ALWAYS} -csearch_path=ratings", "3"),
        ("?client_encoding=LATIN1", {}, f"{ALWAYS} -cwork_mem=9MB", "10"),
    ],
)
def test_a_server_is_asked_for_our_settings_and_an_address_may_change_them(
    monkeypatch: pytest.MonkeyPatch, address: str, kind: dict[str, bool], options: str, wait: str
) -> None:
    seen: list[dict[str, Any]] = []

    def refuse(**words: Any) -> NoReturn:
        seen.append(words)
        raise psycopg.OperationalError("no such server")

    monkeypatch.setattr(psycopg, "connect", refuse)
    if "work_mem" in options:
        monkeypatch.setenv("PGOPTIONS", "-cwork_mem=9MB")
    server = Server(f"postgresql://ann:canary@db.example/ratings{address}")
    reason = r"^postgresql://\S+ cannot be reached: no such server$"
    with pytest.raises(DatabaseError, match=reason) as refused, lent(engine_of(server, **kind)):
        pass
    assert "canary" not in str(refused.value)
    assert [(words["options"], words["connect_timeout"], words["client_encoding"], words["password"]) for words in seen] == [
        (options, wait, "UTF8", "canary")
    ]  # fmt: skip


def test_an_address_that_cannot_be_parsed_is_not_repeated_with_its_password() -> None:
    server = Server("postgresql://ann:canary@db.example/ratings?nothing=1")
    reason = "PostgreSQL cannot parse the address of postgresql:"
    with pytest.raises(DatabaseError, match=reason) as refused, lent(engine_of(server)):
        pass
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("text", ["plain", "a\0b", "\x1a", "a\0b\x1a0\x1a1c", "\x1a\0\0\x1a"])
def test_a_text_with_u_0000_is_written_without_it_and_read_back_verbatim(text: str) -> None:
    from riskanalytics.service.store.postgres import _Read, _Written

    stored = bytes(_Written(str).dump(text))
    assert b"\0" not in stored
    assert _Read(25).load(stored) == text


def test_words_are_sought_on_a_server_in_any_of_their_spellings_and_in_their_order() -> None:
    spelled = [("licence", "license"), ("third_party",), ("训练",), ("__",)]
    wanted = ["('licenc' | 'licens')", "('third' <-> 'parti')", "('训' <-> '练')"]
    condition, score, values = _on_server(spelled)
    assert condition == "words @@ CAST(:wanted AS tsquery)"
    assert score == "-ts_rank(live_search.words, CAST(:any AS tsquery), 2)"
    assert values == {"wanted": " & ".join(wanted), "any": " | ".join(wanted)}
    long = sha256(b"e" * 501).hexdigest()
    assert _vector(f"We train 模型, Cafés! {'e' * 500} {'é' * 501}") == (
        f"'we':1 'train':2 '模':3 '型':4 'cafe':5 '{'e' * 500}':6 '{long}':7"
    )


def test_texts_are_ordered_by_code_point_on_a_server_as_in_a_file() -> None:
    columns = str(CreateTable(PLATFORM).compile(dialect=postgresql.dialect())).splitlines()
    texts = [line.strip() for line in columns if " TEXT" in line]
    assert len(texts) == 5
    assert all(' COLLATE "C"' in line for line in texts)
