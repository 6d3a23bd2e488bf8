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
    assert figure.layout.yaxis.range[1] >= max(share for line in figure.data for share in line.y)


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


def test_the_history_names_the_largest_change_in_either_direction_with_both_ends() -> None:
    made = chart.stance_history(course("does_not_train", "trains_by_default", "silent"))
    told = "largest change: No clause found, from 3 to 1 platform"
    assert made.title == f"2 of 3 platforms read since January 2026 changed their answer; {told}"
    assert "2026-01-31 to 2026-02-28, of 3 platforms read on all these dates, with 95 % intervals" in made.words
    assert made.words.endswith("; No clause found 100\u00a0%, then 33\u00a0%.")
    heads = [note.text for note in made.figure.layout.annotations]
    assert heads[-1] == "<b>No clause found</b>  100\u00a0% → 33\u00a0% (1)"
    lines = [line for line in made.figure.data if line.name == "No clause found"]
    assert [(list(line.y), list(line.customdata)) for line in lines] == [
        ([100.0, pytest.approx(33.3, abs=0.1)], ["3 of 3", "1 of 3"])
    ]


def test_a_date_on_which_no_answer_is_known_is_a_gap_and_the_course_begins_after_it() -> None:
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28", "2026-03-31")]
    tracked = [{"slug": "opal", "date": end, "known": end != ends[0]} for end in ends]
    answers = given(ANSWERS, {"slug": "opal", "stance": "silent"})
    made = chart.stance_history(stance_history(given(HISTORY, *tracked), answers, given(CHANGES), "2026-03-31"))
    assert made.title == "0 of 1 platform read since February 2026 changed their answer; no share changed"
    (line,) = (line for line in made.figure.data if line.name == "No clause found")
    assert list(line.y) == [None, 100, 100]


def test_bars_and_shares_of_consumers_and_of_business_users_are_not_mixed_up() -> None:
    answers = ("trains_by_default", "trains_by_default", "does_not_train", "undetermined")
    pairs = zip(answers, ("does_not_train", None, None, None), strict=True)
    rows = [
        {"slug": f"p{n}", "stance": "depends_on_plan" if b else a, "consumer_stance": a, "business_stance": b}
        for n, (a, b) in enumerate(pairs)
    ]
    stances = training_use(given(ANSWERS, *rows, {"slug": "birch"}), given(FINDINGS))
    made = chart.training_use(stances)
    whole = "4 platforms (1 more not read)"
    assert made.title.startswith(f"2 of {whole} train on consumer content with no opt-out found; 3 have no")
    bars = {bar.name: bar for bar in made.figure.data if bar.type == "bar"}
    ticks = made.figure.layout.yaxis.ticktext
    consumer, business = ([(name, ticks[y], base, look) for name, y, base, look in
                           zip(bar.customdata, bar.y, bar.base, bar.marker.pattern.shape, strict=True)]
                          for bar in (bars["consumer"], bars["business"]))  # fmt: skip
    default, no, unsure = "Trains, no opt-out found", "Does not train", "Undetermined: to be read"
    assert consumer == [
        ("P1", default, 0, ""), ("P0", default, 1, ""), ("P2", no, 0, ""), ("P3", unsure, 0, "."),
        ("Birch", "Not read", 0, "x"),
    ]  # fmt: skip
    labels = [list(zip(trace.x, trace.text, strict=True)) for trace in made.figure.data if trace.type == "scatter"]
    assert labels == [[(n, f" {who} {n}") for n in numbers] for who, numbers in
                      (("consumer", (2, 1, 1, 0, 1)), ("business", (0, 1, 0, 3, 1)))]  # fmt: skip
    apart = [(f"P{n}", "No separate answer", n - 1, "/") for n in (1, 2, 3)]
    assert sorted(business) == [("Birch", "Not read", 0, "x"), ("P0", no, 0, ""), *apart]
    shares = chart.stance_shares(stance_shares(stances))
    known = "25\u00a0% of platforms with known consumer terms and 100\u00a0% of platforms with known business terms"
    assert shares.title == f"Training ruled out by {known}"
    assert shares.words.startswith(
        "Shares of the stances with 95 % intervals. consumer, Trains, no opt-out found: 50\u00a0% (2 of 4)"
    )
    assert shares.words.endswith("; business, Does not train: 100\u00a0% (1 of 1), interval 21\u00a0% to 100\u00a0%.")
    assert shares.figure.layout.xaxis.title.text.endswith("<br>● consumer: of 4<br>◆ business: of 1")
    assert shares.figure.data[-1].error_x.arrayminus[-1] == 0
    assert [point.customdata[0].partition("<br>")[0] for point in shares.figure.data] == [
        f"Trains, no opt-out found, {audience}" for audience in ("consumer", "business")
    ]
    consumers = stance_shares(stances.assign(business_stance=None))
    assert (
        chart.stance_shares(consumers).title == "Training ruled out by 25\u00a0% of platforms with known consumer terms"
    )
