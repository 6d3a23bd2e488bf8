"""Check the quotes of a finding, a platform, a pull, a page, a PDF or an evidence pack against their snapshots."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.dataset.connecting import connect, connect_to, settings_of
from riskanalytics.dataset.loading import data_day, listed_slugs, load_records
from riskanalytics.dataset.scope import slugs_of
from riskanalytics.errors import EvidenceError, ParameterError, UnknownPlatform
from riskanalytics.frames import findings_frame, is_missing, parts_of, rows_of
from riskanalytics.models.provenance import verify as checked

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
    """Check the quotes of a finding, a platform, a pull, a page, a PDF or an evidence pack against their snapshots.

    The check is exact: a quote is verified only if the snapshot has the SHA-256 of its provenance and the same characters
    at its offsets. Snapshots come from the source; if the source lacks one, from the address of its archive.

    Parameters
    ----------
    target : str or path
        Slug of a platform, id of a finding, folder of a pull, or file: a page (HTML) or PDF made by riskanalytics, or an
        evidence pack.
    client : Client, optional
        Source of findings and snapshots. Default: as in `ra.load`. A pack contains its own snapshots.
    offline : bool
        Whether to skip archives on the web.
    private : bool
        Whether an archive's address may lead to this machine or into a private network.
    key : str or path, optional
        File of the public key (PEM, or as one line) that must have signed a pack. Without it, any signer is accepted.

    Returns
    -------
    pandas.DataFrame
        A row for each quote: `slug`, `finding_id`, `surface`, `document`, `quote` str, `start`, `end` Int64 (Unicode code
        points), `snapshot_sha256`, `archive_url` str, `verification_status` str (`provenance.VERIFICATION_STATUSES`),
        `snapshot_from` str (`source`, `archive`, `pack`; missing where no snapshot was found). A quote without a source
        is `unavailable`. For a page, `shown` str is `whole`, `in part` (the page marks the omitted words), `differs` or
        `not shown`; the last two have the status `altered`. For a page and a PDF, `whose` str is `confirmed` if the source
        lists this text under the same platform and document, else `not confirmed`.

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
    """Open an evidence pack; return None for any other file.

    Parameters
    ----------
    file : Path
    key : str or path, optional
        File of the public key that must have signed the pack.

    Raises
    ------
    ParameterError
        If a key is given, and the file is not a pack.
    SettingsError, EvidenceError
        As in `verify`.
    """
    if file.is_file() and file.suffix.casefold() == ".zip":
        return opened(file, None if key is None else key_of(key))
    if key is not None:
        raise ParameterError("a key is for evidence packs only: the target is not a pack (.zip)")
    return None


def found(target: str, client: Client) -> list[Json]:
    """Return the findings of a platform, or the finding with an id, as rows of `frames.FINDINGS_COLUMNS`.

    Parameters
    ----------
    target : str
    client : Client

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
        raise ParameterError(f"the newest data have no finding {target}")
    return rows


def record_named(slug: str, client: Client) -> Json:
    """Return the record of one platform.

    Parameters
    ----------
    slug : str
    client : Client

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
        As `verify` returns it.
    """
    return _frame([_row(row, lambda sha256, _: (pack.snapshot(sha256), "pack")) for row in pack.findings()])


def checked_rows(rows: list[Json], snapshots: Snapshots) -> pd.DataFrame:
    """Check findings against their snapshots.

    Parameters
    ----------
    rows : list of dict
        Rows with `frames.FINDINGS_COLUMNS`.
    snapshots : Snapshots

    Returns
    -------
    pandas.DataFrame
        As `verify` returns it.
    """
    snapshots.ask(row.get("snapshot_sha256") for row in rows)
    return _frame([_row(row, snapshots.body) for row in rows])


def checked_carried(carried: Carried, client: Client, snapshots: Snapshots) -> pd.DataFrame:
    """Check the embedded quotes of a page or PDF, and whether the source confirms their platforms.

    Parameters
    ----------
    carried : Carried
    client : Client
    snapshots : Snapshots

    Returns
    -------
    pandas.DataFrame
        As `verify` returns it.
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
    """Raise unless all quotes verify.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `verify` returns it.
    what : str
        Platform or file of the quotes, for the message.

    Raises
    ------
    EvidenceError
        If a quote does not verify, or its platform is not confirmed. The message counts them and says how to list them.
    """
    counts = Counter(frame["verification_status"])
    if counts.keys() - {"verified"}:
        kinds = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.most_common())
        raise EvidenceError(f"not all quotes of {what} verify ({kinds}): run 'riskanalytics verify' to list them")
    if count := int((frame["whose"] == "not confirmed").sum()):
        open_texts = f"the source does not confirm the platforms of {count:,} quotes of {what}"
        raise EvidenceError(f"{open_texts}: run 'riskanalytics verify' to list them")
