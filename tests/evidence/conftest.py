"""A pack of the demo, and the key that signs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.evidence import Pack, pack_of, write_pack

SLUG = "orvewick-voice"


@pytest.fixture(scope="module")
def client(embedded_demo: Path) -> Iterator[Client]:
    """The embedded demo."""
    with ra.connect() as opened:
        yield opened


@pytest.fixture(scope="module")
def key() -> Ed25519PrivateKey:
    """A key that is the same in every run."""
    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@pytest.fixture(scope="module")
def pack(client: Client, key: Ed25519PrivateKey, embedded_demo: Path) -> Pack:
    """Of one platform, with the history of its documents."""
    return pack_of(SLUG, client, key, database=embedded_demo)


@pytest.fixture(scope="module")
def packed(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a file."""
    return write_pack(pack, tmp_path_factory.mktemp("pack") / "pack.zip")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder of its own, in which a key may be made."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"
