"""Decisions used as labels, with which the extraction is measured."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from riskanalytics.accuracy.labels import read_whole
from riskanalytics.topics.decisions import decision_states, labels_of
from riskanalytics.topics.decisions.records import Decision

from .given import NEWER, clause, found, made, read


def test_disputed_findings_become_labels_that_the_measurement_reads(tmp_path: Path) -> None:
    quotes = ["We keep all of it.", "We sell it.", "We read it.", "We move it.", "We ask."]
    rows = [{"quote": quote, "start": 100 * n, "end": 100 * n + len(quote)} for n, quote in enumerate(quotes)]
    elsewhere = {"snapshot_sha256": "ef" * 32, "quote": "Elsewhere."}
    findings = found(*rows, rows[2], {"start": None}, elsewhere)
    given_ = [
        made(clause(quotes[0])),
        made(clause(quotes[1]), decision="dispute"),
        made(clause(quotes[1]), decision="dispute", name="Bo"),
        made(clause(quotes[3]), decision="dispute"),
        made(clause(quotes[3]), name="Bo"),
        made(clause(quotes[4]), decision="ask_counsel"),
        made(clause("Elsewhere."), name="Cy"),
    ]
    lines = labels_of(decision_states(given_, findings, found(), read()), findings)
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (document,) = read_whole(tmp_path / "labels.jsonl")
    assert (document.platform, document.document, document.sha256) == ("vellumo", "Terms", NEWER)
    assert (document.readers, document.clauses) == (2, 5)
    assert [(label.start, label.sure, label.risk, label.polarity, label.surface) for label in document.labels] == [
        (0, True, "HIGH", "raises_risk", "data_retention"),
        (200, False, "HIGH", "raises_risk", "data_retention"),
        (300, False, "HIGH", "raises_risk", "data_retention"),
        (400, False, "HIGH", "raises_risk", "data_retention"),
    ]
    assert document.labels[0].quote_sha256 == sha256(quotes[0].encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "decision",
    [
        made(),
        made(decision="ask_counsel"),
        made(decision="dispute", change_id="c1"),
        made(clause("We sell it."), decision="dispute"),
        made(clause(), clause("We sell it."), decision="dispute"),
    ],
)
def test_without_a_disputed_finding_that_holds_there_is_no_label(decision: Decision) -> None:
    findings = found({})
    assert labels_of(decision_states([decision], findings, found(), read()), findings) == []
