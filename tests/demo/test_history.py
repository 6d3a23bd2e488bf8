"""What happens to the fictional platforms."""

from __future__ import annotations

from itertools import pairwise

from riskanalytics.demo.history import FIRST_DAY, LAST_DAY, PLATFORMS, all_courses
from riskanalytics.models import STANCES


def test_there_are_more_than_300_platforms_with_names_of_their_own() -> None:
    courses = all_courses()
    assert len(courses) == PLATFORMS >= 300
    assert len({course.platform.name for course in courses}) == len(courses)


def test_websites_are_on_reserved_domains() -> None:
    assert all(course.platform.website.endswith(".example") for course in all_courses())


def test_events_are_in_the_order_of_time_and_none_after_the_last_day() -> None:
    for course in all_courses():
        times = [course.platform.first, *(event.at for event in course.events)]
        assert all(earlier < later for earlier, later in pairwise(times))
        assert times[0] >= FIRST_DAY
        assert times[-1] <= LAST_DAY


def test_one_event_closes_the_archive() -> None:
    assert [event.at for course in all_courses() for event in course.events].count(LAST_DAY) == 1


def test_every_stance_is_meant_by_some_platform() -> None:
    assert {course.intended.stance for course in all_courses()} == set(STANCES)
