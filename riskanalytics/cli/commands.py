"""The commands that make reports and ask questions. Each command imports only the modules it needs, so help is quick."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import cli
from riskanalytics.cli.reader import ModelName, ReaderUrl, named, server_at
from riskanalytics.errors import IncompleteReportError, ParameterError, RiskAnalyticsError
from riskanalytics.files import reported_as, write_file
from riskanalytics.reporting.parameters import NOTEBOOKS
from riskanalytics.settings import Settings
from riskanalytics.text.untrusted import is_public, visible_line
from riskanalytics.text.wording import plural
from riskanalytics.work import ProgressReport

if TYPE_CHECKING:
    import pandas as pd

    from riskanalytics.client import Json
    from riskanalytics.settings.databases import Place

_NOTEBOOKS = "\b\nBuilt-in notebooks and their parameters:\n" + "\n".join(
    f"{name:17} {about}" for name, about in NOTEBOOKS.items()
)


def _show_version(wanted: bool) -> None:
    """Print the version and exit, if `--version` is set."""
    if wanted:
        typer.echo(f"riskanalytics {version('riskanalytics')}")
        raise typer.Exit


@cli.app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Accept the options that precede a command."""


@cli.app.command()
def monthly(  # noqa: PLR0913, PLR0917 (the options of a report)
    month: Annotated[str, typer.Option(help="YYYY-MM, or last. Default: last month that the data cover in full.")] = "",
    since: Annotated[str, typer.Option(metavar="last|DAY", help="Changes since a day, or since the last report.")] = "",
    portfolio: cli.Portfolio = "",
    rules: Annotated[str, typer.Option(help="TOML file with the rules of your organisation.")] = "",
    out: cli.Out = Path("reports"),
    pdf: cli.Pdf = False,
    replace: cli.Replace = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Make the monthly report as one HTML file."""
    values = {"month": month, "since": since, "portfolio": portfolio, "rules": rules}
    given: dict[str, object] = {name: value for name, value in values.items() if value}
    _make("monthly_report", given, out, cli.chosen_source(base_url, database), pdf=pdf, replace=replace)


@cli.app.command(epilog=_NOTEBOOKS)
def report(
    notebook: cli.Notebook,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="A parameter; may be repeated.")
    ] = None,
    out: cli.Out = Path("reports"),
    pdf: cli.Pdf = False,
    replace: cli.Replace = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Run a notebook with parameters and export it as one HTML file."""
    values: dict[str, object] = {}
    for pair in parameter or ():
        name, sign, value = pair.partition("=")
        if not sign or not name or name in values:
            raise ParameterError(f"-p takes NAME=VALUE, each name once, not {pair!r}")
        values[name] = value
    _make(notebook, values, out, cli.chosen_source(base_url, database), pdf=pdf, replace=replace)


def _make(notebook: str, values: dict[str, object], out: Path, settings: Settings, *, pdf: bool, replace: bool) -> None:
    """Make a page. Print the path of its PDF, if requested; the last line is always the path of the page.

    Raises
    ------
    IncompleteReportError
        If the page is incomplete, portfolio rows matched no tracked platform (they are printed), or quotes did not verify.
    """
    from riskanalytics.reporting import run_report
    from riskanalytics.reporting.placing import facts_of, part_of, unverified
    from riskanalytics.work.executors import collect_seldom

    collect_seldom()  # the first report builds the demo
    with ProgressReport() as progress:
        page = run_report(
            notebook, values, out, settings=settings, pdf=pdf, replace=replace, progress=progress, ended=cli.say_age
        )
    if pdf:
        typer.echo(page.with_suffix(".pdf"))
    typer.echo(page)
    facts = facts_of(page) or {}
    unmatched, missing, lacks = part_of(facts, "unmatched"), str(facts.get("incomplete") or ""), unverified(facts)
    cli.say(*(f"not matched: row {line}" for line in str(unmatched.get("first", "")).splitlines()))
    if unmatched:
        source = f" --database {settings.database}" if isinstance(settings.database, Path) else ""
        confirm = f"confirm what they mean with 'riskanalytics portfolio {values['portfolio']}{source}'"
        lacks = f"{unmatched['said']}: {confirm}"
    if missing:
        lacks = missing[:1].lower() + missing[1:]
    if "an ingest" in missing:
        place = settings.database or "the database of the service"
        again = f"finish 'riskanalytics ingest COLLECTION --database {place}', then make the page again"
        lacks = f"incomplete: an ingest is running or was interrupted; {again}"
    if lacks:
        raise IncompleteReportError(f"the page was made, but {lacks}")


@cli.app.command()
def watch(  # noqa: PLR0913, PLR0917 (the recipients of alerts)
    portfolio: Annotated[str, typer.Option(help="CSV or XLSX of the platforms you use. Default: all.")] = "",
    rules: Annotated[str, typer.Option(metavar="FILE", help="TOML file with the rules of your organisation.")] = "",
    state: Annotated[Path, typer.Option(help="File that records what was found and delivered.")] = Path("watch.json"),
    since: Annotated[str, typer.Option(metavar="DAY", help="Begin the first run after this day.")] = "",
    mail: Annotated[str, typer.Option(metavar="ADDRESS", help="Send new alerts in one mail.")] = "",
    webhook: Annotated[str, typer.Option(metavar="URL", help="Post each new alert, signed.")] = "",
    atom: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an Atom feed of the alerts.")] = None,
    calendar: Annotated[Path | None, typer.Option(metavar="FILE", help="Write stated dates as iCalendar.")] = None,
    as_of: Annotated[str, typer.Option(metavar="DAY", help="Watch the data of a past day.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the new alerts only.")] = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Report what became true since the last run: changes, rules newly broken, exceptions that expire soon, dates ahead.

    Each alert is delivered once. Without a mail server (RISKANALYTICS_SMTP), mail is put into the folder `outbox` beside the
    state. RISKANALYTICS_WEBHOOK_SECRET signs what is posted. Exit 3 if data or rows of the portfolio are missing.
    """
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset import load, watching
    from riskanalytics.topics import dates

    secret, outbox = os.environ.get("RISKANALYTICS_WEBHOOK_SECRET", ""), state.parent / "outbox"
    known = watching.State.read(state)
    mailed = partial(watching.mailed, address=mail, smtp=settings.smtp, outbox=outbox, worded=known.worded)
    to = {"mail": mailed} if mail else {}
    to |= {"webhook": partial(watching.posted, url=webhook, secret=secret)} if webhook else {}
    for deliver in to.values():
        list(deliver([]))  # a wrong address is refused before anything is loaded
    with cli.opened(settings) as client:
        data = load(client, as_of, portfolio=portfolio)
        new, lost = known.new(data, rules, since), sorted(set(data.problems["slug"].dropna()))
        missing = [f"{slug} was not read" for slug in lost]
        missing += [f"{given} was not matched" for given in (data.scope.open["given"] if data.scope else ())]
        missing += ["changes are not known without a Pro key"] if data.changes(data.day) is None else []
        if calendar and not dry_run:
            write_file(calendar, dates.calendar(data.dates))
    cli.show(*(f"{one['title']} {one['advice']}" for one in new), f"{data.day}: {plural(len(new), 'new alert')}")
    if not dry_run:
        known.deliver(new, to, state, None if lost else data.day, atom)
        cli.say(*[f"the mail is in {outbox}: RISKANALYTICS_SMTP is not set"] * bool(mail and new and not settings.smtp))
    if missing:
        raise IncompleteReportError(f"not all platforms were watched: {'; '.join(missing)}")


@cli.app.command()
def batch(  # noqa: PLR0913, PLR0917 (the options of a batch)
    notebook: cli.Notebook,
    over: Annotated[
        str,
        typer.Option(
            metavar="FILE|all", help="CSV or XLSX: one report per row, headings are parameters. all: each platform."
        ),
    ],
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, help="Reports made in parallel. Default: one per core.")
    ] = None,
    out: cli.Out = Path("reports"),
    portfolio: cli.Portfolio = "",
    pdf: cli.Pdf = False,
    replace: cli.Replace = False,
    dask: cli.Dask = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Make a report for each row of a table, or for each platform. A second run makes only missing or outdated reports.

    Exit 0 if every report exists, 3 if some are missing or incomplete, 1 if no report could be made.
    """
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.reporting import batch as make_all

    slugs: Sequence[str] = ()
    if portfolio:
        with connect(settings=settings) as client:
            slugs = cli.load_ours(client, portfolio).slugs
    with ProgressReport() as progress:
        done = make_all(
            notebook, over, out, platforms=slugs, jobs=jobs, source=settings, pdf=pdf, replace=replace, dask=dask,
            progress=progress, failed=lambda row, why: cli.say(f"no page for {row}: {why}"),
        )  # fmt: skip
    cli.say_age(done.end)
    cli.say(*(f"{page}: {lacks}" for page, lacks in done.lacking.items()))
    counts = f"{len(done.made):,} made, {len(done.fresh):,} up to date, {len(done.failed):,} failed"
    cli.say(f"{counts}; run the same command again to make the missing pages" if done.failed else counts)
    if done.anew:
        cli.say(f"every run makes all pages again: {done.anew}")
    typer.echo(done.index)
    if done.failed or done.lacking:
        raise typer.Exit(3 if done.pages else 1)


@cli.app.command()
def platforms(
    words: Annotated[str, typer.Argument(metavar="[TEXT]", help="Part of a slug, website or name.")] = "",
    record: cli.Json = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """List the tracked platforms: slug, rating, name, website, other names.

    Exit 1 if no platform matches the text, 3 if the list is incomplete.
    """
    from riskanalytics.dataset.loading import load_platforms

    with cli.opened(cli.chosen_source(base_url, database)) as client:
        tracked, problems = load_platforms(client), list(client.problems)
    cli.say(*(f"{slug}: {what}" if slug else what for slug, what, _ in problems))
    rows = listed(tracked, words)
    cli.write_record(record, rows)
    cli.show(*as_lines(rows))
    if problems:
        raise IncompleteReportError("the list may be incomplete: the lines above name the parts that could not be read")


def listed(tracked: pd.DataFrame, words: str = "") -> list[dict[str, str]]:
    """Return the tracked platforms that match a text, each as a dict of strings.

    Parameters
    ----------
    tracked : pandas.DataFrame
        All tracked platforms: `slug`, `name`, `website`, `rating`.
    words : str
        Part of a slug, name, website or other name. If empty, all platforms match.

    Returns
    -------
    list of dict
        `slug`, `rating`, `name`, `website`, `aliases` (other names that the package knows) of each platform.

    Raises
    ------
    RiskAnalyticsError
        If no platform matches. The message suggests the nearest slugs.
    """
    from riskanalytics.topics.portfolio.names import TRACKED_COLUMNS, tracked_platforms

    found = tracked_platforms(tracked, words).astype("str").fillna("")
    if found.empty:
        near = get_close_matches(words.strip().casefold()[:60], tracked["slug"], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; 'riskanalytics platforms' lists them all"
        raise RiskAnalyticsError(f"none of the {len(tracked):,} tracked platforms matches {words[:60]!r}{hint}")
    return [{name: str(row[name]) for name in TRACKED_COLUMNS} for row in found.to_dict("records")]


def as_lines(rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of a text table with aligned columns: a line of headings, then a line for each row.

    Parameters
    ----------
    rows : list of dict
        One row or more, all with the same keys, which become the headings. Hidden characters are shown as escapes.
    """
    shown = [[visible_line(word) for word in row] for row in [list(rows[0]), *(row.values() for row in rows)]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for line in shown:
        yield "  ".join(word.ljust(wide) for word, wide in zip(line, widths, strict=True)).rstrip()


@cli.app.command()
def ask(
    question: Annotated[str, typer.Argument(help="A question in English or Chinese.")],
    platform: Annotated[str | None, typer.Option(help="Slug of the platform in question.")] = None,
    portfolio: cli.Portfolio = "",
    reader: ReaderUrl = None,
    model: ModelName = None,
    base_url: cli.BaseUrl = None,
    database: cli.Database = None,
) -> None:
    """Answer a question with cited quotes (findings; leads are marked "to be read"), once for each platform of a portfolio.

    With a reader, a language model chooses the quotes among all findings and leads of the platforms that the question names,
    or refuses. It writes no words of the answer.

    Exit 3 if the findings and leads do not answer the question.
    """
    if not question.strip():
        raise ParameterError("The question is empty.")
    if platform and portfolio:
        raise ParameterError("give --platform or --portfolio, not both")
    settings, refused = cli.chosen_source(base_url, database), True
    if reader and (settings.base_url or (isinstance(settings.database, Path) and settings.database.is_dir())):
        raise ParameterError("--reader needs the database itself: give --database FILE")
    with cli.opened(settings) as client:
        slugs = cli.load_ours(client, portfolio).slugs if portfolio else [platform]
        replies = ((slug, client.ask(question, slug)) for slug in slugs)
        if reader:
            replies = _chosen_by(reader, named(model), question, slugs, cli.database_or_demo(settings.database))
        for slug, reply in replies:
            _answer(f"{slug}: " if portfolio else "", reply)
            refused = refused and bool(reply.get("refused"))
    if refused:
        raise typer.Exit(3)


def _chosen_by(
    reader: str, model: str, question: str, slugs: Iterable[str | None], place: Place
) -> Generator[tuple[str | None, Json]]:
    """Yield slug and answer, whose clauses a language model chose."""
    from riskanalytics.dataset.embedded import ADDRESS
    from riskanalytics.reader.answers import chosen_by
    from riskanalytics.service import Store
    from riskanalytics.service.answering import MOST_ASKED, answer_question
    from riskanalytics.service.wire import Service

    if len(question) > MOST_ASKED:
        raise ParameterError(f"the question has more than {MOST_ASKED:,} characters")
    with closing(server_at(reader, model)) as server, closing(Store(place)) as store:
        service, choose = Service(store, ADDRESS), chosen_by(server.ask)
        for slug in slugs:
            with store.one_state():
                record = answer_question(service, question, slug, choose)
            yield slug, record.model_dump()


def _answer(whose: str, reply: Json) -> None:
    """Print an answer with its cited quotes."""
    from riskanalytics.frames.building import mapping_of, records_of

    if reply.get("refused"):
        cli.say(f"{whose}refused ({reply.get('reason')})")
    cli.show(*f"{whose}{reply.get('answer') or ''}".split("\n"))
    for number, finding in enumerate(records_of(reply.get("citations")), 1):
        source = mapping_of(finding.get("provenance"))
        day = str(source.get("captured_at") or "")[:10]
        mark = ", to be read, not a finding" if finding.get("to_read") is True else ""
        cli.show(
            "",
            f"[{number}] {finding.get('name')}, {source.get('document')}, {day}, {finding.get('surface')}{mark}",
            f"    sha256 {source.get('snapshot_sha256')}, characters {source.get('start')} to {source.get('end')}",
            *(f"    {url}" for url in [str(source.get("archive_url") or "")] if is_public(url)),
        )


@cli.app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
    notebooks: Annotated[Path, typer.Option(help="Folder for your copies.")] = Path("riskanalytics-notebooks"),
) -> None:
    """Open JupyterLab on copies of the notebooks. All other options go to JupyterLab (--port=8890, --no-browser)."""
    if find_spec("jupyterlab") is None:
        raise RiskAnalyticsError("JupyterLab is not installed: pip install 'riskanalytics[lab]'")
    settings = cli.chosen_source(base_url, database)
    copy_notebooks(notebooks)
    command = [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks.resolve()}", *context.args]
    raise typer.Exit(subprocess.call(command, env=os.environ | settings.environment()))  # noqa: S603 (our own interpreter)


def copy_notebooks(folder: Path) -> None:
    """Copy the built-in notebooks into a folder; existing copies are kept.

    Raises
    ------
    RiskAnalyticsError
        If the folder cannot be written.
    """
    from riskanalytics.reporting import notebooks_folder

    with reported_as(RiskAnalyticsError, f"{folder} cannot be written", "; name another folder with --notebooks"):
        folder.mkdir(parents=True, exist_ok=True)
        for notebook in notebooks_folder().glob("*.ipynb"):
            if not (folder / notebook.name).exists():
                write_file(folder / notebook.name, notebook.read_bytes())
