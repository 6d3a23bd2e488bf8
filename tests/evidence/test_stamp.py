"""Time stamps of a local authority: openssl's, asked over HTTP on loopback."""

from __future__ import annotations

import http.server
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from riskanalytics.client import Client
from riskanalytics.errors import EvidenceError
from riskanalytics.evidence import Pack, opened, pack_of, write_pack
from riskanalytics.evidence.check import sums_of
from riskanalytics.evidence.reading import is_stamp_of, stamped
from tests.evidence.conftest import SLUG
from tests.http_server import Server, reply

CONFIGURATION = """
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:true
[stamps]
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = local
[local]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_alg = sha256
"""


def openssl(folder: Path, *words: str) -> None:
    """Run openssl, which must do what it is told."""
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of an RFC 3161 authority, and the folder with its certificates."""
    folder = tmp_path_factory.mktemp("authority")
    (folder / "openssl.cnf").write_text(CONFIGURATION, encoding="utf-8")
    (folder / "serial").write_text("01\n", encoding="utf-8")
    try:
        subprocess.run(["openssl", "version"], check=True, capture_output=True)
    except OSError:
        pytest.skip("needs openssl")
    request = ("req", "-config", "openssl.cnf", "-newkey", "rsa:2048", "-nodes")
    openssl(
        folder,
        *request,
        "-x509",
        "-extensions",
        "authority",
        "-subj",
        "/CN=Authority",
        "-days",
        "30",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
    )
    openssl(folder, *request, "-subj", "/CN=Stamps", "-keyout", "tsa.key", "-out", "tsa.csr")
    openssl(
        folder,
        "x509",
        "-req",
        "-in",
        "tsa.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "30",
        "-extfile",
        "openssl.cnf",
        "-extensions",
        "stamps",
        "-out",
        "tsa.pem",
    )

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            (folder / "asked.tsq").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            openssl(folder, "ts", "-reply", "-config", "openssl.cnf", "-queryfile", "asked.tsq", "-out", "given.tsr")
            body = (folder / "given.tsr").read_bytes()
            self.send_response(200 if self.headers["Content-Type"] == "application/timestamp-query" else 415)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Stay silent."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/stamp", folder
    server.shutdown()
    server.server_close()


def test_a_stamp_in_a_pack_verifies_with_openssl(
    authority: tuple[str, Path], client: Client, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    url, folder = authority
    file = write_pack(pack_of(SLUG, client, key, timestamp=url), tmp_path / "pack.zip")
    with zipfile.ZipFile(file) as pack:
        pack.extractall(tmp_path)
    openssl(tmp_path, "ts", "-verify", "-data", "root.txt", "-in", "timestamp.tsr", "-CAfile", str(folder / "ca.pem"))
    done = subprocess.run(
        ["openssl", "ts", "-verify", "-data", "README.txt", "-in", "timestamp.tsr", "-CAfile", str(folder / "ca.pem")],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0


def test_a_stamp_over_something_else_is_refused(
    authority: tuple[str, Path], client: Client, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    url, _ = authority
    members = {**pack_of(SLUG, client, key).members, "timestamp.tsr": stamped(b"another root", url)}
    file = tmp_path / "pack.zip"
    with zipfile.ZipFile(file, "w") as pack:
        for name, body in {**members, "SHA256SUMS": sums_of(members)}.items():
            pack.writestr(name, body)
    with pytest.raises(EvidenceError, match="time stamp"):
        opened(file)


def test_a_stamp_of_an_earlier_request_is_refused(authority: tuple[str, Path]) -> None:
    url, _ = authority
    old = stamped(b"root", url)
    assert is_stamp_of(old, b"root")
    assert not is_stamp_of(old, b"another root")
    granted = b"\x30\x03\x02\x01"  # PKIStatusInfo without a text: 0 granted, 1 granted with changes, 2 rejected
    assert old.count(granted + b"\0") == 1
    statuses = (old.replace(granted + b"\0", granted + bytes([status])) for status in (0, 1, 2))
    assert [is_stamp_of(one, b"root") for one in statuses] == [True, True, False]
    again = Server([reply("200 OK", old, "Content-Type: application/timestamp-reply")])
    with pytest.raises(EvidenceError, match="stamped other bytes"):
        stamped(b"root", again.url)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"0",
        b"0\x03\x02\x01\x02",
        b"0\x05\x30\x03\x02\x01\x02",
        b"\x30\x84\xff\xff\xff\xff",
        b"<html>",
        b"\0" * 5000,
    ],
)
def test_an_answer_that_is_not_a_timestamp_is_refused(body: bytes) -> None:
    server = Server([reply("200 OK", body, "Content-Type: application/timestamp-reply")])
    with pytest.raises(EvidenceError, match="time-stamping authority refused"):
        stamped(b"root", server.url)


def test_an_unreachable_authority_is_reported_and_no_pack_is_made(client: Client, key: Ed25519PrivateKey) -> None:
    with pytest.raises(EvidenceError, match="no time stamp"):
        pack_of(SLUG, client, key, timestamp="http://127.0.0.1:9/")


def test_a_time_stamp_is_reported_as_not_checked(pack: Pack) -> None:
    from riskanalytics.cli.data import signed

    assert not any("time stamp" in line for line in signed(pack, named=False))
    stamped = Pack({**pack.members, "timestamp.tsr": b"x"})
    assert "time stamp not checked; to check it: openssl ts -verify" in signed(stamped, named=False)[-1]
