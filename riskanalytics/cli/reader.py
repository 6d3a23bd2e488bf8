"""The command `read`: a language model reads the documents of a database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import cli
from riskanalytics.errors import ParameterError, ReaderError
from riskanalytics.files import write_file
from riskanalytics.text.wording import plural
from riskanalytics.work import ProgressReport

if TYPE_CHECKING:
    from riskanalytics.reader.server import Server

RequestsTo = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the requests to a file in the OpenAI batch format.")
]
Prices = Annotated[float, typer.Option(min=0, help="Price of a million tokens, to show the cost of an estimate.")]
ReaderUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Language model to ask: OpenAI-compatible server, or Ollama.")
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", envvar="RISKANALYTICS_READER_MODEL", help="Model of the reader."),
]


@cli.app.command()
def read(  # noqa: PLR0913, PLR0917 (the ways to reach a reader)
    database: cli.Named,
    reader: Annotated[
        str | None,
        typer.Option(metavar="URL", envvar="RISKANALYTICS_READER", help="OpenAI-compatible server, or Ollama."),
    ] = None,
    model: ModelName = None,
    platform: Annotated[list[str] | None, typer.Option(metavar="SLUG", help="Platform to read. Default: all.")] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Read the labelled texts instead, to measure the reader.")
    ] = None,
    budget: Annotated[int | None, typer.Option(min=0, help="Maximum number of tokens of this run.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate requests and tokens.")] = False,
    prices: Prices = 0.0,
    requests_to: RequestsTo = None,
    answers_from: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="Take the answers from a file of such results."),
    ] = None,
) -> None:
    """Let a language model read the current documents, and rate the platforms again.

    The model gets numbered clauses. It answers with verdicts: the number of a clause, and words from fixed lists, such as
    a surface and a level. Quotes and offsets come from the documents. Verdicts are leads until
    `score LABELS --reader MODEL --fit` has measured how often they are right. The key of the
    model's server is read from RISKANALYTICS_READER_KEY only. The same command continues an interrupted run. Exit 3 if some
    clauses were not read.
    """
    model = named(model)
    if reader is None and not (dry_run or requests_to or answers_from):
        raise ParameterError("name the address of the model with --reader URL or RISKANALYTICS_READER")
    from riskanalytics.accuracy.labels import read_labels
    from riskanalytics.reader import batches, reading
    from riskanalytics.reader.guide import reader_name
    from riskanalytics.reader.server import probe
    from riskanalytics.service import Store
    from riskanalytics.service.store.write import Writer

    with closing(Store(place := cli.database_or_demo(database))) as store:
        known = dict(store.names())
    if unknown := [slug for slug in platform or () if slug not in known]:
        missing = f"the database has no platform {unknown[0][:60]!r}"
        raise ReaderError(f"{missing}; 'riskanalytics platforms' lists its platforms")
    with Writer(place) as writer:
        snapshots = {one.sha256 for one in read_labels(labels).documents} if labels else None
        readings = reading.Readings(writer, reader_name(model), platform or (), snapshots)
        if dry_run:
            requests = [*readings.unread(), *readings.unchecked(), *readings.unjudged(), *readings.undecided()]
            tokens = sum(request.tokens for request in requests)
            typer.echo(f"{plural(len(requests), 'request')}, {estimated(tokens, prices)}; {readings.summary()}")
            return
        if requests_to is not None:
            write_requests(requests_to, batches.requests_to(readings, model))
            return
        if answers_from is not None:
            with answers_from.open(encoding="utf-8-sig") as lines_of_file:
                summary, refused = batches.answers_from(readings, lines_of_file)
            cli.say(*refused)
        else:
            with closing(server_at(str(reader), model)) as server, ProgressReport() as progress:
                probe(server.ask)
                summary = reading.read(readings, server.ask, budget=budget, progress=progress)
    typer.echo(summary)
    if summary.unread:
        raise typer.Exit(3)


def named(model: str | None) -> str:
    """Return the given name of a language model; if it is None, raise a `ParameterError` that says how to name a model."""
    if model is None:
        raise ParameterError("name the model with --model NAME or RISKANALYTICS_READER_MODEL")
    return model


def server_at(address: str, model: str) -> Server:
    """Return a language model on a server, with the key in RISKANALYTICS_READER_KEY."""
    from riskanalytics.reader.server import Server

    return Server(address, model, os.environ.get("RISKANALYTICS_READER_KEY", "").strip() or None)


def write_requests(file: Path, lines: Sequence[str]) -> None:
    """Write a batch file, and say how many requests it has."""
    write_file(file, "".join(f"{line}\n" for line in lines))
    typer.echo(f"{plural(len(lines), 'request')} written to {file}")


def estimated(tokens: int, price: float) -> str:
    """Return an estimated number of tokens, with their cost if a price of a million tokens is given."""
    cost = f", about {tokens * price / 1e6:,.2f} at {price:g} a million" if price else ""
    return f"about {tokens:,} tokens{cost}"
