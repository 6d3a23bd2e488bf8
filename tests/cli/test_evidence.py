"""`verify` and `evidence`, called as a person would."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from riskanalytics.cli.data import _FAILED
from riskanalytics.models import VERIFICATION_STATUSES
from riskanalytics.pages.quoted import packed as as_packed
from riskanalytics.pages.quoted import unpacked
from tests.cli.calling import refused, run
from tests.service.given import FILES, build_database

MARKER = "apc_live_marker0123456789abcdef"
SLUG = "aurelia-chat"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ingested database."""
    return build_database(tmp_path_factory.mktemp("data"))


def test_a_platform_is_verified_line_by_line(database: Path, tmp_path: Path) -> None:
    result = run("verify", SLUG, "--database", str(database), "--json", "rows.json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    *lines, total = result.stdout.splitlines()
    assert lines
    assert all(line.startswith("verified ") for line in lines)
    assert total == f"{len(lines)} quotes: {len(lines)} verified"
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert [row["verification_status"] for row in rows] == ["verified"] * len(lines)


def test_a_pack_is_made_checked_and_disclosed_without_a_key_of_a_service_anywhere(
    database: Path, tmp_path: Path
) -> None:
    surroundings = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "RISKANALYTICS_API_KEY": MARKER}
    made = run("evidence", SLUG, "--out", "pack.zip", "--database", str(database), cwd=tmp_path, **surroundings)
    assert made.returncode == 0, made.stderr
    assert made.stdout == "pack.zip\n"
    assert "your signing key was made" in made.stderr
    with zipfile.ZipFile(tmp_path / "pack.zip") as pack:
        pack.extractall(tmp_path / "unpacked")
        public = pack.read("public_key.pem").decode().splitlines()[1]
        finding = next(name for name in pack.namelist() if name.startswith("findings/"))[9:-5]
    assert f"public key: {public}" in made.stderr
    bare = [sys.executable, "-I", "-S", "verify.py"]
    assert subprocess.run(bare, cwd=tmp_path / "unpacked", capture_output=True, check=False).returncode == 0
    checked = run("verify", "pack.zip", "--key", "unpacked/public_key.pem", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert f"public key: {public} (matches --key)" in checked.stdout
    one = run("evidence", "pack.zip", "--finding", finding, "--out", "one.zip", cwd=tmp_path)
    assert (one.returncode, one.stdout) == (0, "one.zip\n")
    part = run("verify", "one.zip", cwd=tmp_path)
    assert part.returncode == 0, part.stderr
    assert f"public key: {public} (anyone can sign a pack: compare this key" in part.stdout
    assert re.search(r"part of a pack: \d+ of \d+ members", part.stdout)
    again = run("evidence", SLUG, "--out", "again.zip", "--database", str(database), cwd=tmp_path, **surroundings)
    assert "was made" not in again.stderr
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "pack.zip").read_bytes()
    secret = (tmp_path / "config" / "riskanalytics" / "evidence_key.pem").read_bytes().splitlines()[1]
    for file in [one for one in tmp_path.rglob("*") if one.is_file() and one.name != "evidence_key.pem"]:
        assert MARKER.encode() not in file.read_bytes()
        assert secret not in file.read_bytes()
    assert MARKER not in made.stdout + made.stderr


@pytest.mark.slow
def test_a_changed_pack_or_page_exits_1_and_what_cannot_be_checked_3(database: Path, tmp_path: Path) -> None:
    words = ("report", "platform_dossier", "-p", f"platform={SLUG}", "--database", str(database), "--out", ".")
    done = run(*words, cwd=tmp_path)
    assert re.fullmatch(r"(?s).*^data end 2026-03-05, \d+ days ago\n", done.stderr, re.MULTILINE)
    page = tmp_path / done.stdout.strip()
    assert run("verify", page.name, "--database", str(database), cwd=tmp_path).returncode == 0
    renamed = {name.replace("Aurelia Chat", "Aurelia"): text for name, text in FILES.items()}
    other = run("verify", page.name, "--database", str(build_database(tmp_path / "b", renamed)), cwd=tmp_path)
    assert (other.returncode, "source does not confirm which platform" in other.stdout) == (3, True), other.stdout
    assert {line.split()[0] for line in other.stdout.splitlines()[:-1]} == {"verified"}
    packed = run("evidence", page.name, "--out", "page.zip", "--database", str(database), cwd=tmp_path,
                 XDG_CONFIG_HOME=str(tmp_path / "config"))  # fmt: skip
    assert packed.returncode == 0, packed.stderr
    with zipfile.ZipFile(tmp_path / "page.zip") as pack:
        assert pack.read(f"page/{page.name}") == page.read_bytes()
    elsewhere = run("verify", page.name, "--offline", cwd=tmp_path)
    assert elsewhere.returncode == 3, elsewhere.stderr
    assert "unavailable" in elsewhere.stdout
    text = page.read_text(encoding="utf-8")
    (_, records) = re.findall(r'(id="report-quotes">)([^<]*)', text)[0]
    moved = json.loads(unpacked(records))
    moved["quotes"][0]["end"] *= 10
    (tmp_path / "moved.html").write_text(text.replace(records, as_packed(json.dumps(moved))), encoding="utf-8")
    result = run("verify", "moved.html", "--database", str(database), cwd=tmp_path)
    assert (result.returncode, result.stdout.splitlines()[0].split()[0]) == (1, "moved")
    bare = re.sub(
        r"<blockquote.*?</blockquote>", "", re.sub(r'id="report-quotes">[^<]*', 'id="x">', text), flags=re.DOTALL
    )
    (tmp_path / "bare.html").write_text(bare, encoding="utf-8")
    without = run("verify", "bare.html", "--database", str(database), cwd=tmp_path)
    assert (without.returncode, without.stdout) == (3, "no quotes: nothing was checked\n")
    fewer = re.sub(r"(<blockquote[^>]*data-q=0>(?:<[^>]+>)*)\w+ ", r"\1", text, count=1)
    assert fewer != text
    page.write_text(fewer, encoding="utf-8")
    result = run("verify", page.name, "--database", str(database), cwd=tmp_path)
    assert result.returncode == 1
    assert "the page shows other words" in result.stdout
    output = refused(run("evidence", page.name, "--out", "no.zip", "--database", str(database), cwd=tmp_path,
                       XDG_CONFIG_HOME=str(tmp_path / "config")), 1)  # fmt: skip
    assert "not all quotes" in output
    assert not (tmp_path / "no.zip").exists()


def test_wrong_usage_is_one_line(database: Path, tmp_path: Path) -> None:
    (tmp_path / "not.zip").write_bytes(b"no pack")
    assert "do not rely on" in refused(run("verify", "not.zip", cwd=tmp_path), 1)
    (tmp_path / "key.pem").write_text("no key")
    assert "not a public key" in refused(run("verify", "not.zip", "--key", "key.pem", cwd=tmp_path), 2)
    assert "the target is not a pack" in refused(run("verify", SLUG, "--key", "key.pem", cwd=tmp_path), 2)
    assert "there is no file" in refused(run("verify", "none.pdf", cwd=tmp_path), 2)
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n" + b"x" * 2000)
    assert "cannot be read as a PDF" in refused(run("verify", "cut.pdf", cwd=tmp_path), 1)
    assert "name the finding with --finding" in refused(run("evidence", "not.zip", "--out", "x.zip", cwd=tmp_path), 2)
    part = ("evidence", "not.zip", "--out", "x.zip", "--finding", "a")
    assert "keeps the signature of its pack" in refused(run(*part, "--timestamp", "http://a.example", cwd=tmp_path), 2)
    words = ("evidence", SLUG, "--out", "x.zip", "--database", str(database))
    assert "openssl genpkey" in refused(run(*words, "--key", "none.pem", cwd=tmp_path), 2)


def test_a_quote_fails_unless_it_is_verified_or_could_not_be_checked() -> None:
    assert set(VERIFICATION_STATUSES) - _FAILED == {"verified", "unavailable"}
