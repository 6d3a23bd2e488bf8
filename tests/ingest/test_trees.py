"""What is new in a tree, against dulwich's own comparison."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from dulwich.diff_tree import tree_changes
from dulwich.object_store import MemoryObjectStore
from dulwich.objects import Blob, Tree

from riskanalytics.ingest.trees import Trees


def blob(number: int) -> bytes:
    """Name of the blob of a number."""
    return bytes(Blob.from_string(b"%d" % number).id)


def put(store: MemoryObjectStore, entries: dict[bytes, tuple[int, bytes]]) -> bytes:
    """Keep a tree; give its name."""
    tree = Tree()
    for name, (mode, sha) in entries.items():
        tree.add(name, mode, sha)
    store.add_object(tree)
    return bytes(tree.id)


def histories(chance: random.Random) -> list[dict[bytes, tuple[int, bytes]]]:
    """Trees one after the other: each changes, adds or removes some entries, at any place, or all."""
    names = [b"%s%d" % (chance.choice([b"a", b"mm", b"z z", "é".encode()]), number) for number in range(60)]
    now: dict[bytes, tuple[int, bytes]] = {}
    found = []
    for _ in range(40):
        for name in chance.sample(names, chance.choice([0, 1, 1, 1, 2, 30])):
            if name in now and chance.random() < 0.4:
                del now[name]
            else:
                now[name] = chance.choice([0o100644, 0o100755, 0o120000, 0o160000]), blob(chance.randrange(5))
        found.append(dict(now))
    return found


@pytest.mark.parametrize("seed", range(25))
def test_new_entries_are_those_of_a_whole_comparison_in_its_order(seed: int) -> None:
    chance, store = random.Random(seed), MemoryObjectStore()
    trees = Trees(store.get_raw)
    shas = [put(store, entries) for entries in histories(chance)]
    pairs = [(None, shas[0]), *itertools.pairwise(shas), *((chance.choice(shas), one) for one in shas)]
    for before, after in pairs:
        whole = [change for change in tree_changes(store, before, after) if change.new is not None]
        told = [(change.new.path, change.new.mode, change.new.sha) for change in whole if change.new]
        assert [(entry.name, entry.mode, entry.sha) for entry, _ in trees.new(before, after)] == told
        old = dict.fromkeys([]) if before is None else {entry.name: entry for entry in trees.entries(before)}
        assert all(had == old.get(entry.name) for entry, had in trees.new(before, after))


def test_a_tree_of_many_services_is_not_read_again_for_each_commit() -> None:
    store, asked = MemoryObjectStore(), list[bytes]()
    entries = {b"service%05d" % number: (0o100644, blob(0)) for number in range(5000)}
    first = put(store, entries)
    second = put(store, entries | {b"service02500": (0o100644, blob(1))})

    def raw(sha: bytes) -> tuple[int, bytes]:
        asked.append(sha)
        return store.get_raw(sha)

    trees = Trees(raw)
    list(trees.new(None, first))
    assert [entry.name for entry, _ in trees.new(first, second)] == [b"service02500"]
    assert asked == [first, second]


@pytest.mark.parametrize("damaged", [lambda raw: raw[:-1], lambda raw: raw + b"1", lambda raw: b"9" + raw])
def test_a_damaged_tree_is_told(damaged: Callable[[bytes], bytes]) -> None:
    store = MemoryObjectStore()
    sha = put(store, {b"a": (0o100644, blob(0)), b"b": (0o100644, blob(0))})
    kind, content = store.get_raw(sha)
    with pytest.raises(ValueError, match="damaged"):
        list(Trees(lambda _: (kind, damaged(content))).new(None, sha))
    with pytest.raises(ValueError, match="no tree"):
        Trees(lambda _: (3, content)).entries(sha)
