"""What a question asks: which platforms, which surfaces, and which words a quote must hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from riskanalytics.service.answering.naming import Mention, mentions, normalised
from riskanalytics.service.answering.vocabulary import (
    Modifier,
    StanceWords,
    Topic,
    digits,
    fold,
    respelled,
    stem,
    units,
    vocabulary,
)
from riskanalytics.service.store.search import UNSPACED
from riskanalytics.surfaces import SURFACES

_TOKEN: Final = re.compile(r"\w+")
_HAN: Final = re.compile(f"[{UNSPACED}]+")
_MAKER: Final = re.compile(f"(?<![{UNSPACED}])[{UNSPACED}]{{1,4}}的$")
"""Who makes what the name behind it is the name of, in a script without spaces."""
_MOST_READ: Final = 1000
"""Characters of a question that are looked at; the endpoint takes no longer one."""
_QUANTITY: Final = re.compile(r"\b(\w+)\W{1,2}(hour|day|week|month|year)s?\b(?!\W{1,2}olds?\b)")
_COMPARES: Final = re.compile(r"\b(?:compar\w+|differen\w+|versus|vs|which of|both)\b|比较|区别|哪个")
_JOINED: Final = re.compile(r"(?:\b(?:and|or|than|nor)|[,;&/?:.]|和|与|跟|或|还是|、)\W*$")
_PLAN: Final = re.compile(r" (?:plan|tier|edition|version|subscription|subscribers?)\b")
"""What follows the name of a plan."""
_BEFORE_SUBJECT: Final = re.compile(r"\b(?:does|do|is|are|can|could|will|would|may|has|have|at|by|of)\W*$")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question that a quote must hold.

    Parameters
    ----------
    word : str
        As folded, or the name of a group of words that mean one thing.
    is_name : bool
        Whether it is written, or stands, as a name does.
    """

    word: str
    is_name: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was understood.

    Parameters
    ----------
    text : str
        As asked, without white space around it.
    named : tuple of tuple of str
        For each platform named, the slugs that the words fit.
    topics, modifiers : tuple
    surfaces : tuple of str
        In the order of pages.
    terms : tuple of Term
        What is left: particular words, which the vocabulary does not explain.
    quantities : tuple of (number, unit)
        Lengths of time that a quote must hold.
    content : tuple of str
        All words that tell something, for the order of findings.
    audience : str or None
    about_policies : bool
    intents : frozenset of str
        What it asks for, of the vocabulary's: `which` platforms, `clauses`, who `mentions` something at all, who is
        `lacking` it, how platforms are `rated`, legal `advice`, what stands `elsewhere`; and whether it is `negated`.
    levels : tuple of str
        The ratings that it names.
    stances : tuple of str
        The stances on training use that affirm it, where a recorded stance answers it; else none.
    """

    text: str
    named: tuple[tuple[str, ...], ...]
    topics: tuple[Topic, ...]
    modifiers: tuple[Modifier, ...]
    surfaces: tuple[str, ...]
    terms: tuple[Term, ...]
    quantities: tuple[tuple[str, str], ...]
    content: tuple[str, ...]
    audience: str | None
    about_policies: bool
    intents: frozenset[str]
    levels: tuple[str, ...]
    stances: tuple[str, ...]

    @property
    def searched(self) -> tuple[str, ...]:
        """The surfaces to search; all of them for clauses with particular words only."""
        return self.surfaces or SURFACES

    @property
    def words(self) -> list[str]:
        """The particular words, for people."""
        return [term.word for term in self.terms]


def read_question(text: str, names: Iterable[tuple[str, str]], *, about_one: bool = False) -> Question:
    """Understand a question.

    Parameters
    ----------
    text : str
    names : iterable of (slug, name)
        Of the tracked platforms.
    about_one : bool
        Whether the platform is known besides, so that "which companies" asks for others.

    Returns
    -------
    Question
    """
    plain, folded, found, related = _located(text, list(names))
    known = vocabulary()
    intents = frozenset(name for name, pattern in known.intents.items() if pattern.search(folded))
    modifiers = tuple(modifier for modifier in known.modifiers if modifier.asks.search(folded))
    topics = _topics(
        folded if found or about_one or "which" not in intents else known.intents["which"].sub(" ", folded)
    )
    stances = _stance_words(folded, topics, modifiers)
    surfaces = {surface for topic in topics for surface in topic.surfaces} or {
        item.alone for item in modifiers if item.alone
    }
    names_held = (Term(word, is_name=True) for mention in related for word in mention.words)
    terms = (*names_held, *_terms(plain, _explained(folded, topics, modifiers, stances)))
    quantities = tuple((number, unit) for word, unit in _QUANTITY.findall(folded) if (number := digits(word)))
    affirming: tuple[str, ...] = ()
    if stances is not None and not terms and not quantities:
        affirming = stances.denied if "negated" in intents else stances.says
    return Question(
        text=text.strip(),
        named=tuple(dict.fromkeys(mention.slugs for mention in found)),
        topics=topics,
        modifiers=modifiers,
        surfaces=tuple(surface for surface in SURFACES if surface in surfaces),
        terms=terms,
        quantities=quantities,
        content=tuple(dict.fromkeys(unit for unit in units(folded) if unit not in known.empty)),
        audience=None if [topic.id for topic in topics] == ["plans"] else _audience(folded),
        intents=intents,
        about_policies=bool(surfaces or known.policy.search(folded)),
        levels=tuple(level for level, pattern in known.levels.items() if pattern.search(folded)),
        stances=affirming,
    )


def _audience(folded: str) -> str | None:
    """Return whom a question is about; nobody in particular where it sets consumers against business users."""
    named = [name for name, pattern in vocabulary().audiences.items() if pattern.search(folded)]
    return None if not named or ("consumer" in named and len(named) > 1) else named[0]


def _located(text: str, names: Sequence[tuple[str, str]]) -> tuple[str, str, list[Mention], list[Mention]]:
    """Return a question as written, folded without names, and the platforms that it is about and that it mentions."""
    in_names = {word for _, name in names for word in _TOKEN.findall(fold(normalised(name)))}
    plain = respelled(normalised(text[:_MOST_READ])[:_MOST_READ], in_names)
    folded = fold(plain)
    found, related = _compared(folded, mentions(plain, names))
    for mention in (*found, *related):
        owner = 2 if folded.startswith("'s", mention.end) else 0
        maker = _MAKER.search(folded[: mention.start])
        folded = _blanked(folded, maker.start() if maker else mention.start, mention.end + owner)
    kept = [place for place, character in enumerate(folded) if folded[place : place + 2].strip() or character != " "]
    return "".join(plain[place] for place in kept), "".join(folded[place] for place in kept), found, related


def _compared(folded: str, found: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Tell the platforms that a question is about from those that it only sets in relation to the first.

    "A and B" and "A or B" are about both; "does A share data with B" is about A, whose clauses must name B.
    """
    if not found or _COMPARES.search(folded):
        return found, []
    joined = {mention.slugs for mention in found if _JOINED.search(folded[: mention.start])}
    about = [mention for mention in found if mention.slugs in {found[0].slugs, *joined}]
    return about, [mention for mention in found if mention not in about]


def _topics(folded: str) -> tuple[Topic, ...]:
    """Return the topics of a question, without those that others cover."""
    found = [
        topic
        for topic in vocabulary().topics
        if topic.asks.search(folded) and not (topic.unless and topic.unless.search(folded))
    ]
    strong = [topic for topic in found if not topic.weak] or found
    covered = {name for topic in strong for name in topic.covers}
    kept = [topic for topic in strong if topic.id not in covered]
    actions = [topic for topic in kept if not topic.object]
    return tuple(actions + [topic for topic in kept if topic.object])


def _stance_words(folded: str, topics: tuple[Topic, ...], modifiers: tuple[Modifier, ...]) -> StanceWords | None:
    """Return the words that ask for stances on training use; None where the question asks for something else."""
    asked = {topic.id for topic in topics}
    about = asked == {"train"} or (not asked and {modifier.id for modifier in modifiers} == {"opt_out"})
    return next((words for words in vocabulary().stances if about and words.asks.search(folded)), None)


def _explained(
    folded: str, topics: tuple[Topic, ...], modifiers: tuple[Modifier, ...], stances: StanceWords | None
) -> str:
    """Blank out what the vocabulary explains: patterns of the topics found, of what they cover, and of intents."""
    known = vocabulary()
    covered = {name for topic in topics for name in topic.covers}
    patterns = [
        part for topic in (*topics, *known.topics) if topic in topics or topic.id in covered for part in topic.parts
    ]
    patterns += [modifier.asks for modifier in modifiers]
    patterns += [] if stances is None else [stances.asks]
    patterns += [known.intents[name] for name in ("which", "clauses", "by_default", "mentions", "lacking", "rated")]
    patterns += [*known.audiences.values(), known.own, known.made]
    spans = [span for pattern in patterns for match in pattern.finditer(folded) for span in _pieces(match)]
    for start, end in spans:
        folded = _blanked(folded, start, end)
    return folded


def _pieces(match: re.Match[str]) -> list[tuple[int, int]]:
    """Return the places of a match without the gaps between its words: what stands there is still to be explained."""
    pieces, begin = [], match.start()
    gaps = sorted(match.span(group) for group in range(1, (match.re.groups or 0) + 1) if match.span(group) != (-1, -1))
    for start, end in gaps:
        if match.start() <= start and end <= match.end():
            pieces.append((begin, start))
            begin = end
    return [*pieces, (begin, match.end())]


def _terms(plain: str, folded: str) -> tuple[Term, ...]:
    """Return the particular words that are left of a question."""
    known = vocabulary()
    terms: list[Term] = []
    for name, pattern in known.same.items():
        if pattern.search(folded):
            terms.append(Term(name, is_name=False))
            folded = pattern.sub(lambda match: " " * len(match[0]), folded)
    folded = known.unspaced.sub(lambda match: " " * len(match[0]), folded)
    for match in _TOKEN.finditer(folded):
        word, (start, end) = match[0], match.span()
        runs = [run for run in _HAN.findall(word) if len(run) > 1]
        if _HAN.search(word):
            terms += [Term(run, is_name=False) for run in runs]
            word = _HAN.sub("", word)
        written = plain[start:end]
        is_plan = written[:1].isupper() and bool(_PLAN.match(folded, end))
        asks = len(word) > 1 or word.isdigit() or _is_letter(written)
        is_plan = is_plan and not (start == 0 and stem(word) in known.empty)
        if asks and (is_plan or stem(word) not in known.soft):
            is_name = (written[:1].isupper() and start > 0) or bool(_BEFORE_SUBJECT.search(folded[:start]))
            terms.append(Term(word, is_name=is_name))
    return tuple(dict.fromkeys(terms))


def _is_letter(written: str) -> bool:
    """Say whether a letter stands as a name."""
    return len(written) == 1 and written.isupper() and written not in "AI"


def _blanked(text: str, start: int, end: int) -> str:
    """Return a text with a part of it made blank, its length kept."""
    return text[:start] + " " * (end - start) + text[end:]
