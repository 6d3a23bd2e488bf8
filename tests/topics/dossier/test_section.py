"""A dossier on a page: every clause in its place, and nothing from data leaves its own."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from riskanalytics import analysis, frames
from riskanalytics.extraction import published_formula
from riskanalytics.pages.print import plain
from riskanalytics.topics.changes.clauses import changed_clauses
from riskanalytics.topics.dossier import section
from riskanalytics.topics.dossier.section import quiet_surfaces
from riskanalytics.topics.quotes import evidence
from tests.frames_given import CELLS, CHANGES, FINDINGS, STATES, Market, given
from tests.topics.given import HOSTILE, SHA, finding, read


def parts(findings: pd.DataFrame, **decided: list[str]) -> pd.DataFrame:
    surfaces = {name: {"count": 1, "risk": "HIGH", "decided_by": ids} for name, ids in decided.items()}
    return analysis.rating_parts(
        frames.surfaces_frame([{"slug": "a", "surfaces": surfaces}]), findings, published_formula()
    )


def test_a_clause_is_shown_in_its_paragraph_deciding_clauses_first_with_its_copies_below() -> None:
    rows = [
        finding("First words.", id="f1"),
        finding("Deciding words.", id="f2", risk="MED", confidence=0.9, confidence_interval=[0.8, 0.95]),
        finding("Deciding words.", id="f3", risk="MED", duplicate_of="f2"),
    ]
    findings = frames.findings_frame(rows).assign(before="Before. ", after=" After.", verification_status="verified")
    html = section.platform_clauses(findings, parts(findings, content_license=["f2"])).html
    assert html.index("Deciding words.") < html.index("First words.")
    elsewhere = findings.assign(surface=["ads_tracking", "content_license", "content_license"])
    ordered = section.platform_clauses(elsewhere, parts(findings, content_license=["f2"], ads_tracking=["f1"])).html
    assert ordered.index('id="surface-content_license"') < ordered.index('id="surface-ads_tracking"')
    assert html.count("<mark>Deciding words.</mark>") == 1
    assert '<span class="around">Before. </span><mark>' in html
    assert "Same words: " in html
    assert "confidence 0.90 (0.80 to 0.95)" in html
    assert "2 clauses, 1 near-copy" in html
    assert html.count("<strong>decides</strong>") == 1


def test_two_clauses_of_a_surface_are_open_and_every_copy_of_a_clause_is_named_below_it() -> None:
    rows = [finding(f"W{n}.", id=f"f{n}", risk="MED") for n in range(4)]
    rows += [finding("W0.", id=f"g{n}", risk="MED", duplicate_of="f0") for n in range(2)]
    places = {
        "document": [*("Terms",) * 4, "Privacy", "Rules"],
        "start": [0, 1, 2, 3, 7, 8],
        "verification_status": "verified",
    }
    findings = frames.findings_frame(rows).assign(**places)
    made = section.platform_clauses(findings, parts(findings, content_license=["f2"]))
    words = read(made.html)
    assert words.startswith("|Content licence |HIGH|4 clauses, 2 near-copies|W2.|MED|Terms · ")
    assert re.findall("W[0-9]|2 more clauses", words) == ["W2", "W0", "2 more clauses", "W1", "W3"]
    assert re.findall(r"Same words: \|(\w+) · ", words) == ["Privacy", "Rules"]
    assert made.text == "6 clauses in context"


def test_a_copy_of_a_clause_on_another_surface_is_still_shown() -> None:
    findings = frames.findings_frame([finding("Words.", id="f3", duplicate_of="elsewhere")])
    assert "Words." in section.platform_clauses(findings, parts(findings)).html
    assert (
        "No clause was found"
        in section.platform_clauses(frames.findings_frame([]), parts(frames.findings_frame([]))).html
    )


def test_actors_are_kept_in_the_data_and_not_shown() -> None:
    whole = {"actor": "vendor", "action": "may use", "object": "your inputs", "condition": "unless you opt out"}
    findings = frames.findings_frame([finding("First words.", roles=whole)]).assign(
        slug="a", name="A", verification_status="verified"
    )
    assert findings["actor"].tolist() == ["vendor"]
    for made in (section.platform_clauses(findings, parts(findings)), evidence(findings, ["a"])):
        assert "Who: " not in made.html
        assert "your inputs" not in made.html


def checked(changes: pd.DataFrame | None) -> pd.DataFrame:
    return changed_clauses(changes).assign(verification_status="verified")


def moved(**more: Any) -> dict[str, Any]:
    sides = {
        "rating_before": "MED",
        "rating_after": "HIGH",
        "stance_before": "silent",
        "stance_after": "trains_by_default",
    }
    head = {
        "change_id": "c1",
        "slug": "a",
        "document": "Terms",
        "reviewed_at": "2026-05-02",
        "change_class": "technical",
    }
    return {**head, **sides, "summary": "one", "surfaces": [], "added": [finding("We train on all.")], **more}


def test_a_change_of_rating_quotes_its_cause_if_the_page_shows_it() -> None:
    recorded = given(CHANGES, moved())
    moves, changes = analysis.platform_moves(given(STATES), recorded), analysis.platform_changes(recorded)
    html = section.platform_moves(moves, changes, ["c1"]).html
    assert 'href="#change-c1">now says</a>: <q>We train on all.</q>' in html
    assert "training: no clause found → trains, no opt-out found" in html
    only = analysis.platform_moves(given(STATES), given(CHANGES, moved(rating_after="MED")))
    assert section.platform_moves(only, changes).html.count("→") == 1  # the stance
    before = given(CHANGES, moved(stance_before=None))
    assert "training:" not in section.platform_moves(analysis.platform_moves(given(STATES), before), changes).html
    assert "<q>" not in section.platform_moves(moves, changes, []).html
    shown = section.platform_changes(changes, analysis.change_noise(recorded), checked(changes), ["c1"]).html
    assert 'id="change-c1"' in shown
    assert "changes of the archive itself" in shown


def test_documents_that_moved_a_rating_together_count_as_one_move() -> None:
    recorded = given(CHANGES, moved(), moved(change_id="c2", document="Privacy", added=[finding("Other words.")]))
    moves, changes = analysis.platform_moves(given(STATES), recorded), analysis.platform_changes(recorded)
    made = section.platform_moves(moves, changes, ["c1", "c2"])
    assert made.text == "1 move"
    assert made.html.count("<q>") == 2
    change = "2026-05-02|MED|→ |HIGH|training: no clause found → trains, no opt-out found|"
    causes = "Privacy |now says|: |Other words.|Terms |now says|: |We train on all.|"
    assert read(made.html).endswith(change + causes)
    causes = "Privacy, changes of the archive itself: one|Terms, changes of the archive itself: one|"
    assert read(section.platform_moves(moves, changes, []).html).endswith(change + causes)
    material = given(CHANGES, moved(change_class="material"))
    one = analysis.platform_moves(given(STATES), material), analysis.platform_changes(material)
    assert read(section.platform_moves(*one).html).endswith("|Terms: one|")
    listed = section.platform_changes(changes, analysis.change_noise(recorded), checked(changes), ["c1"])
    assert listed.text == "2026-05-02 Privacy: one\n2026-05-02 Terms: one"
    assert "|1 more change|Date|Document|Direction|Surfaces|2026-05-02|Privacy|" in read(listed.html)
    assert "|2 of 2 recorded changes are not material|" in read(listed.html)


def test_a_clause_that_contradicts_several_others_is_shown_once_next_to_them() -> None:
    rows = [finding("We train.", id="a"), finding("We learn.", id="b"), finding("We do not.", id="c", risk="LOW")]
    rows[2]["conflicts_with"] = ["a", "b"]
    findings = frames.findings_frame(rows)
    html = section.clause_conflicts(analysis.conflicts(findings), findings).html
    assert [html.count(words) for words in ("We train.", "We learn.", "We do not.")] == [1, 1, 1]
    assert html.index("We train.") < html.index("We do not.")
    assert "within one document" in html
    rows[0]["provenance"] = {**rows[0]["provenance"], "document": "Other"}
    findings = frames.findings_frame(rows)
    html = section.clause_conflicts(analysis.conflicts(findings), findings).html
    assert html.index("across documents") < html.index("within one document")
    assert section.clause_conflicts(analysis.conflicts(findings), findings).text == "2 pairs of clauses in conflict"
    assert "No two clauses contradict" in section.clause_conflicts(analysis.conflicts(findings[:2]), findings).html


def test_two_contradicting_clauses_of_four_contradicted_ones_are_open_and_the_others_counted() -> None:
    rows = [finding(f"We {n}.", id=f"a{n}") for n in range(3)]
    rows += [finding(f"Not {n}.", id=f"b{n}", risk="LOW", conflicts_with=["a0", "a1", "a2"]) for n in range(6)]
    findings = frames.findings_frame(rows).assign(document="Terms")
    words = read(section.clause_conflicts(analysis.conflicts(findings), findings).html)
    left = ["We 0", "We 1", "1 more clause|", "We 2"]
    expected = [
        word for n in range(6) for word in (*(["2 more clauses contradicted"] if n == 4 else []), *left, f"Not {n}")
    ]
    assert re.findall(r"We \d|Not \d|1 more clause[|]|\d more clauses? contradicted", words) == expected


def test_many_moves_and_changes_are_folded_and_counted() -> None:
    recorded = given(
        CHANGES, *(moved(change_id=f"c{n}", change_class="material", rating_after=f"R{n}") for n in range(100))
    )
    moves, changes = analysis.platform_moves(given(STATES), recorded), analysis.platform_changes(recorded)
    assert "60 more rows are not shown" in section.platform_moves(moves, changes).html
    made = section.platform_changes(changes, analysis.change_noise(recorded), checked(None), [])
    html = made.html
    assert len(made.text.splitlines()) == 20
    assert "<summary>100 more changes</summary>" in html
    assert "20 more rows are not shown" in html


def test_data_hidden_from_a_key_are_reported_and_not_taken_for_silence() -> None:
    moves = analysis.platform_moves(given(STATES))
    said = [
        section.platform_moves(moves, changes).text for changes in (None, analysis.platform_changes(given(CHANGES)))
    ]
    assert said == [
        f"Neither its rating nor its stance on training use changed{end}."
        for end in (" on the days read; the changes between them need a Pro key", "")
    ]
    days = (("2026-03-31", "LOW"), ("2026-06-30", "HIGH"))
    states = given(STATES, *({"slug": "a", "date": day, "state": "known", "rating": rating} for day, rating in days))
    html = section.platform_moves(analysis.platform_moves(states), None).html
    assert "2026-03-31 to 2026-06-30" in re.sub("<[^>]+>", "", html)
    assert "not known: changes need a Pro key" in html
    nothing = checked(None)
    assert "with a Pro key only" in section.platform_changes(None, None, nothing, []).html
    none = given(CHANGES)
    quiet = section.platform_changes(analysis.platform_changes(none), analysis.change_noise(none), nothing, []).html
    assert "No material change" in quiet


def test_clauses_counted_but_hidden_from_a_key_are_neither_zero_nor_silence() -> None:
    none = frames.findings_frame([])
    result = parts(none, content_license=["f1"])
    assert result.loc[result["surface"] == "content_license", ["clauses", "high"]].isna().values.tolist() == [
        [False, True]
    ]
    assert "1 clause is counted, but not shown with this key." in section.platform_clauses(none, result).html
    assert "There are no clauses to compare." in section.clause_conflicts(analysis.conflicts(none), none).html
    row = {"document": "Terms", "captured_at": "2024-07-02", "snapshot_sha256": SHA, "state": "good", "check": None}
    documents = frames.documents_frame([{"slug": "a", "documents": [row]}])
    fresh = analysis.freshness(documents, "2026-07-31")
    assert '<td class="n">0' not in section.platform_documents(fresh, none).html


def test_a_surface_without_a_clause_states_its_question_and_an_unread_surface_is_emphasised() -> None:
    market = Market(30)
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    html = quiet_surfaces(analysis.peer_levels(matrix, market.slugs[0]), frames.documents_frame([])).html
    assert "Searched: no document" in html
    assert re.search(r'<td class="n">\d+ of 29\n', html)
    unread = analysis.peer_levels(
        analysis.risk_matrix(market.findings, market.cells[:0], market.platforms), market.slugs[0]
    )
    chinese = {"document": "Terms", "state": "good", "language": "zh", "read": False}
    english = chinese | {"document": "Old", "state": "stale", "language": "en", "read": True}
    listed = [chinese, chinese | {"document": "Policy"}, english, english | {"document": "Gone", "state": "broken"}]
    documents = frames.documents_frame([{"slug": market.slugs[0], "documents": listed}])
    html = quiet_surfaces(unread, documents).html
    assert "Searched: Old. Not read: 2 documents in Chinese." in html
    assert '<span class="bad">not read</span>' in html


def test_a_surface_with_leads_is_to_be_read_and_never_called_quiet() -> None:
    leads = {"slug": "own", "surface": "training_use", "risk": None, "state": "to_read", "count": 0, "to_read": 2}
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, leads)), "own")
    made = quiet_surfaces(standing[standing["surface"] == "training_use"], frames.documents_frame([]))
    assert "to be read (2 clauses)" in made.html
    peers = standing[standing["surface"] == "ads_tracking"].assign(high=4, med=2, low=1, peers=9)
    assert ">7 of 9\n" in quiet_surfaces(peers, frames.documents_frame([])).html
    assert made.text == "no clause found on 0 surfaces"


def test_the_share_of_clauses_found_is_shown_with_the_surfaces_without_a_clause() -> None:
    market = Market(30)
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    figures = {
        "test": {"groups": {"all": {"precision": {"value": 0.9}, "recall": {"value": 0.5}}}},
        "with_readings": {"groups": {"calibrate": {"recall": {"value": 0.9}}}},
    }
    html = quiet_surfaces(
        analysis.peer_levels(matrix, market.slugs[0]), frames.documents_frame([]), figures=figures
    ).html
    assert (
        "We find about 50\xa0% of what documents say, or 90\xa0% where language models read them, so finding nothing is not proof "
        "of absence." in html
    )


def test_documents_are_listed_with_their_state_and_link_to_the_quoted_texts() -> None:
    row = {
        "document": "Terms",
        "captured_at": "2024-07-02",
        "snapshot_sha256": SHA,
        "state": "stale",
        "check": "login_page",
    }
    documents = frames.documents_frame(
        [
            {
                "slug": "a",
                "documents": [row, row | {"document": "Privacy", "state": "good", "snapshot_sha256": "cd" * 32}],
            }
        ]
    )
    findings = frames.findings_frame([finding("Words.")])
    html = section.platform_documents(analysis.freshness(documents, "2026-07-31"), findings).html
    assert "broken, so that an earlier text is used (login page)" in html
    assert re.findall('href="#text-([^"]+)', html) == [SHA[:12]]  # the other text is not quoted
    assert re.findall(r'<td class="n">(\d+)<td>', html) == ["0", "0"]
    counted = section.platform_documents(
        analysis.freshness(documents, "2026-07-31"), findings.assign(document="Privacy")
    )
    rows = counted.parts[0].rows  # type: ignore[union-attr]
    assert [plain(row.cells[0]) + plain(row.cells[3]) for row in rows] == ["Terms0", "Privacy1"]
    assert counted.text == "2 documents"
    assert "1 of 2 documents unchanged for more than 365 days" in html
    assert (
        "does not report which documents were read"
        in section.platform_documents(analysis.freshness(documents[:0], "2026-07-31"), findings).html
    )


def test_nothing_from_data_leaves_its_place() -> None:
    rows = [
        finding(HOSTILE, HOSTILE, id=HOSTILE, conflicts_with=["b"], scope={"audience": HOSTILE, "region": HOSTILE}),
        finding(HOSTILE, HOSTILE, id="b", risk=HOSTILE, polarity=HOSTILE),
    ]
    rows[0]["roles"] = dict.fromkeys(("actor", "action", "object", "condition"), HOSTILE)
    findings = frames.findings_frame(rows).assign(slug="a", name=HOSTILE, before=HOSTILE, after=HOSTILE)
    cells = frames.surfaces_frame(
        [{"slug": "a", "name": HOSTILE, "surfaces": {HOSTILE: {"count": 1, "risk": HOSTILE}}}]
    )
    matrix = analysis.risk_matrix(findings, cells)
    row = {"document": HOSTILE, "state": HOSTILE, "check": HOSTILE, "archive_url": HOSTILE, "snapshot_sha256": HOSTILE}
    documents = frames.documents_frame([{"slug": "a", "documents": [row]}])
    recorded = given(
        CHANGES,
        moved(
            change_id=HOSTILE,
            document=HOSTILE,
            change_class=HOSTILE,
            summary=HOSTILE,
            rating_after=HOSTILE,
            stance_after=HOSTILE,
        ),
        moved(change_id="c2", added=[finding(HOSTILE)], surfaces=[HOSTILE], rating_after=HOSTILE, stance_after=HOSTILE),
    )
    changes, moves = analysis.platform_changes(recorded), analysis.platform_moves(given(STATES), recorded)
    noise = analysis.change_noise(recorded)
    pieces = [
        section.platform_clauses(findings, parts(findings, **{HOSTILE: ["b"]})),
        section.clause_conflicts(analysis.conflicts(findings), findings),
        evidence(findings, ["a"]),
        section.platform_moves(moves, changes, ["c2"]),
        section.platform_changes(changes, noise, checked(changes), ["c2"]),
        quiet_surfaces(analysis.peer_levels(matrix, "a").assign(state="quiet"), documents),
        quiet_surfaces(analysis.peer_levels(matrix, "a").assign(state=HOSTILE), documents),
        section.platform_documents(analysis.freshness(documents, "2026-07-31"), findings),
    ]
    for piece in pieces:
        assert "<script" not in piece.html
        assert "<img" not in piece.html
        assert "\u202e" not in piece.html
        assert 'href="javascript' not in piece.html
