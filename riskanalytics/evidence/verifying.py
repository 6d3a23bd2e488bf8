"""Check quotes against their snapshots: of a finding, platform, pull, page, PDF, posture feed, evidence pack or decisions."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.dataset.connecting import connect, connect_to, settings_of
from riskanalytics.dataset.loading import data_day, listed_slugs, load_records
from riskanalytics.dataset.scope import slugs_of
from riskanalytics.errors import EvidenceError, ParameterError, UnknownPlatform
from riskanalytics.extraction.units import units_of
from riskanalytics.frames import findings_frame, is_missing, parts_of, rows_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.models.provenance import verify as checked
from riskanalytics.text.wording import plural
from riskanalytics.topics.decisions import decision_states, same_as_unit
from riskanalytics.topics.decisions.records import Clause, Decision, read_decisions

from .reading import Pack, key_of, opened
from .sources import Body, Carried, Json, Snapshots, carried_by, confirmed, is_shown, text_of

_PLACES: Final = (
    "slug", "finding_id", "surface", "document", "quote", "start", "end", "snapshot_sha256", "archive_url",
)  # fmt: skip
"""Columns copied from a finding; the other columns hold the result of the check."""
COLUMNS: Final = {
    name: "Int64" if name in ("start", "end") else "str"
    for name in (*_PLACES, "verification_status", "snapshot_from", "shown", "whose")
}
"""Columns of `verify`, with their dtypes."""


def verify(
    target: str | PathLike[str],
    client: Client | None = None,
    *,
    offline: bool = False,
    private: bool = False,
    key: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """Check the quotes of a finding, platform, pull, page, PDF, posture feed or evidence pack against their snapshots.

    The check is exact: a quote is verified only if its snapshot has the SHA-256 hash that is recorded with the quote, and the
    same characters at the recorded offsets. Snapshots come from the source of the data. If the source lacks a snapshot, it is
    requested from the archive's address that is recorded with the quote.

    Parameters
    ----------
    target : str or path
        Slug of a platform, id of a finding, folder of a pull, or file: a page (HTML), PDF, posture feed (JSON) or evidence pack
        made by riskanalytics.
    client : Client, optional
        Source of findings and snapshots. Default: as in `ra.load`. Not used for a folder or a pack: these are their own source.
    offline : bool
        Whether to send no requests to archives on the web.
    private : bool
        Whether archives on this machine or in a private network may be requested.
    key : str or path, optional
        File of the public key (PEM, or as one line) that must have signed a pack. Without it, any signer is accepted.

    Returns
    -------
    pandas.DataFrame
        A row for each quote. Columns from the finding: `slug`, `finding_id`, `surface`, `document`, `quote`,
        `snapshot_sha256`, `archive_url` str, and `start`, `end` Int64, the offsets in Unicode code points. Columns for the
        result, all str:

        - `verification_status`: `verified`, `moved` (the quote is at another place of its snapshot), `altered` (the words at
          its offsets differ in part), `missing` (the snapshot does not contain it, or there are no offsets), `hash_mismatch` (the
          snapshot has another hash) or `unavailable` (no snapshot was found);
        - `snapshot_from`: `source`, `archive` or `pack`; missing if no snapshot was found;
        - `shown`, for a page only: `whole` if the page shows the whole quote, `in part` if it marks omitted words, `differs`
          if it shows other words, or `not shown`. For the last two, the status `verified` or `unavailable` becomes `altered`;
        - `whose`, for a page, PDF or posture feed only: `confirmed` if the source lists the snapshot under the same platform and
          document, else `not confirmed`.

    Raises
    ------
    ParameterError
        If no such file, platform (the message suggests the nearest slugs) or finding exists, or a key is given without a pack.
    SettingsError
        If the key file does not hold an Ed25519 public key.
    EvidenceError
        If riskanalytics did not make the file, or a pack is damaged or signed by another key.

    Examples
    --------
    >>> checked = ra.verify("orvewick-voice", client)
    >>> checked["verification_status"].unique().tolist()
    ['verified']
    """
    if not str(target).strip():  # an empty path would mean the current folder
        raise ParameterError("nothing to verify: give a platform, a finding id, a file or a folder")
    file = Path(target).expanduser()
    if (pack := pack_named(file, key)) is not None:
        return checked_pack(pack)
    with ExitStack() as stack:
        if client is None or file.is_dir():
            client = stack.enter_context(connect(settings=settings_of(file)) if file.is_dir() else connect_to())
        snapshots = Snapshots(client, offline=offline, private=private)
        if file.is_file():
            return checked_carried(carried_by(file), client, snapshots)
        return checked_rows(_findings(client) if file.is_dir() else found(str(target), client), snapshots)


def _findings(client: Client, slug: str = "") -> list[Json]:
    """Return the findings of one platform, or of all platforms without a slug."""
    records = [record_named(slug, client)] if slug else load_records(client)
    return rows_of(findings_frame(parts_of(records, "findings")))


def pack_named(file: Path, key: str | PathLike[str] | None) -> Pack | None:
    """Open an evidence pack and check it; return None for any other file.

    Parameters
    ----------
    file : Path
        The file is expected to be a pack if its name ends in `.zip`.
    key : str or path, optional
        File of the public key that must have signed the pack.

    Raises
    ------
    ParameterError
        If a key is given although the file is not a pack.
    SettingsError, EvidenceError
        As in `verify`.
    """
    if file.is_file() and file.suffix.casefold() == ".zip":
        return opened(file, None if key is None else key_of(key))
    if key is not None:
        raise ParameterError("a key is for evidence packs only: the target is not a pack (.zip)")
    return None


def found(target: str, client: Client) -> list[Json]:
    """Return all current findings of a platform, or one current finding.

    Parameters
    ----------
    target : str
        Slug of the platform, or id of the finding (20 hexadecimal digits).
    client : Client
        Source of the findings.

    Returns
    -------
    list of dict
        One for each finding, with the names in `frames.FINDINGS_COLUMNS` as keys.

    Raises
    ------
    ParameterError
        If no such finding or platform exists, or the target looks like a file that does not exist.
    """
    if target.casefold().endswith((".html", ".htm", ".pdf", ".zip")) or "/" in target or "\\" in target:
        raise ParameterError(f"there is no file {target}")
    if not re.fullmatch("[0-9a-f]{20}", target):
        return _findings(client, target)
    rows = [row for row in _findings(client) if row["finding_id"] == target]
    if not rows:
        raise ParameterError(
            f"the newest data have no finding {target}: give the id of a current finding, or the slug of its platform"
        )
    return rows


def record_named(slug: str, client: Client) -> Json:
    """Return the newest record of one platform, with its findings and documents.

    Parameters
    ----------
    slug : str
        Slug of the platform.
    client : Client
        Source of the record.

    Returns
    -------
    dict
        As the source sends it (`/api/machine/platform/{slug}`).

    Raises
    ------
    ParameterError
        If no such platform exists. The message suggests the nearest slugs.
    """
    try:
        (record,) = load_records(client, None, [slug])
    except UnknownPlatform:
        slugs_of([slug], pd.DataFrame({"slug": listed_slugs(client, None)}), data_day(client))
        raise
    return record


def checked_pack(pack: Pack) -> pd.DataFrame:
    """Check the findings of an evidence pack against the snapshots in the pack.

    Parameters
    ----------
    pack : Pack

    Returns
    -------
    pandas.DataFrame
        A row for each finding, with the columns that `verify` describes.
    """
    return _frame([_row(row, lambda sha256, _: (pack.snapshot(sha256), "pack")) for row in pack.findings()])


def checked_rows(rows: list[Json], snapshots: Snapshots) -> pd.DataFrame:
    """Check findings against their snapshots.

    Parameters
    ----------
    rows : list of dict
        The findings, with the names in `frames.FINDINGS_COLUMNS` as keys.
    snapshots : Snapshots
        Gets the snapshots from the source or from archives.

    Returns
    -------
    pandas.DataFrame
        A row for each finding, with the columns that `verify` describes.
    """
    snapshots.ask(row.get("snapshot_sha256") for row in rows)
    return _frame([_row(row, snapshots.body) for row in rows])


def checked_carried(carried: Carried, client: Client, snapshots: Snapshots) -> pd.DataFrame:
    """Check the quotes embedded in a file, and whether the source lists their snapshots under the platforms that they name.

    Parameters
    ----------
    carried : Carried
        The quotes, as `sources.carried_by` reads them from a page, PDF or posture feed.
    client : Client
        Source of the platforms' records, which list the snapshots of each platform and document.
    snapshots : Snapshots
        Gets the snapshots from the source or from archives.

    Returns
    -------
    pandas.DataFrame
        A row for each quote, with the columns that `verify` describes.
    """
    snapshots.ask(row["snapshot_sha256"] for row in carried.quotes)
    rows = [_row(row, snapshots.body) for row in carried.quotes]
    known = confirmed(carried.quotes, client, carried.as_of)
    for number, row in enumerate(rows):
        row["whose"] = "confirmed" if text_of(row) in known else "not confirmed"
        if carried.shown is None:
            continue
        kinds = {is_shown(words, row["quote"]) for words in carried.shown.get(number, ())}
        row["shown"] = next((kind for kind in ("differs", "in part", "whole") if kind in kinds), "not shown")
        if row["shown"] in ("not shown", "differs") and row["verification_status"] in ("verified", "unavailable"):
            row["verification_status"] = "altered"
    return _frame(rows)


def decisions(file: str | PathLike[str], data: Dataset) -> pd.DataFrame:
    r"""Check decisions that reviewers saved: which still hold, and which reopen because their clause changed in substance.

    Parameters
    ----------
    file : str or path
        File of decisions, saved by a page or merged by `riskanalytics decisions merge`.
    data : Dataset
        Result of `ra.load`.

    Returns
    -------
    pandas.DataFrame
        The result of `analysis.decision_states`: one row for each decision with its `state` (`holds`, `reopened` or `unknown`).
        If the data are of some platforms only, decisions about other tracked platforms are left out.

    Raises
    ------
    ParameterError
        If the file cannot be read, or is no file of decisions.
    EvidenceError
        If an entry does not match its hash, or the snapshot of a quote or of its lead-in does not have these words at their place.
        The message names the entry. A quote whose snapshot the source does not have is not compared.

    Examples
    --------
    >>> file = folder / "decisions.json"
    >>> _ = file.write_text('{"version": 1, "decisions": []}')
    >>> len(ra.decisions(file, data))
    0
    """
    read, snapshots = read_decisions(Path(file)), Snapshots(data.client, offline=True)
    clauses = [(number, one, clause) for number, one in enumerate(read, 1) for clause in one.clauses]
    checked = checked_rows([clause.model_dump() for _, _, clause in clauses], snapshots)
    for (number, one, clause), status in zip(clauses, checked["verification_status"], strict=True):
        body = snapshots.body(clause.snapshot_sha256)[0] or b""
        led = status != "verified" or clause.lead_in in body.decode("utf-8", "replace")[: clause.start]
        if status in ("moved", "altered", "missing") or not led:
            text = f"its words are not in snapshot {clause.snapshot_sha256[:12]}"
            raise EvidenceError(f"{file}, entry {number} ({one.title}) was changed: {text}")
    states = states_of(read, data)
    return states[~states["slug"].isin(set(data.tracked["slug"]).difference(data.slugs))].reset_index(drop=True)


def states_of(read: Sequence[Decision], data: Dataset, reworded: Collection[Clause] = ()) -> pd.DataFrame:
    """Return the states of decisions, without a check of their quotes; see `analysis.decision_states`.

    A clause that is no finding of the current data is looked up in the current text of its document, if the source has it.
    """
    frames = data.findings, data.leads, data.documents
    states = decision_states(read, *frames, reworded)
    open_ = {*states.loc[states["state"] == "reopened", "decision_id"]}
    clauses = [clause for one in read for clause in one.clauses if clause.removed or one.hashed() in open_]
    before = _texts({clause: clause.snapshot_sha256 for clause in clauses if clause.removed}, data)
    standing = {
        clause
        for clause, text in current_texts(clauses, data).items()
        if _times(clause, text) >= max(1, _times(clause, before.get(clause, "")))  # the change may have removed a copy
    }
    return decision_states(read, *frames, reworded, standing) if standing else states


def current_texts(clauses: Sequence[Clause], data: Dataset) -> dict[Clause, str]:
    """Return clause -> current text of its document, without documents of which the source does not have the text."""
    rows = data.documents[["slug", "document", "snapshot_sha256"]].itertuples(index=False)
    now = {(slug, document): sha256 for slug, document, sha256 in rows}
    return _texts({clause: str(now.get((clause.platform, clause.document))) for clause in clauses}, data)


def _texts(wanted: Mapping[Clause, str], data: Dataset) -> dict[Clause, str]:
    """Return clause -> the text with the SHA-256 of its value in `wanted`, if the source has it."""
    snapshots = Snapshots(data.client, offline=True)
    snapshots.ask(wanted.values())
    bodies = {clause: snapshots.body(sha256)[0] or b"" for clause, sha256 in wanted.items()}
    return {
        clause: body.decode("utf-8", "replace") for clause, body in bodies.items() if sha256_of(body) == wanted[clause]
    }


def _times(clause: Clause, text: str) -> int:
    """Return how often a text has a clause."""
    return sum(same_as_unit(clause, *words) for words in _units(text))


@lru_cache(64)
def _units(text: str) -> list[tuple[str, str]]:
    """Return the clauses of a text, each after the words that it continues."""
    return [
        (unit.before.quote if unit.before else "", text[unit.clause.start : unit.clause.end]) for unit in units_of(text)
    ]


def _row(row: Json, body_of: Callable[[str | None, str | None], Body]) -> Json:
    """Check one quote against its snapshot."""
    fields = {name: None if is_missing(row.get(name)) else row[name] for name in _PLACES}
    body, source = body_of(fields["snapshot_sha256"], fields["archive_url"])
    status = checked(fields["quote"] or "", fields["start"], fields["end"], fields["snapshot_sha256"], body)
    return {**fields, "verification_status": status, "snapshot_from": source}


def _frame(rows: list[Json]) -> pd.DataFrame:
    """Return rows as a frame with `COLUMNS`."""
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def require_verified(frame: pd.DataFrame, what: str) -> None:
    """Raise an error unless all quotes are verified, and belong to the platforms and documents that they name.

    Parameters
    ----------
    frame : pandas.DataFrame
        The checked quotes: a result of `verify`.
    what : str
        Slug of the platform, or name of the file, from which the quotes come; for the message.

    Raises
    ------
    EvidenceError
        If a quote is not verified, or if the source does not list its snapshot under the platform and document that the quote
        names (`whose` is `not confirmed`). The message counts such quotes and says how to list them.
    """
    counts = Counter(frame["verification_status"])
    if counts.keys() - {"verified"}:
        kinds = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.most_common())
        raise EvidenceError(f"not all quotes of {what} verify ({kinds}): run 'riskanalytics verify' to list them")
    if count := int((frame["whose"] == "not confirmed").sum()):
        named = "under the platforms and documents that they name: run 'riskanalytics verify' to list them"
        raise EvidenceError(f"the source does not list the texts of {plural(count, 'quote')} of {what} {named}")
