"""Literal answers of the export: a redirect to an address that holds the report's hash."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from riskanalytics.service.compliance.route import MOST_WAITING, Reports
from riskanalytics.service.problems import Problem
from tests.service.given import PUBLIC_URL, Caller

pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

EXPORT = "/api/verified/export/aurelia-chat"


def path_of(caller: Caller, path: str = EXPORT) -> str:
    """Where the export leads, without the host."""
    location = caller.call(path).headers["location"]
    assert location.startswith(f"{PUBLIC_URL}/export/")
    return location.removeprefix(PUBLIC_URL)


def test_the_export_leads_to_an_address_with_the_hash_of_the_pdf(caller: Caller) -> None:
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


def test_a_reader_who_has_the_report_is_told_so_and_head_has_no_body(caller: Caller) -> None:
    path = path_of(caller)
    tag = caller.call(path).headers["etag"]
    again = caller.call(path, headers={"if-none-match": tag})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    head = caller.call(path, method="HEAD")
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", tag)
    assert caller.call(EXPORT, method="HEAD").headers["location"] == PUBLIC_URL + path


def test_another_process_on_the_same_database_answers_the_same_address(caller: Caller, given_database: Path) -> None:
    other = Caller(given_database)
    assert other.call(path_of(caller)).status == 200
    other.close()


def test_a_past_day_is_another_report_and_stays_in_the_address(caller: Caller) -> None:
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
def test_what_is_not_there_is_a_problem(caller: Caller, path: str, status: int) -> None:
    reply = caller.call(path)
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")


def test_without_typst_the_answer_says_what_to_install(given_database: Path) -> None:
    code = (
        "import sys; sys.modules['typst'] = None\n"
        "from pathlib import Path; from tests.service.given import Caller\n"
        f"caller = Caller(Path({str(given_database)!r})); reply = caller.call({EXPORT!r})\n"
        "print(reply.status, reply.json()['detail']); caller.close()"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == '501 PDF needs typst: pip install "riskanalytics[pdf]".'


def test_a_report_is_made_once_however_many_ask() -> None:
    reports, made = Reports(), []

    def make() -> bytes:
        made.append(threading.get_ident())
        return b"pdf"

    with ThreadPoolExecutor(MOST_WAITING) as pool:
        assert set(pool.map(lambda _: reports.get("a", make), range(40))) == {b"pdf"}
    assert len(made) == 1


def test_old_reports_leave_when_the_kept_bytes_are_many() -> None:
    reports, made = Reports(most=10), []

    def get(name: str) -> bytes:
        return reports.get(name, lambda: made.append(name) or b"1234")

    for name in ("a", "b", "a", "c", "a", "b"):
        get(name)
    assert made == ["a", "b", "c", "b"]


def test_when_too_many_wait_the_next_is_told_to_come_back() -> None:
    reports, begun, go = Reports(), threading.Event(), threading.Event()

    def slow() -> bytes:
        begun.set()
        assert go.wait(20)
        return b"pdf"

    with ThreadPoolExecutor(MOST_WAITING) as pool:
        waiting = [pool.submit(reports.get, str(place), slow) for place in range(MOST_WAITING)]
        assert begun.wait(20)
        deadline = time.monotonic() + 20
        while reports._waiting._value and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(Problem) as caught:
            reports.get("one more", slow)
        go.set()
    assert caught.value.status_code == 503
    assert caught.value.headers == {"Retry-After": "5"}
    assert {future.result() for future in waiting} == {b"pdf"}
