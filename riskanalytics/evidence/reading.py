"""Read evidence packs; make and check their signatures (Ed25519, RFC 8032) and time stamps (RFC 3161)."""

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

_MAKE_ONE: Final = "make one with 'openssl genpkey -algorithm ed25519'"
_PUBLIC: Final = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def own_key_file() -> Path:
    """Return the path of the user's own private key, in the user's configuration folder; the file may not exist yet."""
    return Path(platformdirs.user_config_dir("riskanalytics")) / "evidence_key.pem"


def signing_key(file: Path | None = None) -> Ed25519PrivateKey:
    """Return the private key in a file. Default: the user's own key, made on first use.

    Parameters
    ----------
    file : Path, optional
        An Ed25519 private key, PEM (PKCS #8), not encrypted.

    Raises
    ------
    SettingsError
        If the file is missing, readable by other users, or not such a key. The message never contains the key.
    """
    place = file or own_key_file()
    if file is None and not place.exists():
        _make(place)
    try:
        if os.name == "posix" and place.stat().st_mode & 0o077:
            raise SettingsError(f"other users can read the key {place}: run 'chmod 600 {place}'")
        key = serialization.load_pem_private_key(place.read_bytes(), password=None)
    except OSError as error:
        how = f"make one with 'openssl genpkey -algorithm ed25519 -out {place}'"
        raise SettingsError(f"the key {place} cannot be read ({error.strerror}): {how}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # the cause may show the key
        raise SettingsError(f"{place} is not an unencrypted private key (PEM): {_MAKE_ONE}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(f"the key {place} is not an Ed25519 key: {_MAKE_ONE}")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Return the public key of a private key as PEM (SubjectPublicKeyInfo)."""
    return key.public_key().public_bytes(*_PUBLIC)


def key_line(pem: bytes) -> str:
    """Return an Ed25519 public key as one line: the content of its PEM without header, footer and other text.

    Parameters
    ----------
    pem : bytes
        The key as PEM, or already as this one line.

    Raises
    ------
    EvidenceError
        If the text is not such a key.
    """
    if b"-----" not in pem:
        pem = b"-----BEGIN PUBLIC KEY-----\n" + pem.strip() + b"\n-----END PUBLIC KEY-----\n"
    return _public(pem).public_bytes(*_PUBLIC).decode().splitlines()[1]


def key_of(file: str | os.PathLike[str]) -> str:
    """Return the public key in a file as one line.

    Parameters
    ----------
    file : str or path
        A file with an Ed25519 public key as PEM, or as the one line that `key_line` returns.

    Raises
    ------
    SettingsError
        If the file cannot be read, or does not hold such a key.
    """
    try:
        return key_line(Path(file).expanduser().read_bytes())
    except (OSError, EvidenceError) as error:
        raise SettingsError(f"the key {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _public(pem: bytes) -> Ed25519PublicKey:
    """Return an Ed25519 public key from PEM; refuse other kinds of keys."""
    try:
        key = serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise EvidenceError("the text of the key is not a public key in PEM, or the base64 line of one") from error
    if not isinstance(key, Ed25519PublicKey):
        raise EvidenceError("the public key is not an Ed25519 key")
    return key


def _make(place: Path) -> None:
    """Make a key file, completely or not at all; if another process was first, its key is kept."""
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = Ed25519PrivateKey.generate().private_bytes(*form)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(prefix=".", dir=place.parent) as folder, suppress(FileExistsError):
            write_file(Path(folder) / "key.pem", pem, mode=0o600)
            os.link(Path(folder) / "key.pem", place)
    except OSError as error:
        raise SettingsError(
            f"cannot make a key in {place.parent} ({error.strerror}): give a key file with --key"
        ) from error


def stamped(body: bytes, url: str) -> bytes:
    """Request a time stamp for some bytes from an authority (RFC 3161).

    Parameters
    ----------
    body : bytes
        Only their SHA-256 is sent.
    url : str
        Address of the authority; it may be in a private network.

    Returns
    -------
    bytes
        TimeStampResp, DER, as read by `openssl ts -verify -in`.

    Raises
    ------
    EvidenceError
        If the authority returns no time stamp for these bytes.
    """
    request = TimestampRequestBuilder(body, HashAlgorithm.SHA256).build()
    query = request.as_bytes(), {"Content-Type": "application/timestamp-query"}
    try:
        answer = fetch(url, private=True, body=query, most_bytes=1 << 16).body
    except ServiceError as error:
        raise EvidenceError(f"no time stamp: {error}") from error
    if not is_stamp_of(answer, body, request.nonce):
        raise EvidenceError(
            "the time-stamping authority refused, or stamped other bytes: try again, or use another authority"
        )
    return answer


def is_stamp_of(answer: bytes, body: bytes, nonce: int | None = None) -> bool:
    """Return whether a response grants a time stamp for some bytes; its signature is not checked.

    Parameters
    ----------
    answer : bytes
        TimeStampResp, DER (RFC 3161, section 2.4.2).
    body : bytes
        The bytes that were to be stamped.
    nonce : int, optional
        Nonce of the request; not compared if None.
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
    """A checked evidence pack.

    Parameters
    ----------
    members : dict
        Name of each member -> its bytes.
    """

    members: dict[str, bytes]

    @property
    def key(self) -> str:
        """Public key of the signer, as one line."""
        return key_line(self.members["public_key.pem"])

    @property
    def counts(self) -> tuple[int, int]:
        """Number of members in this pack, and in its whole Merkle tree; a part of a pack (see `disclosed`) lacks some members."""
        tree = json.loads(self.members["tree.json"])
        return len(tree["members"]), int(tree["size"])

    @property
    def is_stamped(self) -> bool:
        """Whether the pack has a time stamp. The authority's signature is not checked."""
        return "timestamp.tsr" in self.members

    def findings(self) -> list[dict[str, object]]:
        """Return the findings as rows of `frames.FINDINGS_COLUMNS`, ordered by id."""
        return [_row(name, body) for name, body in sorted(self.members.items()) if name.startswith("findings/")]

    def snapshot(self, sha256: object) -> bytes | None:
        """Return the bytes of the snapshot with this SHA-256, or None if the pack does not contain it."""
        return self.members.get(f"snapshots/{sha256}.txt")


def opened(file: Path, key: str | None = None) -> Pack:
    """Open an evidence pack and check all of it, except for the authority's signature of a time stamp.

    Parameters
    ----------
    file : Path
    key : str, optional
        Public key that must have signed the pack, as one line. Without it, any signer is accepted.

    Raises
    ------
    EvidenceError
        If the file is not a pack, is damaged, or has content that packs may not have (such as links or compressed members);
        if its signature is wrong; or if another key signed it.
    """
    try:
        pack = Pack(members := check.read(file))
        check.check(members)
        _public(members["public_key.pem"]).verify(members["signature.bin"], root := members["root.txt"])
        stamp = members.get("timestamp.tsr")
        check.require(stamp is None or is_stamp_of(stamp, root), "the time stamp of the pack is for another root")
        pack.findings()
        check.require(key in (None, pack.key), f"another key signed the pack: {pack.key}")
    except InvalidSignature as error:
        raise EvidenceError(f"do not rely on {file}: its signature does not match its content (root.txt)") from error
    except (check.PackError, EvidenceError, *check.WRONG) as error:
        raise EvidenceError(f"do not rely on {file}: {error or 'a file in the pack is damaged'}") from error
    return pack


def _row(name: str, body: bytes) -> dict[str, object]:
    """Return a Web Annotation as a row."""
    record = json.loads(body)
    target, finding = record["target"], record["finding"]
    words, place = target["selector"]
    source, captured = target["source"], target["state"].get("sourceDate")
    texts = (*map(finding.get, ("slug", "name", "document", "surface")), captured)
    check.require(all(isinstance(text, str | None) for text in texts), f"{name}: a text field has another type")
    check.require(source.startswith("../snapshots/") or is_public(source), f"{name}: its source is not public")
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
