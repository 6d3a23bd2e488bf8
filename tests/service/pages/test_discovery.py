"""The discovery files, in the form of their convention (llmstxt.org)."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

from riskanalytics.surfaces import SURFACES
from tests.service.given import PUBLIC_URL, Caller, by_hand


def test_the_index_has_one_title_a_summary_and_sections_of_links(caller: Caller) -> None:
    reply = caller.call("/llms.txt")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    lines = reply.body.decode().splitlines()
    assert lines[0] == "# Risk-Rating Data Service"
    assert lines[2].startswith("> ")
    assert lines[4].startswith("Data as of 2026-03-05: 3 platforms tracked; ")
    assert [line for line in lines if line.startswith("#")][1:] == ["## Data", "## Actions", "## Optional"]
    links = [line for line in lines[lines.index("## Data") :] if line.startswith("- ")]
    assert all(re.fullmatch(rf"- \[[^\]]+\]\({re.escape(PUBLIC_URL)}/[^)\s]*\): .+", line) for line in links)
    assert "3 platforms tracked; 1 verified, 0 partial, 0 stale, 2 unverified" in reply.body.decode()
    assert [line for line in lines if line.startswith("- training_use")] == ["- training_use: findings on 2 platforms"]
    assert all(f"- {surface}: " in reply.body.decode() for surface in SURFACES)


def test_the_index_counts_each_verification_status_under_its_name(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    for number, status in enumerate(("stale", "stale", "partial"), 1):
        with by_hand(database) as writer:
            writer.execute("UPDATE state SET verification = ? WHERE platform_id = ?", (status, number))
    with closing(Caller(database)) as caller:
        text = caller.call("/llms.txt").body.decode()
    assert "3 platforms tracked; 0 verified, 1 partial, 2 stale, 0 unverified. Open addresses need no key. " in text


def test_every_address_of_the_index_is_answered(caller: Caller) -> None:
    described = caller.call("/openapi.json").json()["paths"]
    known = {re.sub(r"\{[^}]*\}", "{}", path): how for path, how in described.items()} | {"/openapi.json": {}}
    for url in re.findall(rf"\({re.escape(PUBLIC_URL)}(/[^)\s]*)", caller.call("/llms.txt").body.decode()):
        path, _, query = url.partition("?")
        taken = known[re.sub(r"\{[^}]*\}", "{}", path)].get("get", {}).get("parameters", [])
        assert set(re.findall(r"(?:^|&)(\w+)=", query)) <= {one["name"] for one in taken}


def test_the_full_index_lists_every_platform_with_status_and_machine_address(caller: Caller) -> None:
    lines = caller.call("/llms-full.txt").body.decode().splitlines()
    assert lines[4].startswith("Data as of 2026-03-05: 3 platforms. ")
    assert [line for line in lines if line.startswith("- ")] == [
        f"- [Aurelia Chat]({PUBLIC_URL}/api/machine/platform/aurelia-chat): verified, rated MED, reviewed 2026-03-05",
        f"- [Café Lumière]({PUBLIC_URL}/api/machine/platform/cafe-lumiere): unverified, rated UNRATED, reviewed 2026-02-01",
        f"- [Northwind Draft]({PUBLIC_URL}/api/machine/platform/northwind-draft): unverified, rated UNRATED, "
        "reviewed 2026-02-02",
    ]


def test_no_platform_is_left_out_of_the_full_index_or_of_a_search_for_names(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    with by_hand(database) as writer:
        writer.execute("CREATE TEMP TABLE one AS SELECT * FROM state WHERE platform_id = 3")
        for number in range(4, 1005):
            name = f"Zeta {number}"
            writer.execute(
                "INSERT INTO platform VALUES (?, ?, ?, NULL, 'many', ?)", (number, f"zeta-{number}", name, name)
            )
            writer.execute("UPDATE one SET platform_id = ?", (number,))
            writer.execute("INSERT INTO state SELECT * FROM one")
    with closing(Caller(database)) as caller:
        text = caller.call("/llms-full.txt").body.decode()
        found = caller.call("/api/v1/search?q=zeta&limit=1&offset=1000", tier="starter").json()
    assert text.startswith("# Risk-Rating Data Service: all platforms\n")
    assert (text.count("\n- ["), "Data as of 2026-03-05: 1004 platforms. " in text) == (1004, True)
    assert (found["total"], [row["id"] for row in found["data"]]) == (1001, ["zeta-999"])
