"""Literal answers of the export: a redirect to an address with the hash of the report."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from anyio import CapacityLimiter

from riskanalytics.service.compliance import MOST_WAITING, Report, Reports
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.write import Writer
from tests.service.given import PUBLIC_URL, Caller

pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

EXPORT = "/api/verified/export/aurelia-chat"


def path_of(caller: Caller, path: str = EXPORT) -> str:
    """Where the export leads, without the host."""
    location = caller.call(path).headers["location"]
    assert location.startswith(f"{PUBLIC_URL}/export/")
    return location.removeprefix(PUBLIC_URL)


def test_the_export_redirects_to_an_address_with_the_hash_of_the_pdf(caller: Caller) -> None:
    reply = caller.call(EXPORT)
    assert (reply.status, reply.body) == (303, b"")
    assert reply.headers["cache-control"] == "no-cache"
    path = path_of(caller)
    pdf = caller.call(path)
    assert path == f"/export/{hashlib.sha256(pdf.body).hexdigest()}/aurelia-chat.pdf"
    assert pdf.status == 200
    assert pdf.body.startswith(b"%PDF-1.")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.headers["content-disposition"] == 'attachment; filename="aurelia-chat-risk-2026-03-05.pdf"'
    assert pdf.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_client_that_has_the_report_gets_304_and_head_has_no_body(caller: Caller) -> None:
    path = path_of(caller)
    tag = caller.call(path).headers["etag"]
    again = caller.call(path, headers={"if-none-match": tag})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    head = caller.call(path, method="HEAD")
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", tag)
    assert caller.call(EXPORT, method="HEAD").headers["location"] == PUBLIC_URL + path


def test_another_process_on_the_same_database_serves_the_same_report(caller: Caller, given_database: Path) -> None:
    other = Caller(given_database)
    assert other.call(path_of(caller)).status == 200
    other.close()


def test_a_past_day_gives_another_report_and_stays_in_the_address(caller: Caller) -> None:
    path = path_of(caller, f"{EXPORT}?as_of=2026-01-15")
    assert path.endswith("/aurelia-chat.pdf?as_of=2026-01-15")
    past = caller.call(path)
    assert past.status == 200
    assert 'filename="aurelia-chat-risk-2026-01-10.pdf"' in past.headers["content-disposition"]
    assert caller.call(path.partition("?")[0]).status == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/verified/export/nobody", 404),
        (f"{EXPORT}?as_of=2025-01-01", 404),
        (f"{EXPORT}?as_of=yesterday", 400),
        (f"{EXPORT}?format=docx", 400),
        (f"/export/{'0' * 64}/aurelia-chat.pdf", 404),
        (f"/export/{'0' * 64}/nobody.pdf", 404),
        ("/export/abc/aurelia-chat.pdf", 404),
        (f"/export/{'0' * 64}/aurelia-chat", 404),
    ],
)
def test_missing_reports_are_problems(caller: Caller, path: str, status: int) -> None:
    reply = caller.call(path)
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")


def test_without_typst_the_response_says_what_to_install(given_database: Path) -> None:
    code = (
        "import sys; sys.modules['typst'] = None\n"
        "from pathlib import Path; from tests.service.given import Caller\n"
        f"caller = Caller(Path({str(given_database)!r})); reply = caller.call({EXPORT!r})\n"
        "print(reply.status, reply.json()['detail']); caller.close()"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == '501 PDF needs typst: pip install "riskanalytics[pdf]".'


def report(body: bytes = b"pdf") -> Report:
    return Report(body, hashlib.sha256(body).hexdigest(), "2026-01-01")


def test_a_report_is_created_once_for_all_requests() -> None:
    reports, made = Reports(CapacityLimiter(1)), []

    def make() -> Report:
        made.append(1)
        return report()

    async def ask_all() -> list[Report]:
        return await asyncio.gather(*(reports.get("a", make) for _ in range(MOST_WAITING)))

    assert set(asyncio.run(ask_all())) == {report()}
    assert set(asyncio.run(ask_all())) == {report()}
    assert len(made) == 1


def test_old_reports_are_dropped_if_the_cache_is_full() -> None:
    reports, made = Reports(CapacityLimiter(4), most=10), []

    async def get_all() -> None:
        for name in ("a", "b", "a", "c", "a", "b"):
            await reports.get(name, lambda name=name: made.append(name) or report(b"1234"))

    asyncio.run(get_all())
    assert made == ["a", "b", "c", "b"]
    large = report(b"larger than the cache")
    assert [asyncio.run(reports.get("d", lambda: large)) for _ in range(2)] == [large, large]


def test_if_too_many_requests_wait_the_next_gets_503_without_work() -> None:
    reports, go, made = Reports(CapacityLimiter(2)), threading.Event(), []

    def slow() -> Report:
        assert go.wait(20)
        made.append(1)
        return report()

    async def crowd() -> None:
        waiting = [asyncio.create_task(reports.get(number, slow)) for number in range(2 + MOST_WAITING)]
        await asyncio.sleep(0.1)
        with pytest.raises(Problem) as caught:
            await reports.get("one more", slow)
        assert (caught.value.status_code, caught.value.headers) == (503, {"Retry-After": "5"})
        go.set()
        assert set(await asyncio.gather(*waiting)) == {report()}
        assert await reports.get("later", slow) == report()

    asyncio.run(crowd())
    assert len(made) == 2 + MOST_WAITING + 1


def test_a_changed_database_gives_another_report(given_database: Path, tmp_path: Path) -> None:
    caller = Caller(Path(shutil.copy(given_database, tmp_path / "given.sqlite")))
    path = path_of(caller)
    with Writer(tmp_path / "given.sqlite") as writer, writer.transaction() as connection:
        run(connection, "UPDATE platform SET name = 'Aurelia Talk' WHERE slug = 'aurelia-chat'")
    assert caller.call(path).status == 404
    assert path_of(caller) != path
    caller.close()
