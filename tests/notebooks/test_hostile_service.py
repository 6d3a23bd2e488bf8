"""A hostile service: pages show its words as text, run no script and send no request."""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.reporting import run_report
from tests.notebooks.test_pages import VARIED
from tests.http_server import served
from tests.pages.test_print import objects, text
from tests.service.given import Caller, build_database, give_readings, led

pytestmark = [pytest.mark.slow, pytest.mark.browser]
ATTACKS = [
    "<script>canary()</script>",
    "<img src=x onerror=canary()>",
    "<svg onload=canary()>",
    "</script><script>canary()</script>",
    "</style><script>canary()</script>",
    "\"><img src=x onerror='canary()'>",
    "' onmouseover='canary()' x='",
    "<iframe srcdoc='<script>parent.canary()</script>'></iframe>",
    "<a href='javascript:canary()'>x</a>",
    "[x](javascript:canary()) ![y](https://a.example/y.png)",
    "<base href=https://a.example/><link rel=stylesheet href=//a.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://a.example'>",
    "<span style='background:url(https://a.example/b.png)'>b</span>",
    "<math><mtext></p><table><mglyph><style><img src=x onerror=canary()>",
    "{{7*7}} ${7*7} %{x} $\\href{javascript:canary()}{x}",
    "<!-- --!><img src=x onerror=canary()> -->",
    "\ud83d half a pair \udc00",
    "\u202eHGIH\u202c \u200bzero\u200bwidth \x00\x07",
    '=HYPERLINK("https://a.example","x")',
    "## Injected section\n\n| a |\n| - |",
    "&lt;img src=x onerror=canary()&gt;",
]
LONG = "long " * 200_000
WORDS = {
    "name",
    "quote",
    "document",
    "summary",
    "risk_reason",
    "disclaimer",
    "check",
    "attribution",
    "rule",
    "audience",
    "region",
    "product",
    "actor",
    "action",
    "object",
    "condition",
}
ADDRESSES = {"website", "url", "archive_url"}
BAD_ADDRESSES = [
    "javascript:canary()",
    "data:text/html,<script>canary()</script>",
    "file:///etc/passwd",
    "https://a.example/'><img src=x onerror=canary()>",
]


class Hostile:
    """An application between a reader and our service: it turns the words of JSON answers into attacks."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.attacks = itertools.cycle(ATTACKS)
        self.addresses = itertools.cycle(BAD_ADDRESSES)
        self.long = LONG

    def turned(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.turned(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.turned(one, key) for one in value]
        if not isinstance(value, str):
            return value
        if key in ADDRESSES:
            return next(self.addresses)
        if key in WORDS:
            attack, self.long = f"{next(self.attacks)} {self.long}", ""
            return attack
        if key in ("rating", "risk", "stance", "verification_status") and value in ("LOW", "silent", "partial"):
            return next(self.attacks)
        return value

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        kept: list[dict[str, Any]] = []

        async def held(message: dict[str, Any]) -> None:
            kept.append(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = [pair for pair in scope["headers"] if pair[0] not in (b"accept-encoding", b"if-none-match")]
        await self.app({**scope, "headers": asked}, receive, held)
        body = b"".join(message.get("body", b"") for message in kept[1:])
        headers = dict(kept[0]["headers"])
        if b"json" in headers.get(b"content-type", b""):
            body = json.dumps(self.turned(json.loads(body))).encode()
        headers[b"content-length"] = str(len(body)).encode()
        await send({**kept[0], "headers": list(headers.items())})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    database = build_database(tmp_path)
    give_readings(database, "aurelia-chat", led)
    caller = Caller(database)
    with served(Hostile(caller.app)) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys["pro"])
        yield tmp_path
    caller.close()


@pytest.mark.parametrize("notebook", VARIED)
def test_injected_words_run_nothing_and_send_no_request(hostile: Path, reader: Callable[..., Any], notebook: str) -> None:
    page = run_report(notebook, {}, hostile / "out", pdf=True)
    assert page.stat().st_size < 3 * len(LONG) + 6_000_000
    view = reader(page)
    view.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for plot in view.locator(".plot .nsewdrag").all()[:8]:
        box = plot.bounding_box()
        if box:
            plot.scroll_into_view_if_needed()
            plot.hover(position={"x": box["width"] / 2, "y": min(30, box["height"] / 2)}, force=True)
    for link in view.locator("table.matrix td a").all()[:5]:
        link.click()
    assert (
        view.locator("main img, main iframe, main svg:not(.main-svg):not(.plotly *), main base, main meta").count() == 0
    )
    assert view.evaluate("[...document.links].filter((one) => !/^(https?:|file:|#)/.test(one.href)).length") == 0
    assert view.evaluate("[...document.querySelectorAll('h2')].every((one) => !one.textContent.includes('Injected'))")
    assert "\u202e" not in page.read_text(encoding="utf-8")
    body = page.with_suffix(".pdf").read_bytes()
    assert "\u202e" not in text(body)
    for item in objects(body):
        assert not {"/JS", "/JavaScript", "/Launch", "/EmbeddedFile"} & set(item)
        assert str(item.get("/URI", "https://")).startswith(("https://", "http://"))


def test_a_notebook_refuses_such_a_service_in_one_line(hostile: Path) -> None:
    with pytest.raises(RiskAnalyticsError) as refused:
        run_report("platform_dossier", {"platform": "<script>canary()</script>"}, hostile / "out")
    assert "\n" not in str(refused.value)
