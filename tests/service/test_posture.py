"""The facts of a platform by route: which clause decides, and where none does."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.models.parts import Provenance
from riskanalytics.models.records import FACTS, ROUTES, PostureFact
from riskanalytics.service import Store, posture
from riskanalytics.service.posture import csv_of, platform_posture
from riskanalytics.service.store.records import KEPT
from riskanalytics.service.wire import Service
from tests.service.given import PUBLIC_URL, build_database

UNDETERMINED = {"value": "undetermined"}
PRIVACY = """Acme Chat Privacy Policy
========================

This policy tells which information the service handles, why, and which rights you have with regard to it.

We use the prompts you enter to train our models, unless you opt out in the settings.

Our staff may review your conversations to investigate abuse.

Temporary chats will be automatically deleted from our systems within 30 days.
"""
TERMS = """Acme Chat Commercial Terms
==========================

These terms are the agreement between your organisation and the company about the service.

We do not use your content to train our models, or allow any third party to train on it.

Prompts and outputs are automatically deleted after 72 hours.
"""
PLANS = """Brim API Terms
==============

These terms are the agreement between you and the company about the service and its API.

We do not use your prompts to train our models when you use the API under a paid plan.

We do not use prompts of API customers to train our models.
"""
TORN = """Cove Notes Privacy Policy
=========================

This policy tells which information the service handles, why, and which rights you have with regard to it.

Prompts and outputs are automatically deleted after 30 days.

Conversations are automatically deleted after 60 days.

Our staff do not read your content without your permission.

No human reads your conversations.
"""
LIMITED = """Dale Draw Privacy Policy
========================

This policy tells which information the service handles, why, and which rights you have with regard to it.

We use the prompts you enter to train our models, unless you opt out in the settings.

Even if you opt out, we use prompts that you reported to train our models.

People in Europe
----------------

Prompts and outputs are automatically deleted after 30 days.

You can object to the use of your prompts to train our models.
"""
MEANT = """Elm Notes Privacy Policy
========================

This policy tells which information the service handles. The service is not intended for consumers.

Prompts and outputs are automatically deleted after 72 hours.
"""
FILES = {
    "Acme Chat/Privacy Policy/2026-01-10.md": PRIVACY,
    "Acme Chat/Privacy Statement/2026-01-10.md": PRIVACY,
    "Acme Chat/Commercial Terms/2026-01-10.md": TERMS,
    "Brim API/Developer Terms/2026-01-10.md": PLANS,
    "Cove Notes/Privacy Policy/2026-01-10.md": TORN,
    "Dale Draw/Privacy Policy/2026-01-10.md": LIMITED,
    "Elm Notes/Privacy Policy/2026-01-10.md": MEANT,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of five platforms."""
    store = Store(build_database(tmp_path_factory.mktemp("posture"), FILES))
    yield Service(store, PUBLIC_URL)
    store.close()


def facts(service: Service, slug: str) -> dict[tuple[str, str | None], dict[str, Any]]:
    """The facts of a platform, by route and product."""
    found = platform_posture(service, service.state(slug)).model_dump()
    assert found["platform"] == slug
    return {(row.pop("route"), row.pop("product")): row for row in found["routes"]}


def values(service: Service, slug: str) -> dict[tuple[str, str | None], dict[str, str]]:
    """The values that are stated."""
    rows = facts(service, slug)
    return {key: {fact: row[fact]["value"] for fact in FACTS if row[fact] != UNDETERMINED} for key, row in rows.items()}


def test_each_route_has_the_facts_of_the_clauses_that_apply_to_it(service: Service) -> None:
    promised = {"trains": "no", "retention": "PT72H", "subprocessor_training": "no"}
    assert values(service, "acme-chat") == {
        ("consumer", None): {"trains": "yes", "opt_out": "yes", "human_review": "yes"},
        ("business", None): promised,
        ("api", None): promised,
        ("consumer", "temporary"): {"retention": "P30D"},
    }
    # another document has the same text
    assert facts(service, "acme-chat")["consumer", None]["trains"]["provenance"]["document"] == "Privacy Policy"
    assert values(service, "elm-notes") == {
        ("consumer", None): {}, ("business", None): {"retention": "PT72H"}, ("api", None): {"retention": "PT72H"},
    }  # fmt: skip


def test_a_fact_has_its_quote_and_the_place_of_the_quote(service: Service) -> None:
    said = facts(service, "acme-chat")["business", None]["retention"]
    start = TERMS.index("Prompts and outputs are automatically")
    quote = "Prompts and outputs are automatically deleted after 72 hours."
    sha256 = said["provenance"]["snapshot_sha256"]
    assert said == {
        "value": "PT72H",
        "days": 3.0,
        "finding": said["finding"],
        "quote": quote,
        "provenance": {
            "snapshot_sha256": sha256,
            "archive_url": f"{PUBLIC_URL}/archive/{sha256}",
            "start": start,
            "end": start + len(quote),
            "document": "Commercial Terms",
            "captured_at": "2026-01-10T00:00:00Z",
            "document_url": None,
        },
    }
    known = {finding["id"] for finding in service.store.findings(service.state("acme-chat"))}
    assert said["finding"] in known


def test_what_differs_between_plans_is_undetermined_for_businesses_and_the_api(service: Service) -> None:
    assert values(service, "brim-api") == {(route, None): {} for route in ROUTES}


def test_clauses_that_differ_leave_a_fact_undetermined_and_the_weaker_promise_counts(service: Service) -> None:
    rows = values(service, "cove-notes")
    assert rows["consumer", None] == {"human_review": "not_by_default"}
    assert rows["business", None] == rows["api", None] == {}


def test_training_despite_an_opt_out_counts_and_a_part_for_one_region_states_no_period(service: Service) -> None:
    rows = values(service, "dale-draw")
    assert rows["consumer", None] == {"trains": "yes", "opt_out": "partly"}


@pytest.mark.parametrize(
    ("said", "fact", "value"),
    [
        (["yes", "partly despite it"], "human_review", "yes"),
        (["yes", "partly despite it"], "opt_out", "partly"),
        (["yes", "partly"], "opt_out", "yes"),
        (["on_request", "partly"], "zero_retention", "on_request"),
        (["no", "partly"], "human_review", "undetermined"),
        (["not_by_default", "partly"], "human_review", "undetermined"),
        (["yes", "no", "partly"], "human_review", "undetermined"),
        (["partly"], "human_review", "partly"),
    ],
)
def test_a_clause_for_everybody_counts_before_a_limited_one(
    service: Service, said: list[str], fact: str, value: str
) -> None:
    state = service.state("dale-draw")
    clauses = posture._clauses(service, state)[: len(said)]
    given = [
        clause | {"stated": {fact: one.partition(" ")[0]}, "exception": "despite" in one, "by_plan": True}
        for clause, one in zip(clauses, said, strict=True)
    ]
    assert posture._fact(fact, "consumer", given, state | {"despite": {"business"}})["value"] == value


def test_a_clause_on_another_route_that_is_limited_to_plans_leaves_a_business_without_a_fact(service: Service) -> None:
    state = service.state("dale-draw") | {"despite": set()}
    first, second = (one | {"stated": {"human_review": "no"}} for one in posture._clauses(service, state)[:2])
    given = [first | {"routes": {"business"}}, second | {"routes": {"api"}, "by_plan": True}]
    assert posture._fact("human_review", "business", given[:1], state)["value"] == "no"
    assert posture._fact("human_review", "business", given, state) == UNDETERMINED


@pytest.mark.parametrize(
    ("value", "days"),
    [("PT36H", 1.5), ("P180D", 180.0), ("P2W", 14.0), ("P6M", None), ("P1Y", None)],
)
def test_a_period_of_hours_days_or_weeks_is_also_a_number_of_days(
    service: Service, value: str, days: float | None
) -> None:
    state = service.state("dale-draw") | {"despite": set()}
    clause = posture._clauses(service, state)[0] | {"stated": {"retention": value}}
    assert posture._fact("retention", "consumer", [clause], state).get("days") == days


@pytest.mark.parametrize(
    ("stance", "values"),
    [("trains_by_default", ["yes", "partly"]), ("trains_with_opt_out", ["yes", "partly"]),
     ("trains_with_opt_in", ["not_by_default"]), ("does_not_train", ["no", "not_by_default"]), ("undetermined", [])],
)  # fmt: skip
def test_each_stance_agrees_with_some_values_of_training(service: Service, stance: str, values: list[str]) -> None:
    state = service.state("dale-draw") | {"despite": set(), "consumer_stance": stance}
    clause = next(one for one in posture._clauses(service, state) if one["stated"].get("trains"))
    said = [
        posture._fact("trains", "consumer", [clause | {"stated": {"trains": value}}], state)["value"]
        for value in ("yes", "partly", "no", "not_by_default")
    ]
    assert [value for value in said if value != "undetermined"] == values
    about_staff = clause | {"quote": "You must not use the outputs to train your own models."}
    assert posture._fact("trains", "consumer", [about_staff], state) == UNDETERMINED


@pytest.mark.parametrize(("stance", "expected"), [("trains_with_opt_in", "undetermined"), ("undetermined", "partly")])
def test_an_opt_in_is_no_opt_out(service: Service, stance: str, expected: str) -> None:
    state = service.state("dale-draw") | {"consumer_stance": stance}
    assert platform_posture(service, state).routes[0].opt_out.value == expected


@pytest.mark.parametrize(
    ("stance", "business", "expected"),
    [
        ("trains_with_opt_out", "does_not_train", ("yes", "no")),
        ("trains_by_default", "does_not_train", ("yes", "no")),
        ("trains_by_default", None, ("yes", "undetermined")),
        ("does_not_train", "trains_by_default", ("undetermined", "undetermined")),
        ("trains_with_opt_in", "trains_with_opt_in", ("undetermined", "undetermined")),
        ("undetermined", "undetermined", ("undetermined", "undetermined")),
        ("silent", None, ("undetermined", "undetermined")),
        (None, None, ("undetermined", "undetermined")),
    ],
)
def test_a_clause_states_training_only_if_the_stance_agrees(
    service: Service, stance: str | None, business: str | None, expected: tuple[str, str]
) -> None:
    state = service.state("acme-chat") | {"consumer_stance": stance, "business_stance": business}
    rows = platform_posture(service, state).routes
    assert tuple(row.trains.value for row in rows[:2]) == expected


def test_the_surest_clause_is_quoted_after_those_that_decided_the_stance(service: Service) -> None:
    state = service.state("acme-chat")
    sure = {finding["id"]: finding["confidence"] for finding in service.store.findings(state)}
    found = [sure[clause["id"]] for clause in posture._clauses(service, state) if clause["id"] in sure]
    assert len(found) == len(set(found)) == 5
    assert found == sorted(found, reverse=True)
    state = service.state("dale-draw")
    clauses = [
        one | {"stated": {"trains": "yes"}} for one in posture._clauses(service, state) if "train" in one["quote"]
    ]
    assert len(clauses) >= 2
    for clause, other in (clauses[:2], clauses[1::-1]):
        both = [one | {"only_way_out": False} for one in (clause, other)]
        decided = state | {"despite": set(), "stance_decided_by": [clause["id"]]}
        assert posture._fact("trains", "consumer", both, decided)["finding"] == clause["id"]
        both[0]["only_way_out"] = True
        assert posture._fact("trains", "consumer", both, decided)["finding"] == other["id"]
        both[1]["stated"] = {"trains": "partly"}
        assert posture._fact("trains", "consumer", both, decided)["value"] == "yes"
        both[0]["quote"] = "Do you train?"  # a question states nothing
        found = posture._fact("trains", "consumer", both, decided)
        assert (found["value"], found["finding"]) == ("partly", other["id"])


def test_a_lead_states_no_fact_but_shows_use_with_feedback(tmp_path: Path) -> None:
    text = f"{PRIVACY}\nIf you provide feedback, we use the conversation to train our models.\n"
    place = build_database(tmp_path, {"Acme Chat/Privacy Policy/2026-05-01.md": text})

    def shown() -> tuple[str, str]:
        with closing(Store(place)) as store:
            service = Service(store, PUBLIC_URL)
            (row, *_) = platform_posture(service, service.state("acme-chat")).routes
            return row.human_review.value, row.opt_out.value

    assert shown() == ("yes", "partly")
    names = ", ".join(f'"{name}"' for name in ("snapshot_id", "clause_id", *KEPT))
    with closing(sqlite3.connect(place)) as db, db:
        for words in ("%staff may review%", "%provide feedback%"):
            own = "clause_id IN (SELECT id FROM clause WHERE quote LIKE ?)"
            db.execute(f"INSERT INTO lead ({names}) SELECT {names} FROM finding WHERE {own}", (words,))
            db.execute(f"DELETE FROM finding WHERE {own}", (words,))
    assert shown() == ("undetermined", "partly")


def test_the_csv_form_has_all_fields_and_a_row_for_each_fact(service: Service) -> None:
    platform = platform_posture(service, service.state("acme-chat")).model_dump()
    platform["name"] = "=1+1"
    platform["routes"][0]["trains"]["lead_in"] = {"quote": "In short:", "start": 0, "end": 9}
    rows = list(csv.DictReader(io.StringIO(csv_of([platform]), newline="")))
    assert [row["fact"] for row in rows] == [*FACTS] * 4
    fields = {*PostureFact.model_fields, *Provenance.model_fields} - {"provenance"}
    assert set(rows[0]) == {"schema", "platform", "name", "product", "route", "fact", "disclaimer", *fields}
    assert {(row["schema"], row["platform"], row["name"]) for row in rows} == {("1", "acme-chat", "'=1+1")}
    kept = next(row for row in rows if (row["route"], row["fact"]) == ("api", "retention"))
    place = ("72 hours", "Commercial Terms", "2026-01-10T00:00:00Z")
    assert (kept["value"], kept["days"], kept["product"]) == ("PT72H", "3.0", "")
    assert (kept["quote"][-9:-1], kept["document"], kept["captured_at"]) == place
    assert (rows[0]["lead_in"], kept["lead_in"]) == ("In short:", "")
    assert next(row for row in rows if row["value"] == "undetermined")["quote"] == ""


def test_a_platform_without_documents_has_three_undetermined_routes(service: Service) -> None:
    state = service.state("acme-chat") | {"documents": []}
    rows = platform_posture(service, state).routes
    assert [row.route for row in rows] == [*ROUTES]
    assert all(getattr(row, fact).model_dump() == UNDETERMINED for row in rows for fact in FACTS)


def test_an_opt_out_is_partly_if_content_with_feedback_is_used_despite_it(tmp_path: Path) -> None:
    feedback = "If you provide feedback, we use the conversation to train our models, whatever your settings are."
    files = {"Fell Chat/Privacy Policy/2026-01-10.md": PRIVACY.replace("Our staff", f"{feedback}\n\nOur staff")}
    with closing(Store(build_database(tmp_path, files))) as store:
        service = Service(store, PUBLIC_URL)
        consumer, business, _ = platform_posture(service, service.state("fell-chat", None)).model_dump()["routes"][:3]
    assert consumer["opt_out"]["value"] == "partly"
    assert "opt out in the settings" in consumer["opt_out"]["quote"]
    assert business["opt_out"] == UNDETERMINED
