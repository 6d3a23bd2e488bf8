"""What a person types, a function a command. Each imports only what it needs, so that help is quick."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.cli.copies import back_up, restore_backup
from riskanalytics.cli.evidence import make_pack, verify_quotes
from riskanalytics.cli.lab import open_lab
from riskanalytics.cli.output import write_record
from riskanalytics.cli.pulls import diff, pull
from riskanalytics.cli.score import score
from riskanalytics.cli.source import (
    BaseUrl,
    Dask,
    Database,
    Replace,
    Source,
    Written,
    chosen_source,
    database_or_demo,
    end_of,
    tell_age,
)
from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting.forms import NOTEBOOKS
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import place_of
from riskanalytics.work.progress import ProgressReport

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Evidence-linked IP and privacy risk of AI platforms, from policy text to a report that proves itself. "
    "Without --base-url or --database every command works on the embedded demo. "
    "The key comes from RISKANALYTICS_API_KEY only. --debug shows the traceback of an error.",
)
subscriptions = typer.Typer(no_args_is_help=True, help="Start, end and list the subscriptions of a service.")
app.add_typer(subscriptions, name="subscriptions")
_NOTEBOOKS = "\b\nOur notebooks, with their parameters:\n" + "\n".join(
    f"{n:17} {told}" for n, told in NOTEBOOKS.items()
)

Out = Annotated[Path, typer.Option("--out", help="Folder that the page goes to.")]
Pdf = Annotated[bool, typer.Option("--pdf", help="Also make a PDF of the page, of the same name beside it.")]


def _tell_version(asked: bool) -> None:
    """Print the version and end, where that is asked for."""
    if asked:
        typer.echo(f"riskanalytics {version('riskanalytics')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command."""


@app.command()
def monthly(
    month: Annotated[str, typer.Option(help="YYYY-MM, or last; without it, the last whole one of the data.")] = "",
    since: Annotated[str, typer.Option(metavar="last|DAY", help="What is new after a day, or the last report.")] = "",
    portfolio: Annotated[
        Path | None, typer.Option(help="CSV or XLSX of the platforms in use: slug, name or website.")
    ] = None,
    out: Out = Path("reports"),
    pdf: Pdf = False,
    replace: Replace = False,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Make the monthly report: one HTML file."""
    settings, ends = chosen_source(base_url, database), list[str]()
    with ProgressReport() as progress:
        from riskanalytics.reporting import run_monthly

        page = run_monthly(
            month,
            portfolio,
            out,
            since=since,
            settings=settings,
            pdf=pdf,
            replace=replace,
            progress=progress,
            ended=ends.append,
        )
    tell_age(*ends)
    _tell_made(page, settings, pdf=pdf)


@app.command(epilog=_NOTEBOOKS)
def report(
    notebook: Annotated[str, typer.Argument(help="A notebook's file, or the name of one of ours (listed below).")],
    parameter: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="A parameter; may be repeated."),
    ] = None,
    out: Out = Path("reports"),
    pdf: Pdf = False,
    replace: Replace = False,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Run a notebook with parameters and export it as one HTML file."""
    settings, values, ends = chosen_source(base_url, database), _named_values(parameter or []), list[str]()
    with ProgressReport() as progress:
        from riskanalytics.reporting import run_report

        page = run_report(
            notebook, values, out, settings=settings, pdf=pdf, replace=replace, progress=progress, ended=ends.append
        )
    tell_age(*ends)
    _tell_made(page, settings, pdf=pdf)


def _tell_made(page: Path, settings: Settings, *, pdf: bool) -> None:
    """Print the path of the PDF, where one was made, and of the page, which is always the last line.

    Raises
    ------
    IncompleteReportError
        The page says that it is incomplete (what could not be read, or the command that goes on, is told), that rows of
        the portfolio matched no tracked platform (they are printed), or that quotes did not verify.
    """
    from riskanalytics.reporting.placing import facts_of, part_of, unverified
    from riskanalytics.text.untrusted import visible_line

    if pdf:
        typer.echo(page.with_suffix(".pdf"))
    typer.echo(page)
    facts = facts_of(page) or {}
    unmatched = part_of(facts, "unmatched")
    for line in str(unmatched.get("first", "")).splitlines():
        _tell(visible_line(f"not matched: row {line}"))
    missing = str(facts.get("incomplete") or "")
    if missing and "an ingest" not in missing:
        raise IncompleteReportError(f"the page is made but {visible_line(missing[:1].lower() + missing[1:])}")
    if missing:
        place = settings.database or "the database of the service"
        raise IncompleteReportError(
            "the page is made but incomplete: an ingest goes on or was cut off; "
            f"run 'riskanalytics ingest COLLECTION --database {place}' to its end, then make the page again"
        )
    if unmatched:
        raise IncompleteReportError(
            f"the page is made, but {unmatched['said']}: "
            "give the slug in a column slug, 'riskanalytics platforms' lists them"
        )
    if failed := unverified(facts):
        raise IncompleteReportError(f"the page is made, but {failed}")


def _named_values(pairs: list[str]) -> dict[str, object]:
    """Split NAME=VALUE words."""
    values: dict[str, object] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise ParameterError(f"-p takes NAME=VALUE, not {pair!r}")
        if name in values:
            raise ParameterError(f"the parameter {name!r} was given twice")
        values[name] = value
    return values


@app.command()
def platforms(
    words: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Part of a slug, website or name, former ones too.")
    ] = "",
    record: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="File to write the same list to, for machines.")
    ] = None,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """List the platforms that are tracked: slug, rating, name, website, other names.

    Exit 1 where none has the text, 3 where the list is not complete.
    """
    settings = chosen_source(base_url, database)
    named = settings
    if settings.base_url is None:
        settings = replace(settings, database=database_or_demo(settings.database))
    from riskanalytics.cli.tracked import as_lines, listed, problem_lines
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.loading import load_platforms

    with connect(settings=settings) as client:
        tracked, problems = load_platforms(client), problem_lines(client.problems)
        tell_age(end_of(client, named))
    for line in problems:
        _tell(line)
    rows = listed(tracked, words)
    if record is not None:
        write_record(record, rows)
    for line in as_lines(rows):
        typer.echo(line)
    if problems:
        raise IncompleteReportError("the list may not be complete: see above what could not be read")


@app.command()
def ingest(
    collection: Annotated[
        Path,
        typer.Argument(help="A git bundle, bare repository, checkout or dataset folder.", show_default=False),
    ],
    database: Written,
    name: Annotated[
        str | None,
        typer.Option("--collection", metavar="OWNER/NAME", help="Public home of the archive, for links to it."),
    ] = None,
    declarations: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The archive's declarations, which tell documents' pages, for links to the live words.",
        ),
    ] = None,
    dask: Dask = None,
) -> None:
    """Read an Open Terms Archive collection into a rated database; again adds only what is new."""
    from riskanalytics.ingest import declared_pages, open_collection
    from riskanalytics.ingest import ingest as ingest_collection
    from riskanalytics.work.executors import collect_seldom

    place = place_of(database)
    collect_seldom()
    try:
        with ProgressReport() as progress, open_collection(collection, name) as opened:
            if declarations is not None:
                opened.pages = declared_pages(declarations)
            summary = ingest_collection(opened, place, dask=dask, progress=progress)
    except KeyboardInterrupt:
        nothing = isinstance(place, Path) and not place.is_file()
        kept = "nothing is kept yet" if nothing else f"what was stored and rated so far is kept in {place}"
        again = f"riskanalytics ingest {collection} --database {place}{f' --collection {name}' if name else ''}"
        again += f" --declarations {declarations}" if declarations else ""
        again += f" --dask {dask}" if dask else ""
        _tell(f"interrupted: {kept}; '{again}' goes on from there")
        raise typer.Exit(130) from None
    for line in summary.refused:
        _tell(line)
    typer.echo(summary)


app.command("score")(score)


@app.command()
def serve(  # noqa: PLR0913, PLR0917 (what a person can say of a service)
    database: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8360,
    public_url: Annotated[
        str | None, typer.Option(help="Address that answers name, where it is not the one served.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that answer.")] = 1,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Proxy or network whose X-Forwarded-For is believed; may be repeated."),
    ] = None,
    open_reads: Annotated[int, typer.Option(min=0, help="Open reads a minute for one address; 0 is no limit.")] = 1200,
    open_posts: Annotated[int, typer.Option(min=0, help="Open posts a minute for one address; 0 is no limit.")] = 120,
    check: Annotated[bool, typer.Option("--check", help="Refuse a database whose file is damaged.")] = False,
) -> None:
    """Serve a database, or the embedded demo, as the risk-rating data service."""
    from riskanalytics.service import Pace
    from riskanalytics.service.server import serve as serve_database

    serve_database(
        database_or_demo(database), host, port, public_url=public_url, announce=_tell, workers=workers,
        trusted_proxies=tuple(trusted_proxy or ()), pace=Pace(reads=open_reads or None, posts=open_posts or None),
        check=check,
    )  # fmt: skip


@app.command()
def mcp(database: Database = None) -> None:
    """Answer an agent's tool calls over stdin and stdout (MCP), until stdin ends."""
    from riskanalytics.service.tool_server.serving import speak_stdio

    speak_stdio(database_or_demo(database))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="In English or Chinese.", show_default=False)],
    platform: Annotated[str | None, typer.Option(help="Slug of the platform that is asked about.")] = None,
    base_url: BaseUrl = None,
    database: Database = None,
) -> None:
    """Answer a question from cited findings and marked leads; exit 3 where they do not carry an answer."""
    if not question.strip():
        raise ParameterError("The question is empty.")
    settings = load_settings(base_url=base_url, database=database)
    named = settings
    if settings.base_url is None:
        settings = replace(settings, database=database_or_demo(settings.database))
    from riskanalytics.cli.output import citation
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.frames.building import records_of
    from riskanalytics.text.untrusted import visible_line

    with connect(settings=settings) as client:
        reply = client.ask(question, platform)
        tell_age(end_of(client, named))
    if reply.get("refused"):
        _tell(visible_line(f"refused ({reply.get('reason')})"))
    for line in str(reply.get("answer") or "").split("\n"):
        typer.echo(visible_line(line))
    for number, finding in enumerate(records_of(reply.get("citations")), 1):
        typer.echo("")
        for line in citation(number, finding):
            typer.echo(visible_line(line))
    if reply.get("refused"):
        raise typer.Exit(3)


@subscriptions.command("start")
def start_subscription(
    email: Annotated[str, typer.Option(help="Where the key is mailed to.", show_default=False)],
    tier: Annotated[str, typer.Option(help="starter, pro or enterprise.", show_default=False)],
    database: Database = None,
    outbox: Annotated[Path | None, typer.Option(help="Folder for the mail; beside the database without it.")] = None,
) -> None:
    """Start a subscription: its key stands in the mail and nowhere else."""
    from riskanalytics.service import subscriptions as service_subscriptions
    from riskanalytics.service.store.files import check_file

    served, smtp = database_or_demo(database), load_settings(database=database).smtp
    if isinstance(served, Path):
        check_file(served)
    mail = service_subscriptions.start(served, email, tier, outbox=outbox, smtp=smtp)
    if mail is None:
        typer.echo(f"the key was mailed to {email}")
        return
    _tell("the key stands in this mail, and nowhere else:")
    typer.echo(mail)


@subscriptions.command("end")
def end_subscription(
    email: Annotated[str, typer.Option(help="Whose subscription ends.", show_default=False)],
    database: Database = None,
) -> None:
    """End a subscription: its keys stop working at once."""
    from riskanalytics.service import subscriptions as service_subscriptions

    ended = service_subscriptions.end(database_or_demo(database), email)
    typer.echo(f"{ended} {'key' if ended == 1 else 'keys'} ended")


@subscriptions.command("list")
def list_subscriptions(database: Database = None) -> None:
    """List the subscriptions, without their keys."""
    from riskanalytics.service import subscriptions as service_subscriptions

    for row in service_subscriptions.listed(database_or_demo(database)):
        typer.echo("\t".join(str(value) for value in row))


app.command("backup")(back_up)
app.command("restore")(restore_backup)
app.command("verify")(verify_quotes)
app.command("evidence")(make_pack)
app.command("pull")(pull)
app.command("diff")(diff)
app.command("lab", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(open_lab)


def _tell(text: str) -> None:
    """Say something beside the result."""
    typer.echo(text, err=True)
