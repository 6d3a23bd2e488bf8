"""Which form a reader is given, by the headers that readers really send."""

from __future__ import annotations

import pytest

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.pages import negotiated

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"
PEOPLE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "agent", "form"),
    [
        (PEOPLE, BROWSER, "html"),
        ("*/*", BROWSER, "html"),
        (None, BROWSER, "html"),
        ("", BROWSER, "html"),
        ("application/json", BROWSER, "json"),
        ("application/ld+json", BROWSER, "json"),
        ("application/json, text/plain, */*", BROWSER, "json"),
        ("text/html;q=0.2, application/json;q=0.9", BROWSER, "json"),
        ("application/*", BROWSER, "json"),
        ("text/*", BROWSER, "html"),
        ("text/markdown, text/html;q=0.5", BROWSER, "markdown"),
        ("text/html;q=0, */*", BROWSER, "json"),
        ("text/*;q=0.1, */*", BROWSER, "json"),
        ("*/*", "SomeBot/1.0 (+https://bot.example)", "json"),
        ("*/*", "curl/8.5.0", "json"),
        ("*/*", "python-httpx/0.28.1", "json"),
        (PEOPLE, "Mozilla/5.0 (compatible; ReaderBot/2.0)", "json"),
        ("text/html", "curl/8.5.0", "html"),
        ("text/html, application/ld+json;q=0.5", "curl/8.5.0", "json"),
        ("text/markdown, text/html, */*", "Claude-User/1.0", "markdown"),
        ("text/markdown;q=0.5, application/json", "Claude-User/1.0", "json"),
        ("text/html;q=0.1, application/json;q=0.5, text/html", BROWSER, "json"),
        ("APPLICATION/JSON;Q=1.0", BROWSER, "json"),
    ],
)
def test_each_client_gets_the_form_it_prefers(accept: str | None, agent: str, form: str) -> None:
    assert negotiated(accept, agent) == form


@pytest.mark.parametrize(
    "agent",
    ["web-crawler", "Baiduspider/2.0", "my-agent", "AnAssistant", "GPT-User", "Claude-User", "some-llm", "Wget/1.21", "httpx/1",
     "http/2", "Python-urllib/3.12", "Go-http-client/1.1", "node-fetch", "axios/1.6", "okhttp", "Java/21"],
)  # fmt: skip
def test_programs_that_accept_everything_get_json(agent: str) -> None:
    assert negotiated("*/*", agent) == "json"


@pytest.mark.parametrize("accept", ["image/png", "text/html;q=0", "application/json;q=0.000", "," * 50, "x" * 5000])
def test_a_client_that_accepts_no_form_gets_406(accept: str) -> None:
    with pytest.raises(Problem) as refused:
        negotiated(accept, BROWSER)
    assert refused.value.status_code == 406
    assert refused.value.headers is not None
    assert "Accept" in refused.value.headers["Vary"]
