"""One fact has one number: sentences, titles and tables count old texts and broken captures by the same rows."""

from __future__ import annotations

import re

import pandas as pd

from riskanalytics import analysis
from riskanalytics.topics.coverage import chart, section
from riskanalytics.topics.coverage.documents import unchanged, unread
from tests.frames_given import DOCUMENTS, PLATFORMS, given

OLD_IN_WORDS = re.compile(r"(\d+) (?:of \d+ )?(?:documents )?(?:have not changed|unchanged) for more than 365 days")


def fresh() -> pd.DataFrame:
    """Three documents read and old, one read and new; of every other state two, all of them old."""
    states = ["good"] * 3 + ["stale", "broken", "not_a_policy"] * 2
    rows = [{"slug": f"p{n}", "state": state, "captured_at": "2024-01-01"} for n, state in enumerate(states)]
    rows.append({"slug": "new", "state": "good", "captured_at": "2026-07-01"})
    documents = [row | {"document": "Terms", "newest_capture_at": "2026-07-02", "check": "collapsed"} for row in rows]
    return analysis.freshness(given(DOCUMENTS, *documents), "2026-07-31")


def test_an_old_text_that_could_not_be_read_as_it_is_now_is_not_counted_as_unchanged() -> None:
    assert unchanged(fresh())["slug"].tolist() == ["p0", "p1", "p2"]
    assert unread(fresh().head(0)) == ""


def test_a_document_in_a_language_that_is_not_read_is_named_by_it_wherever_documents_are() -> None:
    chinese = {"slug": "opal", "document": "Terms", "state": "good", "language": "zh", "read": False}
    english = {"slug": "opal", "document": "Policy", "state": "good", "language": "en", "read": True}
    documents = given(
        DOCUMENTS, *(row | {"captured_at": "2026-07-01", "check": "passed"} for row in (chinese, english))
    )
    result = analysis.freshness(documents, "2026-07-31")
    assert result["flag"].tolist() == ["language", ""]
    assert unread(result) == "1 of 2 documents could not be read in their newest form: 1 document in Chinese"
    assert "in Chinese, not read" in section.freshness(result).html
    platforms = given(PLATFORMS, {"slug": "opal", "verification": "partial"})
    assert analysis.unverified_platforms(platforms, documents)["reason"].tolist() == ["Terms: in Chinese"]
    assert analysis.monthly_facts(platforms, freshness=result).languages == "1 document in Chinese"


def test_a_document_in_another_language_whose_newest_capture_is_broken_counts_as_both_wherever_it_is_counted() -> None:
    rows = [
        {"slug": "opal", "state": "stale", "language": "zh", "read": False},
        {"slug": "opal", "document": "Policy", "state": "good", "language": "zh", "read": False},
        {"slug": "tarn", "state": "stale", "language": "en", "read": True},
    ]
    more = {"document": "Terms", "captured_at": "2026-07-01"}
    documents = given(DOCUMENTS, *(more | {"name": row["slug"]} | row for row in rows))
    result = analysis.freshness(documents, "2026-07-31")
    words = "1 broken, so that an earlier text is used; 2 documents in Chinese, 1 of them broken, too"
    assert unread(result) == f"3 of 3 documents could not be read in their newest form: {words}"
    assert section.broken_captures(analysis.broken_captures(result)).text == "2 broken captures"
    assert set(analysis.monthly_facts(given(PLATFORMS), freshness=result).broken or ()) == {"opal", "tarn"}


def test_the_number_of_documents_long_unchanged_is_the_same_everywhere() -> None:
    drawn, listed, noted = chart.freshness(fresh()), section.unchanged_documents(fresh()), section.freshness(fresh())
    words = (drawn.title, drawn.words, listed.text, listed.html, noted.html)
    assert [set(OLD_IN_WORDS.findall(word.replace("\xa0", " "))) for word in words] == [{"3"}] * 5
    assert listed.html.count("<tr>") == 3 + 1


def test_broken_captures_are_counted_with_and_without_a_last_good_text_by_the_same_words() -> None:
    result = "2 broken and never read before; 2 broken, so that an earlier text is used; 2 not a policy"
    assert unread(fresh()) == f"6 of 10 documents could not be read in their newest form: {result}"
    assert unread(fresh()) in chart.freshness(fresh()).words
    assert section.broken_captures(analysis.broken_captures(fresh())).text == "4 broken captures"
    names = [trace.name for trace in chart.freshness(fresh()).figure.data]
    assert names == [
        "current",
        "long unchanged",
        "not a policy",
        "broken, so that an earlier text is used",
        "broken and never read before",
    ]
