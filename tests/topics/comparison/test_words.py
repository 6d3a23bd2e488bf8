"""The headline of a comparison: what differs and what is not known, in sentences that name no winner where there is none."""

from __future__ import annotations

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
    assert (
        "Lowest: Opal on 1 (Ads and tracking). Opal is never above another platform. "
        "Highest: Aurelia Chat on 1 (Ads and tracking)." in sentences
    )
    assert "Training use: trains, no opt-out found (Aurelia Chat), does not train (Opal), not read (Tarn)." in sentences
    assert (
        "No new text was recorded for Opal since 2024-07-31; the newest text could not be read for 1 of 1 document of Opal."
        in sentences
    )
