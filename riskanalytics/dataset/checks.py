"""List the contents of a data set; check its quotes, the answers of its service, and the accuracy of the extraction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256 as hashed
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import CHANGES, COVERAGE, LIST, MACHINE, PAGE, Client, Json, Query
from riskanalytics.errors import ParameterError, ServiceError, SettingsError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import mapping_of
from riskanalytics.frames.contract import Answered, contract_frame
from riskanalytics.models import ACCURACY_PARTS
from riskanalytics.models.provenance import around, verify
from riskanalytics.settings import load_settings
from riskanalytics.text.page_words import live_url
from riskanalytics.text.untrusted import is_public

from .loading import NOT_SHOWN

if TYPE_CHECKING:
    from riskanalytics.accuracy import Score

    from .data import Dataset

FRAMES: Final[dict[str, frames.Columns]] = {
    "platforms": frames.PLATFORMS_COLUMNS,
    "findings": frames.FINDINGS_COLUMNS,
    "leads": frames.FINDINGS_COLUMNS,
    "surfaces": frames.SURFACES_COLUMNS,
    "training_use": frames.TRAINING_USE_COLUMNS,
    "documents": frames.DOCUMENTS_COLUMNS,
    "dates": frames.DATES_COLUMNS,
    "coverage": frames.COVERAGE_COLUMNS,
    "problems": frames.PROBLEMS_COLUMNS,
    "changes": frames.CHANGES_COLUMNS,
    "history": frames.HISTORY_COLUMNS,
}
"""Name of a frame of data sets -> its columns."""


def contents_of(data: Dataset) -> pd.DataFrame:
    """Return a table of what a data set contains: a row for its day and a row for each frame. Nothing is loaded.

    Its columns are `data set` (name of the frame), `rows` (their number, or why it is not known) and `what it holds`. In the row
    `day`, the column `rows` has the day, and `what it holds` the source of the data.
    """
    loaded = {**vars(data), "problems": data.problems}
    rows = [("day", str(loaded.get("day", "not given")), str(data.client or "given frames"))]
    for name in FRAMES:
        made = getattr(type(data), name)
        frame = loaded.get(name)
        without = "not known" if name in loaded else "not loaded yet"
        count = without if frame is None else f"{len(frame):,}"
        rows.append((name, "on each call" if callable(made) else count, (made.__doc__ or "").partition(":")[0]))
    return pd.DataFrame(rows, columns=["data set", "rows", "what it holds"])


def columns_of(frame: str) -> pd.DataFrame:
    """Return a table that describes the columns of a frame, in their order: `column`, `dtype`, `meaning`.

    Parameters
    ----------
    frame : str
        Name of the frame in data sets, such as `findings` or `changes`.

    Raises
    ------
    ParameterError
        If there is no such frame; the message lists all frames.

    Examples
    --------
    >>> columns_of("findings")["column"].head(3).tolist()
    ['slug', 'name', 'finding_id']
    """
    if frame not in FRAMES:
        raise ParameterError(f"a data set has no frame {str(frame)[:40]!r}; its frames are {', '.join(FRAMES)}")
    rows = [(name, *declared) for name, declared in FRAMES[frame].items()]
    return pd.DataFrame(rows, columns=["column", "dtype", "meaning"])


def verify_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Verify every quote: fetch its snapshot, compare the hash, and read the quote at its offsets.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        The same rows with the new `verification_status` (`VERIFICATION_STATUSES`) and `live_url` str, the address of the vendor's
        page with a text fragment that leads to the quote if the page is unchanged. `live_url` is missing if the quote did not
        verify, or if no public address of the page is known (`page_words.live_url`).

    Examples
    --------
    >>> data = ra.load(client, platforms=["orvewick-voice"])
    >>> data.verify(data.findings)["verification_status"].unique().tolist()
    ['verified']
    """
    columns = dict.fromkeys([*findings, "verification_status", "live_url"])
    return read_findings(client, findings)[list(columns)]


def read_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Verify every quote, and add the words that precede and follow it in its own paragraph.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        The same rows with four columns: `verification_status` and `live_url` (see `verify_findings`), and `before` and `after`
        str, the words that precede and follow the quote in its own paragraph, about 220 characters at most (a longer
        text is cut with an ellipsis). `before` and `after` are missing if the quote did not verify.
    """
    rows, places = rows_of(findings), findings.groupby("snapshot_sha256").indices
    found: list[tuple[str | None, ...]] = [("unavailable", None, None, None)] * len(rows)
    # one text is checked while the next is being fetched
    for sha256, body in bodies_of(client, findings["snapshot_sha256"]):
        for place in places[sha256]:
            row = {name: None if is_missing(value) else value for name, value in rows[place].items()}
            found[place] = _check(row, sha256, body)
    names = ("verification_status", "live_url", "before", "after")
    return findings.assign(**pd.DataFrame(found, findings.index, names, "str"))


def bodies_of(client: Client, hashes: pd.Series[str]) -> Iterator[tuple[str, bytes | None]]:
    """Fetch each snapshot once; as it arrives, yield its SHA-256 and its bytes (None if it is missing)."""
    for sha256, body in client.snapshots(list(hashes.dropna().unique())):
        yield sha256, body if isinstance(body, bytes) else None


def _check(row: Mapping[str, Any], sha256: str, body: bytes | None) -> tuple[str | None, ...]:
    """Return the verification of a quote, its address on the vendor's page, and the words before and after it."""
    start, end, first, last = (
        None if row.get(name) is None else int(row[name]) for name in ("start", "end", "lead_in_start", "lead_in_end")
    )
    status = verify(row["quote"] or "", start, end, sha256, body)
    if status != "verified" or body is None or start is None or end is None:
        return status, None, None, None
    text, lead_in = body.decode("utf-8", "replace"), row.get("lead_in")
    if None not in (lead_in, first, last) and text[first:last] != lead_in:
        return "altered", None, None, None
    url = live_url(row.get("document_url"), row.get("archive_url"), text, start, end)
    return status, url if url and is_public(url) else None, *around(text, start, end)


class Contract(NamedTuple):
    """The differences between the answers of a service and the form that the specification requires.

    Parameters
    ----------
    differences : pandas.DataFrame
        The differences, one row for each field and kind of difference; its columns are `frames.CONTRACT_COLUMNS`.
    endpoints : pandas.DataFrame
        The endpoints that were compared, and those that could not be; its columns are `frames.ENDPOINTS_COLUMNS`.
    """

    differences: pd.DataFrame
    endpoints: pd.DataFrame


def load_contract(client: Client, records: Sequence[Json]) -> Contract:
    """Request the endpoints that return data, and compare the answers with the form that the specification requires.

    Of each list, only the first page is requested; of the answers of `/api/v1/platforms/{id}`, only a sample.

    Parameters
    ----------
    client : Client
        A client of the service. Endpoints that need a key are requested only if the client has one.
    records : sequence of dict
        Answers of `/api/machine/platform/{slug}`, as `load_records` returns them. They are not requested
        again, but all of them are compared.

    Returns
    -------
    Contract
        The differences. Errors and refusals of the server are not raised, but listed in `endpoints`.
    """
    machine = MACHINE + "{slug}"
    answers = [Answered(machine, str(record.get("slug")), record) for record in records]
    rows: list[tuple[object, ...]] = [(machine, len(records), "compared", None)]
    for endpoint, questions in groupby(_questions(records), lambda question: question[0]):
        keyed, state, status, before = endpoint.startswith("/api/v1/"), "compared", None, len(answers)
        if keyed and not client.has_key:
            rows.append((endpoint, 0, "no key", None))
            continue
        try:
            for _, name, query in questions:
                answer = client.answer(endpoint.replace("{id}", name), query, keyed=keyed)
                answers.append(Answered(endpoint, name, answer))
        except ServiceError as error:
            state, status = ("not shown" if error.status in NOT_SHOWN else "failed"), error.status
        rows.append((endpoint, len(answers) - before, state, status))
    return Contract(contract_frame(answers), frames.frame_of(frames.ENDPOINTS_COLUMNS, rows))


def _questions(records: Sequence[Json]) -> list[tuple[str, str, Query]]:
    """Return the requests: for each an endpoint, a name for the request (the slug of a detail), and the query."""
    slugs = [slug for record in records if re.fullmatch(r"\w[\w.~-]{0,199}", slug := str(record.get("slug")))]
    sample = sorted(slugs, key=lambda slug: hashed(slug.encode("utf-8", "replace")).hexdigest())[:12]
    names = (name for record in records if isinstance(name := record.get("name"), str) and name)
    return [
        (LIST, "list", {"limit": PAGE}),
        *((LIST + "/{id}", slug, Query()) for slug in sample),
        ("/api/v1/search", "search", {"q": next(names, "data")[:100]}),
        (CHANGES, "newest changes", {"limit": PAGE}),
        # a word that occurs in all vendors' policies
        ("/api/machine/search", "search", {"q": "data"}),
        (COVERAGE, "coverage", {}),
    ]


class Accuracy(NamedTuple):
    """The accuracy of the extraction, and its errors.

    Parameters
    ----------
    figures : pandas.DataFrame
        Measures of accuracy, such as precision, by surface; empty if the service reports none. Columns: `frames.ACCURACY_COLUMNS`.
    reliability : pandas.DataFrame
        Share of right findings by range of confidence. Columns: `frames.RELIABILITY_COLUMNS`.
    faults : pandas.DataFrame
        Wrong findings, missed clauses and wrong levels; empty if no labels were given. Columns: `frames.FAULTS_COLUMNS`.
    facts : dict
        Where the figures come from, and what else is known:

        - `source`: `labels` (measured on given labels), `recorded` (reported by the service) or `none` (there are no figures)
        - `labels`: the first set of labels with figures, in the order of `models.ACCURACY_PARTS`; empty without figures
        - `measured_on`, `rules`: on which day (ISO 8601) and with which version of the extraction this set was scored, if known
        - `parts`: each set of labels -> further facts on it, such as the counts `documents`, `families` (groups of related
          vendors) and `times_scored`, and the shares `stances`
        - `with_readings`: figures where language models read the documents: `measured_on`, `read` (which models), `groups`
        - `audit`: results of independent readers who judged published findings, stances and changes: `read` (what they read),
          `measured_on`, `rules`, and shares by name in `findings`, `stances` and `changes`
        - `withdrawn`: older figures that are no longer valid: `why`, `measured_on`, and the figures (`groups`)
        - `not_scored`: only with given labels, the number of refused labels, missing texts and missing platforms
    """

    figures: pd.DataFrame
    reliability: pd.DataFrame
    faults: pd.DataFrame
    facts: dict[str, Any]


def load_accuracy(client: Client, labels: str = "") -> Accuracy:
    """Return the accuracy of the extraction: measured on labels, if they are given; otherwise as the service reports it.

    Parameters
    ----------
    client : Client
        A client of the service that reports its accuracy (`/api/coverage`). Not used if labels are given.
    labels : str
        A file or folder of labels (see `accuracy.read_labels`). The extraction is measured on the texts of the database that
        the settings name (`RISKANALYTICS_DATABASE`), by default the demo. If empty, the service's report is returned.

    Returns
    -------
    Accuracy

    Raises
    ------
    LabelsError
        If the labels, or one of their lines, are malformed.
    SettingsError
        If labels are given, but the settings name the address of a service: labels need a database with their texts.
    """
    return _measured(Path(labels)) if labels else _recorded(client.coverage())


def _measured(source: Path) -> Accuracy:
    """Score labels against the database of the settings."""
    from riskanalytics.accuracy import as_record, score  # noqa: PLC0415
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    settings = load_settings()
    if settings.base_url is not None:
        raise SettingsError(
            "labels are compared with the texts of a database, not of a service: "
            "give --database or RISKANALYTICS_DATABASE instead of the address"
        )
    result = score(source, settings.database or demo_database(settings.cache))
    missing = len(result.refused) + len(result.not_scored)
    parts = {"given": as_record(result)} if result.documents else {}
    return _accuracy(parts, _faults(result), {"source": "labels", "withdrawn": {}, "not_scored": missing})


def _faults(result: Score) -> pd.DataFrame:
    """Return false alarms, missed clauses and other levels."""
    rows: list[tuple[object, ...]] = []
    for judged in result.documents:
        source, sha256 = (judged.document.platform, judged.document.document), judged.document.sha256
        for found, label in judged.verdicts:
            if label is None or found.risk not in label.risks:
                kind, risk = ("false_alarm", None) if label is None else ("level", label.risks[0])
                head = (found.surface, kind, *source, risk, found.risk, found.rule, found.quote)
                rows.append((*head, sha256, found.start, found.end))
        for missed in judged.missed:
            quote = judged.text[missed.start : missed.end]
            place = (missed.surface, "missed", *source, missed.risks[0], None, None, quote)
            rows.append((*place, sha256, missed.start, missed.end))
    return frames.frame_of(frames.FAULTS_COLUMNS, rows)


def _recorded(coverage: Mapping[str, object]) -> Accuracy:
    """Return the figures of its extraction that a service reports; empty for other services."""
    figures = mapping_of(mapping_of(coverage.get("extraction")).get("figures"))
    parts = {name: figures[name] for name in ACCURACY_PARTS if mapping_of(mapping_of(figures.get(name)).get("groups"))}
    more = {name: mapping_of(figures.get(name)) for name in ("with_readings", "withdrawn", "audit")}
    facts = {"source": "recorded" if figures else "none", **more}
    return _accuracy(parts, frames.frame_of(frames.FAULTS_COLUMNS, []), facts)


def _accuracy(parts: Mapping[str, object], faults: pd.DataFrame, facts: Mapping[str, object]) -> Accuracy:
    """Return the accuracy by surface, and further facts by part."""
    plain = dict[str, Json]()
    for name, part in parts.items():
        known = mapping_of(part).items()
        plain[name] = {key: value for key, value in known if key == "stances" or not isinstance(value, dict | list)}
    first = next(iter(plain), "")
    shown = {key: value for key, value in plain.get(first, {}).items() if key in ("measured_on", "rules")}
    everything = {**facts, "labels": first, "parts": plain, **shown}
    return Accuracy(frames.accuracy_frame(parts), frames.reliability_frame(parts), faults, everything)
