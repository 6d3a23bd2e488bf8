"""The commands about data: check quotes, pack them for an auditor, keep dated copies of data, and compare two days or copies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from riskanalytics import cli
from riskanalytics.errors import IncompleteReportError, ParameterError, PullError
from riskanalytics.text.wording import plural
from riskanalytics.work import ProgressReport

if TYPE_CHECKING:
    import pandas as pd

    from riskanalytics.dataset.difference import Difference
    from riskanalytics.evidence import Pack

_FIRST: Final = 70
"""Characters of a quote in a line of `verify`."""
_WORDS: Final = 160
"""Characters of a quote in a line of `diff`."""
_MOST: Final = 20
_TABLES: Final = ("ratings", "stances", "findings")
_SHOWN: Final = {"differs": "the page shows other words", "not shown": "the page does not show it"}
_FAILED: Final = frozenset({"moved", "altered", "missing", "hash_mismatch"})
_REASONS: Final = {
    "text": "the document changed",
    "document": "only one side has the document",
    "reading": "the same text is read differently",
    "unrecorded": "no material change is recorded for it",
    "not known": "reason unknown: policy texts missing, pull with --snapshots",
}


@cli.app.command()
def verify(
    target: Annotated[
        str, typer.Argument(help="A slug, finding id, page, PDF, posture feed, evidence pack or folder of pulls.")
    ],
    record: cli.Json = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not request texts from archives on the web.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Also request texts from a private network.")] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Public key (PEM) of a pack's expected signer.")
    ] = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Check quotes against their snapshots.

    Exit 1 if a quote fails, 3 if a quote could not be checked or no quote was found.
    """
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.evidence import verify as verified
    from riskanalytics.evidence.verifying import checked_pack, pack_named

    pack = pack_named(Path(target).expanduser(), key)
    if pack is not None:
        frame = checked_pack(pack)
    else:
        with connect(settings=settings) as client:
            frame = verified(target, client, offline=offline, private=private)
    cli.write_record(record, json.loads(frame.to_json(orient="records", force_ascii=False)))
    cli.show(*map(_quote, frame.astype(object).where(frame.notna(), None).to_dict("records")))
    for line in [] if pack is None else signed(pack, named=key is not None):
        typer.echo(line)
    statuses = set(frame["verification_status"])
    open_texts = _show_counts(frame)
    if statuses != {"verified"} or open_texts:
        raise typer.Exit(1 if statuses & _FAILED else 3)


def _quote(row: dict[Any, Any]) -> str:
    """Return one quote as a line: its status, its place and its first words."""
    place = "" if row["start"] is None else f"{row['start']}-{row['end']}"
    whose = "source of the text not confirmed" if row["whose"] == "not confirmed" else None
    sha256 = str(row["snapshot_sha256"] or "no source")[:12]
    parts = (row["slug"], row["document"], sha256, place, _SHOWN.get(str(row["shown"])), whose)
    where = "  ".join(str(part) for part in parts if part)
    return f"{str(row['verification_status']).replace('_', ' '):13}  {where}  {cli.first_words(row['quote'], _FIRST)}"


def signed(pack: Pack, *, named: bool) -> list[str]:
    """Return lines of text about the signature of an evidence pack: its public key and time stamp, and how to check them.

    Parameters
    ----------
    pack : Pack
        A pack whose signature has been checked.
    named : bool
        Whether the pack was checked with the public key of its expected signer (`--key`).
    """
    here, whole = pack.counts
    how = "matches --key" if named else "anyone can sign a pack: compare this key with the key its owner gave you"
    lines = [f"public key: {pack.key} ({how})"]
    if here < whole:
        lines.append(f"part of a pack: {here:,} of {whole:,} members")
    if pack.is_stamped:
        check = "openssl ts -verify -data root.txt -in timestamp.tsr -CAfile AUTHORITY.pem"
        lines.append(f"time stamp not checked; to check it: {check}")
    return lines


def _show_counts(frame: pd.DataFrame) -> int:
    """Print the number of quotes by status, and return how many verified quotes have no confirmed platform."""
    counts = frame["verification_status"].value_counts()
    parts = ", ".join(f"{count:,} {str(kind).replace('_', ' ')}" for kind, count in counts.items())
    words = f"{plural(len(frame), 'quote')}: {parts}" if len(frame) else "no quotes: nothing was checked"
    unsaid = int(((frame["whose"] == "not confirmed") & (frame["verification_status"] == "verified")).sum())
    if unsaid:
        words += f"; for {unsaid:,} the source does not confirm which platform and document the text belongs to"
    typer.echo(words)
    return unsaid


@cli.app.command()
def evidence(
    target: Annotated[str, typer.Argument(help="A slug, a page, PDF or posture feed, or a pack to disclose part of.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Zip file to write.")],
    finding: Annotated[str, typer.Option(metavar="ID", help="Disclose only this finding.")] = "",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ed25519 key (PEM) to sign with. Default: your own key.")
    ] = None,
    timestamp: Annotated[str, typer.Option(metavar="URL", help="RFC 3161 authority that time-stamps the pack.")] = "",
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Pack the evidence for findings into one signed file, which an auditor can check without this program."""
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.evidence import disclosed, opened, own_key_file, pack_of, signing_key, write_pack

    file = Path(target).expanduser()
    if file.suffix.casefold() == ".zip":
        if not finding:
            raise ParameterError("to disclose part of a pack, name the finding with --finding")
        if timestamp or key:
            raise ParameterError("a disclosed finding keeps the signature of its pack: leave out --key and --timestamp")
        pack = opened(file)
    else:
        own = own_key_file()
        new = key is None and not own.exists()
        signed_by = None if key is None else signing_key(key)
        kept = None if settings.base_url else settings.database or cli.database_or_demo(None)
        # a folder of pulls keeps no history of the archive
        history = None if isinstance(kept, Path) and not kept.is_file() else kept
        named = file if file.is_file() else target
        try:
            with connect(settings=settings) as client:
                pack = pack_of(named, client, signed_by, database=history, timestamp=timestamp or None)
        finally:
            if new and own.exists():
                cli.say(f"your signing key was made: {own}; keep it secret, and give readers its public key")
        cli.say(f"public key: {pack.key}")
    typer.echo(write_pack(disclosed(pack, finding) if finding else pack, out))


@cli.app.command()
def pull(
    archive: Annotated[str, typer.Option(help="Folder of pulls, or its address (s3://bucket/pulls).")] = "pulls",
    snapshots: Annotated[
        bool, typer.Option("--snapshots", help="Also keep the policy texts, to check quotes offline.")
    ] = False,
    as_of: Annotated[str, typer.Option(metavar="DAY", help="Keep the data as they were on a past day.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Pull nothing; check the files against their hashes.")] = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Keep a dated copy of all data in a folder of pulls. Tables that an earlier copy already has are not stored again."""
    if check:
        if snapshots or as_of or base_url or database:
            raise ParameterError("--check accepts no other option than --archive: leave out the others")
        return _check(archive)
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.dataset.pulling import pull as pull_client

    with ProgressReport() as progress, connect(settings=settings) as client:
        manifest = pull_client(archive, client, as_of=as_of, snapshots=snapshots, progress=progress, warn=cli.say)
    tables = manifest.tables
    parts = [f"{tables[name].rows:,} {name}" for name in ("platforms", "findings", "changes") if name in tables]
    if manifest.snapshots:
        parts.append(f"{len(manifest.snapshots):,} policy texts")
    new = sum(table.file.startswith(manifest.name) for table in tables.values())
    cli.say(f"{manifest.day}: {', '.join(parts)}; {new} of {len(tables)} tables are new")
    cli.say(*(f"this key may not read {what} (status {status})" for what, status in manifest.not_shown.items()))
    cli.say(*manifest.problems)
    typer.echo(f"{archive.rstrip('/')}/{manifest.name}")
    if manifest.problems:
        count = len(manifest.problems)
        raise IncompleteReportError(
            f"the pull is kept but incomplete: {plural(count, 'part')} of the data could not be read; pull again later"
        )
    return None


def _check(archive: str) -> None:
    """Check a folder of pulls and print the damaged files."""
    from riskanalytics.dataset.storage import check_pulls

    with ProgressReport() as progress:
        found = check_pulls(archive, progress)
    for line in found.damaged:
        typer.echo(line)
    if found.damaged:
        raise PullError(
            f"{len(found.damaged):,} of {found.files:,} files in {archive} are damaged or missing: mend them as the lines above say"
        )
    typer.echo(f"{plural(found.pulls, 'pull')}, {plural(found.files, 'file')}: all files match their manifests")


@cli.app.command()
def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A day (YYYY-MM-DD), or the folder of a pull.")],
    after: Annotated[str, typer.Argument(metavar="[AFTER]", help="A day or pull, too. Default: the newest day.")] = "",
    portfolio: cli.Portfolio = "",
    record: cli.Json = None,
    tables: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="Also write three CSV files to this folder.")
    ] = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """List ratings, stances and findings that differ between two days or pulls of one source, with the reasons.

    Exit 3 if platforms could not be compared.
    """
    settings = cli.chosen_source(base_url, database)
    if tables is not None and tables.exists() and not tables.is_dir():
        raise ParameterError(f"--csv writes three files into a folder, but {tables} is a file")
    from riskanalytics.dataset.difference import diff as compare
    from riskanalytics.reporting.saving import save

    with cli.opened(settings) as client:
        parts = compare(before, after, client)
        parts = parts.of(cli.load_ours(client, portfolio).slugs) if portfolio else parts
    if tables is not None:
        tables.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            save(getattr(parts, name), tables / f"{name}.csv")
    rows = {name: json.loads(getattr(parts, name).to_json(orient="records")) for name in _TABLES if record}
    days = {"before": str(parts.before), "after": str(parts.after), "notes": list(parts.notes)}
    cli.write_record(record, {**days, "platforms": parts.platforms, "not_compared": list(parts.not_compared), **rows})
    compared = f"{parts.platforms - len(parts.not_compared):,} of {parts.platforms:,} platforms compared"
    cli.show(f"{parts.before} to {parts.after}: {compared}", *_lines(parts))
    if parts.not_compared:
        advice = "to compare the others, give days that were pulled, or use the source itself"
        raise IncompleteReportError(f"{compared}: {advice}")


def _lines(parts: Difference) -> Iterator[str]:
    """Yield the differences as lines; each list stops after 20 lines and counts the rest."""
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.shape import word_of

    def sides(row: Any, name: str, unknown: str) -> str:
        return " to ".join(word_of(row[f"{name}_{side}"]) or unknown for side in ("before", "after"))

    def rating(row: Any) -> str:
        return f"{row['name']}: {sides(row, 'rating', 'not listed')} ({row['direction']}): {row['reason']}"

    def stance(row: Any) -> str:
        return f"{row['name']}: {sides(row, 'stance', 'unknown')}: {row['reason']}"

    def finding(row: Any) -> str:
        quote = cli.first_words(word_of(row["quote_after"]) or word_of(row["quote_before"]), _WORDS)
        return f"{row['move']}: {row['name']}, {row['document']}, {row['surface']}, {row['level']}: {quote}"

    def listed(frame: pd.DataFrame, line: Callable[[Any], str]) -> Iterator[str]:
        yield from (f"  {line(row)}" for row in rows_of(frame)[:_MOST])
        if (more := len(frame) - _MOST) > 0:
            yield f"  and {more:,} more: use --json or --csv for the full list"

    yield from (f"note: {note}" for note in parts.notes)
    yield f"ratings that differ: {len(parts.ratings):,}"
    yield from listed(parts.ratings, rating)
    yield f"stances on training use that differ: {len(parts.stances):,}"
    yield from listed(parts.stances, stance)
    yield f"findings that differ: {len(parts.findings):,}"
    for row in rows_of(parts.findings.groupby(["move", "reason"], as_index=False).size()):
        yield f"  {row['size']:,} {row['move']} ({_REASONS[row['reason']]})"
    yield from listed(parts.findings.query("reason == 'text' and move != 'moved'"), finding)


_Decisions = Annotated[Path | None, typer.Option(metavar="FILE", help="Decisions: accepted clauses are exceptions.")]


@cli.app.command()
def check(  # noqa: PLR0913, PLR0917 (the options of a check)
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="TOML file with the rules of your organisation.")],
    portfolio: cli.Portfolio = "",
    as_of: Annotated[str, typer.Option(metavar="DAY", help="Check the data of a past day.")] = "",
    record: cli.Json = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML.")] = None,
    sarif: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write SARIF 2.1.0, with the deciding quotes.")
    ] = None,
    decisions: _Decisions = None,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Check platforms against the rules of your organisation.

    Exit 1 if a rule is broken without an exception, 3 if a result is undetermined, a rule applies to no row of the portfolio, or a
    row matched no platform.
    """
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.appetite import check as judged
    from riskanalytics.evidence import decisions as states_of
    from riskanalytics.files import write_file
    from riskanalytics.frames import rows_of
    from riskanalytics.topics.appetite import unused_rules
    from riskanalytics.topics.appetite.formats import as_junit, as_sarif
    from riskanalytics.topics.appetite.rules import read_appetite

    appetite = read_appetite(rules)
    with cli.opened(settings) as client:
        data = cli.load_ours(client, portfolio, as_of)
        results = judged(appetite, data, decisions=states_of(decisions, data) if decisions else None)
        findings = data.findings if sarif else None
    cli.write_record(record, json.loads(results.to_json(orient="records", force_ascii=False, date_format="iso")))
    if junit:
        write_file(junit, as_junit(results))
    if sarif and findings is not None:
        write_file(sarif, as_sarif(results, findings, appetite))
    for row in rows_of(results[results["result"] != "pass"]):
        word = "excepted" if row["excepted"] else row["result"]
        why = f" ({row['exception']})" if isinstance(row["exception"], str) else ""
        cli.show(f"{word:12}  {row['rule']}  {row['name']}: {row['observed']}; allowed: {row['allowed']}{why}")
    unused = unused_rules(appetite, data.scope and data.scope.uses)
    cli.say(*unused)
    counts = results.loc[~results["excepted"], "result"].value_counts()
    parts = [f"{counts.get(name, 0):,} {name}" for name in ("fail", "undetermined", "pass")]
    typer.echo(
        f"{plural(len(appetite.rule), 'rule')}, {plural(results['slug'].nunique(), 'platform')}: "
        f"{', '.join(parts)}, {int(results['excepted'].sum()):,} excepted"
    )
    if counts.get("fail"):
        raise typer.Exit(1)
    if counts.get("undetermined") or unused or (data.scope and len(data.scope.open)):
        raise typer.Exit(3)


@cli.app.command()
def posture(
    platform: Annotated[list[str] | None, typer.Option(metavar="SLUG", help="Only this one; may be repeated.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a row for each fact, instead of JSON.")] = False,
    base_url: cli.BaseUrl = None,
    database: cli.Source = None,
) -> None:
    """Print six facts on what platforms do with users' content, each with its clause: for consumers, business users and the API."""
    settings = cli.chosen_source(base_url, database)
    from riskanalytics.dataset.tools import posture_feed
    from riskanalytics.service.posture import csv_of

    with cli.opened(settings) as client:
        feed = posture_feed(client, platform or ())
    typer.echo(csv_of(feed["data"]) if as_csv else json.dumps(feed, indent=1, ensure_ascii=False), nl=not as_csv)
