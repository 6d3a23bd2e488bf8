"""Reading an evidence pack: whole, signed by the key that it holds, and nothing but what a pack may hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from riskanalytics.errors import EvidenceError
from riskanalytics.evidence import check
from riskanalytics.evidence.signing import check_signature, is_stamp_of, key_line
from riskanalytics.text.untrusted import is_public


@dataclass(frozen=True)
class Pack:
    """An evidence pack that was checked.

    Parameters
    ----------
    members : dict
        Name -> bytes.
    """

    members: dict[str, bytes]

    @property
    def key(self) -> str:
        """The public key that signed it, as one line."""
        return key_line(self.members["public_key.pem"])

    @property
    def counts(self) -> tuple[int, int]:
        """How many members of the tree are at hand, and how many it has: fewer in a part that was disclosed."""
        tree = json.loads(self.members["tree.json"])
        return len(tree["members"]), int(tree["size"])

    @property
    def is_stamped(self) -> bool:
        """Whether it has a time stamp; its authority's signature is not checked."""
        return "timestamp.tsr" in self.members

    def findings(self) -> list[dict[str, object]]:
        """Return its findings as rows of `frames.FINDINGS_COLUMNS`, by id."""
        return [_row(name, body) for name, body in sorted(self.members.items()) if name.startswith("findings/")]

    def snapshot(self, sha256: object) -> bytes | None:
        """Return a snapshot; None where the pack does not hold it."""
        return self.members.get(f"snapshots/{sha256}.txt")


def opened(file: Path, key: str | None = None) -> Pack:
    """Open an evidence pack, and check all of it but the authority's signature of a time stamp.

    Parameters
    ----------
    file : Path
    key : str, optional
        The public key that must have signed it (`signing.key_line`); any where None, as anybody can sign a pack anew.

    Raises
    ------
    EvidenceError
        If it is no pack, is not whole, holds what a pack may not hold, its signature does not fit, or another key made it.
    """
    try:
        pack = Pack(check.read(file))
        check_pack(pack)
        check.require(key in (None, pack.key), f"it is signed by another key than that one: {pack.key}")
    except (check.PackError, EvidenceError, *check.WRONG) as error:
        raise EvidenceError(f"{file} is not to be relied on: {error or type(error).__name__}") from error
    return pack


def check_pack(pack: Pack) -> None:
    """Refuse members that are no whole and signed pack.

    Parameters
    ----------
    pack : Pack

    Raises
    ------
    PackError, EvidenceError, or another of `check.WRONG`
        If a member is missing, changed or of another form, or the signature does not fit.
    """
    members = pack.members
    check.check(members)
    check_signature(members["public_key.pem"], members["signature.bin"], members["root.txt"])
    stamp = members.get("timestamp.tsr")
    check.require(stamp is None or is_stamp_of(stamp, members["root.txt"]), "its time stamp is not over its root")
    pack.findings()


def _row(name: str, body: bytes) -> dict[str, object]:
    """Return a Web Annotation as a row."""
    told = json.loads(body)
    words, place = told["target"]["selector"]
    source, captured = told["target"]["source"], told["target"]["state"].get("sourceDate")
    texts = [told["finding"].get(name) for name in ("slug", "name", "document", "surface")]
    check.require(all(isinstance(text, str | None) for text in (*texts, captured)), f"{name}: a text of it is none")
    check.require(source.startswith("../snapshots/") or is_public(source), f"{name}: its source is no public address")
    return {
        **told["finding"],
        "finding_id": name.removeprefix("findings/").removesuffix(".json"),
        "quote": words["exact"],
        "start": place["start"],
        "end": place["end"],
        "snapshot_sha256": told["target"]["state"]["cached"].removeprefix("../snapshots/").removesuffix(".txt"),
        "archive_url": None if source.startswith("../") else source,
        "captured_at": captured,
    }
