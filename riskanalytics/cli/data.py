"""The commands about data: quotes checked and packed for an auditor, dated copies, and what differs between two days."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from riskanalytics import cli
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError
from riskanalytics.text.wording import plural
from riskanalytics.work import ProgressReport

if TYPE_CHECKING:
    import pandas as pd

    from riskanalytics.dataset.difference import Difference
    from riskanalytics.evidence import Pack

_FIRST: Final = 70
"""Characters of a quote that a line of `verify` shows."""
_WORDS: Final = 160
"""The same of `diff`."""
_MOST: Final = 20
_TABLES: Final = ("ratings", "stances", "findings")
_SHOWN: Final = {"differs": "the page shows other words", "not shown": "the page does not show it"}
_FAILED: Final = frozenset({"moved", "altered", "missing", "hash_mismatch"})
_REASONS: Final = {
    "text": "the document changed",
    "document": "the document is read on one side only",
    "reading": "the same text is read otherwise",
    "unrecorded": "no material change is on record for it",
    "not known": "why is not known: no texts at hand, pull with --snapshots",
}


@cli.app.command()
def verify(
    target: Annotated[
        str, typer.Argument(help="A slug, a finding's id, a page, PDF, evidence pack or folder of pulls.")
    ],
    record: cli.Json = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not ask archives on the web.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Ask archives in a private network too.")] = False,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Public key (PEM) of a pack's signature.")] = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Check quotes against their snapshots; exit 1 where one fails, 3 where one could not be checked or there is none."""
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.evidence import verify as verified
    from riskanalytics.evidence.verifying import checked_pack, pack_named

    pack = pack_named(Path(target).expanduser(), key)
    if pack is not None:
        frame = checked_pack(pack)
    else:
        with connect(settings=settings) as client:
            frame = verified(target, client, offline=offline, private=private)
    cli.write_record(record, json.loads(frame.to_json(orient="records", force_ascii=False)))
    cli.show(*map(_quote, frame.astype(object).where(frame.notna(), None).to_dict("records")))
    for line in [] if pack is None else signed(pack, named=key is not None):
        typer.echo(line)
    statuses = set(frame["verification_status"])
    open_texts = _said_of(frame)
    if statuses != {"verified"} or open_texts:
        raise typer.Exit(1 if statuses & _FAILED else 3)


def _quote(row: dict[Any, Any]) -> str:
    """Return one quote: what was found, where it is, and its first words."""
    place = "" if row["start"] is None else f"{row['start']}-{row['end']}"
    whose = "whose text this is: not confirmed" if row["whose"] == "not confirmed" else None
    sha256 = str(row["snapshot_sha256"] or "no source")[:12]
    parts = (row["slug"], row["document"], sha256, place, _SHOWN.get(str(row["shown"])), whose)
    where = "  ".join(str(part) for part in parts if part)
    return f"{str(row['verification_status']).replace('_', ' '):13}  {where}  {cli.first_words(row['quote'], _FIRST)}"


def signed(pack: Pack, *, named: bool) -> list[str]:
    """Return what a reader of a pack has to compare or check himself."""
    (here, whole), how = pack.counts, "the one asked for"
    if not named:
        how = "compare it with the one that its owner gave you: anybody can sign a pack"
    said = [f"public key: {pack.key} ({how})"]
    if here < whole:
        said.append(f"a part of a pack: {here:,} of {whole:,} members")
    if pack.is_stamped:
        check = "openssl ts -verify -data root.txt -in timestamp.tsr -CAfile AUTHORITY.pem"
        said.append(f"time stamp present, not checked: {check}")
    return said


def _said_of(frame: pd.DataFrame) -> int:
    """Print how many quotes are what; return of how many that verify the source does not say whose texts they are."""
    counts = frame["verification_status"].value_counts()
    parts = ", ".join(f"{count:,} {str(kind).replace('_', ' ')}" for kind, count in counts.items())
    words = f"{len(frame):,} quotes: {parts}" if len(frame) else "no quotes: nothing was checked"
    unsaid = int(((frame["whose"] == "not confirmed") & (frame["verification_status"] == "verified")).sum())
    if unsaid:
        words += f"; of {unsaid:,} the source does not say that their texts are of the platforms and documents named"
    typer.echo(words)
    return unsaid


@cli.app.command()
def evidence(
    target: Annotated[str, typer.Argument(help="A slug, a page or PDF, or a pack to disclose a part of.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Zip file to write.")],
    finding: Annotated[str, typer.Option(metavar="ID", help="Disclose this finding alone.")] = "",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ed25519 key (PEM) that signs; your own without it.")
    ] = None,
    timestamp: Annotated[str, typer.Option(metavar="URL", help="RFC 3161 authority that stamps the root.")] = "",
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Pack what findings rest on into one signed file, which an auditor checks without us."""
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.evidence import disclosed, opened, own_key_file, pack_of, signing_key, write_pack

    file = Path(target).expanduser()
    if file.suffix.casefold() == ".zip":
        if not finding or timestamp or key:
            raise ParameterError("a pack can only be disclosed in part: give --finding, no --key or --timestamp")
        pack = opened(file)
    else:
        own = own_key_file()
        new = key is None and not own.exists()
        signed_by = None if key is None else signing_key(key)
        kept = None if settings.base_url else cli.database_or_demo(settings.database)
        # a folder of pulls keeps no history of the archive
        history = None if isinstance(kept, Path) and not kept.is_file() else kept
        named = file if file.is_file() else target
        try:
            with connect(settings=settings) as client:
                pack = pack_of(named, client, signed_by, database=history, timestamp=timestamp or None)
        finally:
            if new and own.exists():
                cli.say(f"a key of your own was made: {own}; keep it safe, and give its public half to your readers")
        cli.say(f"public key: {pack.key}")
    typer.echo(write_pack(disclosed(pack, finding) if finding else pack, out))


@cli.app.command()
def pull(
    archive: Annotated[str, typer.Option(help="Folder of pulls, or its address (s3://bucket/pulls).")] = "pulls",
    snapshots: Annotated[
        bool, typer.Option("--snapshots", help="Keep the policy texts too, to check quotes offline.")
    ] = False,
    as_of: Annotated[str, typer.Option(metavar="DAY", help="Keep the state of a past day.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Only check the folder's files against their hashes.")] = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Keep a dated copy of all data in a folder of pulls; run again, it adds only what is new."""
    if check:
        if snapshots or as_of or base_url or database:
            raise ParameterError("--check only looks at the folder: give it alone, or with --archive")
        return _check(archive)
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.pulling import pull as pull_client

    with ProgressReport() as progress, connect(settings=settings) as client:
        manifest = pull_client(archive, client, as_of=as_of, snapshots=snapshots, progress=progress, warn=cli.say)
    tables = manifest.tables
    parts = [f"{tables[name].rows:,} {name}" for name in ("platforms", "findings", "changes") if name in tables]
    if manifest.snapshots:
        parts.append(f"{len(manifest.snapshots):,} policy texts")
    new = sum(table.file.startswith(manifest.name) for table in tables.values())
    cli.say(f"{manifest.day}: {', '.join(parts)}; {new} of {len(tables)} tables are new")
    for what, status in manifest.not_shown.items():
        cli.say(f"not shown to this key: {what} (status {status})")
    for line in manifest.problems:
        cli.say(line)
    typer.echo(f"{archive.rstrip('/')}/{manifest.name}")
    if manifest.problems:
        count = len(manifest.problems)
        raise IncompleteReportError(
            f"the pull is kept but incomplete: {count:,} of its parts could not be read; pull again later"
        )
    return None


def _check(archive: str) -> None:
    """Check a folder of pulls, and say what is damaged."""
    from riskanalytics.dataset.storage import check_pulls

    with ProgressReport() as progress:
        found = check_pulls(archive, progress)
    for line in found.damaged:
        typer.echo(line)
    if found.damaged:
        raise PullError(f"{len(found.damaged):,} of {found.files:,} files in {archive} are damaged or missing")
    typer.echo(f"{plural(found.pulls, 'pull')}, {plural(found.files, 'file')}: all are as their manifests say")


@cli.app.command()
def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A day (YYYY-MM-DD), or a pull by its folder.")],
    after: Annotated[str, typer.Argument(metavar="[AFTER]", help="The same; the newest day without it.")] = "",
    record: cli.Json = None,
    tables: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="Folder for ratings, stances and findings.")
    ] = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Tell which ratings, stances and findings differ between two days or pulls of one source, and why.

    Exit 3 where platforms could not be compared.
    """
    settings = cli.chosen_source(base_url, database)
    if tables is not None and tables.exists() and not tables.is_dir():
        raise ParameterError(f"--csv takes a folder to write three files to, and {tables} is a file")
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.difference import diff as compare
    from riskanalytics.reporting.saving import save

    with connect(settings=settings) as client:
        parts = compare(before, after, client)
        cli.say_end(client, settings)
    if tables is not None:
        tables.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            save(getattr(parts, name), tables / f"{name}.csv")
    rows = {name: json.loads(getattr(parts, name).to_json(orient="records")) for name in _TABLES if record}
    days = {"before": str(parts.before), "after": str(parts.after), "notes": list(parts.notes)}
    cli.write_record(record, {**days, "platforms": parts.platforms, "not_compared": list(parts.not_compared), **rows})
    compared = f"{parts.platforms - len(parts.not_compared):,} of {parts.platforms:,} platforms compared"
    cli.show(f"{parts.before} to {parts.after}: {compared}", *_lines(parts))
    if parts.not_compared:
        advice = "give days that were pulled, or the source itself, to compare the others"
        raise IncompleteReportError(f"{compared}: {advice}")


def _lines(parts: Difference) -> Iterator[str]:
    """Give what differs as lines; each part is cut after twenty and says so."""
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.shape import word_of

    def sides(row: Any, name: str, unknown: str) -> str:
        return " to ".join(word_of(row[f"{name}_{side}"]) or unknown for side in ("before", "after"))

    def rating(row: Any) -> str:
        return f"{row['name']}: {sides(row, 'rating', 'not listed')} ({row['direction']}): {row['reason']}"

    def stance(row: Any) -> str:
        return f"{row['name']}: {sides(row, 'stance', 'not known')}: {row['reason']}"

    def finding(row: Any) -> str:
        quote = cli.first_words(word_of(row["quote_after"]) or word_of(row["quote_before"]), _WORDS)
        return f"{row['move']}: {row['name']}, {row['document']}, {row['surface']}, {row['level']}: {quote}"

    def listed(frame: pd.DataFrame, said: Callable[[Any], str]) -> Iterator[str]:
        yield from (f"  {said(row)}" for row in rows_of(frame)[:_MOST])
        if (more := len(frame) - _MOST) > 0:
            yield f"  and {more:,} more: --json or --csv has all"

    yield from (f"note: {note}" for note in parts.notes)
    yield f"ratings that differ: {len(parts.ratings):,}"
    yield from listed(parts.ratings, rating)
    yield f"stances on training use that differ: {len(parts.stances):,}"
    yield from listed(parts.stances, stance)
    yield f"findings that differ: {len(parts.findings):,}"
    for row in rows_of(parts.findings.groupby(["move", "reason"], as_index=False).size()):
        yield f"  {row['size']:,} {row['move']} ({_REASONS[row['reason']]})"
    yield from listed(parts.findings.query("reason == 'text' and move != 'moved'"), finding)
