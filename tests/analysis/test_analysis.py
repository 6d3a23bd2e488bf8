"""Analyses: same columns for any rows, nothing lost, and the unknown kept apart."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.models import SURFACES
from tests.charts.test_charts import frames
from tests.frames_given import (
    ANSWERS,
    CELLS,
    CHANGES,
    COVERAGE,
    DOCUMENTS,
    FINDINGS,
    HISTORY,
    PLATFORMS,
    Market,
    given,
)


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    none, one, many = (frames(Market(size)) for size in (0, 1, 60))
    for name in many:
        assert none[name].dtypes.to_dict() == one[name].dtypes.to_dict() == many[name].dtypes.to_dict()
        assert isinstance(many[name].index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = frames(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for name, frame in frames(market).items():
        pd.testing.assert_frame_equal(frame, first[name])


def test_unknown_ratings_have_their_own_row_and_never_count_as_low() -> None:
    words = ["LOW", "CRITICAL", None, " HIGH ", "high", "HIGH"]
    mix = analysis.rating_mix(given(PLATFORMS, *({"slug": f"p{n}", "rating": w} for n, w in enumerate(words))))
    told = dict(zip(mix["rating"], mix["platforms"], strict=True))
    assert told == {"HIGH": 1, "MED": 0, "LOW": 1, "CRITICAL": 1, "not given": 1, " HIGH ": 1, "high": 1}
    assert mix["share"].sum() == pytest.approx(1)
    assert set(mix.loc[3:, "level"]) == {"UNKNOWN"}


def test_a_month_that_cannot_be_known_is_said_to_be_unknown() -> None:
    row = {"slug": "opal", "date": "2026-01-31", "rating": "LOW", "known": False}
    course = analysis.rating_history(given(HISTORY, row, row | {"slug": "tarn", "known": True}))
    told = course.set_index("rating")["platforms"].to_dict()
    assert told == {"HIGH": 0, "MED": 0, "LOW": 1, "not known": 1}
    assert course["known"].tolist() == [True, True, True, False]


def test_transitions_count_pairs_of_ratings_and_name_who_moved() -> None:
    first = {"aurelia": "LOW", "cobalt": "HIGH", "opal": "MED", "tarn": "LOW", "quill": "LOW"}
    last = {"aurelia": "MED", "cobalt": "MED", "opal": "CRITICAL", "tarn": "LOW", "harbor": "HIGH"}
    rows = [
        {"slug": slug, "date": day, "rating": rating, "known": slug != "quill"}
        for day, side in (("2025-07-31", first), ("2026-01-31", {"tarn": "HIGH"}), ("2026-07-31", last))
        for slug, rating in side.items()
    ]
    told = analysis.rating_transitions(given(HISTORY, *rows))
    columns = ["rating_before", "rating_after", "direction", "platforms"]
    assert told[columns].to_numpy().tolist() == [
        ["HIGH", "MED", "down", 1], ["MED", "CRITICAL", "unclear", 1], ["LOW", "MED", "up", 1],
        ["LOW", "LOW", "stayed", 1], ["not known", "not tracked", "disappeared", 1],
        ["not tracked", "HIGH", "appeared", 1],
    ]  # fmt: skip
    assert told["total"].tolist() == [6] * 6
    assert told.loc[told["direction"] == "up", "names"].tolist() == ["Aurelia"]
    assert told.loc[told["direction"] == "stayed", "names"].tolist() == [""]


def test_one_date_has_no_transitions_and_long_lists_of_names_are_counted() -> None:
    rows = [{"slug": f"p{n:02}", "date": "2025-07-31", "rating": "LOW", "known": True} for n in range(15)]
    assert analysis.rating_transitions(given(HISTORY, *rows)).empty
    later = [row | {"date": "2026-07-31", "rating": "HIGH"} for row in rows]
    (names,) = analysis.rating_transitions(given(HISTORY, *rows, *later))["names"]
    assert names.endswith(" and 3 more")
    alike = [
        row | {"slug": f"q{n}", "name": name}
        for n, (row, name) in enumerate(zip(rows, ["grok", "GROK", "Grok"], strict=False))
    ]
    moved = [row | {"date": "2026-07-31", "rating": "HIGH"} for row in alike]
    assert analysis.rating_transitions(given(HISTORY, *alike, *moved))["names"].tolist() == ["GROK, Grok, grok"]


def test_moves_tell_up_from_unclear_and_come_worst_first() -> None:
    before = {"aurelia": "LOW", "cobalt": "HIGH", "opal": "MED", "tarn": "LOW", "quill": "LOW"}
    after = {"aurelia": "MED", "cobalt": "MED", "opal": "CRITICAL", "tarn": "LOW", "harbor": "HIGH"}
    rows = [[{"slug": s, "rating": r} for s, r in side.items()] for side in (before, after)]
    moves = analysis.rating_moves(given(PLATFORMS, *rows[0]), given(PLATFORMS, *rows[1]))
    assert list(zip(moves["slug"], moves["direction"], strict=True)) == [
        ("aurelia", "up"), ("opal", "unclear"), ("cobalt", "down"),
        ("harbor", "appeared"), ("quill", "disappeared"),
    ]  # fmt: skip


def test_a_matrix_from_findings_alone_knows_no_quiet_surface_and_no_low_beside_an_unknown() -> None:
    findings = given(
        FINDINGS,
        {"slug": "opal", "surface": "training_use", "risk": "LOW"},
        {"slug": "opal", "surface": "training_use", "risk": None},
        {"slug": "opal", "surface": "voice_cloning", "risk": "HIGH"},
        {"slug": "opal", "surface": "voice_cloning", "risk": "HIGH", "duplicate_of": "x"},
    )
    cells = analysis.risk_matrix(findings).set_index("surface")
    assert list(cells.index) == [*SURFACES, "voice_cloning"]
    assert cells.loc["training_use", "level"] == "UNKNOWN"
    assert cells.loc["voice_cloning", ["level", "count"]].tolist() == ["HIGH", 1]
    assert set(cells.loc[list(SURFACES[1:]), "state"]) == {"unread"}
    assert cells.loc["human_review", "count"] is pd.NA


def test_the_worst_come_by_rating_then_high_then_med_and_the_unknown_before_the_low() -> None:
    ratings = {"a": "LOW", "b": "HIGH", "c": "UNRATED", "d": "HIGH", "e": "MED"}
    cells = given(CELLS, {"slug": "d", "surface": "ip_liability", "risk": "HIGH", "state": "found", "count": 1})
    platforms = given(PLATFORMS, *({"slug": s, "rating": r} for s, r in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), cells, platforms)
    worst = analysis.worst_platforms(matrix, 5)
    assert worst["slug"].tolist() == ["d", "b", "e", "c", "a"]
    assert worst.loc[0, ["high", "unknown", "surfaces"]].tolist() == [1, len(SURFACES) - 1, len(SURFACES)]
    assert (analysis.level_counts(matrix).groupby("surface")["platforms"].sum() == 5).all()


def test_the_deciding_clause_is_the_named_one_else_the_highest_and_none_for_silence() -> None:
    answers = [
        ("named", "trains_by_default", ["f2"]),
        ("other", "does_not_train", []),
        ("quiet", "silent", ["f9"]),
    ]
    clauses = [
        ("named", "f1", "HIGH"),
        ("named", "f2", "LOW"),
        ("other", "f3", "LOW"),
        ("other", "f4", "HIGH"),
    ]
    frame = analysis.training_use(
        given(ANSWERS, *({"slug": s, "stance": t, "decided_by": d} for s, t, d in answers)),
        given(FINDINGS, *({"slug": s, "finding_id": f, "surface": "training_use", "risk": r} for s, f, r in clauses)),
    )  # fmt: skip
    assert frame[["slug", "basis"]].values.tolist() == [
        ["named", "decided_by"], ["other", "highest_risk"], ["quiet", "none"],
    ]  # fmt: skip
    assert frame["finding_id"].tolist()[:2] == ["f2", "f4"]
    assert frame["quote"].isna().tolist()[2]


def test_wilson_gives_the_published_interval_and_shares_carry_their_denominator() -> None:
    assert analysis.wilson_interval(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert analysis.wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    rows = [
        {"slug": "a", "stance": "silent", "consumer_stance": "perhaps"},
        {"slug": "b", "stance": "silent"},
    ]
    shares = analysis.stance_shares(given(ANSWERS, *rows)).set_index(["audience", "stance"])
    assert shares.loc[("consumer", "perhaps"), ["platforms", "total", "unknown"]].tolist() == [1, 1, 1]
    assert shares.loc[("business", "silent"), "share"] is pd.NA


def change(number: int, at: str, **more: Any) -> dict[str, Any]:
    row = {"change_id": f"c{number}", "slug": f"p{number}", "reviewed_at": at, "change_class": "material"}
    return row | {"rating_before": "MED", "rating_after": "MED", "direction": "none"} | more


def test_material_changes_are_half_open_in_utc_and_worst_first() -> None:
    changes = given(
        CHANGES,
        change(1, "2026-09-30T23:30:00-05:00", direction="down"),
        change(2, "2026-10-01T00:30:00+02:00"),
        change(3, "2026-10-01", direction="up"),
        change(4, "2026-10-09", rating_after="HIGH", direction="mixed"),
        change(5, "2026-10-09", direction="mixed"),
        change(6, "2026-11-01"),
        change(7, "2026-10-09", change_class="wording"),
    )
    october = analysis.material_changes(changes, "2026-10-01", "2026-11-01")
    assert october["change_id"].tolist() == ["c4", "c3", "c5", "c1"]
    noise = analysis.change_noise(changes, "2026-10-01", "2026-11-01").set_index("change_class")
    assert noise.loc["wording", ["changes", "total"]].tolist() == [1, 5]
    months = analysis.changes_by_month(changes, "2026-08-01", "2026-12-01")
    material = months[months["change_class"] == "material"]
    assert material["changes"].tolist() == [0, 1, 4, 1]


def test_before_and_after_are_the_pair_that_moved_the_rating() -> None:
    def finding(name: str, risk: str, surface: str) -> dict[str, str]:
        return {"id": name, "quote": f"words of {name}", "risk": risk, "surface": surface}

    lists = {
        "removed": [finding("f1", "LOW", "training_use"), finding("f2", "HIGH", "ads_tracking")],
        "added": [finding("f3", "MED", "training_use")],
        "cause": [{"finding": "f3", "rule": "r1"}],
    }
    told = analysis.material_changes(given(CHANGES, change(1, "2026-10-01", **lists)), "2026-10-01", "2026-10-02")
    row = told.iloc[0]
    assert (row["before_id"], row["after_id"], row["pairs"]) == ("f1", "f3", 2)
    assert (row["before_text"], row["after_text"]) == ("words of f1", "words of f3")


def test_coverage_that_does_not_add_up_is_flagged_and_nothing_is_divided_by_zero() -> None:
    row = {"tracked": 0, "verified": 5, "partial": 0, "stale": 0, "unverified": 0}
    told = analysis.coverage(given(COVERAGE, row))
    assert not told["consistent"].any()
    assert told["share"].isna().all()


def test_freshness_counts_whole_days_from_the_data_s_own_now() -> None:
    ages = {"new": "2026-07-31", "old": "2025-07-30", "limit": "2025-07-31", "none": None}
    rows = [{"slug": s, "document": "Terms", "captured_at": at, "state": "good"} for s, at in ages.items()]
    rows.append(rows[0] | {"slug": "bad", "state": "broken"})
    told = analysis.freshness(given(DOCUMENTS, *rows), "2026-07-31").set_index("slug")
    assert told["flag"].to_dict() == {
        "bad": "broken",
        "none": "no date",
        "old": "unchanged",
        "limit": "",
        "new": "",
    }
    assert told.loc["limit", "age_days"] == 365


def test_a_portfolio_matches_slug_name_or_website_whatever_case_and_accents() -> None:
    platforms = given(
        PLATFORMS,
        {"slug": "cafe-notes", "name": "Café Notes", "website": "https://www.cafe.example/start"},
        {"slug": "opal", "name": "Opal", "website": None},
    )
    rows = pd.DataFrame({"Name": ["CAFE NOTES", "Nobody", None], "website": [None, None, "cafe.example"]})
    scope = analysis.portfolio_scope(platforms, rows)
    assert scope.platforms["slug"].tolist() == ["cafe-notes"]
    assert scope.matches["matched_by"].tolist() == ["name", "website"]
    assert scope.unmatched["given"].tolist() == ["Nobody"]
    with pytest.raises(ReportError, match="none of the columns"):
        analysis.portfolio_scope(platforms, pd.DataFrame({"vendor": ["Opal"]}))
    with pytest.raises(IncompleteReportError, match="none of the 1 platform"):
        analysis.portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}))
    assert analysis.portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}), require_match=False).platforms.empty


def test_sentences_say_what_is_quiet_and_what_is_not_known() -> None:
    market = Market(3)
    bare = analysis.sentences(analysis.headline(market.platforms))
    assert all("not known" in sentence for sentence in bare)
    quiet = analysis.material_changes(market.changes, "2020-01-01", "2020-02-01")
    same = analysis.rating_moves(market.platforms, market.platforms)
    told = analysis.sentences(analysis.headline(market.platforms, material=quiet, moves=same))
    assert told[0] == "A quiet month: no material change on 3 platforms; no rating moved."


def test_a_frame_without_a_needed_column_is_refused_by_name() -> None:
    with pytest.raises(ReportError, match="rating_mix: the frame lacks"):
        analysis.rating_mix(pd.DataFrame({"slug": ["opal"]}))
