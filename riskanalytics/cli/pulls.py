"""The commands `pull` and `diff`: dated copies of a service's data, and what differs between two days."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics.cli.output import first_words, write_record
from riskanalytics.cli.source import BaseUrl, Source, chosen_source, end_of, tell_age
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError
from riskanalytics.work.progress import ProgressReport

if TYPE_CHECKING:
    from riskanalytics.dataset.difference import Difference


def pull(
    archive: Annotated[str, typer.Option(help="Folder of pulls, or its address (s3://bucket/pulls).")] = "pulls",
    snapshots: Annotated[
        bool,
        typer.Option("--snapshots", help="Keep the policy texts too: quotes are checked without the service then."),
    ] = False,
    as_of: Annotated[
        str, typer.Option(metavar="DAY", help="Keep the state of a past day, where the service tells it.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Pull nothing: check every file of the folder against its hash.")
    ] = False,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Keep a dated copy of all data in a folder of pulls; run again, it adds only what is new."""
    if check:
        if snapshots or as_of or base_url or database:
            raise ParameterError("--check only looks at the folder: give it alone, or with --archive")
        _check(archive)
        return
    settings = chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.pulling import pull as pull_client
    from riskanalytics.text.untrusted import visible_line

    with ProgressReport() as progress, connect(settings=settings) as client:
        manifest = pull_client(archive, client, as_of=as_of, snapshots=snapshots, progress=progress, warn=_tell)
    rows = {name: table.rows for name, table in manifest.tables.items()}
    told = [f"{rows[name]:,} {name}" for name in ("platforms", "findings", "changes") if name in rows]
    new = sum(table.file.startswith(manifest.name) for table in manifest.tables.values())
    texts = f", {len(manifest.snapshots):,} policy texts" if manifest.snapshots else ""
    typer.echo(f"{manifest.day}: {', '.join(told)}{texts}; {new} of {len(rows)} tables are new", err=True)
    for what, status in manifest.not_shown.items():
        typer.echo(f"not shown to this key: {what} (status {status})", err=True)
    for line in manifest.problems:
        typer.echo(visible_line(line), err=True)
    typer.echo(f"{archive.rstrip('/')}/{manifest.name}")
    if manifest.problems:
        raise IncompleteReportError(
            f"the pull is kept but incomplete: {len(manifest.problems):,} of its parts could not be read; pull again later"
        )


def _tell(line: str) -> None:
    """Say something beside the result."""
    typer.echo(line, err=True)


def _check(archive: str) -> None:
    """Check a folder of pulls, and say what is damaged."""
    from riskanalytics.dataset.storage import check_pulls

    with ProgressReport() as progress:
        found = check_pulls(archive, progress)
    for line in found.damaged:
        typer.echo(line)
    if found.damaged:
        raise PullError(f"{len(found.damaged):,} of {found.files:,} files in {archive} are damaged or missing")
    from riskanalytics.text.wording import plural

    told = f"{plural(found.pulls, 'pull')}, {plural(found.files, 'file')}"
    typer.echo(f"{told}: all are as their manifests say")


_TABLES = ("ratings", "stances", "findings")
_SHOWN = 20
_WORDS = 160
"""Characters of a quote that a line shows."""


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A day (YYYY-MM-DD), or a pull by its folder.")],
    after: Annotated[str, typer.Argument(metavar="[AFTER]", help="The same; the newest day without it.")] = "",
    record: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="File to write all of it to, for machines.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="Folder to write ratings, stances and findings to.")
    ] = None,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Tell which ratings, stances and findings differ between two days or pulls of one source, and why.

    Exit 3 where platforms could not be compared.
    """
    settings = chosen_source(base_url, database)
    if tables is not None and tables.exists() and not tables.is_dir():
        raise ParameterError(f"--csv takes a folder to write three files to, and {tables} is a file")
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.difference import diff as compare
    from riskanalytics.reporting.saving import save
    from riskanalytics.text.untrusted import visible_line

    with connect(settings=settings) as client:
        told = compare(before, after, client)
        tell_age(end_of(client, settings))
    if tables is not None:
        tables.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            save(getattr(told, name), tables / f"{name}.csv")
    if record is not None:
        days: dict[str, object] = {"before": str(told.before), "after": str(told.after), "notes": list(told.notes)}
        days |= {"platforms": told.platforms, "not_compared": list(told.not_compared)}
        rows = {name: json.loads(getattr(told, name).to_json(orient="records")) for name in _TABLES}
        write_record(record, {**days, **rows})
    for line in _lines(told):
        typer.echo(visible_line(line))
    if told.not_compared:
        raise IncompleteReportError(
            f"{_compared(told)}: give days that were pulled, or the source itself, to compare the others"
        )


def _lines(told: Difference) -> Iterator[str]:
    """Give what differs as lines; each part is cut after twenty and says so."""
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.shape import word_of

    yield f"{told.before} to {told.after}: {_compared(told)}"
    yield from (f"note: {note}" for note in told.notes)
    yield f"ratings that differ: {len(told.ratings):,}"
    for row in rows_of(told.ratings)[:_SHOWN]:
        sides = " to ".join(word_of(row[name]) or "not listed" for name in ("rating_before", "rating_after"))
        yield f"  {row['name']}: {sides} ({row['direction']}): {row['reason']}"
    yield from _rest(len(told.ratings))
    yield f"stances on training use that differ: {len(told.stances):,}"
    for row in rows_of(told.stances)[:_SHOWN]:
        sides = " to ".join(word_of(row[name]) or "not known" for name in ("stance_before", "stance_after"))
        yield f"  {row['name']}: {sides}: {row['reason']}"
    yield from _rest(len(told.stances))
    counts = rows_of(told.findings.groupby(["move", "reason"], as_index=False).size())
    yield f"findings that differ: {len(told.findings):,}"
    yield from (f"  {row['size']:,} {row['move']} ({_SAID[row['reason']]})" for row in counts)
    shown = told.findings[(told.findings["reason"] == "text") & (told.findings["move"] != "moved")]
    for row in rows_of(shown)[:_SHOWN]:
        quote = word_of(row["quote_after"]) or word_of(row["quote_before"])
        yield f"  {row['move']}: {row['name']}, {row['document']}, {row['surface']}, {row['level']}: {first_words(quote, _WORDS)}"
    yield from _rest(len(shown))


def _compared(told: Difference) -> str:
    """Return how many platforms of how many were compared."""
    most = told.platforms
    return f"{most - len(told.not_compared):,} of {most:,} platforms compared"


_SAID = {
    "text": "the document changed",
    "document": "the document is read on one side only",
    "reading": "the same text is read otherwise",
    "unrecorded": "no material change is on record for it",
    "not known": "why is not known: no texts at hand, pull with --snapshots",
}


def _rest(count: int) -> Iterator[str]:
    """Give a line on what is not shown."""
    if count > _SHOWN:
        yield f"  and {count - _SHOWN:,} more: --json or --csv has all"
