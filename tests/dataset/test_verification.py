"""Quotes are checked against the snapshots that their provenance names, and read in their paragraphs."""

from __future__ import annotations

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset.checks import read_findings, verify_findings


def test_every_quote_verifies_unless_it_was_tampered_with(client: Client) -> None:
    findings = ra.load(client).findings
    assert set(verify_findings(client, findings)["verification_status"]) == {"verified"}
    findings.loc[0, "quote"] = "We never use your prompts to train our models."
    findings.loc[1, "start"] = 0
    findings.loc[2, "snapshot_sha256"] = "0" * 64
    assert verify_findings(client, findings)["verification_status"].tolist()[:3] == [
        "altered",
        "moved",
        "unavailable",
    ]


def test_a_lead_in_must_be_at_its_offsets(client: Client) -> None:
    led = ra.load(client).findings.head(2)
    bodies = [client.snapshot(sha256).decode() for sha256 in led["snapshot_sha256"]]
    led = led.assign(lead_in=[body[2:20] for body in bodies], lead_in_start=2, lead_in_end=20)
    assert verify_findings(client, led)["verification_status"].tolist() == ["verified", "verified"]
    led.loc[0, "lead_in"] = "We never share your data with:"
    assert verify_findings(client, led)["verification_status"].tolist() == ["altered", "verified"]
    led.loc[1, "lead_in_start"] = 1
    assert verify_findings(client, led)["verification_status"].tolist() == ["altered", "altered"]


def test_only_verified_quotes_are_read_in_their_paragraph(client: Client) -> None:
    findings = ra.load(client).findings
    findings.loc[0, "quote"] = "Words that stand nowhere."
    read = read_findings(client, findings)
    assert read["before"].isna().tolist() == [True] + [False] * (len(read) - 1)
    body = client.snapshot(str(read.loc[1, "snapshot_sha256"])).decode()
    assert f"{read.loc[1, 'before']}{read.loc[1, 'quote']}{read.loc[1, 'after']}" in body
    assert read_findings(client, findings[:0]).columns.tolist() == read.columns.tolist()


def test_places_that_are_missing_or_numbers_of_another_kind_are_checked_too(client: Client) -> None:
    findings = ra.load(client).findings.head(3).astype({"start": "float64", "end": "float64"})
    findings.loc[0, "start"] = None
    findings.loc[1, "snapshot_sha256"] = None
    assert verify_findings(client, findings)["verification_status"].tolist() == [
        "missing",
        "unavailable",
        "verified",
    ]


def test_a_verified_quote_leads_to_its_words_on_the_vendors_page_where_its_address_is_public(client: Client) -> None:
    findings = ra.load(client).findings.head(4)
    findings["document_url"] = [
        "https://a.example/terms",
        None,
        "http://127.0.0.1/terms",
        "https://a.example/altered",
    ]
    findings["archive_url"] = [None, "https://old.example/web/20260101/https://b.example/x", None, None]
    findings.loc[3, "quote"] = "Words that stand nowhere."
    live = verify_findings(client, findings)["live_url"]
    assert live[0].startswith("https://a.example/terms#:~:text=")
    assert live[1].startswith("https://b.example/x#:~:text=")
    assert live.isna().tolist() == [False, False, True, True]
    without = findings.drop(columns=["document_url", "archive_url"])
    assert verify_findings(client, without)["live_url"].isna().all()
