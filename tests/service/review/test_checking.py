"""Whether a capture is taken as the document's text."""

from __future__ import annotations

from riskanalytics.service.review.checking import checked
from riskanalytics.service.review.rows import Document
from tests.service.given import TERMS

POLICY = "We process personal data as this privacy policy says. You have rights, and our services comply.\n\n" * 50
PASTED = POLICY + "These terms of service are the agreement between you and us about the services.\n\n" * 800


def test_a_text_that_is_much_shorter_than_the_last_is_collapsed_at_first() -> None:
    document = Document(good_text=PASTED)
    assert checked(document, "2024-03-01T00:00:00+00:00", POLICY).check == "collapsed"


def test_a_policy_that_stays_short_for_a_month_is_the_document() -> None:
    document = Document(good_text=PASTED)
    checked(document, "2024-03-01T00:00:00+00:00", POLICY)
    assert checked(document, "2024-03-20T00:00:00+00:00", POLICY).check == "collapsed"
    later = checked(document, "2024-04-02T00:00:00+00:00", POLICY)
    assert (later.state, later.check) == ("good", "shorter_for_good")


def test_what_an_error_left_of_a_policy_never_becomes_the_document() -> None:
    document = Document(good_text=PASTED)
    for month in range(1, 10):
        assert checked(document, f"2024-0{month}-01T00:00:00+00:00", TERMS[:600]).state == "broken"


def test_a_whole_text_in_between_starts_the_month_again() -> None:
    document = Document(good_text=PASTED)
    checked(document, "2024-03-01T00:00:00+00:00", POLICY)
    assert checked(document, "2024-03-20T00:00:00+00:00", PASTED).state == "good"
    assert checked(document, "2024-04-02T00:00:00+00:00", POLICY).check == "collapsed"
