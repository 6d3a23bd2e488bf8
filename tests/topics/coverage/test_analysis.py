"""Coverage: states, ages, reasons, broken captures, quiet surfaces, the sample of quotes, and what is said first."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.errors import ReportError
from riskanalytics.frames import CONTRACT_COLUMNS, ENDPOINTS_COLUMNS, frame_of
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.coverage.documents import flag_words, verified
from tests.frames_given import CELLS, CHANGES, COVERAGE, DOCUMENTS, FINDINGS, PLATFORMS, Market, given


def document(slug: str, state: str, **more: Any) -> dict[str, Any]:
    result = {"slug": slug, "document": "Terms", "state": state, "check": "collapsed", "captured_at": "2026-05-01"}
    return result | {"newest_capture_at": "2026-07-02"} | more


def test_each_unverified_platform_has_its_reason_and_unread_platforms_come_first() -> None:
    platforms = given(
        PLATFORMS,
        {"slug": "fine", "verification": "verified"},
        {"slug": "half", "verification": "partial"},
        {"slug": "old", "verification": "stale"},
        {"slug": "none", "verification": "unverified"},
        {"slug": "z", "name": "alba", "verification": "unverified"},
        {"slug": "odd", "verification": "under_review"},
        {"slug": "blank", "verification": None},
        {"slug": "foreign", "verification": "unverified"},
    )
    documents = given(
        DOCUMENTS,
        document("half", "not_a_policy", check="login_page"),
        document("half", "good", document="Privacy"),
        document("old", "stale"),
        document("odd", "good"),
        document("foreign", "good", language="zh", read=False),
        document("foreign", "good", document="Privacy", language="zh", read=True),
    )
    result = analysis.unverified_platforms(platforms, documents)
    assert result["slug"].tolist() == ["z", "foreign", "none", "old", "half", "blank", "odd"]
    assert result.set_index("slug")["reason"].to_dict() == {
        **dict.fromkeys(("z", "none"), "no document is known"),
        "foreign": "Terms: in Chinese",
        "old": "Terms: collapsed",
        "half": "Terms: login page",
        "blank": "no document is known",
        "odd": "the service names no document as the reason",
    }
    assert result.set_index("slug").loc["blank", "state"] == "not given"
    counted = result[["documents", "affected"]].to_numpy().tolist()
    assert counted == [[0, 0], [2, 1], [0, 0], [1, 1], [2, 1], [0, 0], [1, 0]]


def test_a_capture_is_broken_since_the_first_failure_after_the_last_good_text() -> None:
    fresh = analysis.freshness(given(DOCUMENTS, document("old", "stale"), document("bad", "broken")), "2026-07-31")
    failures = given(
        CHANGES,
        *(
            {"slug": "old", "document": "Terms", "reviewed_at": day, "change_class": "capture_failure"}
            for day in ("2026-04-01", "2026-05-01", "2026-06-10", "2026-07-02")
        ),
        {"slug": "old", "document": "Privacy", "reviewed_at": "2026-05-15", "change_class": "capture_failure"},
    )
    known = analysis.broken_captures(fresh, failures).set_index("slug")
    assert list(known.index) == ["bad", "old"]
    assert f"{known.loc['old', 'since']:%Y-%m-%d}" == "2026-06-10"
    assert bool(known.loc["old", "since_known"])
    assert pd.isna(known.loc["bad", "last_good_at"])
    unknown = analysis.broken_captures(fresh).set_index("slug")
    assert f"{unknown.loc['old', 'since']:%Y-%m-%d}" == "2026-07-02"
    assert not unknown["since_known"].any()


def test_ages_are_counted_in_days_of_the_calendar_so_the_newest_capture_is_not_after_now() -> None:
    rows = [
        document("new", "good", captured_at="2026-07-31T21:53:00Z"),
        document("late", "good", captured_at="2026-08-01"),
    ]
    result = analysis.freshness(given(DOCUMENTS, *rows), "2026-07-31").set_index("slug")
    assert result["age_days"].to_dict() == {"late": -1, "new": 0}
    assert result["flag"].to_dict() == {"late": "after now", "new": ""}


def test_silence_is_counted_of_what_was_read_with_its_interval_and_names() -> None:
    states = {"Zed": "quiet", "alba": "quiet", "Cobalt": "found", "Draft": "unread", "Echo": "to_read"}
    cells = [
        {"slug": f"p{n}", "name": name, "surface": "human_review", "state": state, "to_read": 3}
        for n, (name, state) in enumerate(states.items())
    ]
    (row,) = analysis.quiet_surfaces(given(CELLS, *cells)).to_dict("records")
    assert (row["quiet"], row["to_read"], row["read"], row["unread"], row["share"]) == (2, 1, 4, 1, 0.5)
    assert row["low"] < 0.5 < row["high"]
    assert row["platforms"] == [("p1", "alba"), ("p0", "Zed")]
    alone = [
        {"slug": "p0", "name": "Zed", "surface": surface, "state": "quiet"} for surface in ("zebra", *SURFACES[1::-1])
    ]
    counted = analysis.quiet_surfaces(given(CELLS, *cells, *alone))
    assert counted[["surface", "quiet"]].to_numpy().tolist() == [
        [SURFACES[0], 1], [SURFACES[1], 1], ["zebra", 1], ["human_review", 2],
    ]  # fmt: skip


def quiet(*counts: int) -> pd.DataFrame:
    """Platforms with so many quiet surfaces of twelve."""
    cells = [
        {"slug": f"p{n}", "surface": f"s{place}", "state": "quiet" if place < count else "found"}
        for n, count in enumerate(counts)
        for place in range(12)
    ]
    documents = [document("p0", state) for state in ("good", "stale", "broken", "not_a_policy")]
    documents.append(document("p0", "good", language="zh", read=False))
    return analysis.quiet_platforms(given(CELLS, *cells), given(DOCUMENTS, *documents))


def test_a_platform_far_quieter_than_its_peers_is_unusual_and_a_talkative_one_is_not() -> None:
    result = quiet(9, 0, 2, 2, 2, 3, 3, 3, 4).set_index("slug")
    assert result.index[result["unusual"]].tolist() == ["p0"]
    assert result.loc["p0", "score"] == pytest.approx(0.6745 * (9 - 3) / 1)
    assert result.loc["p0", "documents"] == 2  # the good and the stale one
    assert result.loc["p2", "surfaces"] == ["s0", "s1"]
    assert not quiet(0, 9, 9, 9, 10, 10, 10, 11, 11)["unusual"].any()
    assert not quiet(8, 0, 2, 2, 2, 3, 3, 3, 4)["unusual"].any()  # a score of 3.4


def test_where_most_are_alike_the_mean_deviation_measures_and_where_all_are_nothing_is_unusual() -> None:
    result = quiet(1, 1, 1, 1, 1, 1, 1, 1, 1, 8)
    assert result["unusual"].tolist() == [True] + [False] * 9
    assert result.loc[0, ["usual", "score"]].tolist() == [1, pytest.approx(7 / (1.253314 * 0.7))]
    assert not quiet(2, 2, 2)["unusual"].any()


def test_leads_are_counted_by_platform_with_their_surfaces_and_the_highest_confidence() -> None:
    rows = [
        {"slug": "a", "surface": "training_use", "confidence": 0.6},
        {"slug": "b", "surface": "training_use", "confidence": None},
        *[{"slug": "b", "surface": "human_review"}] * 2,
    ]
    result = analysis.leads_by_platform(given(FINDINGS, *rows))
    assert result[["slug", "leads", "surfaces"]].to_numpy().tolist() == [["b", 3, 2], ["a", 1, 1]]
    assert result["highest"].fillna(-1).tolist() == [-1, 0.6]
    pd.testing.assert_series_equal(analysis.leads_by_platform(given(FINDINGS)).dtypes, result.dtypes)


def test_findings_of_low_confidence_are_counted_and_those_without_one_are_not() -> None:
    rows = [{"slug": "a", "confidence": value} for value in (0.6, 0.65, 0.9, None)] + [{"slug": "b", "confidence": 0.7}]
    rows += [{"slug": "c", "confidence": value} for value in [0.6] * 3 + [0.9] * 5]
    result = analysis.unsure_findings(given(FINDINGS, *rows))
    assert result[["slug", "unsure", "findings", "share", "lowest"]].to_numpy().tolist() == [
        ["c", 3, 8, 0.375, 0.6],
        ["a", 2, 4, 0.5, 0.6],
    ]


def test_the_sample_does_not_depend_on_the_order_of_the_findings() -> None:
    findings = Market(50).findings
    first = analysis.sample_findings(findings, 20)
    again = analysis.sample_findings(findings.iloc[::-1].reset_index(drop=True), 20)
    pd.testing.assert_frame_equal(first, again)
    assert len(first) == 20
    assert first["finding_id"].tolist() != findings["finding_id"].tolist()[:20]


def test_a_sample_gives_an_interval_and_a_full_check_gives_a_share() -> None:
    checked = given(FINDINGS, *({"slug": "a", "verification_status": word} for word in ["verified"] * 9 + ["altered"]))
    sampled = analysis.integrity(checked, 100).set_index("status")
    assert sampled.index.tolist() == ["verified", "altered"]
    assert sampled.loc["verified", "low"] < 0.9 < sampled.loc["verified", "high"]
    whole = analysis.integrity(checked, 10).set_index("status")
    assert (whole.loc["verified", "low"], whole.loc["verified", "high"]) == (0.9, 0.9)
    assert analysis.integrity(checked[:0], 0).empty
    assert analysis.integrity(checked[9:], 9)[["status", "quotes"]].to_numpy().tolist() == [
        ["verified", 0],
        ["altered", 1],
    ]


def test_the_history_is_ordered_by_day_and_omits_days_without_data() -> None:
    row = {"tracked": 4, "verified": 4, "partial": 0, "stale": 0, "unverified": 0}
    days = given(COVERAGE, row | {"as_of": "2026-02-28"}, row | {"as_of": "2026-01-31"}, {"as_of": "2026-03-31"})
    result = analysis.coverage_history(days)
    assert [f"{day:%m}" for day in dict.fromkeys(result["as_of"])] == ["01", "02"]


def sentences(size: int, **frames: pd.DataFrame) -> list[str]:
    market = Market(size)
    fresh = analysis.freshness(market.documents, "2026-07-31")
    result = {
        "reasons": analysis.unverified_platforms(market.platforms, market.documents),
        "freshness": fresh,
        "broken": analysis.broken_captures(fresh),
        "quiet": analysis.quiet_platforms(market.cells, market.documents),
        "unsure": analysis.unsure_findings(market.findings),
        "integrity": analysis.integrity(market.findings[:0], 0),
        "drift": analysis.contract_drift(frame_of(CONTRACT_COLUMNS, [])),
    }
    return analysis.coverage_sentences(analysis.coverage(market.coverage), **(result | frames))


def test_problems_come_first_with_the_most_serious_in_front() -> None:
    words = ["verified", "missing", "unavailable"]
    failed = given(FINDINGS, *({"slug": "a", "verification_status": word} for word in words))
    drift = frame_of(CONTRACT_COLUMNS, [("/api/coverage", "missing", "tracked", "absent", "whole number", 1, 1, "x")])
    endpoints = frame_of(ENDPOINTS_COLUMNS, [("/api/v1/search", 0, "failed", 500)])
    said = sentences(
        30, integrity=analysis.integrity(failed, 9), drift=analysis.contract_drift(drift, endpoints)
    )  # fmt: skip
    assert said[0] == "24 of 30 tracked platforms verified (80\xa0%), 1 partial, 1 stale and 4 unverified."
    assert said[2].startswith("Needs attention: 2 unverified quotes; 1 failed endpoint; 1 interface difference; ")


def test_what_needs_attention_is_counted_and_named_with_the_newest_break() -> None:
    platforms = given(
        PLATFORMS, *({"slug": slug, "verification": state} for slug, state in
                     (("none", "unverified"), ("half", "partial"), ("old", "stale"))),
    )  # fmt: skip
    captures = [
        document("old", "stale"),
        document("none", "broken", newest_capture_at="2026-07-05", captured_at=None),
        document("half", "good"),
    ]
    failure = {"slug": "none", "document": "Terms", "reviewed_at": "2026-07-04"}
    broken = analysis.broken_captures(
        analysis.freshness(given(DOCUMENTS, *captures), "2026-07-31"), given(CHANGES, failure)
    )
    frames: dict[str, pd.DataFrame] = {
        "reasons": analysis.unverified_platforms(platforms, given(DOCUMENTS, document("half", "good"), captures[0])),
        "broken": broken,
        "quiet": quiet(9, 0, 2, 2, 2, 3, 3, 3, 4),
        "unsure": analysis.unsure_findings(
            given(FINDINGS, *({"slug": "a", "confidence": sure} for sure in (0.6, 0.5, 0.9)))
        ),
    }
    said = sentences(10, **frames)
    assert said[0] == "8 of 10 tracked platforms verified (80\xa0%), 2 unverified."
    assert said[1].endswith(" No document of None was read.")
    attention = (
        "Needs attention: 1 platform without documents; 2 broken captures (newest: None {}); silence on unusually many surfaces "
        "(P0); 2 findings of low confidence on 1 platform."
    )
    assert said[2] == attention.format("since 2026-07-04")
    frames["broken"] = broken.assign(since_known=False)
    assert sentences(10, **frames)[2] == attention.format("by 2026-07-04")
    frames["broken"] = broken.assign(since=pd.NaT)
    assert sentences(10, **frames)[2] == attention.format("").replace("None )", "None)")
    assert sentences(2)[1] == "All documents could be read (4)."


def test_differences_come_the_most_serious_first_and_documented_additions_are_no_drift() -> None:
    kinds = ("addition", "lacking", "more", "unseen", "unknown", "retyped", "missing")
    rows = [(f"/{n}", kind, "field", "seen", "text", 2, 5, "x") for n, kind in enumerate(kinds)]
    rows.append(("/3", "unseen", "field", "often", "text", 3, 5, "x"))
    states = [("failed", 503), ("failed", None), ("no key", 401), ("compared", 200)]
    endpoints = frame_of(ENDPOINTS_COLUMNS, [(f"/{n}", 1, *state) for n, state in enumerate(states)])
    result = analysis.contract_drift(frame_of(CONTRACT_COLUMNS, rows), endpoints)
    assert result[["endpoint", "kind", "observed", "drift"]].to_numpy().tolist() == [
        ["/0", "failed", "HTTP 503", True], ["/1", "failed", "no answer", True], ["/6", "missing", "seen", True],
        ["/5", "retyped", "seen", True], ["/4", "unknown", "seen", True], ["/3", "unseen", "often", True],
        ["/3", "unseen", "seen", True], ["/2", "more", "seen", True], ["/1", "lacking", "seen", False],
        ["/0", "addition", "seen", False],
    ]  # fmt: skip


def test_surfaces_are_counted_in_their_usual_order_and_an_unreported_number_is_missing_not_zero() -> None:
    result = analysis.surface_coverage(
        given(COVERAGE, {"tracked": 4, "surfaces": {"zebra": 1, "human_review": 2, "alpaca": 3}})
    )
    assert result["surface"].tolist() == [*SURFACES, "alpaca", "zebra"]
    assert result.dropna()[["surface", "platforms", "share"]].to_numpy().tolist() == [
        ["human_review", 2, 0.5],
        ["alpaca", 3, 0.75],
        ["zebra", 1, 0.25],
    ]


def test_without_data_the_sentences_say_what_is_unknown() -> None:
    assert sentences(0) == [
        "How many platforms are verified is not known.",
        "Which documents were read is not known.",
        "Nothing needs attention.",
    ]


def test_coverage_that_does_not_add_up_is_flagged_and_nothing_is_divided_by_zero() -> None:
    row = {"tracked": 0, "verified": 5, "partial": 0, "stale": 0, "unverified": 0}
    result = analysis.coverage(given(COVERAGE, row))
    assert not result["consistent"].any()
    fewer = analysis.coverage(given(COVERAGE, row | {"tracked": 10}))
    assert verified(fewer) == "5 of 10 tracked platforms verified (50\xa0%); the states do not add up to that number"
    assert result["share"].isna().all()
    untold = analysis.coverage(given(COVERAGE, row | {"tracked": 5, "partial": None}))
    assert untold[["share", "consistent"]].fillna(-1).to_numpy().tolist() == [
        [1, False],
        [-1, False],
        [0, False],
        [0, False],
    ]


def test_freshness_counts_whole_days_from_the_data_s_own_now() -> None:
    ages = {"new": "2026-07-31", "old": "2025-07-30", "older": "2025-07-29", "limit": "2025-07-31", "none": None}
    rows = [{"slug": s, "document": "Terms", "captured_at": at, "state": "good"} for s, at in ages.items()]
    rows.append(rows[0] | {"slug": "bad", "state": "broken"})
    result = analysis.freshness(given(DOCUMENTS, *rows), "2026-07-31").set_index("slug")
    flags = [
        ("bad", "broken"),
        ("none", "no date"),
        ("older", "unchanged"),
        ("old", "unchanged"),
        ("limit", ""),
        ("new", ""),
    ]
    assert list(result["flag"].items()) == flags
    assert flag_words({"flag": "no date", "check": "passed"}) == "without a date"
    assert result.loc["limit", "age_days"] == 365


def test_documents_that_need_attention_come_first_in_the_order_of_their_flags() -> None:
    good = {"document": "Terms", "captured_at": "2026-07-31", "state": "good", "language": "en", "read": True}
    rows = [
        good, good | {"captured_at": "2025-01-01"}, good | {"captured_at": "2026-08-02"}, good | {"captured_at": None},
        good | {"language": "zh", "read": False}, *(good | {"state": state} for state in ("not_a_policy", "stale", "broken")),
    ]  # fmt: skip
    result = analysis.freshness(
        given(DOCUMENTS, *(row | {"slug": f"p{n}"} for n, row in enumerate(rows))), "2026-07-31"
    )
    flags = ["broken", "stale", "not_a_policy", "language", "no date", "after now", "unchanged", ""]
    assert result["flag"].tolist() == flags


def frames(market: Market) -> list[pd.DataFrame]:
    """Every analysis of coverage."""
    fresh = analysis.freshness(market.documents, "2026-07-31")
    return [
        analysis.coverage(market.coverage),
        analysis.surface_coverage(market.coverage),
        analysis.coverage_history(market.coverage),
        fresh,
        analysis.unverified_platforms(market.platforms, market.documents),
        analysis.broken_captures(fresh, market.changes),
        analysis.quiet_surfaces(market.cells),
        analysis.quiet_platforms(market.cells, market.documents),
        analysis.unsure_findings(market.findings.assign(confidence=0.6)),
        analysis.leads_by_platform(market.findings),
        analysis.sample_findings(market.findings, 5),
        analysis.integrity(market.findings, 9),
    ]


def test_columns_and_types_do_not_depend_on_the_rows() -> None:
    for none, one, many in zip(*(frames(Market(size)) for size in (0, 1, 60)), strict=True):
        assert none.dtypes.to_dict() == one.dtypes.to_dict() == many.dtypes.to_dict()
        assert isinstance(many.index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = frames(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for mine, other in zip(frames(market), first, strict=True):  # a reason names documents in the service's order
        pd.testing.assert_frame_equal(
            mine.drop(columns="reason", errors="ignore"), other.drop(columns="reason", errors="ignore")
        )


def test_a_frame_without_a_needed_column_is_refused_by_name() -> None:
    with pytest.raises(ReportError, match="unsure_findings: the frame lacks"):
        analysis.unsure_findings(pd.DataFrame({"slug": ["opal"]}))
    with pytest.raises(ReportError, match="coverage: the frame lacks"):
        analysis.coverage(pd.DataFrame({"tracked": [1]}))
