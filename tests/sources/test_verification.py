"""Quotes are checked against the snapshots that their provenance names, and read in their paragraphs."""

from __future__ import annotations

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.sources import read_findings


def test_every_quote_verifies_and_one_that_was_tampered_with_does_not(client: Client) -> None:
    findings = ra.load_findings(client)
    assert set(ra.verify_findings(client, findings)["verification_status"]) == {"verified"}
    findings.loc[0, "quote"] = "We never use your prompts to train our models."
    findings.loc[1, "start"] = 0
    findings.loc[2, "snapshot_sha256"] = "0" * 64
    assert ra.verify_findings(client, findings)["verification_status"].tolist()[:3] == [
        "altered",
        "moved",
        "unavailable",
    ]


def test_a_verified_quote_is_read_in_its_paragraph_and_another_is_not(client: Client) -> None:
    findings = ra.load_findings(client)
    findings.loc[0, "quote"] = "Words that stand nowhere."
    read = read_findings(client, findings)
    assert read["before"].isna().tolist() == [True] + [False] * (len(read) - 1)
    body = client.snapshot(str(read.loc[1, "snapshot_sha256"])).decode()
    assert f"{read.loc[1, 'before']}{read.loc[1, 'quote']}{read.loc[1, 'after']}" in body
    assert read_findings(client, findings[:0]).columns.tolist() == read.columns.tolist()


def test_places_that_are_missing_or_numbers_of_another_kind_are_checked_too(client: Client) -> None:
    findings = ra.load_findings(client).head(3).astype({"start": "float64", "end": "float64"})
    findings.loc[0, "start"] = None
    findings.loc[1, "snapshot_sha256"] = None
    assert ra.verify_findings(client, findings)["verification_status"].tolist() == [
        "missing",
        "unavailable",
        "verified",
    ]
