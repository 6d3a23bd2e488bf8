"""Charts of training use: they show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from riskanalytics.pages.figures import Chart
from riskanalytics.topics.training_use import chart, stance_shares, training_use
from riskanalytics.topics.training_use.history import stance_history
from tests.frames_given import ANSWERS, CHANGES, FINDINGS, HISTORY, Market, given
from tests.topics.training_use.given import change

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
CHARTS: dict[str, Callable[..., Chart]] = {
    "training_use": chart.training_use, "stance_shares": chart.stance_shares, "stance_history": chart.stance_history
}  # fmt: skip


def frame_of(name: str, market: Market) -> pd.DataFrame:
    if name == "stance_history":
        return stance_history(market.history, market.answers, market.changes, "2026-07-31")
    stances = training_use(market.answers, market.findings)
    return stances if name == "training_use" else stance_shares(stances)


@pytest.mark.parametrize("name", CHARTS)
def test_names_and_stances_cannot_smuggle_markup_into_a_figure(name: str) -> None:
    market = Market(3)
    for frame in (market.answers, market.history):
        for column in frame.columns.intersection(["name", "rating", "stance"]):
            frame[column] = HOSTILE
    plot: Any = json.loads(CHARTS[name](frame_of(name, market)).figure.to_json())
    shown = json.dumps(plot, ensure_ascii=False)
    assert "<img" not in shown
    assert "</script" not in shown
    assert "\u202e" not in shown


def test_the_history_of_the_answers_uses_the_same_platforms_and_states_both_ends() -> None:
    figure = chart.stance_history(frame_of("stance_history", Market(30))).figure
    assert "read since August 2025" in figure.layout.title.text.replace("<br>", " ")
    assert len(figure.data) == 3 * len(figure.layout.annotations)
    assert all("→" in note.text for note in figure.layout.annotations)


def test_answers_that_nobody_gives_take_no_row() -> None:
    answers = Market(1).answers.assign(stance="silent", consumer_stance="silent", business_stance=None)
    stances = training_use(answers, Market(1).findings)
    for made in (chart.training_use(stances), chart.stance_shares(stance_shares(stances))):
        assert made.figure.layout.yaxis.ticktext[0] == "No clause found"


def test_platforms_not_read_and_platforms_without_a_separate_answer_have_different_rows() -> None:
    answers = given(
        ANSWERS,
        {"slug": "opal", "stance": "silent", "consumer_stance": "silent"},
        {"slug": "tarn", "stance": "does_not_train", "consumer_stance": "does_not_train"},
        {"slug": "quill"},
    )
    made = chart.training_use(training_use(answers, given(FINDINGS)))
    assert list(made.figure.layout.yaxis.ticktext) == [
        "Does not train", "No clause found", "No separate answer", "Not read",
    ]  # fmt: skip
    assert (
        made.title
        == "0 of 2 platforms (1 more not read) train on consumer content with no opt-out found; 2 have no separate business answer"
    )
    assert made.words == (
        "Stance on training use of 2 platforms (1 more not read); consumer terms: Does not train 1, No clause found 1, "
        "Not read 1; business terms: No separate answer 2, Not read 1."
    )


def course(*after: str | None) -> pd.DataFrame:
    """Return the course of platforms that were silent in January and of which each answers otherwise in February."""
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28")]
    slugs = [f"p{place}" for place in range(len(after))]
    moved = [change("2026-02-10", "silent", stance, slug) for slug, stance in zip(slugs, after, strict=True)]
    tracked = [{"slug": slug, "date": end, "known": True} for slug in slugs for end in ends]
    answers = [{"slug": slug, "stance": stance} for slug, stance in zip(slugs, after, strict=True)]
    return stance_history(given(HISTORY, *tracked), given(ANSWERS, *answers), given(CHANGES, *moved), "2026-02-28")


@pytest.mark.parametrize(
    ("after", "result"),
    [
        (
            ("does_not_train", "trains_by_default", None),
            "2 of 2 platforms read since January 2026 changed their answer",
        ),
        (("does_not_train", "silent", "silent"), "1 of 3 platforms read since January 2026 changed its answer"),
        (("silent", "silent"), "0 of 2 platforms read since January 2026 changed their answer; no share changed"),
    ],
)
def test_the_title_of_the_history_counts_the_platforms_with_a_changed_answer(
    after: tuple[str, ...], result: str
) -> None:
    made = chart.stance_history(course(*after))
    assert made.title.startswith(result)
    assert ("1 more not read at some of these dates" in made.words) == (None in after)
