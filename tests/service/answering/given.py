"""Five platforms with sentences whose reading is given by hand, and questions on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from riskanalytics.extraction import Reading, Scope
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store
from riskanalytics.service.answering import answer_question
from riskanalytics.service.store.evidence import live_findings
from riskanalytics.service.wire import Service
from tests.service.given import by_hand, give_readings, lead_on

HEAD = """{name} Privacy Policy
==============================

This policy tells which information the service handles, why, and which rights you have.

"""
NEVER = "We do not use your prompts to train our models."
ALWAYS = "We use the prompts you enter to train our models."
BUSINESS = "We do not use the prompts of enterprise customers to train our models."
SELLS = "We may sell your personal data to data brokers."
ASKED = "Do we sell your personal data to others?"
KEPT = "We do not sell your personal data."
RETAINED = "We retain personal data for as long as necessary for the purposes described in this policy."

POLICIES = {
    "Alder Chat": (NEVER, KEPT, RETAINED),
    "Birch Chat": (ALWAYS, SELLS, RETAINED),
    "Cedar Chat": (NEVER, ALWAYS, KEPT, SELLS),
    "Elm Chat": (RETAINED,),
    "Fir Chat": (ALWAYS, BUSINESS),
}
STANCES = {
    "alder-chat": ("does_not_train", "does_not_train", None),
    "birch-chat": ("trains_by_default", "trains_by_default", None),
    "cedar-chat": ("undetermined", "undetermined", None),
    "elm-chat": ("silent", "silent", None),
    "fir-chat": ("depends_on_plan", "trains_by_default", "does_not_train"),
}


READ: dict[str, dict[str, Any]] = {
    NEVER: {"surface": "training_use", "risk": "LOW", "polarity": "mitigates_risk", "stance": "does_not_train"},
    ALWAYS: {"surface": "training_use", "risk": "HIGH", "polarity": "raises_risk", "stance": "trains_by_default"},
    BUSINESS: {
        "surface": "training_use", "risk": "LOW", "polarity": "mitigates_risk", "stance": "does_not_train",
        "scope": Scope(audience="business"),
    },
    SELLS: {"surface": "third_party_sharing", "risk": "HIGH", "polarity": "raises_risk"},
    ASKED: {"surface": "third_party_sharing"},
    KEPT: {"surface": "third_party_sharing", "risk": "LOW", "polarity": "mitigates_risk"},
    RETAINED: {"surface": "data_retention", "risk": "MED", "polarity": "raises_risk"},
}  # fmt: skip
"""How each sentence is read: the answers are looked at here, not the reading."""


def reading_of(text: str, _: Reading) -> Reading:
    """The reading of a policy of these sentences."""
    found = [
        lead_on(text, quote, 0.95, more["surface"])._replace(**more) for quote, more in READ.items() if quote in text
    ]
    return Reading(tuple(sorted(found, key=lambda finding: finding.start)))


def written(folder: Path, policies: dict[str, tuple[str, ...]]) -> Path:
    """A database of policies with these sentences."""
    for name, sentences in policies.items():
        path = folder / "dataset" / name / "Privacy Policy" / "2026-01-10.md"
        path.parent.mkdir(parents=True)
        path.write_text(HEAD.format(name=name) + "\n\n".join(sentences) + "\n", encoding="utf-8")
    with open_collection(folder / "dataset") as collection:
        ingest(collection, folder / "many.sqlite")
    for name in policies:
        give_readings(folder / "many.sqlite", name.lower().replace(" ", "-"), reading_of)
    return folder / "many.sqlite"


def settle(database: Path, stances: dict[str, tuple[str, str | None, str | None]]) -> None:
    """Record stances, each decided by all clauses on training of its platform."""
    store = Store(database)
    decided = {
        slug: [row["id"] for row in live_findings(store, ("training_use",), [slug]) if row["quote"] != RETAINED]
        for slug in stances
    }
    store.close()
    with by_hand(database) as connection:
        for slug, (stance, consumer, business) in stances.items():
            connection.execute(
                "UPDATE state SET stance = ?, consumer_stance = ?, business_stance = ?, stance_decided_by = ? "
                "WHERE platform_id = (SELECT id FROM platform WHERE slug = ?)",
                (stance, consumer, business, json.dumps(decided[slug]), slug),
            )


def ask(service: Service, question: str, platform: str | None = None) -> Any:
    """The answer to a question."""
    return answer_question(service, question, platform).model_dump()


def cited(record: Any) -> list[tuple[str, str]]:
    """Platforms and quotes of an answer's citations."""
    return [(row["platform"], row["quote"]) for row in record["citations"]]
