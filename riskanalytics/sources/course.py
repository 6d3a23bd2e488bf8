"""The course of one platform: its state on several days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.errors import ServiceError, UnknownPlatform
from riskanalytics.frames.records import Dated
from riskanalytics.sources.held import held


class Course(NamedTuple):
    """What one platform was rated, answered and said on several days.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`: rating and stance, a row per day.
    surfaces : pandas.DataFrame
        `frames.DATED_SURFACES_COLUMNS`: levels, a row per known day and surface.
    """

    states: pd.DataFrame
    surfaces: pd.DataFrame


@held
def load_course(client: Client, slug: str, days: Sequence[date]) -> Course:
    """Load the state of one platform at the end of several days, from the open machine endpoint.

    Parameters
    ----------
    client : Client
    slug : str
        A platform that is tracked now.
    days : sequence of date
        In order. A server that does not tell the state of a past day gives `not known`, never today's.

    Returns
    -------
    Course
    """
    past = [_state(client, slug, day) for day in days]
    return Course(frames.states_frame(past), frames.dated_surfaces_frame(past))


def _state(client: Client, slug: str, day: date) -> Dated:
    """Return one day."""
    try:
        return day, "known", client.machine_platform(slug, day)
    except UnknownPlatform:
        return day, "untracked", {}
    except ServiceError:
        return day, "not known", {}
