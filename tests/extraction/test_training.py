"""The clauses that bear on training, and the stances on which readers (language models) agree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskanalytics.extraction import DocumentReading, Reading, assess, extract
from riskanalytics.extraction import training as bearing_on
from riskanalytics.extraction.stance import Stances, joined
from riskanalytics.extraction.training import agreed, asked, read_whole, stances_key
from riskanalytics.extraction.units import units_of
from riskanalytics.extraction.verdicts import Readers, Vote
from tests.extraction.given import stated

TEXT = """# Terms of the service

The office has a garden.

We may use Usage Data to develop our AI models.

You can write to us about this.

You grant us a licence to host your files.

"Usage Data" means data that may be derived from your files.

"Billing Data" means the address of your company.

We improve our services every day.

The pond has fish.
"""
USE, NEXT, LICENCE, DEFINED = 1, 2, 3, 4
READ = Reading(
    findings=(stated(TEXT, "You grant us a licence to host your files.", surface="content_license"),), language="en"
)
UNITS = units_of(TEXT)
KEYS = tuple(unit.key for unit in UNITS)


def document(
    text: str = TEXT, name: str = "Terms of Service", *groups: Readers, alone: Reading = READ
) -> DocumentReading:
    return DocumentReading(name, f"hash of {name}", "2026-01-01T00:00:00Z", read_whole(text, alone, groups))


def readers(*votes: Vote | None, key: str = "", label: str = "") -> Readers:
    """Readers who gave these votes; None for a reader that gave none."""
    key = key or stances_key(KEYS[at] for at in (USE, DEFINED))
    names = tuple(f"{label}{number}" for number, _ in enumerate(votes))
    given = {name: {key: vote} if vote else {} for name, vote in zip(names, votes, strict=True)}
    return Readers(names, {}, {}, label, stances=given)


def vote(consumer: str, business: str = "silent", *units: int) -> Vote:
    return Vote(consumer, business, tuple(KEYS[at] for at in units))


def decided(*groups: Readers, name: str = "Terms of Service", text: str = TEXT) -> Stances | None:
    return agreed([document(text, name)], groups)


def place(at: int) -> tuple[str, int, int]:
    return "hash of Terms of Service", UNITS[at].clause.start, UNITS[at].clause.end


TRAINS, NEVER = vote("trains_by_default", "silent", USE, DEFINED), vote("does_not_train", "silent", USE)


def test_readers_see_clauses_on_training_those_next_to_them_used_definitions_licences_and_improvement() -> None:
    bearing = document().reading.bearing
    assert [(rank, unit.words) for rank, unit in bearing] == [
        (1, "The office has a garden."),
        (0, "We may use Usage Data to develop our AI models."),
        (1, "You can write to us about this."),
        (3, "You grant us a licence to host your files."),
        (2, '"Usage Data" means data that may be derived from your files.'),
        (2, '"Billing Data" means the address of your company.'),
        (4, "We improve our services every day."),
    ]
    seen = asked([document()])
    assert [unit for _, unit, _ in seen] == [unit for _, unit in bearing if "Billing" not in unit.words]
    assert [unit.words[:12] for _, unit, bears in seen if bears] == ["We may use U", '"Usage Data"']


def test_a_definition_next_to_a_clause_on_training_is_no_mere_context() -> None:
    text = '# Terms\n\n"Usage Data" means your files.\n\nWe may use Usage Data to develop our AI models.\n\nBye, "Old Data".\n'
    found = document(text, alone=Reading())
    assert [rank for rank, _ in found.reading.bearing] == [2, 0, 2]
    assert [bears for _, _, bears in asked([found])] == [True, True]


def test_only_the_clauses_directly_before_and_after_are_next_to_a_clause_on_training() -> None:
    plain = "The pond.\n\nThe sky.\n\nThe moon."
    for text, ranks in (
        (f"# Terms\n\nWe train models on your content.\n\n{plain}\n\nWe train models on your files.\n", [0, 1, 1, 0]),
        (f"# Terms\n\n{plain}\n\nWe train models on your content.\n\n{plain}\n", [1, 0, 1]),
        ("# Terms\n\nWe may:\n\n- train models on it.\n", [1, 0]),
    ):
        assert [rank for rank, _ in document(text, alone=Reading()).reading.bearing] == ranks
    row = stated(TEXT, "You can write to us about this.", surface="training_use")
    assert [rank for rank, _ in document(alone=replace(READ, leads=(row,))).reading.bearing] == [1, 0, 0, 1, 2, 2, 4]


def test_of_a_definition_of_several_words_one_must_be_used() -> None:
    text = '# Terms\n\nWe train models on your Usage Data.\n\nBye.\n\n"Old Data" and "Usage Data" mean your files.\n'
    assert [unit.words[:10] for _, unit, _ in asked([document(text, alone=Reading())])] == ["We train m", '"Old Data"']


def test_a_finding_or_lead_on_training_is_seen_whatever_its_words() -> None:
    row = stated(TEXT, "The pond has fish.", surface="training_use")
    for alone in (Reading((row,)), Reading(leads=(row,))):
        bearing = document(alone=alone).reading.bearing
        assert bearing[-1] == (0, UNITS[-1])
        assert bearing[-2] == (1, UNITS[-2])


def test_a_clause_that_two_documents_repeat_is_seen_once_and_without_training_nothing_is() -> None:
    again = document(name="Usage Policy")
    assert asked([document(), again]) == asked([document()])
    assert asked([document("# Terms\n\nWe improve our services every day.\n", alone=Reading())]) == []
    assert asked([]) == []


def test_what_readers_see_has_a_limit_and_context_is_left_out_first(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [len(unit.words) for unit in UNITS]
    spoken, near = words[USE], words[0] + words[NEXT]
    assert not any(unit.lead_in for unit in UNITS[:USE])
    for most, expected in (
        (spoken - 1, []),
        (spoken, [USE]),
        (spoken + near + words[DEFINED] - 1, [0, USE, NEXT, LICENCE]),  # what fits of the rest
        (spoken + near + words[DEFINED], [0, USE, NEXT, DEFINED]),
    ):
        monkeypatch.setattr(bearing_on, "_MOST", most)
        assert [unit for _, unit, _ in asked([document()])] == [UNITS[at] for at in expected], most
    led = document("# Terms\n\nWe may, if you agree:\n\n- train models on your files.\n")
    (size,) = (len(f"{unit.words}{unit.lead_in}") for rank, unit in led.reading.bearing if rank == 0)
    for most, count in ((size - 1, 0), (size, 1)):
        monkeypatch.setattr(bearing_on, "_MOST", most)
        assert len(asked([led])) == count
    monkeypatch.setattr(bearing_on, "_MOST", 5)
    assert asked([document("# Terms\n\nWe train models on your files.\n")]) == []  # no other clause


def test_the_key_depends_on_the_clauses_but_not_on_their_order_or_context() -> None:
    assert stances_key(["a", "b"]) == stances_key(["b", "a"]) == "c8687a08aa5d6ed2044328fa" != stances_key(["a"])
    later = TEXT.replace("We improve our services every day.", "We improve our products every year.")
    assert decided(readers(TRAINS, TRAINS), text=later) is not None
    other = TEXT.replace("may be derived", "is derived")
    assert decided(readers(TRAINS, TRAINS), text=other) is None


def test_two_readers_who_agree_decide_with_the_clauses_that_most_of_them_name() -> None:
    one, two = vote("trains_by_default", "silent", DEFINED, USE), vote("trains_by_default", "silent", USE)
    assert decided(readers(one, two, label="tested")) == Stances(
        "trains_by_default", "trains_by_default", None, (place(USE), place(DEFINED)), "tested"
    )
    many = vote("trains_by_default", "silent", 0, USE, NEXT, LICENCE, DEFINED)
    every = many._replace(units=(*many.units, *(unit.key for _, unit, _ in asked([document()]))))
    assert decided(readers(every, every)) is not None
    assert decided(readers(many, many)) == Stances(
        "trains_by_default", "trains_by_default", None, tuple(map(place, (0, USE, NEXT, LICENCE))), "0 + 1"
    )


def test_readers_of_all_groups_vote_alike() -> None:
    found = decided(readers(TRAINS, label="mine"), readers(None, TRAINS, label="shipped"), readers(None, label="other"))
    assert found is not None
    assert (found.platform, found.read_by) == ("trains_by_default", "mine + shipped")


@pytest.mark.parametrize(
    "votes",
    [
        (),
        (None, None),
        (TRAINS,),
        (TRAINS, None),
        (TRAINS, NEVER),
        (TRAINS, NEVER, vote("silent")),
        (TRAINS, TRAINS, NEVER),
        (TRAINS, TRAINS, NEVER, NEVER),
        (vote("undetermined"), vote("undetermined")),
        (vote("silent"), vote("silent"), vote("undetermined")),
        (vote("undetermined", "does_not_train", USE), vote("undetermined", "does_not_train", USE)),
        (vote("silent", "does_not_train", USE), vote("silent", "does_not_train", USE)),
        (vote("trains_by_default"), vote("trains_by_default")),  # without a clause
        (TRAINS._replace(units=("gone",)), TRAINS),
    ],
)
def test_without_agreement_or_a_clause_nothing_is_decided(votes: tuple[Vote | None, ...]) -> None:
    assert decided(readers(*votes)) is None


def test_three_readers_decide_if_all_agree() -> None:
    found = decided(readers(TRAINS, vote("trains_by_default", "silent", DEFINED), TRAINS))
    assert found is not None
    assert (found.platform, found.decided_by) == ("trains_by_default", (place(DEFINED), place(USE)))


def test_silence_needs_no_clause_and_cites_none() -> None:
    silent = vote("silent", "silent", USE)
    assert decided(readers(silent, vote("silent"))) == Stances("silent", "silent", None, (), "0 + 1")
    assert decided(readers(silent)) is None


def test_business_users_are_answered_apart() -> None:
    both = vote("trains_with_opt_out", "does_not_train", USE)
    found = decided(readers(both, both))
    assert found is not None
    assert found[:3] == ("depends_on_plan", "trains_with_opt_out", "does_not_train")
    open_ = decided(readers(both, both._replace(business="trains_by_default")))
    assert open_ is not None
    assert open_[:3] == ("trains_with_opt_out", "trains_with_opt_out", "undetermined")
    alone = decided(readers(*[vote("silent", "does_not_train", LICENCE)] * 2), name="Commercial Terms")
    assert alone is not None
    cited = ("hash of Commercial Terms", *place(LICENCE)[1:])
    assert alone[:4] == ("does_not_train", None, "does_not_train", (cited,))


def test_a_vote_whose_clause_is_gone_is_no_agreement_of_the_others() -> None:
    gone = NEVER._replace(units=("gone",))
    assert decided(readers(TRAINS, TRAINS, gone)) is None


def test_the_same_words_under_another_lead_in_are_shown_too() -> None:
    item = "- use your content to train our models;"
    text = f"# Terms\n\n## Paid\n\nWe will never:\n\n{item}\n\n## Free\n\nWe may:\n\n{item}\n"
    shown = [unit for _, unit, _ in asked([document(text)]) if unit.words.startswith("use your content")]
    assert [unit.lead_in for unit in shown] == ["We will never:", "We may:"]


def test_a_clause_that_readers_cite_elsewhere_decides_nothing_here() -> None:
    text = "# Terms\n\nWe use information to improve our services and develop new features.\n"
    alone = extract(text)
    (unit,) = (unit for unit in units_of(text) if unit.words.startswith("We use information"))
    group = readers(vote("trains_by_default")._replace(units=(unit.key,)))
    reading = read_whole(text, alone, (group,))
    assert [lead.rule for lead in reading.leads if lead.surface == "training_use"] == ["training_use.cited"]
    plain, cited = (assess([DocumentReading("Terms", "a" * 64, "2026-01-01", one)]) for one in (alone, reading))
    assert (cited.stance, cited.surfaces) == (plain.stance, plain.surfaces)


@pytest.mark.parametrize(
    ("consumers", "customers", "platform"),
    [
        ("depends_on_plan", "does_not_train", "depends_on_plan"),
        ("does_not_train", "depends_on_plan", "depends_on_plan"),
        ("depends_on_plan", "undetermined", "depends_on_plan"),
        ("undetermined", "depends_on_plan", "undetermined"),
        ("does_not_train", "trains_with_opt_in", "does_not_train"),
        ("trains_by_default", "undetermined", "trains_by_default"),
    ],
)
def test_an_answer_that_depends_on_the_plan_of_some_users_does_so_for_the_platform(
    consumers: str, customers: str, platform: str
) -> None:
    assert joined(consumers, customers, for_business_only=False) == (platform, consumers, customers)


def test_a_clause_on_which_a_stance_rests_is_a_neutral_lead_that_can_be_quoted() -> None:
    alone = extract(TEXT)
    known = {(row.start, row.surface) for row in (*alone.findings, *alone.leads)}
    group = readers(TRAINS, vote("silent"), label="tested")
    reading = read_whole(TEXT, alone, (group,))
    (lead,) = (row for row in reading.leads if (row.start, row.surface) not in known)
    assert (lead.quote, lead.surface) == (
        '"Usage Data" means data that may be derived from your files.',
        "training_use",
    )
    assert (lead.polarity, lead.stance, lead.rule, lead.read_by) == ("neutral", None, "training_use.cited", "tested")
    assert (lead.confidence, lead.confidence_interval) == (0.0, (0.0, 1.0))
    assert TEXT[lead.start : lead.end] == lead.quote
    assert list(reading.leads) == sorted(reading.leads, key=lambda row: row.start)
    assert reading.bearing == read_whole(TEXT, alone, ()).bearing  # the question stays the same
    assert reading.findings == alone.findings


def test_a_cited_clause_is_a_lead_once_in_its_place_and_by_the_first_group_that_cites_it() -> None:
    use = stated(TEXT, "We may use Usage Data to develop our AI models.", surface="training_use")
    (licence,) = READ.findings
    licence = licence._replace(confidence=0.3)
    all_ = [vote("trains_by_default", "silent", at, USE) for at in (DEFINED, LICENCE, 0)]
    mine, theirs = readers(*all_[:1], label="mine"), readers(*all_, label="theirs")
    for alone in (Reading(leads=(use._replace(confidence=0.3), licence)), Reading((use,), leads=(licence,))):
        leads = read_whole(TEXT, alone, (mine, theirs)).leads
        by = [
            (lead.surface, TEXT[lead.start : lead.end][:10], lead.read_by) for lead in leads if lead.start != use.start
        ]
        assert len(leads) == len(by) + len(alone.leads) - 1
        assert by == [
            ("training_use", "The office", "theirs"),
            ("content_license", "You grant ", None),
            ("training_use", "You grant ", "theirs"),
            ("training_use", '"Usage Dat', "mine"),
        ]


def platform(*votes: Vote, alone: Reading = READ, name: str = "Terms of Service") -> list[DocumentReading]:
    use = stated(TEXT, "We may use Usage Data to develop our AI models.", surface="training_use")
    alone = replace(alone, leads=(use._replace(confidence=0.3),))
    return [document(TEXT, name, readers(*votes), alone=alone)]


def test_readers_decide_only_what_the_package_leaves_undetermined() -> None:
    assert assess(platform()).stance == "undetermined"
    result = assess(platform(TRAINS, TRAINS), [readers(TRAINS, TRAINS, label="tested")])
    assert (result.stance, result.consumer_stance, result.business_stance) == (
        "trains_by_default",
        "trains_by_default",
        None,
    )
    assert result.stance_decided_by == (place(USE), place(DEFINED))
    assert result.rating == "HIGH"
    (row,) = (one for one in result.surfaces if one.surface == "training_use")
    assert (row.risk, row.count, row.state, row.read_by) == ("HIGH", 0, "found", "tested")
    assert row.explanation == "trains by default, as language models read the documents (tested)"
    assert {one.read_by for one in result.surfaces if one.surface != "training_use"} == {None}
    never = stated(
        TEXT, "We may use Usage Data to develop our AI models.", surface="training_use", stance="does_not_train"
    )
    sure = never._replace(rule="training_use.read", confidence=0.99, read_by="tested")
    settled = [document(alone=Reading((sure,), "en"))]
    assert assess(settled, [readers(TRAINS, TRAINS)]).stance == "does_not_train"


def test_readers_who_find_no_answer_make_a_platform_silent_but_its_clauses_stay_to_be_read() -> None:
    result = assess(platform(), [readers(vote("silent"), vote("silent"))])
    (row,) = (one for one in result.surfaces if one.surface == "training_use")
    assert (result.stance, row.risk, row.state, row.to_read, row.read_by) == ("silent", None, "to_read", 1, "0 + 1")


def test_a_document_that_was_not_read_leaves_the_stance_open() -> None:
    unread = replace(document(name="Regeln"), reading=Reading((), "sw"))
    assert assess([*platform(), unread], [readers(NEVER, NEVER)]).stance == "undetermined"
    assert assess(platform(), [readers(NEVER, NEVER)]).stance == "does_not_train"
