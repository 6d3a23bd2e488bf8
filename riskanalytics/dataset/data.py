"""The data set: frames of one day, each loaded on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from datetime import date
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client, Json
from riskanalytics.errors import IncompleteReportError, ReportError, ServiceError
from riskanalytics.frames import parts_of
from riskanalytics.frames.building import mapping_of
from riskanalytics.text.arguments import DayLike, as_day, as_slugs
from riskanalytics.topics.portfolio import PortfolioScope

from . import checks, history, loading
from .embedded import HeldClient
from .history import Course
from .scope import Slugs, Span, day_of, of_slugs, slugs_of
from .views import Views

FRAMES: Final = tuple(checks.FRAMES)[:7]
"""Names of the frames of one day in which each row belongs to one platform."""

Ranked = Callable[["Dataset"], Sequence[str]]
"""Takes a data set, and returns the slugs of its platforms in order of rank."""


class Dataset:
    """What a service knew at the end of one day; each frame is loaded on first use.

    Parameters
    ----------
    client : Client or None
        Client of the source. None for a data set of your own frames, which are given with `replaced`; it requests nothing.
    as_of : date or str
        Day of the data, as a date or YYYY-MM-DD. If empty, the newest.
    platforms : sequence of str, or str
        Slugs, or one text of slugs separated by commas. If empty, all platforms.

    Attributes
    ----------
    span : Span or None
        The period of a report; None for a report on one day.
    scope : PortfolioScope or None
        How the rows of the portfolio match tracked platforms; None without a portfolio.
    checks : dict
        Results of `verify` and `read`: (SHA-256 of the snapshot, start, end, quote) -> verification status.

    Raises
    ------
    ParameterError
        If the day is invalid, or a platform is not tracked: the message suggests the nearest slugs.
    IncompleteReportError
        If the day is outside the data.
    """

    _market: Dataset | None = None

    def __init__(self, client: Client | None, as_of: DayLike = "", platforms: Slugs = ()) -> None:
        self.client, self._as_of = client, as_of
        self.span: Span | None = None
        self.scope: PortfolioScope | None = None
        self.checks: dict[tuple[object, ...], str] = {}
        if client is not None:
            # an impossible day is refused here
            self.day  # noqa: B018
        if isinstance(client, HeldClient) and ("day", self.day) in client.held.answers:
            vars(self).update(client.known(("day", self.day), dict))
        if len(platforms):
            self._keep(slugs_of(platforms, self.tracked, self.day))

    def __repr__(self) -> str:
        return checks.contents_of(self).to_string(index=False, justify="left")

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return str(checks.contents_of(self).to_html(index=False, border=0, justify="left"))

    columns = staticmethod(checks.columns_of)

    @cached_property
    def views(self) -> Views:
        """The analyses of this data set, such as `data.views.freshness`, for sections and charts; each is computed once."""
        return Views(self)

    @property
    def market(self) -> Dataset:
        """The larger data set from which `of` made this one, for comparisons; if `of` did not make it, this data set itself."""
        return self._market or self

    @property
    def kind(self) -> str:
        """Noun for a platform of this data set in texts: `portfolio platform` with a portfolio, otherwise `tracked platform`."""
        return "portfolio platform" if self.scope else "tracked platform"

    @cached_property
    def newest(self) -> date:
        """Newest day of the service's data."""
        return loading.data_day(self._service)

    @cached_property
    def day(self) -> date:
        """Day of the data."""
        return day_of(self._as_of, self.newest)

    @cached_property
    def past(self) -> date | None:
        """Day that is sent with requests to the service: `day`, or None if `day` is the newest day.

        A request without a day returns the newest data; it also works with a service that has no past data. If the source is a
        folder of pulls without a pull of `day`, the value is the nearest earlier day with a pull, and `problems` names it.
        """
        return None if self.day == self.newest else loading.earlier_day(self._service, self.day)

    @cached_property
    def tracked(self) -> pd.DataFrame:
        """All platforms tracked on the day: one row each, with the columns `frames.PLATFORMS_COLUMNS`."""
        if self._service.has_key:
            return loading.load_platforms(self._service, self.past)
        self.records = loading.load_records(self._service, self.past)
        return frames.platforms_frame(self.records)

    @cached_property
    def slugs(self) -> list[str]:
        """Slugs of the platforms of this data set, in the given order; if none were given, all slugs, sorted."""
        return slugs_of((), self.tracked, self.day)

    @cached_property
    def platforms(self) -> pd.DataFrame:
        """Ratings of the platforms: one row each, with the columns `frames.PLATFORMS_COLUMNS`."""
        return of_slugs(self.tracked, self.slugs)

    @cached_property
    def records(self) -> list[Json]:
        """For each platform, the JSON object that the service returned for it, unchanged (`Client.machine_platforms`)."""
        # without a key, this loads the records: the list of platforms is made of them
        slugs = self.slugs
        return vars(self).get("records") or loading.load_records(self._service, self.past, slugs)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """Clauses that count: one row each, with the columns `frames.FINDINGS_COLUMNS`."""
        return frames.findings_frame(parts_of(self.records, "findings"))

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Clauses worth reading that are too uncertain to count: most certain first, with the columns `frames.FINDINGS_COLUMNS`."""
        return frames.findings_frame(parts_of(self.records, "leads"))

    @cached_property
    def surfaces(self) -> pd.DataFrame:
        """Level of each platform on each surface: one row each, with the columns `frames.SURFACES_COLUMNS`."""
        return frames.surfaces_frame(self.records)

    @cached_property
    def training_use(self) -> pd.DataFrame:
        """Stance of each platform on training use: one row each, with the columns `frames.TRAINING_USE_COLUMNS`."""
        return frames.training_use_frame(self.records)

    @cached_property
    def documents(self) -> pd.DataFrame:
        """Documents of each platform, with their age and state: one row each, with the columns `frames.DOCUMENTS_COLUMNS`."""
        return frames.documents_frame(self.records)

    @cached_property
    def dates(self) -> pd.DataFrame:
        """Dates and periods that the documents state: one row each, with the columns `frames.DATES_COLUMNS`."""
        return frames.dates_frame(self.records)

    @cached_property
    def _counted(self) -> Json:
        """The coverage of the service, unchanged."""
        return loading.coverage_record(self._service, self.past)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """Counts of tracked and verified platforms: one row with the columns `frames.COVERAGE_COLUMNS`."""
        return frames.coverage_frame(self._counted)

    @property
    def covered_surfaces(self) -> list[str]:
        """Surfaces on which the service counts findings."""
        return list(mapping_of(self._counted.get("surfaces")))

    @cached_property
    def extraction(self) -> dict[str, Any]:
        """What the service reports on its extraction (may be empty): `version`, `figures` (accuracy), `rating` (formula)."""
        return dict(mapping_of(self._counted.get("extraction")))

    @cached_property
    def unfinished(self) -> bool:
        """Whether an ingest into the database of the service is running or was interrupted, so that data may be missing."""
        return self.client is not None and self._counted.get("unfinished") is True

    @property
    def problems(self) -> pd.DataFrame:
        """Problems of loading so far, without those of platforms outside this data set: columns `frames.PROBLEMS_COLUMNS`."""
        met = self.client.problems if self.client else ()
        others = set(self.tracked["slug"]) - set(self.slugs) if {"tracked", "slugs"} <= vars(self).keys() else ()
        return frames.frame_of(frames.PROBLEMS_COLUMNS, [problem for problem in met if problem.slug not in others])

    def changes(
        self, since: DayLike | None = None, *, months: int | None = None, change_class: str | None = None
    ) -> pd.DataFrame | None:
        """Recorded changes of these platforms up to the day of the data, newest first.

        Parameters
        ----------
        since : date or str, optional
            First day. By default from the beginning of the records.
        months : int, optional
            Begin this number of months before the day, in place of `since`.
        change_class : str, optional
            Return only changes of this class (`models.CHANGE_CLASSES`).

        Returns
        -------
        pandas.DataFrame or None
            Its columns are `frames.CHANGES_COLUMNS`. None if the service does not show changes with this key (they need the
            tier Pro, specification section 8): unknown is not the same as empty.
        """
        begin = (pd.Timestamp(self.day) - pd.DateOffset(months=months)).date() if months else as_day(since)
        try:
            changes = loading.load_changes(self._service, begin, self.day, change_class)
        except ServiceError as error:
            if error.status in loading.NOT_SHOWN:
                return None
            raise
        return of_slugs(loading.with_listed_slugs(self._service, changes, self.tracked), self.slugs)

    def history(self, months: int = 12) -> pd.DataFrame:
        """Rating of each platform at the end of each of the last months: oldest first, columns `frames.HISTORY_COLUMNS`."""
        return of_slugs(history.load_history(self._service, months, self.day), self.slugs)

    def coverage_history(self, months: int = 12) -> pd.DataFrame | None:
        """Return the counts of `coverage` at the ends of the last months, and on the day of the data: one row each.

        The columns are `frames.COVERAGE_COLUMNS`. It returns None if the service gives only today's coverage.
        """
        return history.load_coverage_history(self._service, months, self.day)

    def past_states(self, slug: str, quarters: int = 12) -> Course:
        """Return rating, stance and levels of a platform at the ends of the last `quarters` quarters, and on `day`."""
        ends = pd.date_range(end=pd.Timestamp(self.day) - pd.Timedelta(1, "D"), periods=quarters, freq="QE")
        return history.load_course(self._service, slug, [*ends.date, self.day])

    def accuracy(self, labels: str = "") -> checks.Accuracy:
        """Return the accuracy of the extraction: as the service reports it, or measured on `labels` (a file or folder)."""
        return checks.load_accuracy(self._service, labels)

    def contract(self) -> checks.Contract:
        """Return the differences between the answers of the service and the form that the specification requires."""
        return checks.load_contract(self._service, self.records)

    def at(self, day: DayLike) -> Dataset:
        """Return the data of another day: of all platforms if this data set has all, else of its platforms tracked then."""
        other = Dataset(self.client, day)
        tracked, some = list(other.tracked["slug"]), self.scope is not None or len(self.slugs) < len(self.tracked)
        other._keep([slug for slug in self.slugs if slug in tracked] if some else tracked)
        return other

    def of(self, slugs: Slugs) -> Dataset:
        """Return the data of some of the platforms, in the given order; nothing is loaded again.

        Parameters
        ----------
        slugs : sequence of str, or str
            Slugs, or one text of slugs separated by commas.

        Raises
        ------
        ParameterError
            If a platform is not tracked on the day: the message suggests the nearest slugs.
        """
        narrowed = self._with(_market=self.market)
        narrowed._keep(slugs_of(slugs, self.tracked, self.day) if len(slugs) else [])
        return narrowed

    def _with(self, **changed: object) -> Dataset:
        """Return the same data with other attributes and new views."""
        other = copy(self)
        vars(other).update(changed)
        vars(other).pop("views", None)
        return other

    def _keep(self, slugs: list[str]) -> None:
        """Keep some of the platforms in the loaded frames."""
        self.slugs, loaded = slugs, vars(self)
        loaded |= {name: of_slugs(loaded[name], slugs) for name in FRAMES if name in loaded}
        if "records" in loaded:
            self.records = [record for record in self.records if record.get("slug") in slugs]

    def hold(self, slugs: Sequence[str]) -> None:
        """Load all frames, and the snapshots of some platforms' clauses, into memory, so that other processes can get them.

        This needs a client of `connect_held`, which keeps loaded data; with any other client, nothing is loaded.

        Parameters
        ----------
        slugs : sequence of str
            Platforms whose findings and leads will be verified: their snapshots are loaded.
        """
        if isinstance(self.client, HeldClient):
            names = ("tracked", "slugs", "_counted", "coverage", "records", *FRAMES)
            self.client.known(("day", self.day), lambda: {name: getattr(self, name) for name in names})
            clauses = of_slugs(pd.concat([self.findings, self.leads]), slugs)
            dict(checks.bodies_of(self.client, clauses["snapshot_sha256"]))

    def replaced(self, **frames: object) -> Dataset:
        """Return the same data with other frames, such as findings that you have filtered.

        Parameters
        ----------
        **frames : pandas.DataFrame
            Frames by the names of the properties of this class: `platforms`, `findings`, `surfaces`, ...

        Raises
        ------
        ReportError
            If there is no frame of that name.
        """
        for name in frames:
            if not isinstance(getattr(type(self), name, None), cached_property):
                raise ReportError(f"there is no frame {name!r} to replace: display the data set to list its frames")
        return self._with(**frames)

    def verify(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return findings with the result of verifying every quote; each status is also recorded in the attribute `checks`.

        `findings` needs the columns `quote`, `start`, `end` and `snapshot_sha256`. The added columns are `verification_status` and
        `live_url` (address of the quote on the vendor's page).
        """
        return self._checked(checks.verify_findings, findings)

    def read(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return findings with the result of verifying every quote, and with the words around each quote.

        `findings` needs the columns `quote`, `start`, `end` and `snapshot_sha256`. The added columns are `verification_status`,
        `live_url` (address of the quote on the vendor's page), `before` and `after` (the words of the quote's own paragraph that
        precede and follow the quote, cut if long).
        """
        return self._checked(checks.read_findings, findings)

    def named(self, platforms: Slugs, ranked: Ranked, *, least: int = 1, most: int | None = None) -> list[str]:
        """Return the slugs of the platforms of a report: the given slugs, or, if none are given, the first of a ranking.

        Parameters
        ----------
        platforms : sequence of str, or str
            Slugs, or one text of slugs separated by commas. If empty, the first `least` slugs of the ranking are returned.
        ranked : callable
            Takes this data set and returns slugs in order of rank; called only if no slug is given.
        least, most : int, optional
            Minimum and maximum number of slugs that may be given.

        Raises
        ------
        ParameterError
            If a platform is not tracked (the message suggests the nearest slugs), or there are too few or too many slugs.
        IncompleteReportError
            If fewer than `least` platforms are tracked on the day.
        """
        wanted = slugs_of(platforms, self.tracked, self.day, least=least, most=most)
        if not as_slugs(platforms) and len(wanted := list(ranked(self)[:least])) < least:
            tracked = f"{least} platforms are needed, but {len(wanted)} are tracked on {self.day}"
            raise IncompleteReportError(f"{tracked}; give a later day")
        return wanted

    def digest(self, *more: pd.DataFrame) -> str:
        """Return the SHA-256 of the data: ratings and findings of the platforms, and further frames.

        Parameters
        ----------
        *more : pandas.DataFrame
            Further frames, with columns that CSV can represent.
        """
        frames = (self.platforms[["slug", "rating"]], self.findings[["finding_id", "risk"]], *more)
        return sha256("\n".join(frame.to_csv(index=False) for frame in frames).encode("utf-8", "replace")).hexdigest()

    @property
    def _service(self) -> Client:
        """The client; an error for a data set without one."""
        if self.client is None:
            raise ReportError("this data set has no client, because it was made from frames: use the result of ra.load")
        return self.client

    def _checked(self, check: Callable[[Client, pd.DataFrame], pd.DataFrame], findings: pd.DataFrame) -> pd.DataFrame:
        """Verify quotes, and record their status."""
        checked = check(self._service, findings)
        places = zip(*(checked[name] for name in ("snapshot_sha256", "start", "end", "quote")), strict=True)
        self.checks |= zip(places, checked["verification_status"], strict=True)
        return checked
