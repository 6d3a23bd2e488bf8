"""The commands about decisions that reviewers recorded on pages: merge their files, check them, and export labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from riskanalytics import cli
from riskanalytics.text.wording import plural

decisions = typer.Typer(no_args_is_help=True, help="Merge, check or export what reviewers decided on pages.")
cli.app.add_typer(decisions, name="decisions")
_Saved = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that pages saved, or merged files.")]
_Into = Annotated[Path, typer.Option(metavar="FILE", help="Merged file; the decisions that it has are kept.")]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="File of decisions: merged, or saved by a page.")]
_Labels = Annotated[Path, typer.Option(metavar="FILE", help="File of labels (.jsonl) to write.")]


@decisions.command()
def merge(files: _Saved, into: _Into) -> None:
    """Merge the decisions of several reviewers into one file. It keeps both sides of a conflict, and prints the conflict."""
    from riskanalytics.topics.decisions import differ, latest_of
    from riskanalytics.topics.decisions.records import merged, read_decisions, write_decisions

    before = read_decisions(into) if into.exists() else ()
    every = merged([*before, *(one for file in files for one in read_decisions(file))])
    write_decisions(into, every)
    for group in filter(differ, latest_of(every)):
        sides = [f"{one.decision} by {one.title}" for one in group.values()]
        cli.say(f"conflict: {'; '.join(sides)}: {cli.first_words(next(iter(group.values())).clauses[0].quote, 100)}")
    cli.say(f"{plural(len(every), 'decision')}, {len(every) - len(merged(before)):,} new")
    typer.echo(into)


@decisions.command()
def check(file: _File, record: cli.Json = None, base_url: cli.BaseUrl = None, database: cli.Source = None) -> None:
    """Compare decisions with the current clauses: a decision reopens if its clause changed in substance.

    Exit 1 if a decision reopened or reviewers differ, 3 if a document was not read.
    """
    from riskanalytics.frames import rows_of

    data, states = _checked(file, base_url, database)
    cli.write_record(record, json.loads(states.to_json(orient="records", force_ascii=False, date_format="iso")))
    latest = states[states["latest"]]
    quotes = {row["finding_id"]: row["quote"] for row in (*rows_of(data.findings), *rows_of(data.leads))}
    for row in rows_of(latest):
        title = f"{row['decision']} by {row['reviewer']} on {row['slug']}, {row['document']}"
        cli.show(f"{row['state']:8}  {title}{' (in conflict)' * row['conflict']}: {cli.first_words(row['quote'], 100)}")
        cli.show(*(f"    now {one}: {cli.first_words(quotes[one], 100)}" for one in row["candidates"]))
    parts = [f"{int((latest['state'] == state).sum()):,} {state}" for state in ("holds", "reopened", "unknown")]
    typer.echo(f"{plural(len(latest), 'decision')}: {', '.join(parts)}, {int(latest['conflict'].sum()):,} in conflict")
    if latest["conflict"].any() or "reopened" in set(latest["state"]):
        raise typer.Exit(1)
    if "unknown" in set(latest["state"]):
        raise typer.Exit(3)


@decisions.command()
def export(file: _File, labels: _Labels, base_url: cli.BaseUrl = None, database: cli.Source = None) -> None:
    """Write the documents with disputed findings to a file of labels, with which `riskanalytics score` measures the extraction."""
    from riskanalytics.files import write_file
    from riskanalytics.topics.decisions import labels_of

    data, states = _checked(file, base_url, database)
    lines = labels_of(states, data.findings)
    write_file(labels, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    cli.say(plural(len(lines), "document with a disputed finding", "documents with disputed findings"))
    typer.echo(labels)


def _checked(file: Path, base_url: str | None, database: str | None) -> tuple[Any, Any]:
    """Return the data of a source, with its findings loaded, and the frame of decisions of a file with their states."""
    from riskanalytics.dataset import load
    from riskanalytics.evidence import decisions as states_of

    with cli.opened(cli.chosen_source(base_url, database)) as client:
        data = load(client)
        return data, states_of(file, data)
