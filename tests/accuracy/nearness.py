"""How near sentences of ours come to texts of others: runs of words, or of Chinese characters, that stand in both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"[a-z0-9']+")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_ADDRESS: Final = re.compile(r"\]\([^)]*\)")


def words(text: str) -> list[str]:
    """Words and numbers in small letters, without punctuation and without the addresses of links."""
    return _WORD.findall(_ADDRESS.sub(" ", text.lower()))


def characters(text: str) -> list[str]:
    """Chinese characters, without punctuation."""
    return _HAN.findall(text)


@dataclass(frozen=True)
class Measure:
    """What is counted, and from how many in a row on it is too near.

    Parameters
    ----------
    split : callable
        Text -> words or characters.
    length : int
    """

    split: Callable[[str], list[str]]
    length: int

    def runs(self, tokens: list[str]) -> list[int]:
        """Hashes of all runs, by the place of their first word."""
        length = self.length
        return [hash(tuple(tokens[at : at + length])) for at in range(len(tokens) - length + 1)]

    def passages(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Each line after the words before it; what an earlier version had in the same place comes once."""
        split, before = self.split, self.length - 1
        lines: dict[str, list[str]] = {}
        seen: set[int] = set()
        for text in texts:
            tail: list[str] = []
            for line in text.split("\n"):
                if (tokens := lines.get(line)) is None:
                    tokens = lines[line] = split(line)
                if not tokens:
                    continue
                key = hash((line, *tail))
                whole = tail + tokens
                if key not in seen:
                    seen.add(key)
                    yield whole
                tail = whole[-before:]

    def shared(self, ours: dict[str, str], theirs: Iterable[str]) -> dict[str, list[str]]:
        """Runs of ours that stand in texts of others, by the name of the text.

        Parameters
        ----------
        ours : dict of str to str
            Texts by name.
        theirs : iterable of str
        """
        tokens = {name: self.split(text) for name, text in ours.items()}
        runs = {name: self.runs(own) for name, own in tokens.items()}
        wanted = {run for own in runs.values() for run in own}
        met: set[int] = set()
        for passage in self.passages(theirs):
            met.update(wanted.intersection(self.runs(passage)))
        found = {
            name: [" ".join(tokens[name][at : at + self.length]) for at, run in enumerate(own) if run in met]
            for name, own in runs.items()
        }
        return {name: places for name, places in found.items() if places}

    def share(self, ours: dict[str, str], theirs: Iterable[str]) -> dict[str, float]:
        """Largest share of each text of ours that stands, run by run, in one and the same text of others.

        Parameters
        ----------
        ours : dict of str to str
            Texts by name.
        theirs : iterable of str
        """
        runs = {name: self.runs(self.split(text)) for name, text in ours.items()}
        wanted = {run for own in runs.values() for run in own}
        most = dict.fromkeys(ours, 0.0)
        for text in theirs:
            met = wanted.intersection(self.runs(self.split(text)))
            for name, own in runs.items():
                covered = {at + step for at, run in enumerate(own) if run in met for step in range(self.length)}
                most[name] = max(most[name], len(covered) / (len(own) + self.length - 1))
        return most


WORDS: Final = Measure(words, 12)
CHARACTERS: Final = Measure(characters, 20)
PHRASES: Final = Measure(words, 6)
FOLLOWS: Final = 0.1
"""Share of a policy's words, in runs of six, from which on it follows another's."""
