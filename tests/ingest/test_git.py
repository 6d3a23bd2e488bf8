"""Git collections: histories that were written anew, odd names and times, damage."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

from riskanalytics.errors import IngestError
from riskanalytics.ingest import Capture
from riskanalytics.ingest.git import GitCollection
from tests.ingest.test_ingest import commit, ingested
from tests.service.given import PRIVACY, PRIVACY_LATER

POLICY = "Aurelia Chat/Privacy Policy.md"
BEYOND = 253_402_300_800
"""Seconds of the year 10,000."""


def history(place: Path, *texts: str) -> Path:
    """A repository with a commit for each text, a day after the last."""
    with porcelain.init(str(place)) as repo:
        for number, text in enumerate(texts):
            commit(repo, number, f"Update {number}", {POLICY: text})
    return place


def with_files(place: Path, files: list[tuple[bytes, bytes, int]], at: int = 1_767_225_600) -> Path:
    """A repository of one commit of one service's files: name, content, mode."""
    with Repo.init_bare(str(place), mkdir=True) as repo:
        service, root = Tree(), Tree()
        for name, content, mode in files:
            blob = Blob.from_string(content)
            repo.object_store.add_object(blob)
            service.add(name, mode, blob.id)
        repo.object_store.add_object(service)
        root.add(b"Aurelia Chat", 0o40000, service.id)
        repo.object_store.add_object(root)
        made = Commit()
        made.tree, made.message, made.author, made.committer = root.id, b"First", b"a <a@b>", b"a <a@b>"
        made.author_time = made.commit_time = at
        made.author_timezone = made.commit_timezone = 0
        repo.object_store.add_object(made)
        repo.refs[b"refs/heads/master"] = made.id
    return place


def test_the_newest_text_of_a_history_that_was_written_anew_is_the_document(tmp_path: Path) -> None:
    old = history(tmp_path / "old", *(f"{PRIVACY}\nEdition {number}." for number in range(5)))
    new = history(tmp_path / "new", PRIVACY, PRIVACY_LATER)
    ingested(old, tmp_path / "a.sqlite")
    both, fresh = ingested(new, tmp_path / "a.sqlite"), ingested(new, tmp_path / "b.sqlite")
    assert both["live"] == fresh["live"]
    assert both["states"][-1][2:4] == fresh["states"][-1][2:4]
    assert ingested(new, tmp_path / "a.sqlite") == both


def test_names_that_are_no_text_are_told_apart_and_left_out(tmp_path: Path) -> None:
    files = [(b"\xe8.md", b"one", 0o100644), (b"\xe9.md", b"two", 0o100644), (b"Terms.md", PRIVACY.encode(), 0o100664)]
    place = with_files(tmp_path / "odd", files)
    words = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(place), "--database", str(tmp_path / "a.sqlite")]
    done = subprocess.run([*words, "--collection", "Owner/odd"], capture_output=True, text=True, check=True)
    assert [line for line in done.stderr.splitlines() if "left out" in line] == [
        rf"Aurelia Chat/\x{byte} is left out: its name is no UTF-8" for byte in ("e8", "e9")
    ]
    assert "1 document, 1 capture (1 new" in done.stdout + done.stderr


def test_a_commit_beyond_the_calendar_is_of_its_last_day(tmp_path: Path) -> None:
    place = with_files(tmp_path / "late", [(b"Terms.md", b"x", 0o100644)], BEYOND)
    with GitCollection(place) as collection:
        (only,) = [one for one in collection.captures(lambda *_: False) if isinstance(one, Capture)]
    assert only.captured_at.year == 9999


@pytest.mark.parametrize("place", [0.3, 0.5, 0.7])
def test_a_damaged_pack_is_told_in_one_line(tmp_path: Path, place: float) -> None:
    whole = history(tmp_path / "whole", *(f"{PRIVACY}\n{number}" * 20 for number in range(6)))
    with Repo(str(whole)) as repo:
        porcelain.repack(repo)
    for loose in (whole / ".git" / "objects").glob("??"):
        shutil.rmtree(loose)
    (pack,) = (whole / ".git" / "objects" / "pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    at = int(len(content) * place)
    content[at : at + 3] = b"\xff\xfe\x00"
    pack.chmod(0o600)
    pack.write_bytes(content)
    words = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(whole), "--database", str(tmp_path / "a.sqlite")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("riskanalytics: ")


def test_a_shallow_clone_is_refused_and_told_what_to_do(tmp_path: Path) -> None:
    whole = history(tmp_path / "whole", PRIVACY, PRIVACY_LATER)
    porcelain.clone(str(whole), str(tmp_path / "shallow"), depth=1).close()
    with pytest.raises(IngestError, match="unshallow"):
        GitCollection(tmp_path / "shallow")


def test_a_repository_without_a_commit_or_of_another_format_is_told_as_that(tmp_path: Path) -> None:
    porcelain.init(str(tmp_path / "empty")).close()
    with pytest.raises(IngestError, match="has no commit yet"):
        GitCollection(tmp_path / "empty")
    place = history(tmp_path / "other", PRIVACY)
    with Repo(str(place)) as repo:
        config = repo.get_config()
        config.set((b"extensions",), b"objectformat", b"sha256")
        config.write_to_path()
    bundle = tmp_path / "other.bundle"
    bundle.write_bytes(b"# v3 git bundle\n@object-format=sha256\n" + b"0" * 64 + b" HEAD\n\n")
    for one in (place, bundle):
        with pytest.raises(IngestError, match="SHA-256, which is not read here"):
            GitCollection(one)


def test_a_bundle_of_a_tag_is_read_to_its_commit(tmp_path: Path) -> None:
    with Repo(str(history(tmp_path / "whole", PRIVACY))) as repo:
        head = repo.head()
        porcelain.tag_create(repo, "v1", author=b"a <a@b>", message=b"First", annotated=True)
        repo.refs[b"HEAD"] = repo.refs[b"refs/tags/v1"]
    with GitCollection(tmp_path / "whole") as collection:
        assert collection.head == head.decode()
