"""The key that signs packs: made once, kept from others, told to nobody."""

from __future__ import annotations

import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from riskanalytics.errors import EvidenceError, SettingsError
from riskanalytics.evidence import own_key_file, public_pem, signing_key
from riskanalytics.evidence.reading import key_line


def test_a_key_is_made_on_first_use_and_is_the_users_alone(config: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = {public_pem(key) for key in pool.map(lambda _: signing_key(), range(8))}
    assert len(keys) == 1
    assert own_key_file().is_relative_to(config)
    assert stat.S_IMODE(own_key_file().stat().st_mode) == 0o600
    assert [one.name for one in own_key_file().parent.iterdir()] == [own_key_file().name]


def test_a_key_of_openssl_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    made = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(file)], check=False)
    if made.returncode:
        pytest.skip("needs openssl")
    file.chmod(0o600)
    public = subprocess.run(["openssl", "pkey", "-in", str(file), "-pubout"], capture_output=True, check=True)
    assert public_pem(signing_key(file)) == public.stdout


def test_a_file_in_place_of_the_folder_of_a_key_is_reported_in_one_line(config: Path) -> None:
    config.write_text("a file where the folder must be")
    with pytest.raises(SettingsError, match="cannot make a key"):
        signing_key()


def test_a_public_key_is_shown_as_one_line_from_any_input_format(config: Path) -> None:
    pem = public_pem(signing_key())
    line = key_line(b"another line\n" + pem)
    assert line.encode() in pem
    assert key_line(line.encode() + b"\n") == line
    for wrong in (b"", b"x", b"-----BEGIN PUBLIC KEY-----", own_key_file().read_bytes()):
        with pytest.raises(EvidenceError, match="not a public key"):
            key_line(wrong)


def test_a_key_that_others_can_read_is_refused(config: Path) -> None:
    signing_key()
    for mode in (0o640, 0o604, 0o620):
        own_key_file().chmod(mode)
        with pytest.raises(SettingsError, match="chmod 600"):
            signing_key()


ENCRYPTED = Ed25519PrivateKey.from_private_bytes(b"\7" * 32).private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"a password")
)


@pytest.mark.parametrize(
    "body",
    [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0LW1hcmtlcg==\n-----END PRIVATE KEY-----\n", ENCRYPTED],
)
def test_an_invalid_key_is_refused_without_repeating_it(body: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(body)
    file.chmod(0o600)
    with pytest.raises(SettingsError, match="not an unencrypted private key") as result:
        signing_key(file)
    assert result.value.__cause__ is None
    assert "c2Vj" not in str(result.value)


def test_a_key_of_another_kind_or_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    with pytest.raises(SettingsError, match="openssl genpkey"):
        signing_key(file)
    key = ec.generate_private_key(ec.SECP256R1())
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    file.chmod(0o600)
    with pytest.raises(SettingsError, match="not an Ed25519 key"):
        signing_key(file)
