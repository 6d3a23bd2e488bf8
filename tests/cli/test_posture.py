"""`riskanalytics posture`: the posture feed on stdout."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from riskanalytics.models import DISCLAIMER
from tests.cli.calling import refused, run
from tests.service.given import build_database


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of three platforms."""
    folder = tmp_path_factory.mktemp("posture")
    build_database(folder)
    return folder


def test_the_feed_is_printed_as_json_without_addresses_that_nobody_can_follow(folder: Path) -> None:
    done = run("posture", "--database", "given.sqlite", cwd=folder)
    assert done.returncode == 0, done.stderr
    feed = json.loads(done.stdout)
    assert (feed["schema"], feed["disclaimer"]) == ("1", DISCLAIMER)
    assert [row["platform"] for row in feed["data"]] == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
    said = feed["data"][0]["routes"][0]["trains"]
    assert (said["value"], said["quote"]) == ("no", "We do not use your prompts to train our models.")
    assert said["provenance"]["archive_url"] is None
    assert "localhost" not in done.stdout


def test_named_platforms_are_printed_in_their_order_as_csv(folder: Path) -> None:
    words = ("--platform", "northwind-draft", "--platform", "aurelia-chat", "--csv")
    done = run("posture", *words, "--database", "given.sqlite", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["platform"] for row in rows] == ["northwind-draft"] * 18 + ["aurelia-chat"] * 18
    assert [row["fact"] for row in rows if row["value"] != "undetermined"] == ["trains"]
    assert done.stdout.endswith("\n")
    assert not done.stdout.endswith("\n\n")


def test_an_unknown_platform_is_refused_in_one_line(folder: Path) -> None:
    done = run("posture", "--platform", "aurelia-chatt", "--database", "given.sqlite", cwd=folder)
    said = refused(done, 2)
    assert "no platform 'aurelia-chatt' is tracked" in said
    assert "did you mean aurelia-chat?" in said
    assert done.stdout == ""


@pytest.mark.slow
def test_a_feed_is_packed_as_signed_evidence_and_a_changed_quote_is_refused(folder: Path) -> None:
    own = ("--database", "given.sqlite")
    (folder / "feed.json").write_text(run("posture", "--platform", "aurelia-chat", *own, cwd=folder).stdout)
    assert run("evidence", "feed.json", "--out", "feed.zip", *own, cwd=folder).returncode == 0
    done = run("verify", "feed.zip", *own, cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 quote: 1 verified")
    text = (folder / "feed.json").read_text()
    (folder / "wide.json").write_text(f"\n{text}", "utf-16")  # as PowerShell writes it
    assert run("verify", "wide.json", *own, cwd=folder).returncode == 0
    feed = json.loads(text)
    first, second = feed["data"][0]["routes"][:2]
    second["trains"] = first["trains"] | {"quote": "We never use your prompts to train our models."}
    (folder / "feed.json").write_text(json.dumps(feed))
    done = run("verify", "feed.json", *own, cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "2 quotes: 1 verified, 1 altered")
    said = refused(run("evidence", "feed.json", "--out", "changed.zip", *own, cwd=folder), 1)
    assert "feed.json" in said
    assert not (folder / "changed.zip").exists()


def test_json_that_is_no_feed_is_refused_in_one_line(folder: Path) -> None:
    (folder / "other.json").write_text("{}")
    (folder / "broken.json").write_text('{"routes": [], "data": 3}')
    words = "was not made by riskanalytics: give a page, PDF or posture feed"
    assert words in refused(run("verify", "other.json", "--database", "given.sqlite", cwd=folder), 1)
    assert "are damaged" in refused(run("verify", "broken.json", "--database", "given.sqlite", cwd=folder), 1)
