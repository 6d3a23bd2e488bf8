"""Literal answers of the posture feed, an addition of our service."""

from __future__ import annotations

import pytest

from riskanalytics.models import DISCLAIMER
from riskanalytics.models.records import FACTS
from tests.service.given import PRIVACY_LATER, PUBLIC_URL, Caller

PATH = "/api/machine/posture"
UNDETERMINED = {fact: {"value": "undetermined"} for fact in FACTS}
QUOTE = "We do not use your prompts to train our models."


def test_the_feed_of_one_platform(caller: Caller) -> None:
    record = caller.call(f"{PATH}?platform=aurelia-chat").json()
    said = record["data"][0]["routes"][0]["trains"]
    sha256, start = said["provenance"]["snapshot_sha256"], PRIVACY_LATER.index(QUOTE)
    trains = {
        "value": "no",
        "finding": said["finding"],
        "quote": QUOTE,
        "provenance": {
            "snapshot_sha256": sha256,
            "archive_url": f"{PUBLIC_URL}/archive/{sha256}",
            "start": start,
            "end": start + len(QUOTE),
            "document": "Privacy Policy",
            "captured_at": "2026-03-05T00:00:00Z",
            "document_url": None,
        },
    }
    assert record == {
        "object": "list",
        "total": 1,
        "limit": 50,
        "offset": 0,
        "disclaimer": DISCLAIMER,
        "schema": "1",
        "data": [
            {
                "platform": "aurelia-chat",
                "name": "Aurelia Chat",
                "routes": [
                    {"route": "consumer", "product": None, **UNDETERMINED, "trains": trains},
                    {"route": "business", "product": None, **UNDETERMINED},
                    {"route": "api", "product": None, **UNDETERMINED},
                ],
            }
        ],
    }


def test_the_feed_is_a_list_of_platforms_by_slug(caller: Caller) -> None:
    record = caller.call(f"{PATH}?limit=2&offset=1").json()
    assert (record["total"], record["limit"], record["offset"]) == (3, 2, 1)
    assert [row["platform"] for row in record["data"]] == ["cafe-lumiere", "northwind-draft"]
    assert [row["routes"][0]["trains"]["value"] for row in record["data"]] == ["undetermined", "undetermined"]
    assert caller.call(f"{PATH}?platform=aurelia-chat&offset=1").json()["data"] == []


def test_the_feed_of_a_past_day_has_the_clauses_of_that_day(caller: Caller) -> None:
    record = caller.call(f"{PATH}?as_of=2026-01-31").json()
    assert (record["as_of"], record["total"]) == ("2026-01-31", 1)
    said = record["data"][0]["routes"][0]["trains"]
    assert (said["value"], said["quote"]) == ("yes", "We use the prompts you enter to train our models.")


def test_the_csv_form_is_named_as_such(caller: Caller) -> None:
    reply = caller.call(f"{PATH}?format=csv&platform=aurelia-chat")
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    lines = reply.body.decode().split("\r\n")
    assert lines[0] == (
        "schema,platform,name,product,route,fact,value,days,finding,quote,lead_in,snapshot_sha256,archive_url,start,end,"
        "document,captured_at,document_url,disclaimer"
    )
    assert lines[1].startswith("1,aurelia-chat,Aurelia Chat,,consumer,trains,no,,")
    assert lines[2] == f'1,aurelia-chat,Aurelia Chat,,consumer,opt_out,undetermined{"," * 12}"{DISCLAIMER}"'
    assert len(lines) == 1 + 3 * len(FACTS) + 1


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ("?platform=nobody", 404, "No platform with this slug is tracked."),
        ("?format=xml", 400, "format"),
        ("?limit=501", 400, "limit"),
        ("?as_of=yesterday", 400, "as_of"),
        ("?slug=aurelia-chat", 400, "Known parameters: limit, offset, as_of, platform, format."),
    ],
)
def test_wrong_parameters_are_refused_by_name(caller: Caller, query: str, status: int, detail: str) -> None:
    reply = caller.call(f"{PATH}{query}")
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")
    assert detail in reply.json()["detail"]


def test_each_form_has_its_own_entity_tag(caller: Caller) -> None:
    tags = {}
    for form in ("json", "csv"):
        reply = caller.call(f"{PATH}?format={form}")
        tags[form] = reply.headers["etag"]
        again = caller.call(f"{PATH}?format={form}", headers={"if-none-match": reply.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
    assert tags["json"] != tags["csv"]


def test_the_json_schema_of_the_feed_is_in_the_description(caller: Caller) -> None:
    schemas = caller.call("/openapi.json").json()["components"]["schemas"]
    assert schemas["Posture"]["properties"]["schema"]["const"] == "1"
    assert schemas["PostureRoute"]["properties"]["route"]["enum"] == ["consumer", "business", "api"]
    assert set(FACTS) <= set(schemas["PostureRoute"]["required"])
    assert "`partly`: the clause states the fact for some users" in schemas["PostureFact"]["description"]
    assert schemas["PostureFact"]["properties"]["value"]["description"].startswith("yes, partly, no,")
    assert FACTS == ("trains", "opt_out", "retention", "zero_retention", "human_review", "subprocessor_training")
