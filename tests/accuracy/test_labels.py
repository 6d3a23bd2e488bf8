"""Labels are read line by line, and a line that is not of their form is named."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.accuracy.labels import read_labels, read_whole
from riskanalytics.errors import LabelsError
from tests.accuracy.given import CHANGES, DOCUMENTS, PROMISE, STANCES, SURFACES, label, write_labels
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS

HERE = Path(__file__).parent
PARTS = ("learn", "calibrate", "test", "unseen")
FIRST = DOCUMENTS[0]["labels"][0]


def without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


def changed(place: int, value: object) -> dict[str, Any]:
    """A document with one label, one place of which is another."""
    return DOCUMENTS[0] | {"labels": [[value if at == place else cell for at, cell in enumerate(FIRST)]]}


def test_all_files_are_read_and_the_newest_day_is_known(tmp_path: Path) -> None:
    labels = read_labels(write_labels(tmp_path))
    counts = tuple(map(len, (labels.documents, labels.stances, labels.surfaces, labels.changes)))
    assert counts == (len(DOCUMENTS), len(STANCES), len(SURFACES), len(CHANGES))
    assert labels.as_of == date(2026, 3, 5)
    dated = [STANCES[0] | {"as_of": day} for day in ("2026-03-05", "2026-03-07", "2026-03-06")]
    assert read_labels(write_labels(tmp_path, training_use=[*dated, STANCES[1]])).as_of == date(2026, 3, 7)
    assert labels.documents[1].where == "whole.jsonl line 2"
    assert read_labels(tmp_path / "whole.jsonl").documents == labels.documents


def test_the_answer_of_a_second_reader_counts_too(tmp_path: Path) -> None:
    first, _, unsure = read_whole(write_labels(tmp_path) / "whole.jsonl")[1].labels
    assert (first.risks, first.polarities, first.sure) == (("MED", "HIGH"), ("raises_risk",), True)
    assert not unsure.sure


def test_fields_left_out_of_a_line_have_their_usual_value(tmp_path: Path) -> None:
    bare = without(without(without(DOCUMENTS[0], "family"), "document"), "collection")
    stance, change = without(STANCES[0], "as_of"), without(CHANGES[0], "id")
    labels = read_labels(write_labels(tmp_path, whole=[bare], training_use=[stance], changes=[change]))
    (document,) = labels.documents
    assert (document.family, document.document, document.collection) == (document.platform, "document", "")
    assert labels.as_of is None
    assert (labels.changes[0].id, labels.changes[0].where) == ("", "changes.jsonl line 1")


def test_labels_of_a_sample_are_named_and_not_read(tmp_path: Path) -> None:
    labels = read_labels(write_labels(tmp_path, whole=None, quotes="nonsense", negatives="{"))
    assert labels.samples == ("negatives.jsonl", "quotes.jsonl")
    assert labels.documents == ()


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match="contains no labels"):
        read_labels(tmp_path)
    with pytest.raises(LabelsError, match="contains no labels"):
        read_labels(tmp_path / "none")
    with pytest.raises(LabelsError, match="cannot be read as UTF-8"):
        read_whole(tmp_path / "none.jsonl")


def test_a_document_is_labelled_once(tmp_path: Path) -> None:
    write_labels(tmp_path, whole=[*DOCUMENTS, DOCUMENTS[0]])
    with pytest.raises(LabelsError, match=r"line 4 labels the same text as whole\.jsonl line 1"):
        read_labels(tmp_path)


def test_a_label_whose_offsets_do_not_match_its_quote_is_refused(tmp_path: Path) -> None:
    (document, _, _) = read_whole(write_labels(tmp_path) / "whole.jsonl")
    kept, refused = document.checked_labels(PRIVACY_LATER)
    assert (kept, refused) == (document.labels, ())
    kept, refused = document.checked_labels(PRIVACY)
    assert kept == ()
    assert refused[0].startswith("whole.jsonl line 1: the quote on training_use is not at characters ")
    assert len(refused) == 2
    (one, *_) = document.labels
    longer = document.model_copy(update={"labels": (one._replace(quote_sha256=f"{one.quote_sha256[:15]}x"),)})
    assert longer.checked_labels(PRIVACY_LATER)[0] == ()


@pytest.mark.parametrize(
    ("file", "row", "result"),
    [
        ("whole", "{", ": Invalid JSON"),
        ("whole", "[" * 100_000, ": Invalid JSON"),
        ("whole", "[1]", ": Input should be an object"),
        ("whole", without(DOCUMENTS[0], "platform"), ", platform: Field required"),
        ("whole", DOCUMENTS[0] | {"blob_sha256": "ABC"}, ", blob_sha256: String should match"),
        ("whole", DOCUMENTS[0] | {"readers": "two"}, ", readers: Input should be a valid integer"),
        ("whole", DOCUMENTS[0] | {"labels": None}, ", labels: Input should be a valid array"),
        ("whole", DOCUMENTS[0] | {"labels": [FIRST[:-1]]}, ", labels 1 10: Field required"),
        ("whole", DOCUMENTS[0] | {"labels": [FIRST, FIRST]}, ", labels: a clause is labelled twice"),
        ("whole", changed(2, "weather"), ", labels 1 3: String should match"),
        ("whole", changed(2, ["training_use"]), ", labels 1 3: Input should be a valid string"),
        ("whole", changed(3, "SEVERE"), ", labels 1 4: "),
        ("whole", changed(7, "SEVERE"), ", labels 1 8: "),
        ("whole", changed(4, "up"), ", labels 1 5: "),
        ("whole", changed(5, "medium"), ", labels 1 6: "),
        ("whole", changed(6, "often"), ", labels 1 7: "),
        ("whole", changed(0, -1), ", labels 1 1: "),
        ("whole", changed(0, True), ", labels 1 1: "),
        ("whole", changed(1, 1.5), ", labels 1 2: "),
        ("whole", changed(1, 0), "not after its start"),
        ("whole", changed(1, FIRST[0]), "not after its start"),
        ("whole", changed(9, "f" * 64), ", labels 1 10: "),
        ("training_use", STANCES[0] | {"acceptable": []}, ", acceptable: "),
        ("training_use", STANCES[0] | {"acceptable": [1]}, ", acceptable 1: "),
        ("training_use", STANCES[0] | {"as_of": "yesterday"}, ", as_of: Input should be a valid date"),
        ("platform_surface", SURFACES[0] | {"present": "yes"}, ", present: Input should be a valid boolean"),
        ("changes", CHANGES[0] | {"direction": "sideways"}, ", direction: Input should be 'up'"),
        ("changes", without(CHANGES[0], "after_sha256"), ", after_sha256: Field required"),
    ],
)
def test_a_malformed_line_is_reported_with_its_file_and_number(
    tmp_path: Path, file: str, row: Any, result: str
) -> None:
    good = {"whole": DOCUMENTS[1], "training_use": STANCES[1], "platform_surface": SURFACES[0]}.get(file, CHANGES[0])
    body = f"{json.dumps(good)}\n\n{row if isinstance(row, str) else json.dumps(row)}\n"
    write_labels(tmp_path, **{file: body})
    with pytest.raises(LabelsError, match=rf"{file}\.jsonl line 3") as caught:
        read_labels(tmp_path)
    assert result in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    write_labels(tmp_path)
    (tmp_path / "changes.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(LabelsError, match="cannot be read as UTF-8"):
        read_labels(tmp_path)


def test_a_separator_of_lines_inside_a_name_ends_no_line(tmp_path: Path) -> None:
    write_labels(tmp_path, whole=[DOCUMENTS[0] | {"document": "one\u2028two\x85three"}])
    assert read_labels(tmp_path).documents[0].document == "one\u2028two\x85three"


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    file = write_labels(tmp_path) / "whole.jsonl"
    whole = read_whole(file)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_whole(file) == whole


def test_a_clause_may_speak_to_two_surfaces(tmp_path: Path) -> None:
    both = DOCUMENTS[0] | {"labels": [FIRST, label(PRIVACY_LATER, PROMISE, "ads_tracking", "LOW")]}
    assert len(read_labels(write_labels(tmp_path, whole=[both])).documents[0].labels) == 2


def test_no_family_no_platform_and_no_text_of_ours_crosses_the_parts() -> None:
    parts = {part: read_whole(HERE / "labels" / "whole" / f"{part}.jsonl") for part in PARTS}
    for name in ("family", "platform", "sha256"):
        seen = Counter(value for result in parts.values() for value in {getattr(one, name) for one in result})
        assert [value for value, times in seen.items() if times > 1] == []
    assert {one.readers for part in ("test", "unseen") for one in parts[part]} == {2}


def test_nothing_is_learned_from_texts_whose_changes_and_stances_are_measured() -> None:
    unseen = read_labels(HERE / "labels" / "unseen")
    measured = {one.platform for one in read_whole(HERE / "labels" / "whole" / "unseen.jsonl")}
    learned = {
        document
        for part in ("learn", "calibrate")
        for document in read_whole(HERE / "labels" / "whole" / f"{part}.jsonl")
    }
    assert {one.platform for one in unseen.stances} == measured
    assert not {one.platform for one in learned} & measured
    assert not {one.sha256 for one in learned} & {change.after for change in unseen.changes}


def test_the_labels_of_the_terms_match_the_terms(tmp_path: Path) -> None:
    document = read_whole(write_labels(tmp_path) / "whole.jsonl")[1]
    assert document.checked_labels(TERMS)[1] == ()
