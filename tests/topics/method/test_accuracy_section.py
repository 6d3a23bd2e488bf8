"""The figures of accuracy on a page: what is said with everything known, and with nothing told."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, cast

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.dataset.checks import load_accuracy
from riskanalytics.extraction import accuracy
from riskanalytics.topics.method import section as accuracy_section
from tests.topics.given import read

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m'\""


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def shown(figures: dict[str, Any]) -> str:
    """What is said of figures that a service records."""
    measured = load_accuracy(cast("Client", Coverage(figures)))
    return accuracy_section.accuracy(measured.figures, measured.facts).html


class Coverage:
    """A client that tells figures and nothing else."""

    def __init__(self, figures: dict[str, Any]) -> None:
        self.figures = figures

    def coverage(self) -> dict[str, Any]:
        return {"extraction": {"figures": self.figures}}


OLDER = {
    "withdrawn": {
        "measured_on": "2026-11-21",
        "why": "they counted only sentences that somebody had judged",
        "groups": {
            "written_with_them": {"precision": {"value": 0.99}, "recall": {"value": 0.98}},
            "never_seen": {"precision": {"value": 0.93, "part": 399, "whole": 430}, "recall": {"value": 0.67}},
            "vendors_left_out": {"precision": {"value": 0.98}},
        },
    }
}


def test_every_part_is_shown_with_rules_and_model_separately_held_out_parts_first() -> None:
    result = accuracy()["calibrate"]
    html = shown({"calibrate": result, "test": result | {"times_scored": 2, "documents": 48}})
    assert html.index("Vendors not used to develop the program") < html.index(
        "Vendors used only to calibrate the confidence"
    )
    assert html.count('<details class="keep" open>') == 1
    assert html.index(" open>") < html.index("Vendors not used to develop")
    assert "measured 2 of at most 3 times, so that the program is not fitted to these documents" in html
    assert "documents: 48" in html
    leads = {"measure": "leads", "share": 0.5, "part": 1, "whole": 2, "low": None}
    cells = [accuracy_section._cell(leads | {"surface": group}) for group in ("all", "learned")]
    assert cells == ["50\xa0% (1 of 2)", ""]
    assert "<th scope=col>Rules alone</th><th scope=col>Model alone</th><th scope=col>All findings</th>" in html
    share = result["groups"]["learned"]["precision"]
    assert f"{share['part']:,} of {share['whole']:,}" in words(html)
    assert f"{result['groups']['hand_written']['calibration_error']:.3f}" in html


def test_stances_under_a_platforms_name_are_counted_by_what_was_said() -> None:
    share = {"value": 0.75, "low": 0.2, "high": 0.9, "part": 3, "whole": 4, "families": 4}
    result = accuracy()["calibrate"] | {
        "stances": {"said_to_train": share, "said_not_to_train": {"part": 0, "whole": 0}}
    }
    html = shown({"unseen": result})
    assert "75\u00a0% (3 of 4, 20\u00a0% to 90\u00a0%) right when reported to train on user content" in html
    assert "reported not to train" not in html


def numbered(names: str) -> dict[str, Any]:
    """Shares of 1 %, 2 %, ... by name, to see which words stand beside which."""
    return {name: {"value": n / 100, "part": n, "whole": 100} for n, name in enumerate(names.split(), 1)}


def test_each_share_stands_beside_its_own_words() -> None:
    measures = numbered("precision recall high level polarity sure leads") | {"calibration_error": 0.1234}
    stances = numbered("acceptable said_to_train said_not_to_train said_to_be_silent undetermined")
    audit = {
        "findings": numbered("right borderline embarrassing level polarity"), "stances": numbered("right half_right"),
        "changes": numbered("material direction cause"), "measured_on": "2026-01-02", "rules": "7", "read": "by two",
    }  # fmt: skip
    part = {
        "groups": {"all": measures},
        "stances": stances,
        "measured_on": "2026-01-01",
        "rules": "6",
        "times_scored": 1,
    }
    shown_words = read(shown({"test": part | {"documents": 1200, "firm": 3}, "audit": audit}))
    said = re.sub(r" \((\d) of 100\)", "", shown_words.replace("\xa0", " "))
    assert said.partition("are alike.")[2] == (
        "|Vendors not used to develop the program |documents: 1,200, firm: 3|Measured on 2026-01-01; version |6|; measured 1 of "
        "at most 3 times, so that the program is not fitted to these documents|Rules alone|Model alone|All findings|"
        "findings shown that are right|1 %|firm labels "
        "found|2 %|findings shown as HIGH that are right and HIGH|3 %|right findings whose level matches a label|4 %|right "
        "findings whose polarity matches a label|5 %|findings with a confidence of .95 or more that are right|6 %|missed firm "
        "labels that are among the leads|7 %|expected calibration error: mean distance between confidence and share of right "
        "findings|0.123|Platforms and training on user content:|1 % given a stance that a reader accepts|2 % right when "
        "reported to train on user content|3 % right when reported not to train, or only after opt-in|4 % right when reported to "
        "have no clause|5 % left undetermined|Judged by readers|Judged on 2026-01-02, version 7 of the rules: by two.|Findings: "
        "1 % right, 2 % borderline (the others are wrong), 3 % misleading about the vendor, 4 % of the right and borderline ones "
        "with the right level, 5 % of them with the right effect on the risk|Stances: 1 % right, 2 % half right (a plan, a way "
        "out or a better clause was missed)|Changes: 1 % material, 2 % of the directions on single surfaces right, 3 % of the "
        "clauses named as cause right|"
    )


def test_the_judgements_of_readers_are_shown_with_the_figures() -> None:
    html = shown(accuracy())
    assert "200 findings of this version, drawn at random" in html
    assert (
        "<li>Changes: 83\u00a0% (20 of 24) material, 61\u00a0% (31 of 51) of the directions on single surfaces right"
        in html
    )
    assert "Read by others" not in shown(OLDER)


def test_the_accuracy_where_language_models_read_is_shown_with_its_method() -> None:
    html = shown(accuracy())
    assert "<h3>Where language models read the documents</h3>" in html
    assert "Measured on 2026-11-27. The documents were read by language models of the same kind" in html
    assert (
        "<li>on vendors used only to calibrate the confidence: 98\xa0% (1,299 of 1,332) of judged findings right, "
        "90\xa0% (1,120 of 1,243) of labelled clauses found</li>"
    ) in html
    assert "language models read" not in shown(OLDER)


def test_the_figures_of_before_are_marked_as_withdrawn_with_the_reason() -> None:
    html = shown(accuracy())
    assert html.index("<h3>Withdrawn</h3>") < html.index(
        "<s>on platforms that were not used to develop the program: 93"
    )
    assert "they counted only sentences that somebody had judged" in html


def test_a_service_that_reports_only_older_figures_has_no_valid_figures() -> None:
    html = shown(OLDER)
    assert "reports no accuracy on fully labelled documents" in html
    assert "Do not rely on these older figures, measured on 2026-11-21, because they counted only sentences" in html
    assert "(399 of 430)" in html
    older = read(html).replace("\xa0", " ").partition("had judged.")[2]
    assert older == (
        "|on platforms that were not used to develop the program: 93 % (399 of 430) of judged findings right, 67 % of labelled "
        "clauses found|on each family of related vendors, with rules and weights made from other families only: 98 % of judged "
        "findings right|on the clauses that the rules were written with: 99 % of judged findings right, 98 % of labelled clauses "
        "found|"
    )
    assert html.count("<s>") == 3


def test_labels_without_a_document_of_the_data_are_reported() -> None:
    html = accuracy_section.accuracy(frames.accuracy_frame({}), {"source": "labels", "not_scored": 2}).html
    figures = frames.accuracy_frame({"given": {"groups": {"all": {"precision": {"value": 0.9}}}}})
    said = [
        accuracy_section.accuracy(figures, {"source": source, "measured_on": "today"}).text
        for source in ("labels", "x")
    ]
    assert said == ["measured against the labels given", "measured on today"]
    nothing = frames.accuracy_frame({})
    assert accuracy_section.accuracy(figures, {}).text == "measured on an unknown day"
    assert accuracy_section.accuracy(nothing, {"measured_on": "today"}).text == "no figures of accuracy are reported"
    texts = [accuracy_section.extraction_quality(known, nothing, {}).text for known in ({"version": "2.b"}, {})]
    assert texts == ["extraction 2.b", "extraction not reported"]
    assert "contain no fully labelled document of the data" in html
    assert "2 labels or texts could not be scored" in html


def test_a_service_without_figures_is_described_as_such() -> None:
    for figures in ({}, {"test": 3}, {"test": {"groups": []}}, {"precision": "good"}):
        assert "reports no accuracy" in shown(figures)


def result(part: str, **more: Any) -> str:
    share = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
    groups = {"all": {"precision": share, "recall": share, "calibration_error": 0.1}}
    figures = frames.accuracy_frame({part: {"groups": groups}} if part else {})
    return accuracy_section.extraction_quality({"version": "2.b"}, figures, {"labels": part} | more).html


def test_figures_of_another_version_are_emphasised_and_missing_figures_are_reported() -> None:
    assert 'class="alarm"' in result("test", rules="1.a")
    assert 'class="alarm"' not in result("test", rules="2")
    quality = words(result("test", rules="2", measured_on="2026-01-01")).replace("\xa0", " ")
    assert (
        "Measured on 2026-01-01 on documents that readers labelled sentence by sentence, of vendors not used to develop the "
        "program. A finding without a label counts as wrong; brackets hold the counts and the 95 % interval. 90 % (9 of 10, 80 % "
        "to 95 %) of all findings shown are right; 90 % (9 of 10, 80 % to 95 %) of the clauses that these readers were sure of "
        "are found. The stated confidence is off by 0.100 on average"
    ) in quality
    assert "9 of 10" in result("calibrate")
    share = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
    parts = {
        "test": {"groups": {"all": {"precision": share}}},
        "calibrate": {"groups": {"all": {"precision": share | {"part": 7}}}},
    }
    html = accuracy_section.extraction_quality({}, frames.accuracy_frame(parts), {"labels": "test"}).html
    assert "90\xa0% (9 of 10, 80\xa0% to 95\xa0%) of all findings shown are right" in html
    assert "is off by 0.100 on average (expected calibration error)" in result("calibrate")
    assert "reports no accuracy" in result("")
    assert "does not report its version" in accuracy_section.extraction_quality({}, frames.accuracy_frame({}), {}).html


def test_older_figures_are_shown_as_withdrawn_next_to_the_others() -> None:
    older = {"groups": {"never_seen": {"precision": {"value": 0.93}}}, "why": "they flattered"}
    html = result("test", withdrawn=older)
    assert html.index("9 of 10") < html.index("Withdrawn") < html.index("they flattered") < html.index("93")
    assert "Withdrawn" not in result("test")


def test_nothing_from_data_leaves_its_place() -> None:
    counts = dict.fromkeys(("measured_on", "rules", "documents", "families", "labels", "firm", "times_scored"), HOSTILE)
    measured = {
        "groups": {HOSTILE: {HOSTILE: 1}, "all": {"precision": {"value": HOSTILE}}},
        "stances": {HOSTILE: HOSTILE},
    }
    withdrawn = {
        "why": HOSTILE,
        "measured_on": HOSTILE,
        "groups": {HOSTILE: {}, "never_seen": {"precision": {"value": 1}}},
    }
    result = {"measured_on": HOSTILE, "labels": HOSTILE, "rules": HOSTILE + "x", "withdrawn": withdrawn}
    version = accuracy_section.extraction_quality({"version": HOSTILE}, frames.accuracy_frame({}), result).html
    for html in (version, shown({"test": measured | counts, "withdrawn": withdrawn})):
        assert not re.search(r"<(?:script|img)", html)
        assert not re.search("[\u202e\x1b]", html)
