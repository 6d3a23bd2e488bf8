"""The command `score`: how well the extraction reads, against labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.cli.output import write_record
from riskanalytics.cli.source import Dask, Labelled, check_there
from riskanalytics.settings.databases import place_of
from riskanalytics.work.progress import ProgressReport


def score(
    labels: Annotated[
        Path, typer.Argument(help="Documents labelled whole (.jsonl), or a folder of labels.", show_default=False)
    ],
    database: Labelled,
    record: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="File to write the same figures to, for machines.")
    ] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Print all that is wrong or missed below the table.")
    ] = False,
    dask: Dask = None,
) -> None:
    """Measure the extraction against labelled documents; exit 3 where a label could not be scored."""
    place = place_of(database)
    check_there(place)
    from riskanalytics.accuracy import as_faults, as_record, as_table
    from riskanalytics.accuracy import score as score_labels
    from riskanalytics.text.untrusted import visible_line

    with ProgressReport() as progress:
        result = score_labels(labels, place, dask=dask, progress=progress)
    for line in (*result.refused, *result.not_scored):
        typer.echo(visible_line(f"not scored: {line}"), err=True)
    parts = [as_table(result), as_faults(result) if faults else []]
    for line in "\n\n".join("\n".join(map(visible_line, part)) for part in parts if part).split("\n"):
        typer.echo(line)
    if record is not None:
        write_record(record, as_record(result))
    if not result.complete:
        raise typer.Exit(3)
