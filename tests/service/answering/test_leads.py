"""Answers from leads, which are marked and assert nothing, and refusals that tell what was read and what was not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from riskanalytics.extraction import LeadIn, Reading
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.models.records import Answer
from riskanalytics.service import Store
from riskanalytics.service.answering.answer import _leads
from riskanalytics.service.answering.question import read_question
from riskanalytics.service.wire import Service
from tests.service.answering.given import HEAD, RETAINED, ask
from tests.service.given import PUBLIC_URL, give_readings, lead_on

OWNED = "You own the pictures that you make with the service."
VAGUE = "We may use content to improve our products and models."
SOLD = "We may sell your personal data to data brokers."
MOVED = "Your data may be sent to our servers in Canada."
NEVER = "We never:"
SCANNED = "collect your face data."
CHINESE = "用户协议\n====\n\n本协议说明我们如何提供服务，以及您与我们的权利和义务。\n\n" + "".join(
    f"第{number}条 我们按照本协议向您提供服务，您应当遵守本协议和适用的法律法规。\n\n" for number in range(1, 9)
)
LEADS = {OWNED: "output_rights", VAGUE: "training_use", MOVED: "cross_border_transfer"}
FINDINGS = {SOLD: "third_party_sharing", RETAINED: "data_retention"}
POLICY = "\n\n".join((OWNED, VAGUE, SOLD, MOVED, RETAINED, f"{NEVER}\n\n{SCANNED}"))


def reading_of(text: str, reading: Reading) -> Reading:
    """Two findings and three leads in English; a document in Chinese that is not read."""
    if OWNED not in text:
        return Reading((), reading.language)
    found, led = (
        tuple(lead_on(text, quote, confidence, surface) for quote, surface in these.items())
        for these, confidence in ((FINDINGS, 0.95), (LEADS, 0.6))
    )
    at = text.index(NEVER)
    item = lead_on(text, SCANNED, 0.6, "sensitive_data", lead_in=LeadIn(NEVER, at, at + len(NEVER)))
    return Reading(tuple(sorted(found, key=lambda one: one.start)), "en", leads=(*led, item))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on two platforms: one with a policy in English and one in Chinese, one with that in Chinese alone."""
    folder = tmp_path_factory.mktemp("leads")
    texts = {
        "Juniper Art/Privacy Policy": HEAD.format(name="Juniper Art") + POLICY + "\n",
        "Juniper Art/Terms of Service": CHINESE,
        "Larch Art/Terms of Service": CHINESE + "落叶松\n",
    }
    for name, text in texts.items():
        path = folder / "dataset" / name / "2026-01-10.md"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    with open_collection(folder / "dataset") as collection:
        ingest(collection, folder / "leads.sqlite")
    for slug in ("juniper-art", "larch-art"):
        give_readings(folder / "leads.sqlite", slug, reading_of)
    store = Store(folder / "leads.sqlite")
    yield Service(store, PUBLIC_URL)
    store.close()


def cited(record: Any) -> list[tuple[str, bool]]:
    """Quotes of an answer's citations, and whether each is marked as to be read."""
    return [(row["quote"], row.get("to_read", False)) for row in record["citations"]]


def test_an_answer_from_leads_only_says_so_and_marks_each(service: Service) -> None:
    record = ask(service, "Who owns the pictures I make with Juniper Art?")
    assert not record["refused"]
    assert cited(record) == [(OWNED, True)]
    assert record["answer"].splitlines() == [
        "Juniper Art: no finding answers this. Leads (clauses too uncertain to count): [1].",
        f'Juniper Art\'s Privacy Policy (2026-01-10) says (lead, not a finding): "{OWNED}" [1].',
    ]


def test_a_finding_has_no_mark_and_the_record_parses_findings_and_leads(service: Service) -> None:
    record = ask(service, "Does Juniper Art sell my data?")
    assert cited(record) == [(SOLD, False)]
    assert "not a finding" not in record["answer"]
    assert "to_read" not in record["citations"][0]
    assert Answer.model_validate(ask(service, "Is Juniper Art's data stored in Canada?")).citations[0].to_read


def test_a_lead_next_to_a_finding_is_not_said_to_be_all(service: Service) -> None:
    record = ask(service, "Does Juniper Art sell my data or transfer it to other countries?")
    assert cited(record) == [(SOLD, False), (MOVED, True)]
    assert "no finding answers this" not in record["answer"]


def test_a_lead_whose_own_words_do_not_name_the_topic_is_not_cited(service: Service) -> None:
    record = ask(service, "Does Juniper Art give me a warranty on its output?")
    assert record["refused"]
    assert record["citations"] == []


def test_a_question_on_an_undetermined_stance_cites_the_clauses_to_read(service: Service) -> None:
    record = ask(service, "Does Juniper Art train on my pictures?")
    assert cited(record) == [(VAGUE, True)]
    assert record["answer"].startswith(
        "Juniper Art: the documents do not settle whether user content trains models: these clauses are to be read [1]."
    )
    assert "could not be read" not in record["answer"]
    # a clause that decides the stance does not answer a question on an opt-out
    assert ask(service, "Does Juniper Art let me opt out of training on my pictures?")["reason"] == "no_evidence"


def test_a_silent_stance_has_no_leads_on_training_but_those_on_other_surfaces(service: Service) -> None:
    state = (service.store.platform("juniper-art") or {}) | {"stance": "silent"}
    for question, quotes in (("Does Juniper Art train on my pictures?", []), ("Who owns my pictures?", [OWNED])):
        read = read_question(question, service.store.names())
        assert [lead["quote"] for lead in _leads(service, read, state)] == quotes


def test_a_refusal_lists_the_documents_read_and_the_nearest_clauses(service: Service) -> None:
    record = ask(service, "Does Juniper Art store my data in Iceland?")
    assert (record["refused"], record["reason"]) == (True, "no_evidence")
    assert cited(record) == [(RETAINED, False), (MOVED, True)]
    assert record["answer"].splitlines() == [
        "No finding on Data retention, Cross-border transfer answers this question. "
        "Documents searched: Juniper Art: Privacy Policy (2026-01-10). Not read: Juniper Art: Terms of Service (in Chinese). "
        "1 lead on Data retention, Cross-border transfer: clauses too uncertain to count as findings. "
        "Nearest clauses: [1] [2].",
        f'Juniper Art\'s Privacy Policy (2026-01-10) says: "{RETAINED}" [1].',
        f'Juniper Art\'s Privacy Policy (2026-01-10) says (lead, not a finding): "{MOVED}" [2].',
    ]


def test_a_refusal_shows_findings_before_leads_and_nothing_of_another_surface(service: Service) -> None:
    assert cited(ask(service, "Does Juniper Art sell my data in Iceland?")) == [(SOLD, False)]
    assert cited(ask(service, "Does Juniper Art keep my data for 30 days?")) == [(RETAINED, False)]
    assert cited(ask(service, "Does Juniper Art tell me when its terms change?")) == []


def test_a_platform_without_an_answer_is_shown_next_to_the_answer_for_another(service: Service) -> None:
    record = ask(service, "Do Juniper Art and Larch Art sell my data?")
    assert not record["refused"]
    assert {row["platform"] for row in record["citations"]} == {"juniper-art"}
    assert "Larch Art: Terms of Service (in Chinese)." in record["answer"]


def test_a_lead_that_is_a_list_item_is_shown_with_its_lead_in(service: Service) -> None:
    record = ask(service, "Does Juniper Art collect face data?")
    assert cited(record) == [(SCANNED, True)]
    assert f'(lead, not a finding): "{NEVER} {SCANNED}" [1].' in record["answer"]


def test_an_unread_document_counts_for_neither_side_of_a_question_on_all_platforms(service: Service) -> None:
    lacking = ask(service, "Which platforms have no clause on the sale of data?")["answer"]
    assert lacking.splitlines() == [
        "0 of 2 tracked platforms have no clause on it.",
        "Of the others, 1 with a clause on it; 1 with unread documents: Larch Art.",
    ]
    # a lead on one surface of the question does not make up for what was not read on the other
    owning = ask(service, "Which platforms have no clause on training or face data?")["answer"].splitlines()
    assert owning[1] == "Of the others, 2 with unread documents: Juniper Art, Larch Art."
    selling = ask(service, "Which platforms sell data?")["answer"].splitlines()
    assert selling[1] == "Of the others, 1 with unread documents: Larch Art."


def test_a_document_in_an_unsupported_language_is_not_silent(service: Service) -> None:
    for question in ("Does Larch Art train on my chats?", "Does Larch Art sell my data?"):
        record = ask(service, question)
        assert (record["refused"], record["reason"]) == (True, "no_evidence")
        assert (
            "Documents searched: Larch Art: none. Not read: Larch Art: Terms of Service (in Chinese)."
            in record["answer"]
        )
