"""Collections: dated folders and git histories, what a commit's message says of a capture, odd names, damage."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.bundle import create_bundle_from_repo, write_bundle
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.repo import Repo

from riskanalytics.errors import IngestError
from riskanalytics.ingest import open_collection
from riskanalytics.ingest.collection import FolderCollection, GitCollection, kind_of, public_link, sources_of
from tests.ingest.test_ingest import commit, ingested
from tests.service.given import PRIVACY, PRIVACY_LATER, written


@pytest.mark.parametrize(
    ("subject", "kind"),
    [("First record of A B", "first"), ("Start tracking A B", "first"), ("Record new changes of A B", "change"),
     ("Update A B", "change"), ("Apply technical or declaration upgrade on A B", "technical"), ("Refilter A B", "technical"),
     ("update a b", "change"), ("Remove mojibake", "other"), ("Do not Update A B", "other")],
)  # fmt: skip
def test_all_forms_of_a_subject_are_known(subject: str, kind: str) -> None:
    assert kind_of(subject) == kind


def test_a_message_names_none_one_or_many_sources() -> None:
    assert sources_of("First record of A B") == ()
    assert sources_of("x\n\nafter extracting from snapshot https://s.example/1") == ("https://s.example/1",)
    many = (
        "x\n\nassembling the following snapshots from 2 source documents:\n- https://s.example/1\n- https://s.example/2"
    )
    assert sources_of(many) == ("https://s.example/1", "https://s.example/2")
    assert sources_of("x\n\nafter filtering snapshot mongo://c/snapshots/undefined") == ()
    assert sources_of("x\n\nafter filtering snapshot 0123456789abcdef01234567") == ("0123456789abcdef01234567",)
    twice = "x\n\nafter extracting (from snapshot https://s.example/1).\n- https://s.example/1"
    assert sources_of(twice) == ("https://s.example/1",)


def test_a_link_is_made_only_to_a_public_home() -> None:
    for name in ("folder", "a b/c", "Owner/a/b", "/a", "Owner/"):
        assert public_link(name, "abc", "A/B.md") is None
    assert public_link("Owner/mirror", "abc", "A B/C.md") == "https://github.com/Owner/mirror/blob/abc/A%20B/C.md"


@pytest.mark.parametrize("blank", [" ", "\t", "- ", "\n", "snapshot ", "https://"])
def test_a_hundred_kilobytes_of_commit_message_are_read_in_time(blank: str) -> None:
    began = time.perf_counter()
    assert (
        sources_of("x\n\n" + blank * (100_000 // len(blank)) + "\n  -  https://s.example/1 ")[-1]
        == "https://s.example/1"
    )
    assert time.perf_counter() - began < 1


def test_captures_come_by_date_without_those_that_are_known_and_without_files_beyond_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    folder = tmp_path / "set" / "Aurelia Chat" / "Terms"
    folder.mkdir(parents=True)
    for name in ("2026-02-01", "2026-01-01_1030", "2026-02-30", "draft"):
        (folder / f"{name}.md").write_text(name)
    (folder / "2026-03-01.md").symlink_to(outside)
    collection = FolderCollection(tmp_path / "set")
    total, *captures = collection.captures(lambda *_: False)
    assert total == 2
    assert [(row.captured_at, row.body) for row in captures if not isinstance(row, int)] == [
        (datetime(2026, 1, 1, 10, 30, tzinfo=UTC), b"2026-01-01_1030"), (datetime(2026, 2, 1, tzinfo=UTC), b"2026-02-01"),
    ]  # fmt: skip
    again = collection.captures(lambda revision, path, _: (revision, path) == ("2026-02-01", "Aurelia Chat/Terms"))
    assert len(list(again)) == 2


def test_a_folder_without_dated_files_is_not_a_collection(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="is not a collection"):
        FolderCollection(tmp_path)


def test_a_dataset_folder_is_read_by_its_dates(tmp_path: Path) -> None:
    for name, text in (
        ("2026-01-05", PRIVACY),
        ("2026-02-05T10-30-45Z", PRIVACY_LATER),
        ("notes", "not a date"),
    ):
        path = tmp_path / "set" / "Aurelia Chat" / "Privacy Policy" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    captures = ingested(tmp_path / "set", tmp_path / "a.sqlite", None)["captures"]
    assert [row[2] for row in captures] == ["2026-01-05T00:00:00Z", "2026-02-05T10:30:45Z"]
    assert {(row[4], row[6], row[9]) for row in captures} == {("change", None, "[]")}


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("2026-01-31", (0, 0, 0)), ("2026-01-31T10-30", (10, 30, 0)), ("2026-01-31 10_30_45", (10, 30, 45)),
        ("2026-01-31--10:30:45", (10, 30, 45)), ("2026-01-31T103045.123Z", (10, 30, 45)), ("2026-01-31T25-00", None),
        ("2026-01-31T10", None), ("of 2026-01-31", None), ("2026-01-31 draft", None),
    ],
)  # fmt: skip
def test_a_file_is_dated_by_its_whole_name(tmp_path: Path, name: str, time: tuple[int, int, int] | None) -> None:
    files = written(tmp_path / "set", {f"A/B/{name}.md": "x", "A/B/2020-01-01.md": "y"})
    _, *captures = FolderCollection(files).captures(lambda *_: False)
    assert [one.captured_at for one in captures if not isinstance(one, int)][1:] == (
        [datetime(2026, 1, 31, *time, tzinfo=UTC)] if time else []
    )


def test_a_folder_is_known_by_its_own_name_and_by_the_names_of_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = []
    for name in ("A/B/2026-01-01.md", "C/B/2026-01-01.md", "A/D/2026-01-01.md", "A/B/2026-01-02.md"):
        place = written(tmp_path / str(len(heads)), {name: "x"})
        heads.append(FolderCollection(place).head)
    assert len(set(heads)) == 4
    monkeypatch.chdir(place)
    with open_collection(Path()) as here, open_collection(Path(), "Owner/other") as named:
        assert (here.name, named.name, here.head) == ("3", "Owner/other", heads[-1])
    objects = written(tmp_path / "odd", {"objects/Terms/2026-01-01.md": "x", "HEAD/Terms/2026-01-01.md": "x"})
    with open_collection(objects) as collection:
        assert isinstance(collection, FolderCollection)


def test_all_texts_of_a_collection_dated_ahead_are_the_reason_to_make_no_database(tmp_path: Path) -> None:
    place = written(tmp_path / "set", {"A/B/9999-01-01.md": "x"})
    with pytest.raises(IngestError, match=r"A/B of 9999-01-01 is left out: its date is in the future"):
        ingested(place, tmp_path / "a.sqlite", None)
    assert not (tmp_path / "a.sqlite").exists()


def test_a_file_between_those_that_were_read_has_its_place_by_its_date(tmp_path: Path) -> None:
    place = tmp_path / "set" / "Aurelia Chat" / "Privacy Policy"
    place.mkdir(parents=True)
    (place / "2026-01-05.md").write_text(PRIVACY)
    (place / "2026-03-05.md").write_text(PRIVACY_LATER)
    ingested(tmp_path / "set", tmp_path / "a.sqlite", None)
    (place / "2026-02-05.md").write_text(PRIVACY + "\nAnother edition.")
    whole = ingested(tmp_path / "set", tmp_path / "b.sqlite", None)
    assert ingested(tmp_path / "set", tmp_path / "a.sqlite", None) == whole
    (place / "2026-01-05.md").unlink()
    (place / "2026-03-05.md").unlink()
    (place / "2026-02-15.md").write_text(PRIVACY_LATER + "\nBetween.")
    part = ingested(tmp_path / "set", tmp_path / "a.sqlite", None)
    assert part["live"] == whole["live"]
    assert len(part["captures"]) == 4


POLICY = "Aurelia Chat/Privacy Policy.md"


def history(place: Path, *texts: str) -> Path:
    """A repository with a commit for each text, a day after the last."""
    with porcelain.init(str(place)) as repo:
        for number, text in enumerate(texts):
            commit(repo, number, f"Update {number}", {POLICY: text})
    return place


def with_files(place: Path, files: list[tuple[bytes, bytes, int]]) -> Path:
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
        made.author_time = made.commit_time = 1_767_225_600
        made.author_timezone = made.commit_timezone = 0
        repo.object_store.add_object(made)
        repo.refs[b"refs/heads/master"] = made.id
    return place


def test_the_newest_text_of_a_rewritten_history_is_the_document(tmp_path: Path) -> None:
    old = history(tmp_path / "old", *(f"{PRIVACY}\nEdition {number}." for number in range(5)))
    new = history(tmp_path / "new", PRIVACY, PRIVACY_LATER)
    ingested(old, tmp_path / "a.sqlite")
    both, fresh = ingested(new, tmp_path / "a.sqlite"), ingested(new, tmp_path / "b.sqlite")
    assert both["live"] == fresh["live"]
    assert both["states"][-1][2:4] == fresh["states"][-1][2:4]
    assert ingested(new, tmp_path / "a.sqlite") == both


def test_names_that_are_not_text_are_reported_and_left_out(tmp_path: Path) -> None:
    files = [(b"\xe8.md", b"one", 0o100644), (b"\xe9.md", b"two", 0o100644), (b"Terms.md", PRIVACY.encode(), 0o100664),
             (b"Terms link.md", b"Terms.md", 0o120000)]  # fmt: skip
    place = with_files(tmp_path / "odd", files)
    words = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(place), "--database", str(tmp_path / "a.sqlite")]
    done = subprocess.run([*words, "--collection", "Owner/odd"], capture_output=True, text=True, check=True)
    assert [line for line in done.stderr.splitlines() if "left out" in line] == [
        rf"Aurelia Chat/\x{byte} is left out: its name is not UTF-8" for byte in ("e8", "e9")
    ]
    assert "1 document, 1 capture (1 new" in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", [0.3, 0.5, 0.7])
def test_a_damaged_pack_is_reported_in_one_line(tmp_path: Path, place: float) -> None:
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


def test_a_shallow_clone_is_refused_with_the_command_that_completes_it(tmp_path: Path) -> None:
    whole = history(tmp_path / "whole", PRIVACY, PRIVACY_LATER)
    porcelain.clone(str(whole), str(tmp_path / "shallow"), depth=1).close()
    with pytest.raises(IngestError, match="unshallow"):
        GitCollection(tmp_path / "shallow")


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    porcelain.init(str(tmp_path / "empty")).close()
    with pytest.raises(IngestError, match="has no commit at its HEAD"):
        GitCollection(tmp_path / "empty")


def test_a_bundle_of_a_tag_is_read_to_its_commit(tmp_path: Path) -> None:
    with Repo(str(history(tmp_path / "whole", PRIVACY))) as repo:
        head = repo.head()
        porcelain.tag_create(repo, "v1", author=b"a <a@b>", message=b"First", annotated=True)
        other = Tag()
        other.name, other.object, other.message, other.tagger = (
            b"v2",
            (Tag, repo.refs[b"refs/tags/v1"]),
            b"Of v1",
            b"a <a@b>",
        )
        other.tag_time = other.tag_timezone = 0
        repo.object_store.add_object(other)
        repo.refs[b"HEAD"] = other.id
    with GitCollection(tmp_path / "whole") as collection:
        assert collection.head == head.decode()


def test_the_last_commit_holds_the_newest_text_whatever_its_clock_said(tmp_path: Path) -> None:
    place = tmp_path / "one"
    with porcelain.init(str(place)) as repo:
        for day, text in ((5, PRIVACY), (3, PRIVACY_LATER)):
            commit(repo, day, f"Update {day}", {POLICY: text})
    seen = ingested(place, tmp_path / "a.sqlite")
    fresh = ingested(history(tmp_path / "two", PRIVACY_LATER), tmp_path / "b.sqlite")
    assert {surface for _, surface in seen["live"]} == {surface for _, surface in fresh["live"]}
    assert (seen["states"][-1][2:4], len(seen["captures"])) == (fresh["states"][-1][2:4], 2)


def test_a_bundle_is_read_from_its_head_and_what_it_was_unpacked_to_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    with Repo(str(history(tmp_path / "whole", PRIVACY, PRIVACY_LATER))) as repo:
        head, second = repo.head(), repo[repo.head()]
        assert isinstance(second, Commit)
        repo.refs[b"refs/heads/aaa"] = second.parents[0]
        with create_bundle_from_repo(repo) as bundle, (tmp_path / "b.bundle").open("wb") as file:
            bundle.references = {b"refs/heads/aaa": second.parents[0], b"HEAD": head}
            write_bundle(file, bundle)
    with GitCollection(tmp_path / "b.bundle") as collection:
        assert (collection.head, collection.name) == (head.decode(), "b")
        assert [*(tmp_path / "t").iterdir()]
    assert not [*(tmp_path / "t").iterdir()]


def test_a_working_copy_beside_its_repository_is_read(tmp_path: Path) -> None:
    whole = history(tmp_path / "whole", PRIVACY)
    (whole / ".git").rename(tmp_path / "kept.git")
    (whole / ".git").write_text(f"gitdir: {tmp_path / 'kept.git'}\n")
    with open_collection(whole) as collection:
        assert isinstance(collection, GitCollection)
        assert len(list(collection.captures(lambda *_: False))) == 2


def test_a_capture_has_the_day_of_its_commit_not_of_its_author(tmp_path: Path) -> None:
    with GitCollection(history(tmp_path / "one", PRIVACY, PRIVACY_LATER)) as collection:
        captures = [one for one in collection.captures(lambda *_: False) if not isinstance(one, int)]
    assert [one.captured_at.date().isoformat() for one in captures] == ["2026-01-01", "2026-01-02"]


def test_a_merge_does_not_repeat_the_captures_of_its_branch(tmp_path: Path) -> None:
    place = history(tmp_path / "one", PRIVACY, PRIVACY_LATER)
    with Repo(str(place)) as repo:
        second = repo[repo.head()]
        assert isinstance(second, Commit)
        merge = second.copy()
        merge.message, merge.parents = b"Merge", [*second.parents, second.id]
        repo.object_store.add_object(merge)
        repo.refs[b"HEAD"] = merge.id
    with GitCollection(place) as collection:
        total, *captures = collection.captures(lambda *_: False)
    assert total == 3
    assert [one.body for one in captures if not isinstance(one, int)] == [PRIVACY.encode(), PRIVACY_LATER.encode()]


@pytest.mark.parametrize(
    ("url", "name"),
    [("https://github.com/Owner/mirror.git", "Owner/mirror"), ("git@github.com:Owner/mirror.git", "Owner/mirror"),
     ("https://github.com/Owner/mirror/", "Owner/mirror"), ("../elsewhere/mirror", "one"), (None, "one")],
)  # fmt: skip
def test_a_collection_is_named_by_its_public_home_else_by_its_folder(
    tmp_path: Path, url: str | None, name: str
) -> None:
    place = history(tmp_path / "one", PRIVACY)
    if url:
        with Repo(str(place)) as repo:
            settings = repo.get_config()
            settings.set((b"remote", b"another"), b"url", b"https://github.com/Another/home.git")
            settings.set((b"remote", b"origin"), b"url", url.encode())
            settings.write_to_path()
    with GitCollection(place) as collection, GitCollection(place, "Other/copy") as given:
        assert (collection.name, given.name) == (name, "Other/copy")


def test_a_bundle_without_the_beginning_of_the_history_is_refused(tmp_path: Path) -> None:
    with Repo(str(history(tmp_path / "whole", PRIVACY, PRIVACY_LATER))) as repo:
        second = repo[repo.head()]
        assert isinstance(second, Commit)
        with (
            create_bundle_from_repo(repo, prerequisites=second.parents) as bundle,
            (tmp_path / "part").open("wb") as file,
        ):
            write_bundle(file, bundle)
    with pytest.raises(IngestError, match="lacks a part of the history: make it with git bundle create FILE --all"):
        GitCollection(tmp_path / "part")
