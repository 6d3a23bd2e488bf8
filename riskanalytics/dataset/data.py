"""The data set: frames of one day, each loaded when it is first asked for."""

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
from riskanalytics.topics.monthly import PortfolioScope

from . import checks, history, loading
from .embedded import HeldClient
from .history import Course
from .scope import Slugs, Span, day_of, of_slugs, slugs_of
from .views import Views

FRAMES: Final = tuple(checks.FRAMES)[:6]
"""Frames with a row per platform or more."""

Ranked = Callable[["Dataset"], Sequence[str]]
"""Ranks the platforms of a data set: gives their slugs, the first first."""


class Dataset:
    """What a service knew at the end of one day; each frame is loaded when it is first asked for.

    Parameters
    ----------
    client : Client or None
        None where all frames are given by `replaced`: nothing is fetched then.
    as_of : date or str
        Day of the data, as a date or YYYY-MM-DD; empty for the newest.
    platforms : sequence of str, or str
        Slugs, or one text of slugs between commas; empty for all platforms.

    Attributes
    ----------
    span : Span or None
        The days that a report speaks of; None where it speaks of one day.
    scope : PortfolioScope or None
        How the rows of the reader's portfolio were matched; None without a portfolio.
    checks : dict
        Status of every quote that `verify` and `read` have checked, by its place (snapshot, start, end) and words.

    Raises
    ------
    ParameterError
        If the day is no day, or a platform is not tracked: the message names the nearest slugs.
    IncompleteReportError
        If the day lies outside of the data.
    """

    _market: Dataset | None = None

    def __init__(self, client: Client | None, as_of: DayLike = "", platforms: Slugs = ()) -> None:
        self.client, self._as_of = client, as_of
        self.span: Span | None = None
        self.scope: PortfolioScope | None = None
        self.checks: dict[tuple[object, ...], str] = {}
        if client is not None:
            # a day that cannot be is refused here
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
        """What sections and charts show of this data set, each analysed once."""
        return Views(self)

    @property
    def market(self) -> Dataset:
        """The data set of all platforms that this one was taken from; itself where it was not."""
        return self._market or self

    @property
    def kind(self) -> str:
        """What one of its platforms is called in sentences."""
        return "portfolio platform" if self.scope else "tracked platform"

    @cached_property
    def newest(self) -> date:
        """Newest day that the service has data of."""
        return loading.data_day(self._service)

    @cached_property
    def day(self) -> date:
        """Day that the data speak of."""
        return day_of(self._as_of, self.newest)

    @cached_property
    def past(self) -> date | None:
        """Day that the service is asked for: None for the newest, so that a service without a past is enough.

        Of pulls, the nearest earlier day that they hold where they do not hold `day`; `problems` name it then.
        """
        return None if self.day == self.newest else loading.earlier_day(self._service, self.day)

    @cached_property
    def tracked(self) -> pd.DataFrame:
        """All platforms that were tracked on the day: `frames.PLATFORMS_COLUMNS`."""
        if self._service.has_key:
            return loading.load_platforms(self._service, self.past)
        self.records = loading.load_records(self._service, self.past)
        return frames.platforms_frame(self.records)

    @cached_property
    def slugs(self) -> list[str]:
        """Slugs of the platforms of this data set, in the order in which they were named; else all, by slug."""
        return slugs_of((), self.tracked, self.day)

    @cached_property
    def platforms(self) -> pd.DataFrame:
        """Ratings of the platforms: `frames.PLATFORMS_COLUMNS`."""
        return of_slugs(self.tracked, self.slugs)

    @cached_property
    def records(self) -> list[Json]:
        """What the open machine endpoint answers for each platform, as it came."""
        # without a key, this loads the records: the list of platforms is made of them
        slugs = self.slugs
        return vars(self).get("records") or loading.load_records(self._service, self.past, slugs)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """Clauses that count: `frames.FINDINGS_COLUMNS`."""
        return frames.findings_frame(parts_of(self.records, "findings"))

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Clauses worth reading that are not sure enough to count: `frames.FINDINGS_COLUMNS`, the surest first."""
        return frames.findings_frame(parts_of(self.records, "leads"))

    @cached_property
    def surfaces(self) -> pd.DataFrame:
        """Level of each platform on each surface: `frames.SURFACES_COLUMNS`."""
        return frames.surfaces_frame(self.records)

    @cached_property
    def training_use(self) -> pd.DataFrame:
        """Stance of each platform on training use: `frames.TRAINING_USE_COLUMNS`."""
        return frames.training_use_frame(self.records)

    @cached_property
    def documents(self) -> pd.DataFrame:
        """Documents of each platform, with their age and state: `frames.DOCUMENTS_COLUMNS`."""
        return frames.documents_frame(self.records)

    @cached_property
    def _counted(self) -> Json:
        """The coverage of the service, as it came."""
        return loading.coverage_record(self._service, self.past)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """Counts of tracked and verified platforms: one row, `frames.COVERAGE_COLUMNS`."""
        return frames.coverage_frame(self._counted)

    @property
    def covered_surfaces(self) -> list[str]:
        """Surfaces on which the service counts findings."""
        return list(mapping_of(self._counted.get("surfaces")))

    @cached_property
    def extraction(self) -> dict[str, Any]:
        """What the service says of its reading: `version`, `figures`, `rating` (the formula); may be empty."""
        return dict(mapping_of(self._counted.get("extraction")))

    @cached_property
    def unfinished(self) -> bool:
        """Whether an ingest of the service goes on or was cut off: what it has not come to is missing from the data."""
        return self.client is not None and self._counted.get("unfinished") is True

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read so far, except of other platforms that are tracked: `frames.PROBLEMS_COLUMNS`."""
        met = self.client.problems if self.client else ()
        others = set(self.tracked["slug"]) - set(self.slugs) if {"tracked", "slugs"} <= vars(self).keys() else ()
        return frames.frame_of(frames.PROBLEMS_COLUMNS, [problem for problem in met if problem.slug not in others])

    def changes(
        self, since: DayLike | None = None, *, months: int | None = None, change_class: str | None = None
    ) -> pd.DataFrame | None:
        """Recorded changes of these platforms up to the day: newest first.

        Parameters
        ----------
        since : date or str, optional
            First day; from the beginning of the records where None.
        months : int, optional
            Begin so many months before the day, instead of `since`.
        change_class : str, optional
            Only changes of one of `models.CHANGE_CLASSES`.

        Returns
        -------
        pandas.DataFrame or None
            `frames.CHANGES_COLUMNS`. None where the service does not show changes to this key (they need Pro,
            specification section 8): not known is not the same as none.
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
        """Rating of each platform at the ends of the last months: `frames.HISTORY_COLUMNS`, oldest first."""
        return of_slugs(history.load_history(self._service, months, self.day), self.slugs)

    def coverage_history(self, months: int = 12) -> pd.DataFrame | None:
        """Return the coverage at the ends of the last months: `frames.COVERAGE_COLUMNS`; None where only today's is known."""
        return history.load_coverage_history(self._service, months, self.day)

    def past_states(self, slug: str, quarters: int = 12) -> Course:
        """Return what one platform was rated and said (`states`, `surfaces`) at the ends of quarters, and on the day."""
        ends = pd.date_range(end=pd.Timestamp(self.day) - pd.Timedelta(1, "D"), periods=quarters, freq="QE")
        return history.load_course(self._service, slug, [*ends.date, self.day])

    def accuracy(self, labels: str = "") -> checks.Accuracy:
        """Return how well the extraction reads: as recorded, or measured on a file or folder of labels."""
        return checks.load_accuracy(self._service, labels)

    def contract(self) -> checks.Contract:
        """Return how the responses of the service differ from what they are read as."""
        return checks.load_contract(self._service, self.records)

    def at(self, day: DayLike) -> Dataset:
        """Return the same platforms, as far as they were tracked then, at another day."""
        other = Dataset(self.client, day)
        tracked = set(other.tracked["slug"])
        other._keep([slug for slug in self.slugs if slug in tracked])
        return other

    def of(self, slugs: Slugs) -> Dataset:
        """Return the same day for some of the platforms, in the order given; nothing is loaded again.

        Parameters
        ----------
        slugs : sequence of str, or str
            Slugs, or one text of slugs between commas.

        Raises
        ------
        ParameterError
            If one is not tracked on the day: the message names the nearest slugs.
        """
        narrowed = self._with(_market=self.market)
        narrowed._keep(slugs_of(slugs, self.tracked, self.day) if len(slugs) else [])
        return narrowed

    def _with(self, **changed: object) -> Dataset:
        """Return the same data with other attributes, whose views are made anew."""
        other = copy(self)
        vars(other).update(changed)
        vars(other).pop("views", None)
        return other

    def _keep(self, slugs: list[str]) -> None:
        """Keep some of the platforms in what is loaded."""
        self.slugs, loaded = slugs, vars(self)
        loaded |= {name: of_slugs(loaded[name], slugs) for name in FRAMES if name in loaded}
        if "records" in loaded:
            self.records = [record for record in self.records if record.get("slug") in slugs]

    def hold(self, slugs: Sequence[str]) -> None:
        """Have a client that holds data hold these, with the texts of the clauses of some platforms.

        Parameters
        ----------
        slugs : sequence of str
            Platforms whose clauses are to be verified.
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
            By the names of the properties of this class: `platforms`, `findings`, `surfaces`, ...

        Raises
        ------
        ReportError
            If there is no frame of a name.
        """
        for name in frames:
            if not isinstance(getattr(type(self), name, None), cached_property):
                raise ReportError(f"a data set has no frame {name!r}")
        return self._with(**frames)

    def verify(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Check every quote again; parameters and columns as of `checks.verify_findings`. `checks` keeps the status."""
        return self._checked(checks.verify_findings, findings)

    def read(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Check every quote again, and read the words around it; parameters and columns as of `checks.read_findings`."""
        return self._checked(checks.read_findings, findings)

    def named(self, platforms: Slugs, ranked: Ranked, *, least: int = 1, most: int | None = None) -> list[str]:
        """Return the slugs that a parameter names; the first of a ranking where it names none.

        Parameters
        ----------
        platforms : sequence of str, or str
            Slugs, or one text of slugs between commas.
        ranked : callable
            Takes this data set and gives slugs, the first first; called only where none is named.
        least, most : int, optional
            How many are taken.

        Raises
        ------
        ParameterError
            If one is not tracked (the message names the nearest slugs), or there are too few or too many.
        IncompleteReportError
            If fewer than `least` are tracked on the day.
        """
        wanted = slugs_of(platforms, self.tracked, self.day, least=least, most=most)
        if not as_slugs(platforms) and len(wanted := list(ranked(self)[:least])) < least:
            tracked = f"{least} platforms are needed, and {len(wanted)} are tracked on {self.day}"
            raise IncompleteReportError(f"{tracked}; give a later day")
        return wanted

    def digest(self, *more: pd.DataFrame) -> str:
        """Return the SHA-256 of the data: ratings and findings of the platforms, and further frames.

        Parameters
        ----------
        *more : pandas.DataFrame
            Columns that CSV can hold.
        """
        frames = (self.platforms[["slug", "rating"]], self.findings[["finding_id", "risk"]], *more)
        return sha256("\n".join(frame.to_csv(index=False) for frame in frames).encode("utf-8", "replace")).hexdigest()

    @property
    def _service(self) -> Client:
        """The client; refuses a data set without one."""
        if self.client is None:
            raise ReportError("this data set has no client: it holds only the frames that it was given")
        return self.client

    def _checked(self, check: Callable[[Client, pd.DataFrame], pd.DataFrame], findings: pd.DataFrame) -> pd.DataFrame:
        """Check quotes, and keep count."""
        checked = check(self._service, findings)
        places = zip(*(checked[name] for name in ("snapshot_sha256", "start", "end", "quote")), strict=True)
        self.checks |= zip(places, checked["verification_status"], strict=True)
        return checked
