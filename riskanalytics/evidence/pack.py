"""Make evidence packs: the texts behind a platform's findings or a page, in one file that an auditor can check unaided."""

import hashlib
import io
import json
import re
import zipfile
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from riskanalytics.client import Client
from riskanalytics.dataset.embedded import captures_of
from riskanalytics.errors import EvidenceError, ParameterError
from riskanalytics.files import reported_as, write_file
from riskanalytics.frames import findings_frame, is_missing, parts_of, rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.settings.databases import Place
from riskanalytics.text.untrusted import is_public

from . import check
from .reading import Pack, opened, public_pem, signing_key, stamped
from .sources import Json, Snapshots, carried_by
from .verifying import checked_carried, checked_rows, record_named, require_verified

_ALWAYS: Final = ("README.txt", "about.json", "public_key.pem", "verify.py")
"""Members that every part of a pack contains."""

_CONTEXT: Final = [
    "http://www.w3.org/ns/anno.jsonld",
    {"finding": {"@id": "urn:riskanalytics:terms:finding", "@type": "@json"}},
]
_SAID: Final = (
    "slug", "name", "document", "surface", "risk", "polarity", "confidence", "confidence_low", "confidence_high", "rule",
    "audience", "region", "product", "lead_in", "lead_in_start", "lead_in_end",
)  # fmt: skip

Members = dict[str, bytes]
_Gathered = tuple[Json, list[Json], Members, list[object]]
"""The subject of a pack, its quotes, its members so far, and hashes of more texts."""


def _json(value: object, *, sort_keys: bool = True) -> bytes:
    """Return a member of a pack as JSON."""
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=sort_keys)
    return f"{text}\n".encode(errors="replace")


def pack_of(
    target: str | Path,
    client: Client,
    key: Ed25519PrivateKey | None = None,
    *,
    database: Place | None = None,
    timestamp: str | None = None,
) -> Pack:
    """Make the evidence pack of a platform or of a file with quotes: findings or quotes, and the policy texts that contain them.

    Texts come from the client and from archives on the public web.

    Parameters
    ----------
    target : str or Path
        Slug of a platform, or file made by riskanalytics: a page, PDF or posture feed.
    client : Client
        Source of the findings and texts: a service, database or pull.
    key : Ed25519PrivateKey, optional
        Key that signs the root of the pack's Merkle tree. Default: the user's own key, made on first use.
    database : Path or Server, optional
        Database whose captures become the history of each text. Without it the pack contains no history.
    timestamp : str, optional
        Address of an RFC 3161 authority that time-stamps the root. Without it the pack has no time stamp.

    Returns
    -------
    Pack
        With the findings or quotes and their texts; for a platform, also with the texts of documents without findings. The
        same data and key give the same pack, except for the time stamp.

    Raises
    ------
    ParameterError
        If no such platform exists. The message suggests the nearest slugs.
    EvidenceError
        If a quote does not verify, or the authority gives no time stamp. No pack is made then.
    """
    texts = Snapshots(client)
    about, rows, members, hashes = (
        _of_page(target, client, texts) if isinstance(target, Path) else _of_platform(target, client, texts)
    )
    texts.ask(hashes)
    bodies: Members = {}
    for sha256 in sorted({str(name).lower() for name in (*hashes, *(row["snapshot_sha256"] for row in rows))}):
        body, _ = texts.body(sha256)
        if body is not None and hashlib.sha256(body).hexdigest() == sha256:
            bodies[sha256] = members[f"snapshots/{sha256}.txt"] = body
    for row in rows:
        sha256, archive = row["snapshot_sha256"].lower(), row["archive_url"]
        named = {**row, "archive_url": archive if is_public(str(archive)) else None, "snapshot_sha256": sha256}
        _add_finding(members, named, bodies[sha256])
    for sha256, captures in (captures_of(database, list(bodies)) if database else {}).items():
        history: Json = {"snapshot_sha256": sha256, "captures": captures}
        # all captures are git commits: add the name of the text in git
        if all(re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", str(capture["revision"])) for capture in captures):
            blob = b"blob %d\0" % len(bodies[sha256]) + bodies[sha256]
            history["git_blob"] = hashlib.sha1(blob, usedforsecurity=False).hexdigest()
        members[f"captures/{sha256}.json"] = _json(history)
    members["about.json"] = _json({**about, "made_with": f"riskanalytics {version('riskanalytics')}"})
    key = key or signing_key()  # last, so that a failed pack makes no key
    members["public_key.pem"] = public_pem(key)
    for name, file in (("README.txt", "statement.txt"), ("verify.py", "check.py")):
        members[name] = resources.files(__package__).joinpath(file).read_bytes()
    return Pack(_sealed(members, key, timestamp))


def disclosed(pack: Pack, finding: str) -> Pack:
    """Return the part of a pack for one finding: the finding, its snapshot and history, each with its inclusion proof.

    Parameters
    ----------
    pack : Pack
    finding : str
        Id of the finding.

    Raises
    ------
    ParameterError
        If the pack does not contain the finding.
    """
    hashes = {row["finding_id"]: row["snapshot_sha256"] for row in pack.findings()}
    if finding not in hashes:
        raise ParameterError(
            f"the pack has no finding {finding!r}: give the name of a file in its folder findings/, without .json"
        )
    sha256 = hashes[finding]
    wanted = {*_ALWAYS, f"findings/{finding}.json", f"snapshots/{sha256}.txt", f"captures/{sha256}.json"}
    members = {name: body for name, body in pack.members.items() if name in wanted or name in check.OUTSIDE}
    tree = json.loads(members["tree.json"])
    members["tree.json"] = _json({**tree, "members": [row for row in tree["members"] if row["name"] in wanted]})
    return Pack({**members, "SHA256SUMS": check.sums_of(members)})


def write_pack(pack: Pack, out: Path) -> Path:
    """Write a pack as a zip file, completely or not at all. The written file is checked before it replaces `out`.

    Parameters
    ----------
    pack : Pack
    out : Path
        The file to write; replaced if it exists.

    Returns
    -------
    Path
        The written file.

    Raises
    ------
    EvidenceError
        If the file cannot be written, or the pack is damaged. An existing file is kept.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as zipped:
        for name, body in sorted(pack.members.items()):
            # a fixed time, so that the same data give the same bytes
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            zipped.writestr(entry, body)
    failing = reported_as(EvidenceError, f"the pack {out} cannot be written")
    with failing, TemporaryDirectory(prefix=".", dir=out.parent) as folder:
        made = Path(folder) / "pack.zip"
        write_file(made, file.getvalue())
        opened(made)
        made.replace(out)
    return out


def _of_platform(slug: str, client: Client, texts: Snapshots) -> _Gathered:
    """Return the parts of a pack about a platform: its record and verified findings."""
    record = record_named(slug, client)
    rows = rows_of(findings_frame(parts_of([record], "findings")))
    require_verified(checked_rows(rows, texts), slug)
    about = {"kind": "platform", "name": slug} | {name: record.get(name) for name in ("rating", "last_reviewed")}
    hashes = [one.get("snapshot_sha256") for one in records_of(record.get("documents"))]
    return about, rows, {"record.json": _json(record)}, hashes


def _of_page(file: Path, client: Client, texts: Snapshots) -> _Gathered:
    """Return the parts of a pack about a page, PDF or posture feed: its verified quotes, and the file itself."""
    carried, body = carried_by(file), file.read_bytes()
    rows = [row for row in carried.quotes if row["snapshot_sha256"]]
    if not rows:
        raise EvidenceError(f"{file} has no quotes with a snapshot: there is nothing to pack")
    checked = checked_carried(carried, client, texts)
    require_verified(checked[checked["snapshot_sha256"].notna()], file.name)
    name = re.sub(r"[^A-Za-z0-9._-]", "-", file.name)[-100:].lstrip(".") or "page"
    about = {"kind": "page", "name": name, "sha256": hashlib.sha256(body).hexdigest()}
    return about, rows, {f"page/{name}": body}, []


def _add_finding(members: Members, row: Json, body: bytes) -> None:
    """Add a finding, named by its id, or by its hash if the id is missing or taken."""
    finding = annotation(row, body.decode(errors="replace"))
    name = str(row.get("finding_id") or "")
    if not re.fullmatch("[A-Za-z0-9_-]{1,100}", name) or members.get(f"findings/{name}.json", finding) != finding:
        name = hashlib.sha256(finding).hexdigest()
    members[f"findings/{name}.json"] = finding


def _sealed(members: Members, key: Ed25519PrivateKey, timestamp: str | None) -> Members:
    """Return members with their tree, its signed root, and the time stamp if requested."""
    names = sorted(members)
    root, proofs = tree_of([check.leaf(name, members[name]) for name in names])
    places = enumerate(zip(names, proofs, strict=True))
    rows = [{"name": name, "index": at, "proof": [one.hex() for one in proof]} for at, (name, proof) in places]
    sealed = {**members, "tree.json": _json({"size": len(names), "members": rows})}
    sealed["root.txt"] = check.ROOT % (len(names), root.hex().encode())
    sealed["signature.bin"] = key.sign(sealed["root.txt"])
    if timestamp is not None:
        sealed["timestamp.tsr"] = stamped(sealed["root.txt"], timestamp)
    return {**sealed, "SHA256SUMS": check.sums_of(sealed)}


def annotation(row: Json, text: str) -> bytes:
    """Return a finding as JSON-LD (Web Annotation): quote and offsets as selectors, surface and level as bodies.

    Parameters
    ----------
    row : mapping
        The finding: a row with `frames.FINDINGS_COLUMNS`, or the record of a quote in a page.
    text : str
        The snapshot that contains the quote, decoded as UTF-8.

    Returns
    -------
    bytes
        The JSON-LD, in UTF-8. `target.source` is the document's public address if known, else the snapshot in the pack.
        `target.state` names the snapshot. `TextQuoteSelector` has 32 characters on either side of the quote;
        `TextPositionSelector` counts Unicode code points. `finding` holds the other fields of the finding. The same finding
        gives the same bytes.
    """
    known = {name: value for name, value in row.items() if not is_missing(value)}
    start, end = int(known["start"]), int(known["end"])
    state = {"type": "TimeState", "cached": f"../snapshots/{known['snapshot_sha256']}.txt"}
    if captured := known.get("captured_at"):
        state["sourceDate"] = captured if isinstance(captured, str) else f"{captured:%Y-%m-%dT%H:%M:%SZ}"
    words = (text[max(0, start - check.CONTEXT) : start], text[start:end], text[end : end + check.CONTEXT])
    record = {
        "@context": _CONTEXT,
        "id": f"urn:riskanalytics:finding:{row['finding_id']}",
        "type": "Annotation",
        "motivation": "classifying",
        "body": [
            {"type": "TextualBody", "purpose": purpose, "value": known[name]}
            for name, purpose in (("surface", "tagging"), ("risk", "assessing"))
            if name in known
        ],
        "target": {
            "source": known.get("archive_url", state["cached"]),
            "state": state,
            "selector": [
                {"type": "TextQuoteSelector", **dict(zip(check.SIDES, words, strict=True))},
                {"type": "TextPositionSelector", "start": start, "end": end},
            ],
        },
        "finding": {name: known[name] for name in _SAID if name in known},
    }
    return _json(record, sort_keys=False)


def tree_of(leaves: list[bytes]) -> tuple[bytes, list[list[bytes]]]:
    """Return the root of a Merkle tree, and the inclusion proof of each member.

    Parameters
    ----------
    leaves : list of bytes
        Hashes of the members (`check.leaf`) in order; at least one.

    Returns
    -------
    tuple of bytes and list
        The Merkle tree hash (RFC 6962, section 2.1), and the audit path of each member (section 2.1.1), lowest hash first.
    """
    if len(leaves) == 1:
        return leaves[0], [[]]
    cut = 1 << (len(leaves) - 1).bit_length() - 1  # largest power of two below the number of leaves
    (left, before), (right, after) = tree_of(leaves[:cut]), tree_of(leaves[cut:])
    root = hashlib.sha256(b"\1" + left + right).digest()
    return root, [*([*path, right] for path in before), *([*path, left] for path in after)]
