"""Evidence packs read, and the signatures and time stamps of packs (Ed25519, RFC 8032; RFC 3161)."""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import platformdirs
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from rfc3161_client import HashAlgorithm, PKIStatus, TimestampRequestBuilder, decode_timestamp_response

from riskanalytics.client.exchange import fetch
from riskanalytics.errors import EvidenceError, ServiceError, SettingsError
from riskanalytics.files import write_file
from riskanalytics.text.untrusted import is_public

from . import check

_PUBLIC: Final = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def own_key_file() -> Path:
    """Return the file of the user's own key, in the user's configuration folder."""
    return Path(platformdirs.user_config_dir("riskanalytics")) / "evidence_key.pem"


def signing_key(file: Path | None = None) -> Ed25519PrivateKey:
    """Return the key of a file; the user's own, made on first use, where no file is given.

    Parameters
    ----------
    file : Path, optional
        An Ed25519 private key, PEM (PKCS #8), not encrypted.

    Raises
    ------
    SettingsError
        If it is not there, no such key, or readable by others: the message says what to do, and nothing of the file.
    """
    place = file or own_key_file()
    if file is None and not place.exists():
        _make(place)
    try:
        if os.name == "posix" and place.stat().st_mode & 0o077:
            raise SettingsError(f"the key {place} can be read by others: chmod 600 {place}")
        key = serialization.load_pem_private_key(place.read_bytes(), password=None)
    except OSError as error:
        how = f"make one with 'openssl genpkey -algorithm ed25519 -out {place}'"
        raise SettingsError(f"the key {place} cannot be read ({error.strerror}): {how}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SettingsError(f"{place} is no unencrypted private key in PEM") from None  # the cause may show the key
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(f"{place} is no Ed25519 key")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a key as PEM (SubjectPublicKeyInfo)."""
    return key.public_key().public_bytes(*_PUBLIC)


def key_line(pem: bytes) -> str:
    """Return an Ed25519 public key as one line: the content of its PEM, without what may be around it.

    Parameters
    ----------
    pem : bytes
        As PEM, or such a line.

    Raises
    ------
    EvidenceError
        If it is no such key.
    """
    if b"-----" not in pem:
        pem = b"-----BEGIN PUBLIC KEY-----\n" + pem.strip() + b"\n-----END PUBLIC KEY-----\n"
    return _public(pem).public_bytes(*_PUBLIC).decode().splitlines()[1]


def key_of(file: str | os.PathLike[str]) -> str:
    """Return the public key of a file as one line.

    Parameters
    ----------
    file : str or path
        As PEM, or such a line.

    Raises
    ------
    SettingsError
        If it cannot be read, or is no such key.
    """
    try:
        return key_line(Path(file).expanduser().read_bytes())
    except (OSError, EvidenceError) as error:
        raise SettingsError(f"the key {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _public(pem: bytes) -> Ed25519PublicKey:
    """Read a public key; refuse one of another kind."""
    try:
        key = serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise EvidenceError("no public key, in PEM or as its line") from error
    if not isinstance(key, Ed25519PublicKey):
        raise EvidenceError("no Ed25519 key")
    return key


def _make(place: Path) -> None:
    """Make a key and put it in its place, whole; where another process was first, its key stays."""
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = Ed25519PrivateKey.generate().private_bytes(*form)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(prefix=".", dir=place.parent) as folder, suppress(FileExistsError):
            write_file(Path(folder) / "key.pem", pem, mode=0o600)
            os.link(Path(folder) / "key.pem", place)
    except OSError as error:
        raise SettingsError(f"no key can be made in {place.parent} ({error.strerror}): name one with --key") from error


def stamped(body: bytes, url: str) -> bytes:
    """Have a time stamp authority stamp some bytes (RFC 3161).

    Parameters
    ----------
    body : bytes
        Only their SHA-256 is sent.
    url : str
        Address of the authority; may be in a private network.

    Returns
    -------
    bytes
        TimeStampResp, DER: `openssl ts -verify -in` reads it.

    Raises
    ------
    EvidenceError
        If the authority does not stamp these bytes.
    """
    request = TimestampRequestBuilder(body, HashAlgorithm.SHA256).build()
    query = (request.as_bytes(), "application/timestamp-query")
    try:
        answer = fetch(url, private=True, body=query, most_bytes=1 << 16).body
    except ServiceError as error:
        raise EvidenceError(f"no time stamp: {error}") from error
    if not is_stamp_of(answer, body, request.nonce):
        raise EvidenceError("no time stamp: the authority refused, or stamped something else")
    return answer


def is_stamp_of(answer: bytes, body: bytes, nonce: int | None = None) -> bool:
    """Say whether a response grants a stamp over some bytes; its signature is not checked here.

    Parameters
    ----------
    answer : bytes
        TimeStampResp, DER (RFC 3161, section 2.4.2).
    body : bytes
    nonce : int, optional
        Of the request.
    """
    try:
        response = decode_timestamp_response(answer)
        info = response.tst_info
    except ValueError:
        return False
    granted = PKIStatus(response.status) in (PKIStatus.GRANTED, PKIStatus.GRANTED_WITH_MODS)
    return granted and info.message_imprint.message == hashlib.sha256(body).digest() and nonce in (None, info.nonce)


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
        The public key that must have signed it, as one line; any where None, as anybody can sign a pack anew.

    Raises
    ------
    EvidenceError
        If it is no pack, is not whole, holds what a pack may not hold, its signature does not fit, or another key made it.
    """
    try:
        pack = Pack(members := check.read(file))
        check.check(members)
        _public(members["public_key.pem"]).verify(members["signature.bin"], root := members["root.txt"])
        stamp = members.get("timestamp.tsr")
        check.require(stamp is None or is_stamp_of(stamp, root), "its time stamp is not over its root")
        pack.findings()
        check.require(key in (None, pack.key), f"it is signed by another key than that one: {pack.key}")
    except InvalidSignature as error:
        raise EvidenceError(f"{file} is not to be relied on: its signature is not over its root") from error
    except (check.PackError, EvidenceError, *check.WRONG) as error:
        raise EvidenceError(f"{file} is not to be relied on: {error or type(error).__name__}") from error
    return pack


def _row(name: str, body: bytes) -> dict[str, object]:
    """Return a Web Annotation as a row."""
    record = json.loads(body)
    target, finding = record["target"], record["finding"]
    words, place = target["selector"]
    source, captured = target["source"], target["state"].get("sourceDate")
    texts = (*map(finding.get, ("slug", "name", "document", "surface")), captured)
    check.require(all(isinstance(text, str | None) for text in texts), f"{name}: one of its texts has another type")
    check.require(source.startswith("../snapshots/") or is_public(source), f"{name}: its source is no public address")
    return {
        **finding,
        "finding_id": name[9:-5],
        "quote": words["exact"],
        "start": place["start"],
        "end": place["end"],
        "snapshot_sha256": target["state"]["cached"].removeprefix("../snapshots/").removesuffix(".txt"),
        "archive_url": None if source.startswith("../") else source,
        "captured_at": captured,
    }
