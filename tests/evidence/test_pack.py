"""Evidence packs: made from real data, checked by three verifiers, and no change of them is overlooked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.errors import EvidenceError, ParameterError
from riskanalytics.evidence import Pack, disclosed, opened, pack_of, public_pem, write_pack
from riskanalytics.evidence.check import PackError, check
from riskanalytics.evidence.pack import _add_finding, tree_of
from riskanalytics.evidence.reading import key_line
from riskanalytics.frames import rows_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.pages.quoted import packed
from riskanalytics.pages.rows import quoted
from riskanalytics.pages.section import html_of, script_json
from riskanalytics.pages.values import Quote
from tests.evidence.conftest import SLUG

NODE = Path(__file__).with_name("verify.mjs")


def bundled(pack: Path, unpacked: Path) -> subprocess.CompletedProcess[str]:
    """Run the script that a pack brings, with a Python that sees nothing but its own library."""
    with zipfile.ZipFile(pack) as file:
        file.extractall(unpacked)
    words = [sys.executable, "-I", "-S", str(unpacked / "verify.py")]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def in_node(pack: Path) -> subprocess.CompletedProcess[str]:
    """Run the second verifier."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    return subprocess.run(["node", str(NODE), str(pack)], capture_output=True, text=True, check=False)


def openssl(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    return subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, check=False)


def test_a_pack_holds_findings_snapshots_and_history(pack: Pack, client: Client, key: Ed25519PrivateKey) -> None:
    findings = ra.load(client, platforms=[SLUG]).findings
    assert {row["finding_id"] for row in pack.findings()} == set(findings["finding_id"])
    for sha256 in findings["snapshot_sha256"].unique():
        assert pack.snapshot(sha256) == client.snapshot(sha256)
        result = json.loads(pack.members[f"captures/{sha256}.json"])
        assert sha256 in {capture["snapshot_sha256"] for capture in result["captures"]}
        body = pack.snapshot(sha256) or b""
        assert result["git_blob"] == hashlib.sha1(b"blob %d\0%b" % (len(body), body), usedforsecurity=False).hexdigest()
    record = client.platform(SLUG)
    assert pack.key == key_line(public_pem(key))
    about = json.loads(pack.members["about.json"])
    assert about.pop("made_with").startswith("riskanalytics ")
    assert about == {
        "kind": "platform", "name": SLUG, "rating": record["rating"], "last_reviewed": record["last_reviewed"],
    }  # fmt: skip
    assert not pack.is_stamped


def test_a_finding_is_a_web_annotation_with_both_selectors(pack: Pack) -> None:
    row = pack.findings()[0]
    result = json.loads(pack.members[f"findings/{row['finding_id']}.json"])
    assert result["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    assert result["type"] == "Annotation"
    words, place = result["target"]["selector"]
    assert (words["type"], place["type"]) == ("TextQuoteSelector", "TextPositionSelector")
    text = (pack.snapshot(row["snapshot_sha256"]) or b"").decode()
    assert words["prefix"] + words["exact"] + words["suffix"] in text
    assert text[place["start"] : place["end"]] == words["exact"]


def test_the_bundled_script_needs_python_alone_and_verifies_the_pack(packed: Path, tmp_path: Path) -> None:
    script = (packed, tmp_path / "unpacked")
    done = bundled(*script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("verified: ")
    assert not list((tmp_path / "unpacked").rglob("__pycache__"))
    text = (tmp_path / "unpacked" / "verify.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    words = [sys.executable, "-I", "-S", str(tmp_path / "unpacked" / "verify.py"), str(packed)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_a_verifier_in_another_language_agrees(packed: Path, pack: Pack) -> None:
    done = in_node(packed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith(str(check(pack.members)["root"]))


def test_openssl_verifies_the_signature_with_the_command_that_the_pack_states(packed: Path, tmp_path: Path) -> None:
    result = bundled(packed, tmp_path).stdout
    line = next(line for line in result.splitlines() if line.strip().startswith("openssl pkeyutl"))
    assert line.strip() in (tmp_path / "README.txt").read_text(encoding="utf-8")
    assert openssl(*line.split()[1:], folder=tmp_path).returncode == 0
    (tmp_path / "root.txt").write_bytes((tmp_path / "root.txt").read_bytes().replace(b"members", b"Members"))
    assert openssl(*line.split()[1:], folder=tmp_path).returncode != 0


def test_sha256sum_checks_the_members_too(packed: Path, tmp_path: Path) -> None:
    bundled(packed, tmp_path)
    if shutil.which("sha256sum") is None:
        pytest.skip("needs sha256sum")
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=False).returncode == 0


def test_the_same_data_and_key_give_the_same_bytes(
    packed: Path, client: Client, key: Ed25519PrivateKey, embedded_demo: Path, tmp_path: Path
) -> None:
    again = write_pack(pack_of(SLUG, client, key, database=embedded_demo), tmp_path / "again.zip")
    assert again.read_bytes() == packed.read_bytes()


def test_one_finding_can_be_disclosed_alone_under_the_same_root(packed: Path, tmp_path: Path) -> None:
    whole = opened(packed)
    row = whole.findings()[3]
    alone = write_pack(disclosed(whole, str(row["finding_id"])), tmp_path / "one.zip")
    part = opened(alone)
    assert [one["finding_id"] for one in part.findings()] == [row["finding_id"]]
    assert [name for name in part.members if name.startswith("snapshots/")] == [
        f"snapshots/{row['snapshot_sha256']}.txt"
    ]
    assert part.members["root.txt"] == whole.members["root.txt"]
    assert {name for name in part.members if name.partition("/")[0] not in ("findings", "snapshots")} == {
        "README.txt", "SHA256SUMS", "about.json", f"captures/{row['snapshot_sha256']}.json", "public_key.pem", "root.txt",
        "signature.bin", "tree.json", "verify.py",
    }  # fmt: skip
    assert (part.counts, whole.counts) == ((7, len(whole.members) - 4), (len(whole.members) - 4,) * 2)
    assert not any(str(other["quote"]) in body.decode("utf-8", "replace") for other in whole.findings()
                   if other["finding_id"] != row["finding_id"] for name, body in part.members.items()
                   if name.startswith("findings/"))  # fmt: skip
    done = bundled(alone, tmp_path / "unpacked")
    assert done.returncode == 0, done.stdout
    assert "of " + str(check(whole.members)["of"]) in done.stdout
    assert in_node(alone).returncode == 0


def test_a_finding_that_the_pack_has_not_cannot_be_disclosed(pack: Pack) -> None:
    with pytest.raises(ParameterError, match="no finding"):
        disclosed(pack, "0" * 20)


def test_a_platform_that_is_not_tracked_gives_no_pack(client: Client, key: Ed25519PrivateKey) -> None:
    with pytest.raises(ParameterError, match="did you mean orvewick-voice"):
        pack_of("orvewick-vioce", client, key)


def test_evidence_that_cannot_be_packed_creates_no_key(client: Client, config: Path) -> None:
    with pytest.raises(ParameterError):
        pack_of("no-such-platform", client)
    assert not config.exists()
    assert pack_of(SLUG, client).key
    assert [file.name for file in config.rglob("*.pem")] == ["evidence_key.pem"]


def test_a_pack_without_the_history_at_hand_has_none_and_has_texts_without_findings(
    client: Client, key: Ed25519PrivateKey
) -> None:
    slug = "9brivane-code"
    data, names = ra.load(client, platforms=[slug]), pack_of(slug, client, key).members
    texts = set(data.documents["snapshot_sha256"])
    apart = {name for name in names if name.startswith(("snapshots/", "captures/"))}
    assert apart == {f"snapshots/{sha256}.txt" for sha256 in texts}
    assert len(texts) > data.findings["snapshot_sha256"].nunique()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 100])
def test_every_member_of_a_tree_of_any_size_is_proven(size: int) -> None:
    from riskanalytics.evidence.check import leaf, root_by

    leaves = [leaf(str(number), b"x" * number) for number in range(size)]
    root, proofs = tree_of(leaves)
    for index, proof in enumerate(proofs):
        result = [one.hex() for one in proof]
        assert root_by(leaves[index], index, size, result) == root
        for wrong in ([*result, "00" * 32], result[:-1], result[::-1]):
            if wrong != result:
                with contextlib.suppress(PackError):
                    assert root_by(leaves[index], index, size, wrong) != root


def test_the_tree_of_the_test_vectors_of_rfc_6962_implementations_has_their_root() -> None:
    entries = [b"", b"\0", b"\x10", b"\x20\x21", b"\x30\x31", b"\x40\x41\x42\x43", b"\x50\x51\x52\x53\x54\x55\x56\x57"]
    root, _ = tree_of([hashlib.sha256(b"\0" + entry).digest() for entry in entries])
    assert root.hex() == "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"


def mutated(members: dict[str, bytes], chance: random.Random) -> dict[str, bytes]:
    """Return members with one thing changed: a bit, a byte more or less, an end cut, a name, a member more or less."""
    changed = dict(members)
    name = chance.choice(sorted(members))
    body = members[name]
    place = chance.randrange(len(body))
    kind = chance.randrange(9)
    if kind <= 2:
        flipped = bytes([body[place] ^ (1 << chance.randrange(8))])
        changed[name] = body[:place] + flipped + body[place + 1 :]
    elif kind == 3:
        changed[name] = body[:place] + bytes([chance.randrange(256)]) + body[place:]
    elif kind == 4:
        changed[name] = body[:place] + body[place + 1 :]
    elif kind == 5:
        changed[name] = body[:place]
    elif kind == 6:
        del changed[name]
    elif kind == 7:
        changed[name + "x"] = changed.pop(name)
    else:
        changed[f"findings/{chance.randrange(1 << 64):020x}.json"] = body
    return changed


def caught(members: dict[str, bytes], rounds: int) -> int:
    """Return how many of so many single changes the bundled check refuses."""
    chance = random.Random(14)
    refused = 0
    for _ in range(rounds):
        try:
            check(mutated(members, chance))
        except PackError:
            refused += 1
    return refused


def test_single_changes_of_members_are_all_caught(pack: Pack) -> None:
    assert caught(pack.members, 300) == 300


@pytest.mark.slow
def test_ten_thousand_single_changes_of_members_are_all_caught(pack: Pack) -> None:
    assert caught(pack.members, 10_000) == 10_000


def test_a_change_with_recomputed_sums_tree_and_root_is_caught_by_the_signature(
    pack: Pack, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    from riskanalytics.evidence.pack import _sealed

    other = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)
    members = {name: body for name, body in pack.members.items() if name in check_inside(pack)}
    forged = {**members, "about.json": members["about.json"].replace(b"HIGH", b"LOW")}
    sealed = _sealed(forged, other, None)  # the public key in it is still that of the owner
    check(sealed)
    path = tmp_path / "forged.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, body in sealed.items():
            file.writestr(name, body)
    with pytest.raises(EvidenceError, match="signature"):
        opened(path)
    assert in_node(path).returncode == 1
    assert public_pem(key) == sealed["public_key.pem"]


def check_inside(pack: Pack) -> set[str]:
    """Names of the members that stand in the tree."""
    return {row["name"] for row in json.loads(pack.members["tree.json"])["members"]}


def resealed(pack: Pack, change: dict[str, bytes], key: Ed25519PrivateKey) -> Pack:
    """Return a pack with other members, sealed anew."""
    from riskanalytics.evidence.pack import _sealed

    inside = {name: pack.members[name] for name in check_inside(pack)}
    return Pack(_sealed({**inside, "public_key.pem": public_pem(key), **change}, key, None))


def test_a_pack_signed_by_another_key_is_refused_if_the_owners_key_is_given(
    pack: Pack, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    other = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)
    forged = write_pack(resealed(pack, {}, other), tmp_path / "forged.zip")
    assert opened(forged).key == key_line(public_pem(other))
    with pytest.raises(EvidenceError, match="another key"):
        opened(forged, key_line(public_pem(key)))


@pytest.mark.parametrize(
    ("old", "new"),
    [('"slug": "orvewick-voice"', '"slug": [1, 2]'), ('"source": "', '"source": "javascript:alert(1)//'),
     ('"source": "', '"source": "http://127.1/'), ('"source": "', '"source": "../page/'),
     ('"sourceDate": "', '"sourceDate": 5, "x": "')],
)  # fmt: skip
def test_a_finding_of_other_types_or_with_an_address_of_no_public_host_is_refused(
    old: str, new: str, pack: Pack, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    name = next(name for name in sorted(pack.members) if name.startswith("findings/"))
    text = pack.members[name].decode()
    assert old in text
    out = tmp_path / "pack.zip"
    with pytest.raises(EvidenceError, match="do not rely on"):
        write_pack(resealed(pack, {name: text.replace(old, new, 1).encode()}, key), out)
    assert list(tmp_path.iterdir()) == []


def test_members_that_differ_by_case_only_are_refused(pack: Pack, key: Ed25519PrivateKey, tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="by case only"):
        write_pack(resealed(pack, {"readme.txt": b"Another statement."}, key), tmp_path / "pack.zip")


def test_a_pack_that_is_not_whole_replaces_none_and_leaves_nothing(pack: Pack, tmp_path: Path) -> None:
    out = tmp_path / "pack.zip"
    out.write_bytes(b"the pack of last month")
    for members in ({**pack.members, "about.json": b"{}"}, {**pack.members, "signature.bin": b"\0" * 64}):
        with pytest.raises(EvidenceError):
            write_pack(Pack(members), out)
    assert out.read_bytes() == b"the pack of last month"
    assert [one.name for one in tmp_path.iterdir()] == ["pack.zip"]


@pytest.mark.parametrize("name", ["page.html", "x" * 50 + "." * 5 + "y" * 90 + ".html", "..html"])
def test_a_page_of_any_name_is_packed_without_quotes_that_name_no_snapshot(
    name: str, client: Client, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    row = rows_of(ra.load(client, platforms=[SLUG]).findings)[0]
    record = {
        "snapshots": [
            {
                "sha256": str(row["snapshot_sha256"]).upper(),
                "slug": SLUG,
                "document": row["document"],
                "archive_url": "http://127.0.0.1/x",
            },
            {"sha256": ""},
        ],
        "quotes": [
            {"snapshot": 0, "quote": row["quote"], "start": int(row["start"]), "end": int(row["end"])},
            {"snapshot": 1, "quote": "We keep nothing.", "start": 0, "end": 16},
        ],
    }
    page = tmp_path / name
    page.write_text(
        f'<script type="application/json" id="report-facts">{{}}</script>'
        f'<script type="text/plain" id="report-quotes">{packed(script_json(record))}</script>'
        f"{html_of((Quote(quoted(row['quote'])),)).replace('<blockquote', '<blockquote data-q=0')}",
        encoding="utf-8",
    )
    made = opened(write_pack(pack_of(page, client, key), tmp_path / "out.zip"))
    assert [(one["quote"], one["archive_url"]) for one in made.findings()] == [(row["quote"], None)]
    about = json.loads(made.members["about.json"])
    assert (about["kind"], about["sha256"]) == ("page", sha256_of(page.read_bytes()))
    assert made.members[f"page/{about['name']}"] == page.read_bytes()
    assert about["name"].endswith("html")


def test_two_findings_of_one_id_are_both_kept(client: Client) -> None:
    rows = rows_of(ra.load(client, platforms=[SLUG]).findings)[:2]
    members: dict[str, bytes] = {}
    for row in rows:
        body = client.snapshot(row["snapshot_sha256"])
        for _ in range(2):
            _add_finding(members, {**row, "finding_id": "one"}, body)
    assert len(members) == 2
    assert {json.loads(body)["target"]["selector"][0]["exact"] for body in members.values()} == {
        row["quote"] for row in rows
    }


@pytest.mark.slow
def test_a_pack_of_the_real_archive_is_found_again_in_its_git_history(
    shared: Path, real_database: Path, tmp_path: Path
) -> None:
    bundle = shared / "data" / "genai-contrib-versions.bundle"
    with ra.connect(database=real_database) as client:
        counts = {row["id"]: client.platform(str(row["id"]))["citation_count"] for row in client.platforms()}
        largest = max(counts, key=lambda slug: counts[slug])
        made = pack_of(str(largest), client, Ed25519PrivateKey.from_private_bytes(b"\1" * 32), database=real_database)
    path = write_pack(made, tmp_path / "real.zip")
    assert bundled(path, tmp_path / "unpacked").returncode == 0
    assert in_node(path).returncode == 0
    clone = tmp_path / "clone.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(bundle), str(clone)], check=True)
    for row in made.findings()[:5]:
        result = json.loads(made.members[f"captures/{row['snapshot_sha256']}.json"])
        capture = next(one for one in result["captures"] if one["snapshot_sha256"] == row["snapshot_sha256"])
        listed = subprocess.run(
            ["git", "ls-tree", "-r", capture["revision"]], cwd=clone, capture_output=True, text=True, check=True
        ).stdout
        assert result["git_blob"] in listed
