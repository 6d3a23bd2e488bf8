"""What moved between two states, and what each move comes from."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis, frames

QUOTE = "We use the prompts you enter to train our models."
OLD, NEW = "a" * 64, "b" * 64


def finding(quote: str = QUOTE, **result: Any) -> dict[str, Any]:
    place = {"snapshot_sha256": result.pop("sha256", OLD), "start": result.pop("start", 10), "document": "Terms"}
    row = {"slug": "a", "name": "A", "surface": "training_use", "risk": "HIGH", "polarity": "raises_risk"}
    return {**row, "quote": quote, **result, "provenance": place}


def moves(before: list[dict[str, Any]], after: list[dict[str, Any]], *texts: str) -> list[tuple[str, str]]:
    documents = [
        frames.documents_frame(
            [
                {
                    "slug": "a",
                    "documents": [{"document": "Terms", "snapshot_sha256": text.strip() or None}] if text else [],
                }
            ]
        )
        for text in texts
    ]
    result = analysis.finding_moves(frames.findings_frame(before), frames.findings_frame(after), *documents)
    return list(zip(result["move"], result["reason"], strict=True))


def test_a_finding_unchanged_in_a_newer_text_is_not_a_move() -> None:
    assert moves([finding()], [finding(sha256=NEW)], OLD, NEW) == []


def test_a_clause_found_elsewhere_is_moved_even_if_its_lines_break_differently() -> None:
    later = finding(QUOTE.replace("you enter", "you\nenter"), start=99, sha256=NEW)
    assert moves([finding()], [later], OLD, NEW) == [("moved", "text")]


def test_other_words_on_the_same_surface_of_the_document_are_reworded() -> None:
    result = analysis.finding_moves(
        frames.findings_frame([finding()]),
        frames.findings_frame([finding("We may use the prompts and files you enter to train our models.", risk="MED")]),
    )
    assert result["move"].tolist() == ["reworded"]
    assert result["quote_before"].tolist() == [QUOTE]
    assert result["level"].tolist() == ["MED"]
    assert result["reason"].tolist() == ["not known"]


def test_words_with_nothing_in_common_and_other_surfaces_are_removed_and_added() -> None:
    other = finding("Contractors listen to recordings now and then.")
    assert moves([finding()], [other], OLD, NEW) == [("added", "text"), ("removed", "text")]
    elsewhere = finding(surface="human_review")
    assert moves([finding()], [elsewhere], OLD, NEW) == [("added", "text"), ("removed", "text")]


def test_the_same_words_at_another_level_are_reread() -> None:
    assert moves([finding()], [finding(risk="MED")], OLD, OLD) == [("reread", "reading")]
    assert moves([finding()], [finding(polarity="mitigates_risk")], OLD, NEW) == [("reread", "text")]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [((OLD, NEW), "text"), ((OLD, OLD), "reading"), (("", NEW), "document"), ((), "not known"),
     ((OLD,), "not known"), ((" ", NEW), "not known")],
)  # fmt: skip
def test_changes_not_made_by_a_vendor_are_marked(texts: tuple[str, ...], reason: str) -> None:
    assert moves([], [finding()], *texts) == [("added", reason)]


def test_the_same_words_twice_are_paired_one_by_one() -> None:
    twice = [finding(start=1), finding(start=50)]
    assert moves(twice, [finding(start=1)], OLD, NEW) == [("removed", "text")]
    assert moves([finding(start=1)], twice, OLD, NEW) == [("added", "text")]
    assert moves(twice, list(reversed(twice)), OLD, NEW) == []
    named = [[finding(start=at, id=name) for at, name in zip((1, 50), names, strict=True)] for names in ("ba", "cd")]
    assert moves(*named, OLD, NEW) == []


def test_moves_are_sorted_by_kind_then_level_then_name() -> None:
    more = [("zz", "Amber", "HIGH"), ("aa", "Zeta", "HIGH"), ("mm", "Moss", "LOW"), ("mm", "Moss", "SEVERE")]
    rows = [finding(f"Words {n} here now.", slug=s, name=name, risk=risk) for n, (s, name, risk) in enumerate(more)]
    came, gone = frames.findings_frame(rows), frames.findings_frame([finding("It was gone.", risk="HIGH")])
    result = analysis.finding_moves(gone, came)
    assert result[["move", "level", "name"]].values.tolist() == [
        ["added", "HIGH", "Amber"], ["added", "HIGH", "Zeta"], ["added", "UNKNOWN", "Moss"], ["added", "LOW", "Moss"],
        ["removed", "HIGH", "A"],
    ]  # fmt: skip


def test_what_was_added_comes_first_then_what_was_removed_reworded_reread_and_moved() -> None:
    other = "We may use the prompts and files you enter to train our models."
    then = [
        finding(surface="reworded"),
        finding(surface="reread"),
        finding(surface="moved"),
        finding(surface="removed"),
    ]
    now = [
        finding(other, surface="reworded"),
        finding(surface="reread", risk="MED"),
        finding(surface="moved", start=99),
    ]
    result = moves(then, [*now, finding(surface="added")], OLD, NEW)
    assert [move for move, _ in result] == ["added", "removed", "reworded", "reread", "moved"]


def test_the_columns_stay_without_rows() -> None:
    none = frames.findings_frame([])
    result = analysis.finding_moves(none, none)
    full = analysis.finding_moves(none, frames.findings_frame([finding()]))
    pd.testing.assert_series_equal(result.dtypes, full.dtypes)


def test_a_stance_differs_if_a_platform_in_both_states_has_another_answer() -> None:
    def stances(*rows: tuple[str, str | None], plan: str | None = None) -> pd.DataFrame:
        own = [{"stance": stance} | ({"business_stance": plan} if slug == "a" else {}) for slug, stance in rows]
        names = zip(rows, "ZYXW", own, strict=True)
        answers = [{"slug": row[0], "name": name, "training_use": answer} for row, name, answer in names]
        return frames.training_use_frame(answers)

    result = analysis.stance_differences(
        stances(("a", "silent"), ("b", None), ("gone", "silent"), ("same", "silent")).assign(name="Old"),
        stances(("a", "silent"), ("b", "silent"), ("new", "silent"), ("same", "silent"), plan="does_not_train"),
    )
    assert result["name"].tolist() == ["Y", "Z"]
    assert result["stance_after"].tolist() == ["silent", "silent"]
    assert result["stance_before"].isna().tolist() == [True, False]
    assert result["business_stance_after"].tolist()[1] == "does_not_train"
