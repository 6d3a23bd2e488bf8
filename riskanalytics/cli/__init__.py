"""The program `riskanalytics`, and the options that several commands share.

Results go to stdout, everything else to stderr. An error is one line; `--debug` adds the traceback.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 incomplete or undetermined, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import errors
from riskanalytics.files import reported_as, write_file
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import Place, is_server, without_login
from riskanalytics.text.page_words import plain_words
from riskanalytics.text.untrusted import visible_line
from riskanalytics.text.wording import aged
from riskanalytics.work import ProgressReport

if TYPE_CHECKING:
    from riskanalytics.client import Client
    from riskanalytics.dataset import Dataset

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Report the IP and privacy risk of AI platforms, with the policy text behind each rating. "
    "Commands use the embedded demo unless --base-url or --database names another source. "
    "The API key is read from RISKANALYTICS_API_KEY only. --debug shows the traceback of an error.",
)
_MODULES = ("commands", "data", "decisions", "portfolio", "service", "reader")
COMMANDS = tuple(f"riskanalytics.cli.{name}" for name in _MODULES)
"""Modules of the commands, in the order of the help."""
INTERRUPTED = "interrupted: finished work is kept; run the same command again to continue"
_FILE = "Database file or postgresql:// address"
BaseUrl = Annotated[str | None, typer.Option(help="Address of a risk-rating data service.")]
Database = Annotated[str | None, typer.Option(metavar="FILE", help=f"{_FILE}. Default: the demo.")]
Source = Annotated[
    str | None, typer.Option("--database", metavar="FILE", help=f"{_FILE}, or folder of pulls. Default: the demo.")
]
"""The option `--database` of commands that only read data."""
Named = Annotated[str, typer.Option("--database", metavar="FILE", help=f"{_FILE}.")]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Scheduler of the Dask cluster to run on: tcp://HOST:8786.")
]
Notebook = Annotated[str, typer.Argument(help="A notebook file, or the name of a built-in notebook.")]
Portfolio = Annotated[str, typer.Option(help="CSV or XLSX of the platforms you use: only these.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the result to a JSON file.")]
Out = Annotated[Path, typer.Option(help="Folder to write the page to.")]
Pdf = Annotated[bool, typer.Option("--pdf", help="Also write a PDF with the same name.")]
Replace = Annotated[bool, typer.Option("--replace", help="Overwrite pages made from another source.")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the program's name. Default: the arguments of the process.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    signal.signal(signal.SIGTERM, _end)
    sys.exit(_run([word for word in words if word != "--debug"], debug=debug))


def _end(signal_number: int, _frame: FrameType | None) -> None:
    """Turn SIGTERM into an orderly exit, so that no half-written file is left."""
    raise SystemExit(128 + signal_number)


def _run(words: list[str], *, debug: bool) -> int:
    """Run the words as a command and return its exit code."""
    try:
        code = _called(words)
    except (SystemExit, KeyboardInterrupt) as end:
        code = getattr(end, "code", 130)
    except typer.TyperException as error:
        say_usage(error)
        code = 2
    except BrokenPipeError:
        # the reader of stdout is gone: redirect it, so that the interpreter's last flush does not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (errors.RiskAnalyticsError, OSError) as error:
        if debug:
            traceback.print_exception(error)
        file, why = getattr(error, "filename", None), getattr(error, "strerror", None)
        reason = f"{file}: {why}" if file and why else str(error)
        say(f"riskanalytics: {without_login(' '.join(reason.split())) or type(error).__name__}")
        code = 2 if isinstance(error, errors.LabelsError | errors.ParameterError | errors.SettingsError) else 1
        code = 3 if isinstance(error, errors.IncompleteReportError) else code
    if code == 130:
        say(INTERRUPTED)
    return code if isinstance(code, int) else 0


def _called(words: list[str]) -> object:
    """Run the command that the words name; return its exit code, if it gives one."""
    for before, word in pairwise(["", *words]):
        option, _, value = word.partition("=") if word.startswith("--") else (before, "", word)
        if option != "--database" and is_server(value.strip()):  # may hold a password; messages repeat paths
            raise errors.SettingsError("the address of a database (postgresql://...) is accepted by --database only")
    for module in COMMANDS:
        import_module(module)
    return app(words, prog_name="riskanalytics", standalone_mode=False)


def say_usage(error: typer.TyperException) -> None:
    """Print one line that says what is wrong with the command line; if no command was given, print the help.

    `error` is the error that typer raised when it parsed the command line.
    """
    text: str = getattr(error, "format_message", error.__str__)()  # names the option, too
    context = getattr(error, "ctx", None)
    if "\n" in text:
        typer.echo(text, err=True)
    else:
        say(
            f"riskanalytics: {without_login(text)} See '{context.command_path if context else 'riskanalytics'} --help'."
        )


def say(*lines: str) -> None:
    """Print messages to stderr; hidden characters are shown as escapes."""
    for line in lines:
        typer.echo(visible_line(line), err=True)


def chosen_source(base_url: str | None, database: str | Place | None, *, folder: bool = True) -> Settings:
    """Return the settings that name the source of a command's data; options of the command override the environment.

    Parameters
    ----------
    base_url : str, optional
        Value of `--base-url`: address of a service.
    database : str, Path or Server, optional
        Value of `--database`: file of a database, `postgresql://` address, or folder of pulls.
    folder : bool
        Whether `database` may be a folder of pulls.

    Raises
    ------
    SettingsError
        If both options are given, or there is no such database.
    """
    settings = load_settings(base_url=base_url, database=database)
    place = settings.database
    if isinstance(place, Path) and not (place.is_file() or (folder and place.is_dir())):
        raise errors.SettingsError(
            f"there is no database {place}: make one with 'riskanalytics ingest COLLECTION --database {place}'"
        )
    return settings


@contextmanager
def opened(settings: Settings) -> Iterator[Client]:
    """Connect to the source of a command's data; a context manager.

    At the end, the newest day of the data is printed, and how many days ago it was; nothing for the demo, or if the day is today.

    Parameters
    ----------
    settings : Settings
        Settings that name the source, as `chosen_source` returns them.
    """
    from riskanalytics.dataset.connecting import connect, origin_of
    from riskanalytics.dataset.loading import data_day

    with connect(settings=settings) as client:
        yield client
        if settings.base_url or settings.database:
            with suppress(errors.RiskAnalyticsError):  # the command itself reports unreadable data
                say_age("" if origin_of(client).is_demo else str(data_day(client)))


def database_or_demo(database: str | Place | None) -> Place:
    """Return the database of a command: a file, or a database server.

    This is the given `database`; without it, the database that `RISKANALYTICS_DATABASE` names; without both, the demo's database,
    which is built if it is missing.

    Raises
    ------
    SettingsError
        If there is no such database.
    """
    settings = chosen_source(None, database, folder=False)
    if settings.database is not None:
        return settings.database
    from riskanalytics.demo import demo_database

    with ProgressReport() as progress:
        return demo_database(settings.cache, progress)


def load_ours(client: Client, portfolio: str, as_of: str = "") -> Dataset:
    """Load the data of a portfolio, or of all platforms without one; print the rows that match no platform with certainty.

    Parameters
    ----------
    client : Client
    portfolio : str
        Value of `--portfolio`: a CSV or XLSX file; empty for all platforms.
    as_of : str
        Day of the data, YYYY-MM-DD; if empty, the newest.
    """
    from riskanalytics.dataset import load
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.portfolio import unmatched_words, unread_days

    data = load(client, as_of, portfolio=portfolio)
    say(*(f"not matched: row {unmatched_words(row)}" for row in (rows_of(data.scope.open) if data.scope else ())))
    say(*(unread_days(data.scope.uses) if data.scope else ()))
    return data


def say_age(end: str) -> None:
    """Print the newest day of the data and how many days ago it was; print nothing if the day is today or empty.

    Parameters
    ----------
    end : str
        Newest day, YYYY-MM-DD.
    """
    if age := aged(end):
        say(age)


def write_record(file: Path | None, record: object) -> None:
    """Write a record as JSON to a file, completely or not at all; without a file, do nothing."""
    if file is not None:
        with reported_as(errors.ReportError, f"{file} cannot be written"):
            write_file(file, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def first_words(quote: object, most: int) -> str:
    """Return a quote on one line, cut after `most` characters; empty if the quote is missing."""
    words = " ".join(plain_words(str(quote or "")).split())
    return words if len(words) <= most else f"{words[:most]}…"


def show(*lines: str) -> None:
    """Print lines to stdout; hidden characters are shown as escapes."""
    for line in lines:
        typer.echo(visible_line(line))
