"""The commands about decisions that reviewers recorded on pages: merge their files, check them, and export labels."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riskanalytics import cli
from riskanalytics.cli.reader import ModelName, ReaderUrl, RequestsTo, named, server_at, write_requests
from riskanalytics.text.wording import plural

if TYPE_CHECKING:
    from riskanalytics.reader.exchange import Request
    from riskanalytics.topics.decisions.records import Clause

decisions = typer.Typer(no_args_is_help=True, help="Merge, check or export what reviewers decided on pages.")
cli.app.add_typer(decisions, name="decisions")
_Saved = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that pages saved, or merged files.")]
_Into = Annotated[Path, typer.Option(metavar="FILE", help="Merged file; the decisions that it has are kept.")]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="File of decisions: merged, or saved by a page.")]
_Answers = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", exists=True, dir_okay=False, help="Results of such a file. Repeat it for several models."
    ),
]
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
def check(
    file: _File,
    record: cli.Json = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
    reader: ReaderUrl = None,
    model: ModelName = None,
    requests_to: RequestsTo = None,
    answers_from: _Answers = None,
) -> None:
    """Compare decisions with the current clauses: a decision reopens if its clause changed in substance.

    With a reader, a language model is asked whether the current text says in other words what the clauses of decisions
    that reopen said. If all models that answer find them, the state is `reworded`.

    Exit 1 if a decision reopened or reviewers differ, 3 if a document was not read.
    """
    from riskanalytics.dataset import load
    from riskanalytics.evidence import verifying
    from riskanalytics.frames import rows_of
    from riskanalytics.reader.batches import batch_line
    from riskanalytics.topics.decisions.records import read_decisions

    with cli.opened(cli.chosen_source(base_url, database)) as client:
        data = load(client)
        states = verifying.decisions(file, data)
        if reader or requests_to or answers_from:
            asked = _requests(file, data, states)
            if requests_to:
                write_requests(requests_to, [batch_line(request, named(model)) for request in asked.values()])
                raise typer.Exit
            reworded = _reworded(asked, reader, model, answers_from or ())
            states = verifying.states_of(read_decisions(file), data, reworded)
    cli.write_record(record, json.loads(states.to_json(orient="records", force_ascii=False, date_format="iso")))
    latest = states[states["latest"]]
    quotes = {row["finding_id"]: row["quote"] for row in (*rows_of(data.findings), *rows_of(data.leads))}
    for row in rows_of(latest):
        title = f"{row['decision']} by {row['reviewer']} on {row['slug']}, {row['document']}"
        cli.show(f"{row['state']:8}  {title}{' (in conflict)' * row['conflict']}: {cli.first_words(row['quote'], 100)}")
        cli.show(*(f"    now {one}: {cli.first_words(quotes[one], 100)}" for one in row["candidates"]))
    shown = ("holds", *["reworded"] * bool(reader or answers_from), "reopened", "unknown")
    parts = [f"{int((latest['state'] == state).sum()):,} {state}" for state in shown]
    typer.echo(f"{plural(len(latest), 'decision')}: {', '.join(parts)}, {int(latest['conflict'].sum()):,} in conflict")
    if latest["conflict"].any() or "reopened" in set(latest["state"]):
        raise typer.Exit(1)
    if "unknown" in set(latest["state"]):
        raise typer.Exit(3)


@decisions.command()
def export(file: _File, labels: _Labels, base_url: cli.BaseUrl = None, database: cli.Source = None) -> None:
    """Write the documents with disputed findings to a file of labels, with which `riskanalytics score` measures the extraction."""
    from riskanalytics.dataset import load
    from riskanalytics.evidence import verifying
    from riskanalytics.files import write_file
    from riskanalytics.topics.decisions import labels_of

    with cli.opened(cli.chosen_source(base_url, database)) as client:
        data = load(client)
        lines = labels_of(verifying.decisions(file, data), data.findings)
    write_file(labels, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    cli.say(plural(len(lines), "document with a disputed finding", "documents with disputed findings"))
    typer.echo(labels)


def _reworded(
    asked: Mapping[Clause, Request], reader: str | None, model: str | None, files: Sequence[Path]
) -> Collection[Clause]:
    """Return the clauses of decisions that reopen which all language models find in the current text."""
    from riskanalytics.reader.batches import batch_answer
    from riskanalytics.reader.decisions import still_said

    said = []
    for path in files:
        lines = filter(None, map(batch_answer, path.read_text(encoding="utf-8-sig", errors="replace").splitlines()))
        said.append({id_: content for id_, content, _ in lines})
    if reader:
        with closing(server_at(reader, named(model))) as server:
            said.append({request.id: server.ask(request)[0] for request in asked.values()})
    found = {
        clause: [still_said(request, answers.get(request.id, "")) for answers in said]
        for clause, request in asked.items()
    }
    if found:
        cli.say(f"{sum(None not in one for one in found.values()):,} of {plural(len(found), 'clause')} answered")
    return {clause for clause, one in found.items() if all(one)}


def _requests(file: Path, data: Any, states: Any) -> dict[Clause, Request]:
    """Return the request for each clause of decisions that reopen, if the current text of its document is at hand."""
    from riskanalytics.evidence.verifying import current_texts
    from riskanalytics.reader.decisions import decision_request
    from riskanalytics.topics.decisions.records import read_decisions

    reopened = set(states.loc[states["state"] == "reopened", "decision_id"])
    clauses = [clause for one in read_decisions(file) if one.hashed() in reopened for clause in one.clauses]
    asked = {
        clause: decision_request(clause.quote, clause.lead_in, text, clause.surface)
        for clause, text in current_texts([clause for clause in clauses if not clause.removed], data).items()
    }
    return {clause: request for clause, request in asked.items() if request}
