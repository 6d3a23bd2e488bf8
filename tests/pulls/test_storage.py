"""A folder of pulls is one of this machine, or one that fsspec reaches."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

import riskanalytics as ra
from riskanalytics.dataset.checks import verify_findings
from riskanalytics.dataset.connecting import origin_of
from riskanalytics.dataset.loading import load_platforms
from riskanalytics.dataset.storage import Storage, check_pulls
from riskanalytics.errors import MissingExtraError, PullError, SettingsError
from tests.pulls.given import later_database, pulled

pytestmark = pytest.mark.usefixtures("parquet")


class Memory:
    """Stands in for the store in memory of fsspec."""

    files: ClassVar[dict[str, bytes]] = {}

    def makedirs(self, place: str, *, exist_ok: bool) -> None: ...

    def invalidate_cache(self) -> None: ...

    def pipe_file(self, place: str, content: bytes) -> None:
        self.files[place] = content

    def cat_file(self, place: str) -> bytes:
        if place not in self.files:
            raise FileNotFoundError(place)
        return self.files[place]

    def glob(self, pattern: str) -> list[str]:
        parts = pattern.split("/")
        found = [path for path in self.files if path.count("/") == len(parts) - 1]
        return [path for path in found if all(map(fnmatchcase, path.split("/"), parts))]

    def rm(self, folder: str, *, recursive: bool) -> None:
        for place in [place for place in self.files if place.startswith(f"{folder}/")]:
            del self.files[place]


def url_to_fs(address: str) -> tuple[Memory, str]:
    """Stand in for `fsspec.core.url_to_fs`."""
    kind, _, path = address.partition("://")
    if kind == "abfs":
        raise ImportError("Install adlfs to access Azure Datalake Gen2 and Azure Blob Storage")
    if kind != "memory":
        raise ValueError(f"Protocol not known: {kind}")
    return Memory(), f"/{path}"


@pytest.fixture
def fsspec(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give fsspec; where it is not installed, a stand-in."""
    if find_spec("fsspec") is None:
        package, core = ModuleType("fsspec"), ModuleType("fsspec.core")
        vars(package)["filesystem"], vars(core)["url_to_fs"] = (lambda _: Memory()), url_to_fs
        monkeypatch.setitem(sys.modules, "fsspec", package)
        monkeypatch.setitem(sys.modules, "fsspec.core", core)
    return import_module("fsspec")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return later_database(tmp_path_factory.mktemp("service"))


def test_pulls_in_an_object_store_are_read_and_checked_as_those_in_a_folder(database: Path, fsspec: Any) -> None:
    address = "memory://kept/pulls"
    first = pulled(address, database, snapshots=True)
    second = pulled(address, database, snapshots=True)
    assert second.tables == first.tables
    assert check_pulls(address) == (2, len(first.files) + 2, ())  # and two manifests
    with ra.connect(address) as client, ra.connect(database) as service:
        assert ra.load(client).findings.equals(ra.load(service).findings)
        assert (origin_of(client).place, origin_of(client).option) == ("", f"--database {address}")
        assert set(verify_findings(client, ra.load(client).findings)["verification_status"]) == {"verified"}
    with ra.connect(f"{address}/{first.name}") as client:
        assert len(load_platforms(client)) == first.tables["platforms"].rows
    store = fsspec.filesystem("memory")
    store.pipe_file("/kept/pulls/" + first.tables["answers"].file, b"cut")
    with (
        ra.connect(address) as client,
        pytest.raises(PullError, match=r"memory://kept/pulls/.*answers\.parquet is damaged"),
    ):
        load_platforms(client)
    store.rm("/kept", recursive=True)


def test_an_upload_without_a_manifest_is_not_a_pull(database: Path, fsspec: Any) -> None:
    fsspec.filesystem("memory").pipe_file("/half/20260101T000000Z-0000/findings.parquet", b"half")
    with pytest.raises(PullError, match="there is no pull in memory://half"):
        ra.connect("memory://half")
    pulled("memory://half", database)
    with ra.connect("memory://half") as client:
        assert len(load_platforms(client))
    fsspec.filesystem("memory").rm("/half", recursive=True)


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    for address in ("s3://AKIA:SECRET@bucket/pulls", "memory://x/y?token=SECRET"):
        with pytest.raises(SettingsError, match="keep credentials in the environment") as caught:
            Storage(address)
        assert "SECRET" not in str(caught.value)


@pytest.mark.usefixtures("fsspec")
def test_an_address_of_no_known_kind_or_without_its_library_is_refused_in_one_line() -> None:
    with pytest.raises(SettingsError, match="is not a folder that fsspec can open"):
        Storage("nonesuch://bucket/pulls")
    with pytest.raises(MissingExtraError, match="install the package it needs"):
        Storage("abfs://bucket/pulls")


@pytest.mark.skipif(find_spec("fsspec") is not None, reason="fsspec is installed")
def test_without_fsspec_one_line_says_what_to_install() -> None:
    with pytest.raises(
        MissingExtraError, match=r"s3://bucket/p cannot be reached: install the package it needs \(fsspec\)$"
    ):
        Storage("s3://bucket/p")


@pytest.mark.parametrize("address", ["", " ", "simplecache::s3://KEY:SECRET@bucket/pulls"])
def test_an_invalid_folder_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(
        SettingsError,
        match=r"must not be empty or contain '::': give one path, or one address such as s3://bucket/pulls$",
    ):
        Storage(address)
