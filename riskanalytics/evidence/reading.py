"""Reading an evidence pack: whole, signed by the key that it holds, and nothing but what a pack may hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from riskanalytics.errors import EvidenceError
from riskanalytics.evidence import check
from riskanalytics.evidence.signing import check_signature
from riskanalytics.evidence.stamp import is_stamp_of


@dataclass(frozen=True)
class Pack:
    """An evidence pack that was checked.

    Parameters
    ----------
    members : dict
        Name -> bytes.
    """

    members: dict[str, bytes]

    def findings(self) -> list[dict[str, object]]:
        """Return its findings as rows of `frames.FINDINGS_COLUMNS`, by id."""
        return [_row(name, body) for name, body in sorted(self.members.items()) if name.startswith("findings/")]

    def snapshot(self, sha256: object) -> bytes | None:
        """Return a snapshot; None where the pack does not hold it."""
        return self.members.get(f"snapshots/{sha256}.txt")


def opened(file: Path) -> Pack:
    """Open an evidence pack, and check all of it but the authority's signature of a time stamp.

    Parameters
    ----------
    file : Path

    Raises
    ------
    EvidenceError
        If it is no pack, is not whole, holds what a pack may not hold, or its signature does not fit.
    """
    try:
        members = check.read(file)
        check.check(members)
        check_signature(members["public_key.pem"], members["signature.bin"], members["root.txt"])
        stamp = members.get("timestamp.tsr")
        check.require(stamp is None or is_stamp_of(stamp, members["root.txt"]), "its time stamp is not over its root")
        pack = Pack(members)
        pack.findings()
    except (check.PackError, EvidenceError, *check.WRONG) as error:
        raise EvidenceError(f"{file} is not to be relied on: {error or type(error).__name__}") from error
    return pack


def _row(name: str, body: bytes) -> dict[str, object]:
    """Return a Web Annotation as a row."""
    told = json.loads(body)
    words, place = told["target"]["selector"]
    return {
        **told["finding"],
        "finding_id": name.removeprefix("findings/").removesuffix(".json"),
        "quote": words["exact"],
        "start": place["start"],
        "end": place["end"],
        "snapshot_sha256": told["target"]["state"]["cached"].removeprefix("../snapshots/").removesuffix(".txt"),
        "archive_url": None if told["target"]["source"].startswith("../") else told["target"]["source"],
        "captured_at": told["target"]["state"].get("sourceDate"),
    }
