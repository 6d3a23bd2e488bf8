"""The headline of a comparison: what differs and what is not known, in sentences that name no winner where there is none."""

from __future__ import annotations

import pandas as pd

from riskanalytics.frames import rated
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.comparison import words
from tests.topics.comparison.given import AURELIA, OPAL, TARN, cell, compared_from, standings, summed


def test_an_unknown_level_is_never_the_best() -> None:
    frame = compared_from(cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "SEVERE"))
    assert standings(frame, "ads_tracking") == ["alone", "undetermined"]
    assert set(frame[frame["surface"] == "ads_tracking"]["relation"]) == {"not known"}
    sentences = " ".join(words.comparison_sentences(frame, summed(frame)))
    assert "no levels can be compared" in sentences
    assert "Opal on every surface (to be read, not read)." in sentences
    assert (
        f"Without a level: Aurelia Chat on Training use, Web data training, Content licence and {len(SURFACES) - 4} others"
        " (not read);" in sentences
    )


def test_a_platform_that_was_not_read_is_not_described_as_silent() -> None:
    unread = cell(AURELIA, "training_use", state="unread", count=None)
    frame = compared_from(unread, cell(OPAL, "training_use"))
    compared = summed(
        frame, *({"slug": slug, "stance": "silent", "consumer_stance": "silent"} for slug in (AURELIA, OPAL))
    )
    assert list(compared["stance"].fillna("")) == ["", "silent"]
    assert "Training use: not read (Aurelia Chat), no clause found (Opal)." in words.comparison_sentences(
        frame, compared
    )


def test_the_sentences_name_the_lower_platform_for_each_surface_and_no_winner_without_one() -> None:
    cells = [
        cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"),
        cell(AURELIA, "human_review", "MED"), cell(OPAL, "human_review", "HIGH"),
    ]  # fmt: skip
    frame = compared_from(*cells)
    sentences = words.comparison_sentences(frame, summed(frame))
    assert sentences[0] == (
        "They differ most, by two levels, on Ads and tracking (HIGH: Aurelia Chat; LOW: Opal); by less on 1 more."
    )
    assert sentences[1] == (
        "Levels differ on 2 surfaces. Lowest: Aurelia Chat on 1 (Human review) and Opal on 1 (Ads and tracking)."
    )
    alike = compared_from(cell(AURELIA, "ads_tracking", "LOW"), cell(OPAL, "ads_tracking", "LOW"))
    assert words.comparison_title(alike).endswith(": the same level on the one surface that can be compared")
    assert words.comparison_title(compared_from(cell(AURELIA, "ads_tracking", "LOW"))).endswith(
        ": no surface can be compared"
    )
    assert "Both are rated HIGH." in sentences
    more = compared_from(*cells, cell(AURELIA, "output_rights", "HIGH"), cell(OPAL, "output_rights", "LOW"))
    who = "Lowest: Opal on 2 (Output rights and Ads and tracking) and Aurelia Chat on 1 (Human review)."
    third = compared_from(*cells[:2], cell(TARN, "ads_tracking"), slugs=(AURELIA, OPAL, TARN))
    assert (
        words.most_different(third) == "They differ by two levels on Ads and tracking (HIGH: Aurelia Chat; LOW: Opal)."
    )
    less = compared_from(*cells[2:])
    assert words.most_different(less) == "They differ by one level on Human review (HIGH: Opal; MED: Aurelia Chat)."
    assert words.comparison_sentences(more, summed(more))[1] == f"Levels differ on 3 surfaces. {who}"
    assert sentences[-1].startswith("Without a level: ")
    four = compared_from(*cells, slugs=(AURELIA, OPAL, TARN, "quill"))
    assert words.comparison_title(four) == f"4 platforms: different levels on 2 of {len(SURFACES)} surfaces"
    assert words.comparison_title(frame) == f"Aurelia Chat and Opal: different levels on 2 of {len(SURFACES)} surfaces"
    one = compared_from(*cells[:2])
    assert words.comparison_sentences(one, summed(one))[1] == (
        "Levels differ on 1 surface. Lowest: Opal on 1 (Ads and tracking). Opal is never above another platform."
    )


def test_three_platforms_are_compared_and_old_or_broken_texts_are_reported() -> None:
    frame = compared_from(
        cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"), cell(TARN, "ads_tracking", "MED"),
        slugs=(AURELIA, OPAL, TARN),
    )  # fmt: skip
    documents = [
        {
            "slug": OPAL,
            "document": "Terms",
            "captured_at": "2024-07-31",
            "newest_capture_at": "2026-07-31",
            "state": "stale",
        },
        {"slug": TARN, "document": "Terms", "captured_at": "2026-07-31T12:00:00Z", "state": "good"},
    ]
    trains = dict.fromkeys(("stance", "consumer_stance"), "trains_by_default")
    answers = [{"slug": AURELIA, **trains}, {"slug": OPAL, "stance": "does_not_train"}]
    compared = summed(frame, *answers, documents=documents)
    assert list(compared["newest_days"].fillna(-1)) == [-1, 730, 0]
    assert list(compared["flagged"]) == [0, 1, 0]
    sentences = " ".join(words.comparison_sentences(frame, compared))
    assert standings(frame, "ads_tracking") == ["highest", "lowest", "between"]
    assert sentences.count("is never above another platform") == 1
    assert (
        "Lowest: Opal on 1 (Ads and tracking). Opal is never above another platform. "
        "Highest: Aurelia Chat on 1 (Ads and tracking)." in sentences
    )
    assert "Training use: trains, no opt-out found (Aurelia Chat), does not train (Opal), not read (Tarn)." in sentences
    assert (
        "No new text was recorded for Opal since 2024-07-31; the newest text could not be read for 1 of 1 document of Opal."
        in sentences
    )


def test_answers_are_given_by_plan_and_ratings_the_worst_first() -> None:
    frame = compared_from(cell(AURELIA, "training_use", "HIGH"), cell(OPAL, "training_use", "LOW"))
    answers = [
        {
            "slug": AURELIA,
            "stance": "depends_on_plan",
            "consumer_stance": "trains_by_default",
            "business_stance": "does_not_train",
        },
        {"slug": OPAL, "stance": "does_not_train", "business_stance": "does_not_train"},
    ]
    compared = summed(frame, *answers).assign(rating=rated(pd.Series(["LOW", "HIGH"])))
    said = words.comparison_sentences(frame, compared)
    assert said[2:4] == (
        "Training use, for consumers: trains, no opt-out found (Aurelia Chat), no separate answer (Opal); for business users: does"
        " not train (both).",
        "Rated HIGH: Opal; LOW: Aurelia Chat.",
    )
    assert words.comparison_sentences(frame, compared.assign(stance=None))[2] == (
        "Training use, for consumers: trains, no opt-out found (Aurelia Chat), not read (Opal); for business users: does not train"
        " (both)."
    )


def test_silence_is_named_only_where_another_platform_has_a_clause_and_old_means_more_than_a_year() -> None:
    slugs = (AURELIA, OPAL, TARN)
    frame = compared_from(
        *(cell(slug, "training_use", "LOW") for slug in slugs),
        cell(AURELIA, "ads_tracking", "MED"), cell(OPAL, "ads_tracking"), cell(TARN, "ads_tracking"),
        cell(AURELIA, "human_review"), cell(OPAL, "human_review"), cell(TARN, "human_review", state="unread", count=None),
        cell(AURELIA, "sensitive_data", state="to_read"), cell(OPAL, "sensitive_data"),
        slugs=slugs,
    )  # fmt: skip
    texts = [{"slug": slug, "document": "Terms", "captured_at": "2025-07-31", "state": "good"} for slug in slugs]
    texts[2]["captured_at"] = "2025-07-30"
    said = words.comparison_sentences(frame, summed(frame, documents=texts))
    silent = "Opal on Ads and tracking and Sensitive data; Tarn on Ads and tracking. Silence is not a promise."
    assert f"No clause found where another platform has one: {silent}" in said
    assert said[-1] == "No new text was recorded for Tarn since 2025-07-30."
    assert "All of them are rated HIGH." in said
    assert (
        words.comparison_title(frame)
        == "Aurelia Chat, Opal and Tarn: the same level on the one surface that can be compared"
    )
