"""What a notebook of ours is asked for, compared with the data before the notebook reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from riskanalytics.dataset import load, load_month, load_span
from riskanalytics.dataset.connecting import connect
from riskanalytics.dataset.scope import one_slug, slugs_of, surface_of
from riskanalytics.settings import Settings

_COUNTS: Final = {"comparison": (2, 8)}
"""How many platforms a notebook takes, where any are named."""


def check_asked(notebook: str, values: Mapping[str, object], settings: Settings) -> None:
    """Refuse a month, day, platform or surface that the data do not have: two requests.

    Parameters
    ----------
    notebook : str
        Name of one of ours.
    values : mapping
        Its parameters, by name.
    settings : Settings
        Which service the data come from; without a key, platforms are left to the notebook: each would be a request.

    Raises
    ------
    ParameterError
        If a platform is not tracked, or there is no such surface: the nearest are told.
    IncompleteReportError
        If the month or the day lies outside of the data.
    """
    with connect(settings=settings) as client:
        month, day = str(values.get("month") or ""), str(values.get("as_of") or "")
        if since := str(values.get("since") or ""):
            load_span(month, since, client)
            return
        data = load_month(month, client)[1] if month and client.has_key else load(client, day)
        if surface := values.get("surface"):
            surface_of(str(surface), data.covered_surfaces)
        if not client.has_key:
            return
        if platform := values.get("platform"):
            one_slug(str(platform), data.tracked, data.day)
        if isinstance(platforms := values.get("platforms"), list) and platforms:
            least, most = _COUNTS.get(notebook, (1, None))
            slugs_of(platforms, data.tracked, data.day, least=least, most=most)
