"""A reader behind an address, on a server of this test."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from riskanalytics.errors import ReaderError
from riskanalytics.extraction.units import units_of
from riskanalytics.reader.exchange import Request, answer_of, messages, requests_of
from riskanalytics.reader.guide import SCHEMAS
from riskanalytics.reader.server import Server, probe
from tests.reader.given import answered, lazy, oracle, prose, says

KEY = "sk-test-0123456789abcdef"
CONTENT = answered([{"n": 1, "says": []}])
OPENAI = {"choices": [{"message": {"content": CONTENT}}], "usage": {"total_tokens": 77}}
OLLAMA = {"message": {"content": CONTENT}, "prompt_eval_count": 60, "eval_count": 7}


class Model:
    """A model server: answers with the next reply, and keeps what was sent."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, dict[str, str], Any]] = []
        self.received: list[tuple[str, dict[str, str], Any]] = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.received.append((self.path, dict(self.headers), sent))
                status, headers, body = model.replies.pop(0)
                raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *words: object) -> None:
                """Stay silent."""

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.server.shutdown()
    model.server.server_close()


@pytest.fixture
def request_() -> Request:
    return requests_of(units_of("We delete your prompts after 30 days."))[0]


def test_a_request_goes_to_the_chat_completions_with_key_and_schema(
    model: Model, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # no other server gets the key
    model.replies = [(200, {}, OPENAI)]
    assert Server(f"{model.address}/v1", "large", KEY).ask(request_) == (CONTENT, 77)
    path, headers, body = model.received[0]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["response_format"]["json_schema"]["strict"] is True
    assert (body["model"], body["temperature"]) == ("large", 0)


def test_ollama_gets_its_own_form_with_a_context_that_holds_a_request(model: Model, request_: Request) -> None:
    model.replies = [(200, {}, OLLAMA)]
    assert Server(f"{model.address}/api/chat", "small").ask(request_) == (CONTENT, 67)
    _, headers, body = model.received[0]
    assert "Authorization" not in headers
    assert body["options"] == {"temperature": 0, "seed": 0, "num_ctx": 16_384}
    assert (body["model"], body["format"], body["stream"]) == ("small", SCHEMAS["verdicts"], False)
    assert body["messages"] == messages(request_)


@pytest.mark.parametrize(
    "refusal",
    [
        (400, {}, {"error": {"message": "This model does not support the 'logprobs' parameter.", "param": "logprobs"}}),
        (403, {}, {"error": {"message": "You are not allowed to request logprobs from this model"}}),
        (400, {}, {"error": {"code": 400, "message": "Logprobs is not enabled for models/large"}}),
    ],
)
@pytest.mark.parametrize("path", ["/v1", "/api/chat"])
def test_log_probabilities_are_asked_for_until_the_server_refuses_them(
    model: Model, request_: Request, refusal: tuple[int, dict[str, str], Any], path: str
) -> None:
    model.replies = [refusal, (200, {}, OPENAI), (200, {}, OPENAI)]
    waits: list[float] = []
    server = Server(f"{model.address}{path}", "large", wait=waits.append)
    assert server.ask(request_) == server.ask(request_) == (CONTENT, 77)
    assert [body.get("logprobs") for _, _, body in model.received] == [True, None, None]
    assert waits == []


def test_log_probabilities_are_asked_for_with_verdicts_only(model: Model, request_: Request) -> None:
    model.replies = [(200, {}, OPENAI)] * 2
    server = Server(model.address, "large")
    server.ask(request_)
    server.ask(Request("checks", request_.units, ("data_retention",)))
    assert [body.get("logprobs") for _, _, body in model.received] == [True, None]


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_change_that_is_too_long_for_the_model_has_no_answer(model: Model, request_: Request, status: int) -> None:
    refusal = status, {}, {"error": "the request exceeds the available context size"}
    model.replies = [refusal] * (4 if status == 500 else 1)
    server = Server(model.address, "large", wait=lambda _: None)
    assert server.ask(Request("changes", request_.units, ("new",))) == ("", 0)
    assert model.replies == []
    model.replies = [refusal] * 4
    with pytest.raises(ReaderError, match=f"answered status {status}"):
        server.ask(request_)


def test_a_server_that_fails_on_three_changes_in_a_row_is_out_of_order(model: Model, request_: Request) -> None:
    change = Request("changes", request_.units, ("new",))
    server = Server(model.address, "large", wait=lambda _: None)
    for replies in ([(500, {}, "")] * 8, [(200, {}, OPENAI)], [(500, {}, "")] * 8):
        model.replies = list(replies)
        while model.replies:
            server.ask(change)
    model.replies = [(500, {}, "")] * 4
    with pytest.raises(ReaderError, match="answered status 500"):
        server.ask(change)


@pytest.mark.parametrize("charset", ["utf-16", "hex", "undefined", "nonsense"])
def test_a_response_is_read_as_utf_8_whatever_charset_it_names(model: Model, request_: Request, charset: str) -> None:
    model.replies = [(200, {"Content-Type": f"application/json; charset={charset}"}, OPENAI)]
    assert Server(model.address, "large").ask(request_) == (CONTENT, 77)


def test_a_refusal_in_another_charset_is_one_line(model: Model, request_: Request) -> None:
    model.replies = [(400, {"Content-Type": "text/plain; charset=hex"}, "no such model")]
    with pytest.raises(ReaderError, match="answered status 400: no such model; check model, key and address"):
        Server(model.address, "large").ask(request_)


@pytest.mark.parametrize("number", ["-Infinity", "NaN"])
def test_a_token_that_is_impossible_makes_its_verdict_unsure(model: Model, request_: Request, number: str) -> None:
    said = answered([{"n": 1, "says": [says("data_retention", "MED", "raises_risk")]}])
    rows = [{"token": token, "logprob": 0.0} for token in said.partition("MED")]
    rows[1]["logprob"] = float(number)
    choice = {"message": {"content": said}, "logprobs": {"content": rows}}
    model.replies = [(200, {}, {"choices": [choice]})]
    content, _ = Server(model.address, "large").ask(request_)
    (verdicts,) = answer_of(request_.sent, content).verdicts.values()
    assert [one.probability for one in verdicts.said] == [0.0]


@pytest.mark.parametrize(("tokens", "read"), [(0.6, False), (0.7, True)])
def test_an_answer_to_a_change_counts_only_if_the_server_read_it_to_its_end(
    model: Model, tokens: float, read: bool
) -> None:
    request = Request("changes", units_of("We sell your data to many partners. " * 300), ("new",) * 300)
    used = int(tokens * request.tokens)
    model.replies = [(200, {}, OPENAI | {"usage": {"total_tokens": used}})]
    assert Server(model.address, "large").ask(request) == (CONTENT if read else "", used)


@pytest.mark.parametrize(("sentences", "context"), [(1, 16_384), (1_000, 32_768)])
def test_ollama_gets_a_longer_context_for_a_long_change(model: Model, sentences: int, context: int) -> None:
    units = units_of("We sell your data to many partners.\n\n" * sentences)
    model.replies = [(200, {}, OLLAMA)]
    Server(f"{model.address}/api/chat", "small").ask(Request("changes", units, ("new",) * len(units)))
    assert model.received[0][2]["options"]["num_ctx"] == context


def test_a_busy_server_is_retried_after_the_time_that_it_names(model: Model, request_: Request) -> None:
    model.replies = [(429, {"Retry-After": "7"}, ""), (503, {}, ""), (200, {}, OPENAI)]
    waits: list[float] = []
    assert Server(model.address, "large", wait=waits.append).ask(request_)[1] == 77
    assert waits == [7.0, 2.0]


@pytest.mark.parametrize(
    ("status", "asked", "wait"), [(408, "3600", 600.0), (425, "soon", 1.0), (429, "", 1.0), (599, "60", 60.0)]
)
def test_a_wait_is_never_longer_than_ten_minutes(
    model: Model, request_: Request, status: int, asked: str, wait: float
) -> None:
    model.replies = [(status, {"Retry-After": asked}, ""), (200, {}, OPENAI)]
    waits: list[float] = []
    assert Server(model.address, "large", wait=waits.append).ask(request_) == (CONTENT, 77)
    assert waits == [wait]


def test_a_redirection_is_not_followed_with_the_key(model: Model, request_: Request) -> None:
    model.replies = [(307, {"Location": f"{model.address}/other"}, ""), (200, {}, OPENAI)]
    with pytest.raises(ReaderError, match=r"answered status 307: .*; check model, key and address"):
        Server(model.address, "large", KEY).ask(request_)
    assert len(model.received) == 1


def test_a_refusal_is_one_line_without_the_key(model: Model, request_: Request) -> None:
    model.replies = [(401, {}, f"invalid key {KEY}\x1b[2J\nsecond line")]
    with pytest.raises(ReaderError, match="status 401") as error:
        Server(model.address, "large", KEY).ask(request_)
    assert KEY not in str(error.value)
    assert str(error.value).isprintable()


def test_a_server_that_stays_away_is_named(model: Model, request_: Request) -> None:
    model.replies = [(500, {}, "")] * 4
    waits: list[float] = []
    with pytest.raises(ReaderError, match=r"answered status 500; check the server, then run the same command again"):
        Server(model.address, "large", wait=waits.append).ask(request_)
    assert (waits, len(model.received)) == ([1.0, 2.0, 4.0], 4)
    with pytest.raises(ReaderError, match="gave no answer"):
        Server("http://127.0.0.1:1", "large", wait=waits.append).ask(request_)
    assert waits == [1.0, 2.0, 4.0] * 2


@pytest.mark.parametrize(
    "body", ["", "<html>", "[]", "null", '{"choices": []}', '{"choices": [3]}', '{"message": "x"}']
)
def test_a_response_of_another_form_has_no_text(model: Model, request_: Request, body: str) -> None:
    model.replies = [(200, {}, body)]
    assert Server(model.address, "large").ask(request_) == ("", 0)


@pytest.mark.parametrize("address", ["", "localhost", "ftp://host", "http://", "file:///etc/passwd"])
def test_an_address_other_than_http_is_refused(address: str) -> None:
    with pytest.raises(ReaderError, match="must be an http address"):
        Server(address, "large")


def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    for address in ("http://models.example/v1", "http://models.example:11434", "http://localhost.example"):
        with pytest.raises(ReaderError, match="unencrypted"):
            Server(address, "large", KEY)
    for address in ("http://localhost:8000", "http://127.0.0.1", "http://[::1]:8000", "https://models.example"):
        Server(address, "large", KEY).close()
    Server("http://models.example/v1", "large").close()


@pytest.mark.parametrize(
    ("address", "asked", "ollama"),
    [
        ("https://models.example", "https://models.example/v1/chat/completions", False),
        (" https://models.example:8443/v1/ ", "https://models.example:8443/v1/chat/completions", False),
        ("https://models.example/openai", "https://models.example/openai/v1/chat/completions", False),
        ("https://models.example/x/chat/completions", "https://models.example/x/chat/completions", False),
        ("http://localhost:11434", "http://localhost:11434/api/chat", True),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions", False),
        ("http://localhost:8000/api/chat", "http://localhost:8000/api/chat", True),
    ],
)
def test_the_address_of_a_server_leads_to_its_chat(address: str, asked: str, ollama: bool) -> None:
    server = Server(address, "large")
    assert (server._address, server.ollama) == (asked, ollama)


def test_a_login_in_the_address_is_not_repeated(request_: Request) -> None:
    with pytest.raises(ReaderError, match=r"^http://127\.0\.0\.1:1 gave no answer"):
        Server("http://user:secret@127.0.0.1:1/v1", "large", wait=lambda _: None).ask(request_)


def short(request: Request) -> tuple[str, int]:
    """A reader that sees the first half of a request."""
    return answered([{"n": n, "says": []} for n in range(1, len(request.units) // 2)]), 10


@pytest.mark.parametrize(
    ("reader", "why"), [(prose, "does not follow the JSON schema"), (lazy, "longer"), (short, "longer")]
)
def test_an_unfit_reader_is_refused(reader: Callable[[Request], tuple[str, int]], why: str) -> None:
    with pytest.raises(ReaderError, match=why):
        probe(reader)


def test_a_fit_reader_is_accepted() -> None:
    probe(oracle)
