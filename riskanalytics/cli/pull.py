"""The command `pull`: a dated copy of everything that a service shows."""

from __future__ import annotations

from typing import Annotated

import typer

from riskanalytics.cli.source import BaseUrl, Source, chosen_source
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError
from riskanalytics.progress import ProgressReport


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
    from riskanalytics.untrusted import visible_line

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
    from riskanalytics.dataset.pulls.manifest import check_pulls

    with ProgressReport() as progress:
        found = check_pulls(archive, progress)
    for line in found.damaged:
        typer.echo(line)
    if found.damaged:
        raise PullError(f"{len(found.damaged):,} of {found.files:,} files in {archive} are damaged or missing")
    from riskanalytics.wording import plural

    told = f"{plural(found.pulls, 'pull')}, {plural(found.files, 'file')}"
    typer.echo(f"{told}: all are as their manifests say")
