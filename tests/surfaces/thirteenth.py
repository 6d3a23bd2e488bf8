"""Report in JSON what the package does with one more surface; runs in its own process."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import riskanalytics as ra
from riskanalytics.demo.history import all_platforms
from riskanalytics.demo.policies import policy
from riskanalytics.extraction import extract, published_formula
from riskanalytics.service.compliance.mapping import outcomes
from riskanalytics.service.tool_server.contract import Surface
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES
from tests.service.given import Caller, build_database

NEW = "security_incidents"


def result(folder: Path, text: str) -> dict[str, Any]:
    """Return the findings, rating, answer and pages of a text, and what else knows the new surface."""
    database = build_database(folder, {"Aurelia Chat/Privacy Policy/2026-01-10.md": text})
    caller = Caller(database)
    question = {"question": "Does Aurelia Chat tell its users of a data breach?", "platform": "aurelia-chat"}
    with ra.connect(database=database) as client:
        evidence = ra.load(client)
        matrix = ra.analysis.risk_matrix(evidence.findings, surfaces=evidence.surfaces)
        chart = ra.charts.risk_matrix(matrix).figure.to_json()
    record = caller.call("/api/machine/platform/aurelia-chat").json()
    answer = caller.post("/api/verified/ask", question).json()
    page = caller.call("/platform/aurelia-chat", headers={"accept": "text/html"}).body.decode()
    platform = next(one for one in all_platforms() if not one.chinese and NEW in one.intended.levels)
    findings = extract(text).findings
    caller.close()
    return {
        "package": ra.__file__,
        "surfaces": SURFACES,
        "described": SURFACE_DESCRIPTIONS[NEW].question,
        "read": [[row.surface, row.rule, row.risk, row.confidence, row.quote] for row in findings],
        "rated": record["surfaces"][NEW],
        "weight": published_formula()["weights"][NEW],
        "answer": [answer["refused"], [row["surface"] for row in answer["citations"]]],
        "shown": ["Security incidents" in part for part in (page, chart, ra.sections.surfaces().html)],
        "control": [row["outcome"] for row in outcomes({NEW: ("HIGH", (1,))}) if row["outcome"] == "concern"],
        "argument": NEW in json.dumps(TypeAdapter(Surface).json_schema()),
        "demo": "security incident" in (said := policy(platform, "Privacy Policy", platform.intended))
        or "data breach" in said,
    }


if __name__ == "__main__":
    print(json.dumps(result(Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8"))))
