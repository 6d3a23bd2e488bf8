"""The commands for operators: ingest, score, serve, subscriptions, backup and restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import cli
from riskanalytics.errors import ParameterError, SettingsError
from riskanalytics.settings import load_settings
from riskanalytics.settings.databases import place_of
from riskanalytics.text.wording import plural
from riskanalytics.work import ProgressReport

from .reader import ModelName, Prices, estimated, named, read

if TYPE_CHECKING:
    from riskanalytics.extraction.verdicts import Readers
    from riskanalytics.settings.databases import Place

subscriptions = typer.Typer(no_args_is_help=True, help="Start, end or list subscriptions to a service.")
cli.app.add_typer(subscriptions, name="subscriptions")
_File = Annotated[str, typer.Option("--database", metavar="FILE", help="Database file.")]


@cli.app.command()
def ingest(
    collection: Annotated[Path, typer.Argument(help="A git bundle, bare repository, checkout or dataset folder.")],
    database: cli.Named,
    name: Annotated[
        str | None, typer.Option("--collection", metavar="OWNER/NAME", help="GitHub home of the archive, for links.")
    ] = None,
    declarations: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of declarations, for links to the vendors' pages.")
    ] = None,
    dask: cli.Dask = None,
    reader: Annotated[
        str | None, typer.Option(metavar="URL", help="Server of a language model that reads the new texts (see read).")
    ] = None,
    model: ModelName = None,
) -> None:
    """Read an Open Terms Archive collection into a database and rate its platforms. A later run adds only new captures.

    A folder of your own texts has a file for each capture, such as "Acme Chat/Privacy Policy/2026-01-31.md".
    """
    from riskanalytics.ingest import declared_pages, open_collection
    from riskanalytics.ingest import ingest as ingest_collection
    from riskanalytics.work.executors import collect_seldom

    if reader is not None:
        named(model)
    collect_seldom()
    with ProgressReport() as progress, open_collection(collection, name) as opened:
        if declarations is not None:
            opened.pages = declared_pages(declarations)
        summary = ingest_collection(opened, place_of(database), dask=dask, progress=progress)
    cli.say(*summary.refused)
    typer.echo(summary)
    if reader is not None:
        read(database, reader, model)


@cli.app.command()
def score(  # noqa: PLR0913, PLR0917 (what to measure, and with which readers)
    labels: Annotated[Path, typer.Argument(help="Fully labelled documents (.jsonl), or a folder of labels.")],
    database: cli.Named,
    record: cli.Json = None,
    faults: Annotated[bool, typer.Option("--faults", help="Also print wrong and missed findings.")] = False,
    reader: Annotated[
        list[str] | None, typer.Option(metavar="MODEL", help="Score with the verdicts of this reader (see read).")
    ] = None,
    fit: Annotated[bool, typer.Option("--fit", help="Measure the reader, and let its verdicts decide.")] = False,
    with_shipped: Annotated[
        bool, typer.Option("--shipped", help="Score with the readings that the package ships.")
    ] = False,
    prices: Prices = 0.0,
    dask: cli.Dask = None,
) -> None:
    """Measure the accuracy of the extraction on labelled documents.

    With --reader and --fit, measure how often the verdicts of a language model (see read) are right, store the result in
    the database, and rate its platforms again: on each surface, the most precise verdicts become findings, as long as these
    have a precision of .94 or more together. With --reader, the estimated tokens of one reading are shown, too. Exit 3 if a
    label could not be scored.
    """
    cli.chosen_source(None, database, folder=False)
    if prices and not reader:
        raise ParameterError("--prices needs --reader")
    if with_shipped and reader:
        raise ParameterError("--shipped and --reader exclude each other: score with one of them")
    from riskanalytics.extraction.shipped import shipped

    chosen = _readers(labels, place_of(database), reader, fit=fit) if reader else None
    readers = shipped() if with_shipped else chosen
    from riskanalytics import accuracy

    with ProgressReport() as progress:
        result = accuracy.score(labels, place_of(database), readers=readers, dask=dask, progress=progress)
    cli.say(*(f"not scored: {line}" for line in (*result.refused, *result.not_scored)))
    cli.show(*accuracy.as_table(result))
    cost: dict[str, int] = {}
    if reader:
        cost["tokens"] = _tokens(labels, place_of(database))
        cli.show(f"a model that reads these documents once uses {estimated(cost['tokens'], prices)}")
    if faults and (wrong := accuracy.as_faults(result)):
        cli.show("", *wrong)
    cli.write_record(record, accuracy.as_record(result) | cost if record else None)
    if not result.complete:
        raise typer.Exit(3)


def _tokens(labels: Path, database: Place) -> int:
    """Return the estimated number of tokens that a model uses to read the labelled documents once, without second looks."""
    from riskanalytics.accuracy.labels import read_labels
    from riskanalytics.reader.reading import Readings
    from riskanalytics.service.store.write import Writer

    with Writer(database) as writer:
        nobody = Readings(writer, "", (), {one.sha256 for one in read_labels(labels).documents})
        return sum(request.tokens for request in nobody.unread())


def _readers(labels: Path, database: Place, models: list[str], *, fit: bool) -> Readers:
    """Return readers with their measured precision; with `fit`, measure and choose them first."""
    from riskanalytics.accuracy.readers import measure
    from riskanalytics.reader.guide import reader_name
    from riskanalytics.reader.reading import rate_again
    from riskanalytics.service.store.verdicts import choose_readers, readers_named, readers_of
    from riskanalytics.service.store.write import Writer

    names = tuple(map(reader_name, models))
    with Writer(database) as writer:
        readers = readers_named(writer.connection, names, {})
        if without := [model for model, name in zip(models, names, strict=True) if not readers.verdicts[name]]:
            raise SettingsError(
                f"the database has no verdicts of {without[0]!r}, a model that --reader names: "
                "run 'riskanalytics read' with this model first"
            )
        known = readers_of(writer.connection, units=False)
        shown = known.shown if known and known.names == names else {}
        if fit:
            with ProgressReport() as progress:
                shown = measure(labels, database, readers.verdicts, progress)
            with writer.transaction():
                choose_readers(writer, names, shown)
            rate_again(writer)
    return readers._replace(shown=shown)


@cli.app.command()
def serve(  # noqa: PLR0913, PLR0917 (the options of a service)
    database: cli.Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8360,
    public_url: Annotated[str | None, typer.Option(help="Public address, for links in responses.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of worker processes.")] = 1,
    trusted_proxy: Annotated[
        list[str] | None, typer.Option(metavar="ADDRESS", help="Proxy whose X-Forwarded-For header is trusted.")
    ] = None,
    open_reads: Annotated[int, typer.Option(min=0, help="Reads a minute per address, no key; 0: no limit.")] = 1200,
    open_posts: Annotated[int, typer.Option(min=0, help="Posts a minute per address, no key; 0: no limit.")] = 120,
    check: Annotated[bool, typer.Option("--check", help="Check the file first; do not serve it if damaged.")] = False,
) -> None:
    """Serve a database, or the embedded demo, as a risk-rating data service."""
    from riskanalytics.service import Pace
    from riskanalytics.service.server import serve as serve_database

    serve_database(
        cli.database_or_demo(database), host, port, public_url=public_url, announce=cli.say, workers=workers,
        trusted_proxies=tuple(trusted_proxy or ()), pace=Pace(reads=open_reads or None, posts=open_posts or None),
        check=check,
    )  # fmt: skip


@cli.app.command()
def mcp(
    database: cli.Database = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Offer a tool that checks these rules of your organisation.")
    ] = None,
    portfolio: Annotated[str, typer.Option(metavar="FILE", help="Check the platforms of this portfolio.")] = "",
) -> None:
    """Serve an AI agent's tool calls (MCP) over stdin and stdout, until stdin ends."""
    from riskanalytics.service.tool_server.serving import speak_stdio

    if portfolio and rules is None:
        raise ParameterError("--portfolio needs --rules: without rules there is nothing to check")
    from riskanalytics.dataset.tools import posture_tool, rules_tool

    place = cli.database_or_demo(database)
    settings = load_settings(database=place)
    speak_stdio(place, posture_tool(settings), *([rules_tool(rules, settings, portfolio)] if rules else []))


@subscriptions.command("start")
def start_subscription(
    email: Annotated[str, typer.Option(help="Address to mail the key to.")],
    tier: Annotated[str, typer.Option(help="starter, pro or enterprise.")],
    database: cli.Database = None,
    outbox: Annotated[Path | None, typer.Option(help="Folder for the mail. Default: next to the database.")] = None,
) -> None:
    """Start a subscription. Its key is only in the mail to the subscriber."""
    from riskanalytics.service import subscriptions as service_subscriptions
    from riskanalytics.service.store.files import check_file

    served, smtp = cli.database_or_demo(database), load_settings(database=database).smtp
    if isinstance(served, Path):
        check_file(served)
    mail = service_subscriptions.start(served, email, tier, outbox=outbox, smtp=smtp)
    if mail is None:
        typer.echo(f"the key was mailed to {email}")
        return
    cli.say("only this mail contains the key:")
    typer.echo(mail)


@subscriptions.command("end")
def end_subscription(
    email: Annotated[str, typer.Option(help="Address of the subscriber.")], database: cli.Database = None
) -> None:
    """End a subscription. Its keys stop working at once."""
    from riskanalytics.service import subscriptions as service_subscriptions

    typer.echo(f"{plural(service_subscriptions.end(cli.database_or_demo(database), email), 'key')} ended")


@subscriptions.command("list")
def list_subscriptions(database: cli.Database = None) -> None:
    """List the subscriptions without their keys."""
    from riskanalytics.service import subscriptions as service_subscriptions

    for row in service_subscriptions.listed(cli.database_or_demo(database)):
        typer.echo("\t".join(map(str, row)))


@cli.app.command()
def backup(file: Annotated[Path, typer.Argument(help="Backup file to write or replace.")], database: _File) -> None:
    """Copy a database and its keys to a file, completely or not at all. The service may be running."""
    _copy(_file_of(database), file)


@cli.app.command()
def restore(file: Annotated[Path, typer.Argument(help="Backup file; it is not changed.")], database: _File) -> None:
    """Replace a database and its keys with a backup, completely or not at all. The service may be running."""
    _copy(file, _file_of(database))


def _copy(source: Path, target: Path) -> None:
    """Copy a database and its keys."""
    from riskanalytics.service.store.files import backup as copy

    copy(source, target)
    typer.echo(target)


def _file_of(database: str) -> Path:
    """Return the file of a database; refuse a server, which has its own backup programs."""
    place = place_of(database)
    if isinstance(place, Path):
        return place
    raise SettingsError(f"backup and restore copy files only: use pg_dump and pg_restore for {place}")
