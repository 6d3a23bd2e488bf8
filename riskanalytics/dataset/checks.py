"""What a data set holds, and how far to trust it: its frames, its quotes, the responses of its service, its extraction."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256 as hashed
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import PAGE, Client, Json, Query
from riskanalytics.dataset.loading import NOT_SHOWN
from riskanalytics.errors import ParameterError, ServiceError, SettingsError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import mapping_of
from riskanalytics.frames.contract import Answered, contract_frame
from riskanalytics.models import ACCURACY_PARTS
from riskanalytics.models.provenance import around, verify
from riskanalytics.settings import load_settings
from riskanalytics.text.page_words import live_url
from riskanalytics.text.untrusted import is_public

if TYPE_CHECKING:
    from riskanalytics.accuracy import Score

_FRAMES: Final[dict[str, tuple[frames.Columns, str]]] = {
    "platforms": (frames.PLATFORMS_COLUMNS, "Ratings of the platforms."),
    "findings": (frames.FINDINGS_COLUMNS, "Clauses that count."),
    "leads": (frames.FINDINGS_COLUMNS, "Clauses worth reading that are not sure enough to count."),
    "surfaces": (frames.SURFACES_COLUMNS, "Level of each platform on each surface."),
    "training_use": (frames.TRAINING_USE_COLUMNS, "Stance of each platform on training use."),
    "documents": (frames.DOCUMENTS_COLUMNS, "Documents of each platform, with their age and state."),
    "coverage": (frames.COVERAGE_COLUMNS, "Counts of tracked and verified platforms."),
    "problems": (frames.PROBLEMS_COLUMNS, "What could not be read so far: platform, why, and where."),
    "changes()": (frames.CHANGES_COLUMNS, "Recorded changes up to the day, newest first."),
    "history()": (frames.HISTORY_COLUMNS, "Rating of each platform at the ends of the last months."),
}
"""Frame of a data set, with () where it is called -> its columns, and what it holds."""


def contents_of(loaded: Mapping[str, object], source: str) -> pd.DataFrame:
    """Return what a data set holds, a row for its day and for each of its frames.

    Parameters
    ----------
    loaded : mapping
        Names -> what is loaded so far.
    source : str
        Where the data come from.
    """
    rows = [("day", str(loaded.get("day", "not given")), source)]
    for name, (_, told) in _FRAMES.items():
        frame = loaded.get(name)
        count = f"{len(frame):,}" if isinstance(frame, pd.DataFrame) else "not loaded yet"
        rows.append((name, "on each call" if name.endswith("()") else count, told))
    return pd.DataFrame(rows, columns=["data set", "rows", "what it holds"])


def columns_of(frame: str) -> pd.DataFrame:
    """Return the columns of a frame of data sets: `column`, `dtype`, `meaning`, in the order of the frame.

    Parameters
    ----------
    frame : str
        As data sets name it, such as `findings` or `changes`.

    Raises
    ------
    ParameterError
        If no frame has that name: the message names all frames.

    Examples
    --------
    >>> columns_of("findings")["column"].head(3).tolist()
    ['slug', 'name', 'finding_id']
    """
    known = {name.removesuffix("()"): columns for name, (columns, _) in _FRAMES.items()}
    if frame not in known:
        raise ParameterError(f"a data set has no frame {str(frame)[:40]!r}; there are {', '.join(known)}")
    rows = [(name, *declared) for name, declared in known[frame].items()]
    return pd.DataFrame(rows, columns=["column", "dtype", "meaning"])


def verify_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Check every quote again: fetch its snapshot, hash it, and look at its offsets.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        The same rows, `verification_status` as found now (`VERIFICATION_STATUSES`), and `live_url`
        str: address of the vendor's page with a text fragment that leads to the quote, if the page is unchanged; missing
        where the quote did not verify, or no public address of the page is known (`page_words.live_url`).

    Examples
    --------
    >>> data = ra.load(client, platforms=["orvewick-voice"])
    >>> data.verify(data.findings)["verification_status"].unique().tolist()
    ['verified']
    """
    return _checked(findings, _bodies(client, findings))


def read_findings(client: Client, findings: pd.DataFrame) -> pd.DataFrame:
    """Check every quote again, and read the words around it.

    Parameters
    ----------
    client : Client
    findings : pandas.DataFrame
        With `quote`, `start`, `end`, `snapshot_sha256`.

    Returns
    -------
    pandas.DataFrame
        As `verify_findings`, with `before` and `after` str: the words of the quote's paragraph on either side, cut with
        an ellipsis where it is long; missing where the quote did not verify.
    """
    bodies = dict(_bodies(client, findings))
    checked = _checked(findings, bodies.items())
    texts = {sha256: _text(body) for sha256, body in bodies.items()}
    columns = (checked[name] for name in ("snapshot_sha256", "start", "end", "verification_status"))
    sides = [
        around(texts[sha256], int(start), int(end)) if status == "verified" else (None, None)
        for sha256, start, end, status in zip(*columns, strict=True)
    ]
    return _with_texts(checked, before=[before for before, _ in sides], after=[after for _, after in sides])


def _bodies(client: Client, findings: pd.DataFrame) -> Iterator[tuple[str, bytes | None]]:
    """Fetch the snapshots of some findings, each once, and give them as they come; None where one is missing."""
    for sha256, body in client.snapshots([str(sha256) for sha256 in findings["snapshot_sha256"].dropna().unique()]):
        yield sha256, None if isinstance(body, ServiceError) else body


def _checked(findings: pd.DataFrame, bodies: Iterable[tuple[str, bytes | None]]) -> pd.DataFrame:
    """Return checked findings; those of one body are checked while the next is on its way."""
    rows, quoted = rows_of(findings), defaultdict[object, list[int]](list)
    for number, row in enumerate(rows):
        quoted[row["snapshot_sha256"]].append(number)
    status, live = ["unavailable"] * len(rows), list[str | None]([None] * len(rows))
    for sha256, body in bodies:
        text = _text(body)
        for number in quoted[sha256]:
            row = {name: None if is_missing(value) else value for name, value in rows[number].items()}
            start, end = (None if row[name] is None else int(row[name]) for name in ("start", "end"))
            status[number] = verify(row["quote"] or "", start, end, sha256, body)
            if status[number] == "verified" and not _follows_lead_in(row, text):
                status[number] = "altered"
            if status[number] == "verified":
                found = live_url(row.get("document_url"), row.get("archive_url"), text, start or 0, end or 0)
                live[number] = found if found and is_public(found) else None
    return _with_texts(findings, verification_status=status, live_url=live)


def _with_texts(frame: pd.DataFrame, **columns: list[str | None] | list[str]) -> pd.DataFrame:
    """Return a frame with further columns of text."""
    return frame.assign(**{name: pd.Series(said, frame.index, dtype="str") for name, said in columns.items()})


def _follows_lead_in(row: Mapping[str, Any], text: str) -> bool:
    """Say whether the words before a quote are at their place; also where it has none, or no place for them."""
    lead_in, start, end = (row.get(f"lead_in{part}") for part in ("", "_start", "_end"))
    return None in (lead_in, start, end) or text[int(start) : int(end)] == lead_in  # type: ignore[arg-type]


def _text(body: bytes | None) -> str:
    """Return a snapshot as a text."""
    return (body or b"").decode("utf-8", errors="replace")


_SLUG: Final = re.compile(r"\w[\w.~-]{0,199}")
_MACHINE: Final = "/api/machine/platform/{slug}"
_LIST: Final = "/api/v1/platforms"
_DETAILS: Final = 12
"""Details of platforms that are asked for; their machine form is compared for all."""
_ASKED: Final = "data"
"""Word that is searched for: policies of any vendor have it."""


class Contract(NamedTuple):
    """How a service's answers differ from what they are read as.

    Parameters
    ----------
    differences : pandas.DataFrame
        `frames.CONTRACT_COLUMNS`.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: which endpoints were compared, and which could not be.
    """

    differences: pd.DataFrame
    endpoints: pd.DataFrame


def load_contract(client: Client, records: Sequence[Json]) -> Contract:
    """Compare the answers of a service with what they are read as: today's answers of each reading endpoint, of lists one page.

    Parameters
    ----------
    client : Client
        The keyed endpoints are asked where it has a key.
    records : sequence of dict
        Machine platforms as `load_records` gave them: all are compared, none is fetched again.

    Returns
    -------
    Contract
        Never raises for what a server answers or refuses: `endpoints` has it.
    """
    answers = [Answered(_MACHINE, str(record.get("slug")), record) for record in records]
    rows: list[tuple[object, ...]] = [(_MACHINE, len(records), "compared", None)]
    for endpoint, asked in _questions(records).items():
        keyed = endpoint.startswith("/api/v1/")
        if keyed and not client.has_key:
            rows.append((endpoint, 0, "no key", None))
            continue
        state, status, found = "compared", None, list[Answered]()
        try:
            for where, path, query in asked:
                found.append(Answered(endpoint, where, client.answer(path, query, keyed=keyed)))
        except ServiceError as error:
            state, status = ("not shown" if error.status in NOT_SHOWN else "failed"), error.status
        answers += found
        rows.append((endpoint, len(found), state, status))
    return Contract(contract_frame(answers), frames.frame_of(frames.ENDPOINTS_COLUMNS, rows))


def _questions(records: Sequence[Json]) -> dict[str, list[tuple[str, str, Query]]]:
    """Return what is asked of each endpoint: a name for it, its path and its query."""
    slugs = [slug for record in records if _SLUG.fullmatch(slug := str(record.get("slug")))]
    sample = sorted(slugs, key=lambda slug: hashed(slug.encode("utf-8", "replace")).hexdigest())[:_DETAILS]
    name = next((name for record in records if isinstance(name := record.get("name"), str) and name), _ASKED)
    return {
        _LIST: [("list", _LIST, {"limit": PAGE})],
        "/api/v1/platforms/{id}": [(slug, f"{_LIST}/{slug}", {}) for slug in sample],
        "/api/v1/search": [("search", "/api/v1/search", {"q": name[:100]})],
        "/api/v1/changes": [("newest changes", "/api/v1/changes", {"limit": PAGE})],
        "/api/machine/search": [("search", "/api/machine/search", {"q": _ASKED})],
        "/api/coverage": [("coverage", "/api/coverage", {})],
    }


class Accuracy(NamedTuple):
    """Figures of the extraction, and what it got wrong.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`; empty where the service has none.
    reliability : pandas.DataFrame
        `frames.RELIABILITY_COLUMNS`.
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`; empty where there are no labels.
    told : dict
        `source` (`labels`, `recorded` or `none`); `labels`, which part of `models.ACCURACY_PARTS` to show first (empty
        if there is no part), and its `measured_on` (ISO 8601 day) and `rules` (version) where they are known; `parts`:
        by part what is known beside the shares, such as `documents`, `families`, `times_scored`, and the shares of
        `stances`; `audit`: what readers found who judged what is shown (`read`, `measured_on`, `rules`, and the shares of
        `findings`, `stances`, `changes`); `withdrawn`: figures of an older measure, `why`, `measured_on`, and by measure
        its `precision` and `recall`; and `not_scored` (labels refused, texts and platforms not held).
    """

    figures: pd.DataFrame
    reliability: pd.DataFrame
    faults: pd.DataFrame
    told: dict[str, Any]


def load_accuracy(client: Client, labels: str | Path = "") -> Accuracy:
    """Load how well the extraction reads.

    Parameters
    ----------
    client : Client
        Without labels, its coverage has the recorded figures.
    labels : str or Path
        A file or folder of labels; they are scored against the database that the settings name, or the demo.

    Returns
    -------
    Accuracy

    Raises
    ------
    LabelsError
        If the labels, or a line of them, are not of the form of labels.
    SettingsError
        If labels are given and the settings name an address: labels need a database that holds their texts.
    """
    return _measured(Path(labels)) if str(labels) else _recorded(client.coverage())


def _measured(source: Path) -> Accuracy:
    """Score labels against the database of the settings."""
    from riskanalytics.accuracy import as_record, score  # noqa: PLC0415
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    settings = load_settings()
    if settings.base_url is not None:
        raise SettingsError(
            "labels are scored against a database that holds their texts: set RISKANALYTICS_DATABASE, not an address"
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
                head = (found.surface, kind, *source, risk, found.risk)
                rows.append((*head, found.rule, found.quote, sha256, found.start, found.end))
        for missed in judged.missed:
            quote = judged.text[missed.start : missed.end]
            place = (missed.surface, "missed", *source, missed.risks[0], None, None)
            rows.append((*place, quote, sha256, missed.start, missed.end))
    return frames.frame_of(frames.FAULTS_COLUMNS, rows)


def _recorded(coverage: Mapping[str, object]) -> Accuracy:
    """Read the figures of its extraction that a service has; other services have none."""
    figures = mapping_of(mapping_of(coverage.get("extraction")).get("figures"))
    parts = {name: figures[name] for name in ACCURACY_PARTS if mapping_of(mapping_of(figures.get(name)).get("groups"))}
    withdrawn, audit = mapping_of(figures.get("withdrawn")), mapping_of(figures.get("audit"))
    told = {"source": "recorded" if figures else "none", "withdrawn": withdrawn, "audit": audit}
    return _accuracy(parts, frames.frame_of(frames.FAULTS_COLUMNS, []), told)


def _accuracy(parts: Mapping[str, object], faults: pd.DataFrame, told: Mapping[str, object]) -> Accuracy:
    """Return what is known of the extraction; of a part what it has beside its shares by surface."""
    plain = dict[str, Json]()
    for name, part in parts.items():
        known: Json = dict(mapping_of(part))
        plain[name] = {key: known[key] for key in known if key == "stances" or not isinstance(known[key], dict | list)}
    first = next(iter(plain), "")
    shown = {key: value for key, value in plain.get(first, {}).items() if key in ("measured_on", "rules")}
    everything = {**told, "labels": first, "parts": plain, **shown}
    return Accuracy(frames.accuracy_frame(parts), frames.reliability_frame(parts), faults, everything)
