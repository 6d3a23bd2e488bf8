"""Check an evidence pack with Python alone: python3 -I verify.py [PACK.zip or FOLDER]. Default: the script's folder.

It checks that no member is missing, added or changed (SHA256SUMS), that all are in the Merkle tree (RFC 6962) with the root
in root.txt, and that each quote is in its snapshot, character for character. It skips the signature and the time stamp.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

OUTSIDE = {"SHA256SUMS", "root.txt", "signature.bin", "timestamp.tsr", "tree.json"}  # members outside the tree
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,150}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,150}){0,2}")
MOST_BYTES, MOST_MEMBERS, CONTEXT, SIDES = 1 << 30, 100_000, 32, ("prefix", "exact", "suffix")
WRONG = (AttributeError, IndexError, KeyError, OSError, RuntimeError, TypeError, ValueError, zipfile.BadZipFile)
ROOT = b"riskanalytics evidence pack 1\nmembers %d\nroot %b\n"

SAID = """verified: {members} of {of} members are in the tree, and the quotes of {findings} findings are in their snapshots
root: {root}
Not checked: the signer and the time stamp (see README.txt). To check the signature, run in the unpacked folder:
  openssl pkeyutl -verify -pubin -inkey public_key.pem -rawin -in root.txt -sigfile signature.bin
"""


class PackError(Exception):
    """The evidence pack is damaged or changed."""


def require(true: object, text: str) -> None:
    """Raise `PackError` with the message `text` if `true`, the condition to check, is false."""
    if not true:
        raise PackError(text)


def checked(name: str) -> str:
    """Return a pack member's name unchanged; raise `PackError` if a file with that name could lie outside the pack's folder."""
    require(NAME.fullmatch(name), f"{ascii(name)[:100]} is not a valid member name")
    return name


def read(path: Path) -> dict[str, bytes]:
    """Return the members (name -> bytes) of a pack (zip file or folder); raise `PackError` for unsafe names, links or sizes."""
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.is_symlink() or not file.is_dir()]
        large = len(files) > MOST_MEMBERS or sum(file.lstat().st_size for file in files) > MOST_BYTES
        require(not large and not any(file.is_symlink() for file in files), "the folder is too large, or has a link")
        return {checked(file.relative_to(path).as_posix()): file.read_bytes() for file in files}
    members, at, left = {}, 0, path.stat().st_size - 22  # the zip directory ends with 22 bytes and has no comment
    with zipfile.ZipFile(path) as pack:
        entries, size = pack.infolist(), sum(one.file_size for one in pack.infolist())
        require(len(entries) <= MOST_MEMBERS and size <= min(MOST_BYTES, left), "the pack is compressed, or too large")
        for entry in entries:
            require(entry.header_offset == at, "the pack has bytes outside its members")
            at, left = at + 30 + len(entry.filename) + entry.file_size, left - 46 - len(entry.filename)
            plain = entry.compress_type == entry.flag_bits & 1 == 0 and entry.external_attr >> 28 in (0, 8)
            require(plain and checked(entry.filename) not in members, "a member is compressed, a link or a duplicate")
            members[entry.filename] = pack.read(entry)
        require(pack.start_dir == at == left, "the pack has bytes outside its directory")
    return members


def sums_of(members: dict[str, bytes]) -> bytes:
    """Return the content of a pack's file SHA256SUMS: SHA-256 and name of each other member (`members`: name -> bytes)."""
    names = sorted(name for name in members if name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in names).encode()


def leaf(name: str, body: bytes) -> bytes:
    """Return a pack member's leaf hash in the Merkle tree (RFC 6962): the SHA-256 of 0x00, then its name, 0x00 and its bytes."""
    return hashlib.sha256(b"\0" + name.encode() + b"\0" + body).digest()


def root_by(digest: bytes, index: int, size: int, proof: list[str]) -> bytes:
    """Return the root of a Merkle tree of `size` leaves, from a leaf's hash, index and proof (RFC 9162, section 2.1.3.2)."""
    last = size - 1
    require(0 <= index <= last, "a member is outside the tree")
    for other in map(bytes.fromhex, proof):
        require(last > 0 and len(other) == 32, "an inclusion proof is too long")
        if index & 1 or index == last:
            digest = hashlib.sha256(b"\1" + other + digest).digest()
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            digest = hashlib.sha256(b"\1" + digest + other).digest()
        index, last = index >> 1, last >> 1
    require(last == 0, "an inclusion proof is too short")
    return digest


def check_finding(members: dict[str, bytes], name: str) -> None:
    """Raise `PackError` unless the quote in member `name` is in its snapshot, at its offsets, between its prefix and suffix."""
    target = json.loads(members[name])["target"]
    snapshot = "snapshots/" + target["state"]["cached"].removeprefix("../snapshots/")
    require(snapshot in members, f"{name}: its snapshot is not in the pack")
    text = members[snapshot].decode(errors="replace")
    words, (start, end) = target["selector"][0], (target["selector"][1][side] for side in ("start", "end"))
    require(type(start) is type(end) is int and 0 <= start < end <= len(text), f"{name}: offsets outside its text")
    found = [text[max(0, start - CONTEXT) : start], text[start:end], text[end : end + CONTEXT]]
    require([words[side] for side in SIDES] == found, f"{name}: the text at its offsets differs")


def check_snapshot(members: dict[str, bytes], name: str) -> None:
    """Raise `PackError` unless the snapshot in member `name` has the SHA-256 in its name and the recorded git blob name, if any."""
    sha256, body = name[10:-4], members[name]
    require(hashlib.sha256(body).hexdigest() == sha256, f"{name}: its SHA-256 differs from its name")
    blob = json.loads(members.get(f"captures/{sha256}.json", b"{}")).get("git_blob")
    own = hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()  # how git names a blob
    require(blob in (None, own), f"{name}: its git blob name differs from the recorded one")


def check(members: dict[str, bytes]) -> dict[str, object]:
    """Check a pack; raise `PackError` if damaged; return `root` and counts: `findings`, `members`, `of` (members of its tree)."""
    require(OUTSIDE - {"timestamp.tsr"} <= set(members), "this is not an evidence pack, or members are missing")
    try:
        require(members["SHA256SUMS"] == sums_of(members), "a member is missing, added or changed (SHA256SUMS)")
        tree = json.loads(members["tree.json"])
        size, rows = tree["size"], tree["members"]
        names, places, low = [one["name"] for one in rows], {one["index"] for one in rows}, {n.lower() for n in members}
        require(names == sorted(set(members) - OUTSIDE) and len(places) == len(rows), "tree.json lists other members")
        require(len(low) == len(members), "two names differ by case only, which some file systems ignore")
        roots = {root_by(leaf(row["name"], members[row["name"]]), row["index"], size, row["proof"]) for row in rows}
        require(len(roots) == 1, "the members are not in the same tree")
        root = roots.pop()
        require(members["root.txt"] == ROOT % (size, root.hex().encode()), "root.txt has another root")
        snapshots, findings = ([name for name in members if name.startswith(f)] for f in ("snapshots/", "findings/"))
        for name in snapshots:
            check_snapshot(members, name)
        for name in findings:
            check_finding(members, name)
    except WRONG as error:
        raise PackError("tree.json, or a file in findings/ or captures/, is malformed: ask for a new pack") from error
    return {"members": len(rows), "of": size, "findings": len(findings), "root": root.hex()}


def main(words: list[str]) -> int:
    """Check the pack at the path in `words` (arguments), else the script's folder; print the result; return 0 if intact, else 1."""
    try:
        sys.stdout.write(SAID.format(**check(read(Path(words[0]) if words else Path(__file__).resolve().parent))))
    except (PackError, *WRONG) as error:
        sys.stdout.write(f"NOT VERIFIED: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
