"""The description of the service is true to what it answers: generated requests find no difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.service import UNLIMITED, create_app
from riskanalytics.service.tool_server.serving import HttpTools
from tests.http_server import served
from tests.service.given import PUBLIC_URL, Caller


@pytest.mark.slow
def test_generated_requests_get_only_responses_in_the_openapi_description(given_database: Path, tmp_path: Path) -> None:
    """All checks of schemathesis, in its phases of examples, coverage and fuzzing, against a live server.

    Places of the database differ in the store only, so one of them is enough.
    """
    (tmp_path / "schemathesis.toml").write_text(
        '[parameters]\n"path.slug" = "aurelia-chat"\n"path.id" = "cafe-lumiere"\n'
    )
    caller = Caller(given_database)
    app = create_app(
        caller.store, caller.access, public_url=PUBLIC_URL, pace=UNLIMITED, tools=HttpTools(caller.store, PUBLIC_URL)
    )
    with served(app) as address:
        words = [
            str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/openapi.json", "--url", address,
            "--header", f"Authorization: Bearer {caller.keys['pro']}", "--phases", "examples,coverage,fuzzing",
            "--max-examples", "10", "--seed", "1", "--generation-deterministic",
            "--generation-with-security-parameters", "false", "--no-color",
        ]  # fmt: skip
        found = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    caller.close()
    assert found.returncode == 0, found.stdout[-6000:]


def test_every_refusal_is_described_as_a_problem_document(caller: Caller) -> None:
    document = caller.call("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert {"400", "429", "500"} <= set(operation["responses"])
            assert ("401" in operation["responses"]) == path.startswith("/api/v1/")
            for status, response in operation["responses"].items():
                if status[0] in "45":
                    assert "application/problem+json" in response["content"]
    assert "HTTPValidationError" not in str(document)


def test_endpoints_described_with_304_return_it_to_clients_with_the_response(caller: Caller) -> None:
    paths = caller.call("/openapi.json").json()["paths"]
    assert not any("304" in operations.get("post", {"responses": ()})["responses"] for operations in paths.values())
    snapshot = caller.call("/api/machine/platform/aurelia-chat").json()["documents"][0]["snapshot_sha256"]
    values = {"slug": "aurelia-chat", "id": "aurelia-chat", "sha256": snapshot}
    asked = {
        path: path.format(**values) for path in paths if "200" in paths[path].get("get", {"responses": ()})["responses"]
    }
    for path in asked.keys() - {"/api/corrections/{slug}/{id}", "/export/{sha256}/{slug}.pdf"}:
        address = asked[path] + ("?q=train" if path.endswith("/search") else "")
        tag = caller.call(address, tier="pro").headers["etag"]
        assert caller.call(address, tier="pro", headers={"if-none-match": tag}).status == 304, path
        assert "304" in paths[path]["get"]["responses"], path
