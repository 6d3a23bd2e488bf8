"""The commands `verify` and `evidence`: quotes checked against their snapshots, and packs that an auditor checks alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from riskanalytics.cli.output import first_words, write_record
from riskanalytics.cli.source import BaseUrl, Source, chosen_source, database_or_demo

if TYPE_CHECKING:
    import pandas as pd

    from riskanalytics.evidence import Pack


def make_pack(
    target: Annotated[
        str,
        typer.Argument(help="A platform's slug, a page or PDF, or a pack to disclose a part of.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Zip file to write.", show_default=False)],
    finding: Annotated[str, typer.Option(metavar="ID", help="Disclose this finding alone.")] = "",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ed25519 key (PEM) that signs; one of your own without it.")
    ] = None,
    timestamp: Annotated[str, typer.Option(metavar="URL", help="RFC 3161 authority that stamps the root.")] = "",
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Pack what findings rest on into one signed file, which an auditor checks without us."""
    settings = chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.errors import ParameterError
    from riskanalytics.evidence import disclosed, opened, own_key_file, pack_of, signing_key, write_pack

    file = Path(target).expanduser()
    if file.suffix.casefold() == ".zip":
        if not finding or timestamp or key:
            raise ParameterError(
                "a pack that is made can only be disclosed in part: give --finding, no --key or --timestamp"
            )
        pack = opened(file)
    else:
        own = own_key_file()
        new = key is None and not own.exists()
        signed_by = None if key is None else signing_key(key)
        kept = database_or_demo(settings.database) if settings.base_url is None else None
        named = file if file.is_file() else target
        # a folder of pulls keeps no history of the archive
        history = None if isinstance(kept, Path) and not kept.is_file() else kept
        try:
            with connect(settings=settings) as client:
                pack = pack_of(named, client, signed_by, database=history, timestamp=timestamp or None)
        finally:
            if new and own.exists():
                said = "keep it safe, and give its public half to your readers"
                print(f"a key of your own was made: {own}; {said}", file=sys.stderr)
        print(f"public key: {pack.key}", file=sys.stderr)
    print(write_pack(disclosed(pack, finding) if finding else pack, out))


_FIRST: Final = 70
"""Characters of a quote that a line shows."""
_OPEN: Final = "whose text this is: not confirmed"
_SHOWN: Final = {"differs": "the page shows other words", "not shown": "the page does not show it"}
_FAILED: Final = frozenset({"moved", "altered", "missing", "hash_mismatch"})


def verify_quotes(
    target: Annotated[
        str,
        typer.Argument(
            help="A platform's slug, a finding's id, a page, PDF or evidence pack, or a folder of pulls.",
            show_default=False,
        ),
    ],
    record: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="File to write the same rows to, for machines.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not ask archives on the web.")] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Let an archive's address lead into a private network.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The public key (PEM) that must have signed a pack.")
    ] = None,
    base_url: BaseUrl = None,
    database: Source = None,
) -> None:
    """Check quotes against their snapshots; exit 1 where one fails, 3 where one could not be checked or there is none."""
    settings = chosen_source(base_url, database)
    from riskanalytics.dataset.connecting import connect
    from riskanalytics.evidence import verify
    from riskanalytics.evidence.verifying import checked_pack, pack_named
    from riskanalytics.text.untrusted import visible_line

    file = Path(target).expanduser()
    pack = pack_named(file, key)
    if pack is not None:
        frame = checked_pack(pack)
    else:
        with connect(settings=settings) as client:
            frame = verify(target, client, offline=offline, private=private)
    if record is not None:
        write_record(record, json.loads(frame.to_json(orient="records", force_ascii=False)))
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        print(visible_line(_line(row)))
    for line in [] if pack is None else _signed(pack, named=key is not None):
        print(line)
    print(_sum(frame))
    statuses = set(frame["verification_status"])
    if statuses != {"verified"} or _unsaid(frame):
        raise typer.Exit(1 if statuses & _FAILED else 3)


def _signed(pack: Pack, *, named: bool) -> list[str]:
    """Return what a reader of a pack has to compare or check himself."""
    here, whole = pack.counts
    compare = (
        "the one asked for" if named else "compare it with the one that its owner gave you: anybody can sign a pack"
    )
    said = [f"public key: {pack.key} ({compare})"]
    if here < whole:
        said.append(f"a part of a pack: {here:,} of {whole:,} members")
    if pack.is_stamped:
        check = "openssl ts -verify -data root.txt -in timestamp.tsr -CAfile AUTHORITY.pem"
        said.append(f"time stamp present, not checked: {check}")
    return said


def _line(row: dict[Any, Any]) -> str:
    """Return one quote: what was found, where it stands, and its first words."""
    place = "" if row["start"] is None else f"{row['start']}-{row['end']}"
    told = [row["slug"], row["document"], str(row["snapshot_sha256"] or "no source")[:12], place,
            _SHOWN.get(str(row["shown"])), _OPEN if row["whose"] == "not confirmed" else None]  # fmt: skip
    where = "  ".join(str(part) for part in told if part)
    return f"{str(row['verification_status']).replace('_', ' '):13}  {where}  {first_words(row['quote'], _FIRST)}"


def _unsaid(frame: pd.DataFrame) -> int:
    """Return of how many quotes that verify the source does not say whose text they are of."""
    return int(((frame["whose"] == "not confirmed") & (frame["verification_status"] == "verified")).sum())


def _sum(frame: pd.DataFrame) -> str:
    """Return how many quotes are what."""
    if frame.empty:
        return "no quotes: nothing was checked"
    counts = frame["verification_status"].value_counts()
    told = ", ".join(f"{n:,} {str(kind).replace('_', ' ')}" for kind, n in counts.items())
    words = f"{len(frame):,} quotes: {told}"
    if count := _unsaid(frame):
        words += f"; of {count:,} the source does not say that their texts are of the platforms and documents named"
    return words
