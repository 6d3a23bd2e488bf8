"""The command that matches a portfolio with the tracked platforms, and keeps confirmed matches in a file beside it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskanalytics import cli
from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.text.wording import plural

from .commands import as_lines

if TYPE_CHECKING:
    from riskanalytics.client import Client
    from riskanalytics.topics.portfolio import PortfolioScope


@cli.app.command()
def portfolio(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or XLSX of the platforms you use.")],
    confirm: Annotated[
        list[str] | None, typer.Option(metavar="GIVEN=SLUG", help="Confirm what a row means; slug none: not tracked.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the rows to confirm to the file of matches.")] = False,
    record: cli.Json = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Match each row of a portfolio with a tracked platform, or list the platforms that it may mean.

    Confirmed matches are kept in a file beside the portfolio: ours.matches.csv beside ours.csv. Exit 3 if a row
    matches no platform for certain.
    """
    from riskanalytics.topics.portfolio import unread_days

    with cli.opened(cli.chosen_source(base_url, database)) as client:
        scope = _confirmed(file, client, confirm or (), write=write)
    rows = [{str(name): str(cell) for name, cell in row.items()} for row in scope.listed.fillna("").to_dict("records")]
    cli.write_record(record, rows)
    cli.show(*as_lines(rows))
    cli.say(*unread_days(scope.uses))
    typer.echo(scope.said)
    if count := len(scope.open):
        pairs = [shlex.quote(f"{scope.open['given'].iloc[0]}={slug}") for slug in ("SLUG", "none")]
        said = f"{plural(count, 'row matches', 'rows match')} no platform for certain: confirm each with --confirm"
        raise IncompleteReportError(f"{said} {pairs[0]}, or {pairs[1]} if it is not tracked")


def _confirmed(file: Path, client: Client, pairs: Sequence[str], *, write: bool) -> PortfolioScope:
    """Record confirmed matches and, if asked, rows to confirm; return the portfolio as it matches now."""
    from riskanalytics.dataset import load
    from riskanalytics.dataset.scope import slugs_of
    from riskanalytics.files import matches_file
    from riskanalytics.reporting.saving import save
    from riskanalytics.topics.portfolio import matched_scope, reading
    from riskanalytics.topics.shape import shaped

    ours, kept, data = reading.read_portfolio(file), reading.read_matches(file), load(client)
    scope = matched_scope(data.tracked, ours)
    given = {reading.match_key(one): str(one) for one in scope.listed["given"]}
    for pair in pairs:
        text, _, slug = (part.strip() for part in pair.rpartition("="))
        if (key := reading.match_key(text)) not in given:
            raise ParameterError(f"--confirm takes GIVEN=SLUG, but no row of {file} gives {text[:60]!r}")
        kept[key] = slug if slug == reading.NOT_TRACKED else slugs_of([slug], data.tracked, data.day, most=1)[0]
    if pairs or write:
        rows = {key: {"given": given.get(key, key), "slug": slug} for key, slug in kept.items()}
        for row in scope.open.to_dict("records"):
            near = ", ".join(one["slug"] for one in row["candidates"])
            rows.setdefault(reading.match_key(row["given"]), {"given": row["given"], "candidates": near})
        cli.say(f"written: {save(shaped(rows.values(), reading.MATCHES_COLUMNS), matches_file(file))}")
    return matched_scope(data.tracked, reading.read_portfolio(file))
