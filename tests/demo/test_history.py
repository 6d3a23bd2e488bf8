"""What happens to the fictional platforms."""

from __future__ import annotations

from itertools import pairwise

from riskanalytics.demo.history import FIRST_DAY, LAST_DAY, PLATFORMS, QUIET_MONTH, all_platforms
from riskanalytics.models import STANCES


def test_there_are_more_than_300_platforms_with_names_of_their_own() -> None:
    platforms = all_platforms()
    assert len(platforms) == PLATFORMS >= 300
    assert len({platform.name for platform in platforms}) == len(platforms)


def test_websites_are_on_reserved_domains() -> None:
    assert all(platform.website.endswith(".example") for platform in all_platforms())


def test_events_are_in_the_order_of_time_and_none_after_the_last_day() -> None:
    for platform in all_platforms():
        times = [platform.first, *(event.at for event in platform.events)]
        assert all(earlier < later for earlier, later in pairwise(times))
        assert times[0] >= FIRST_DAY
        assert times[-1] <= LAST_DAY


def test_one_event_closes_the_archive() -> None:
    assert [event.at for platform in all_platforms() for event in platform.events].count(LAST_DAY) == 1


def test_every_stance_is_meant_by_some_platform() -> None:
    assert {platform.intended.stance for platform in all_platforms()} == set(STANCES)


def test_a_failure_is_repaired_within_days_or_lasts_and_nothing_material_happens_in_the_quiet_month() -> None:
    for platform in all_platforms():
        for event, after in pairwise(platform.events):
            if event.kind == "failure" and after.kind != "failure":
                assert (after.kind, after.document, after.profile) == ("repair", event.document, event.profile)
                assert 3 <= (after.at - event.at).days <= 11
        material = {(event.at.year, event.at.month) for event in platform.events if event.kind == "material"}
        assert QUIET_MONTH not in material
        stances = {event.profile.stance for event in platform.events} | {platform.profile.stance}
        assert not platform.chinese or stances <= {"trains_by_default", "trains_with_opt_out", "does_not_train"}
