"""Analysis of a question: the platforms and surfaces it is about, and the words that a quote must contain."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from riskanalytics.surfaces import SURFACES

from ..store.search import UNSPACED, WORD
from .vocabulary import RUN, Modifier, StanceWords, Topic, digits, fold, matching, respelled, stem, units, vocabulary

_SPACED_WORD: Final = re.compile(rf"[^\W{UNSPACED}]+")
_MAKER: Final = re.compile(f"(?<![{UNSPACED}])[{UNSPACED}]{{1,4}}的$")
"""Name of a maker before the name of its product, in a script without spaces."""
_MOST_READ: Final = 1000
"""Maximum number of characters read of a question; the endpoint accepts no longer one."""
_SHARED_BY: Final = 5
"""Maximum number of platforms that one word of a name may identify."""
_QUANTITY: Final = re.compile(r"\b(\w+)\W{1,2}(hour|day|week|month|year)s?\b(?!\W{1,2}olds?\b)")
_COMPARES: Final = re.compile(r"\b(?:compar\w+|differen\w+|versus|vs|which of|both)\b|比较|区别|哪个")
_JOINED: Final = re.compile(r"(?:\b(?:and|or|than|nor)|[,;&/?:.]|和|与|跟|或|还是|、)\W*$")
_PLAN: Final = re.compile(r" (?:plan|tier|edition|version|subscription|subscribers?)\b")
"""Words after the name of a plan."""
_VERBS: Final = "does|do|is|are|can|could|will|would|may|has|have|at|by|of"
_BEFORE_SUBJECT: Final = re.compile(rf"\b(?:{_VERBS})\W*$")
_BEFORE_NAME: Final = re.compile(
    rf"(?:^|\b(?:{_VERBS}|with|from|about|for|to|in|on|and|or|vs|versus|compare|between|platform|if|when|using|use|"
    r"before|after|unless|once|until|while|whether|because|since)\b)\W*$"
)
"""Words before a name that is written like a common word."""
_PRODUCT: Final = re.compile(r" (?:api|app|platform|website|terms|policy|privacy policy|chat|service)\b")
"""Words after a name that is written like a common word, if "the" precedes the name."""
_AT_THE_START: Final = re.compile(rf"\s?[:,{UNSPACED}]|\s[-–—]\s")
"""Text that marks a word at the start of a question as a name, if it follows the word."""
_STAFF: Final = re.compile(
    r"\s*(?:staff|employees?|people|personnel|engineers?|team|workers?|contractors?|reviewers?)\b"
)
_INSIDE: Final = re.compile(r"\b(?:in|into|on|through|via|using|my|our)\W*$")
"""Words before the product in questions such as "do Acme staff read chats in Acme Chat?", which are about the product."""

Names = list[tuple[str, str]]
"""Pairs of a platform's slug and name."""


class Mention(NamedTuple):
    """A platform name in a question: where it starts and ends, its `words`, and the `slugs` of all platforms that it may mean."""

    start: int
    end: int
    slugs: tuple[str, ...]
    words: tuple[str, ...]


class Term(NamedTuple):
    """A word (lower case, without accents) that a quote must contain to answer a question.

    `is_name` is true if the word looks like a name in the question, for example because it begins with a capital letter.
    """

    word: str
    is_name: bool


class Question(NamedTuple):
    """Result of the analysis of a question.

    Parameters
    ----------
    text : str
        The question without surrounding white space.
    names : dict
        Slug -> name of the tracked platforms.
    platform : str or None
        Slug of the platform that was given separately from the text.
    named : tuple of tuple of str
        For each platform name in the question, the slugs of the platforms that it may mean.
    topics, modifiers : tuple
        The subjects that the question is about, and its limits such as "how long". Both are entries of the vocabulary (known
        words and phrases on policies).
    surfaces : tuple of str
        Surfaces that the question is about, in the order in which pages show them.
    terms : tuple of Term
        Specific words that the vocabulary does not cover.
    quantities : tuple of (number, unit)
        Lengths of time that a quote must contain.
    content : tuple of str
        All words except function words, to rank findings.
    audience : str or None
        `consumer`, `business` or `developer`, if the question is about one of these groups; else None.
    about_policies : bool
        Whether the question is about a surface, or contains a word for policies.
    intents : frozenset of str
        What the question wants: `which` (platforms), `clauses`, `mentions` (platforms with any clause on the subject),
        `lacking` (platforms without such a clause), `rated` (ratings), `advice` (legal advice), `elsewhere` (facts that
        policies do not contain). And `negated` if the question is negative.
    levels : tuple of str
        Ratings named in the question.
    stances : tuple of str
        Stances on training use that mean "yes" to the question. Empty if recorded stances do not answer it.
    """

    text: str
    names: dict[str, str]
    platform: str | None
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
    def slugs(self) -> list[str]:
        """Slugs of the tracked platforms that the question is about; empty if it names no platform or is ambiguous."""
        if self.platform is not None:
            return [self.platform] if self.platform in self.names else []
        return [] if any(len(fits) > 1 for fits in self.named) else list(dict.fromkeys(fits[0] for fits in self.named))

    @property
    def on_ratings(self) -> bool:
        """Whether the question is answered by the platforms' stored ratings, not by clauses."""
        return "rated" in self.intents and not self.terms and bool(self.slugs or "which" in self.intents)

    @property
    def searched(self) -> tuple[str, ...]:
        """Surfaces to search; all of them if the question names none."""
        return self.surfaces or SURFACES


def read_question(text: str, names: Iterable[tuple[str, str]], platform: str | None = None) -> Question:
    """Analyse a question, and return the result.

    Parameters
    ----------
    text : str
        The question.
    names : iterable of (slug, name)
        Tracked platforms.
    platform : str, optional
        Slug of the platform that the question is about. If given, words such as "which companies" do not ask for a list of
        platforms.
    """
    tracked, known = dict(names), vocabulary()
    plain, folded, found, related = _located(text, tracked)
    intents = frozenset(matching(known.intents, folded))
    modifiers = tuple(modifier for modifier in known.modifiers if modifier.asks.search(folded))
    of_all = "which" in intents and not found and platform is None
    topics = _topics(known.intents["which"].sub(" ", folded) if of_all else folded)
    stances = _stance_words(folded, topics, modifiers)
    surfaces = {surface for topic in topics for surface in topic.surfaces}
    surfaces = surfaces or {item.alone for item in modifiers if item.alone}
    names_held = (Term(word, is_name=True) for mention in related for word in mention.words)
    terms = (*names_held, *_terms(plain, _explained(folded, topics, (*modifiers, stances))))
    quantities = tuple((number, unit) for word, unit in _QUANTITY.findall(folded) if (number := digits(word)))
    affirming: tuple[str, ...] = ()
    if stances and not terms and not quantities:
        affirming = stances.denied if "negated" in intents else stances.says
    return Question(
        text=text.strip(),
        names=tracked,
        platform=platform,
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
        levels=tuple(matching(known.levels, folded)),
        stances=affirming,
    )


def _audience(folded: str) -> str | None:
    """Return the audience that a question is about; None if it compares consumers with business users."""
    named = matching(vocabulary().audiences, folded)
    return None if not named or ("consumer" in named and len(named) > 1) else named[0]


def _located(text: str, names: dict[str, str]) -> tuple[str, str, list[Mention], list[Mention]]:
    """Return a question without names, plain and folded, and the platforms it is about and those it only mentions."""
    in_names = {word for name in names.values() for word in WORD.findall(fold(normalised(name)))}
    plain = respelled(normalised(text)[:_MOST_READ], in_names)
    folded = fold(plain)
    found, related = _compared(folded, mentions(plain, names.items()))
    for mention in (*found, *related):
        owner = 2 if folded.startswith("'s", mention.end) else 0
        maker = _MAKER.search(folded[: mention.start])
        folded = _blanked(folded, maker.start() if maker else mention.start, mention.end + owner)
    kept = [place for place in range(len(folded)) if folded[place : place + 2] not in (" ", "  ")]
    return "".join(plain[place] for place in kept), "".join(folded[place] for place in kept), found, related


def _compared(folded: str, found: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Separate the platforms that a question is about from those that it only mentions.

    Questions with "A and B" or "A or B" are about both. "Does A share data with B" is about A; clauses of A must name B.
    """
    if not found or _COMPARES.search(folded):
        return found, []
    joined = {found[0].slugs, *(mention.slugs for mention in found if _JOINED.search(folded[: mention.start]))}
    return [one for one in found if one.slugs in joined], [one for one in found if one.slugs not in joined]


def _topics(folded: str) -> tuple[Topic, ...]:
    """Return the topics of a question, without topics that others cover; verbs come before their objects."""
    topics = vocabulary().topics
    found = [topic for topic in topics if topic.asks.search(folded) and not topic.unless.search(folded)]
    strong = [topic for topic in found if not topic.weak] or found
    covered = {name for topic in strong for name in topic.covers}
    return tuple(sorted((topic for topic in strong if topic.id not in covered), key=lambda topic: topic.object))


def _stance_words(folded: str, topics: tuple[Topic, ...], modifiers: tuple[Modifier, ...]) -> StanceWords | None:
    """Return the vocabulary entry that asks for stances on training use; None if the question is about something else."""
    named = {topic.id for topic in topics}
    about = named == {"train"} or (not named and {modifier.id for modifier in modifiers} == {"opt_out"})
    return next((words for words in vocabulary().stances if about and words.asks.search(folded)), None)


def _explained(folded: str, topics: Iterable[Topic], others: Iterable[Modifier | StanceWords | None]) -> str:
    """Blank out the words that patterns of topics, covered topics, intents and audiences match."""
    known = vocabulary()
    covered = {name for topic in topics for name in (topic.id, *topic.covers)}
    patterns = [part for topic in known.topics if topic.id in covered for part in topic.parts]
    patterns += [words.asks for words in others if words]
    patterns += [known.intents[name] for name in ("which", "clauses", "by_default", "mentions", "lacking", "rated")]
    patterns += [*known.audiences.values(), known.own, known.made]
    spans = [span for pattern in patterns for match in pattern.finditer(folded) for span in _pieces(match)]
    for start, end in spans:
        folded = _blanked(folded, start, end)
    return folded


def _pieces(match: re.Match[str]) -> list[tuple[int, int]]:
    """Return the spans of a match without the gaps between its words; words in gaps are not covered by the pattern."""
    pieces, begin = [], match.start()
    for start, end in sorted(match.span(group) for group in range(1, match.re.groups + 1)):
        if match.start() <= start and end <= match.end():
            pieces.append((begin, start))
            begin = end
    return [*pieces, (begin, match.end())]


def _terms(plain: str, folded: str) -> tuple[Term, ...]:
    """Return the specific words that remain of a question."""
    known = vocabulary()
    terms: list[Term] = []
    for name, pattern in known.same.items():
        if pattern.search(folded):
            terms.append(Term(name, is_name=False))
            folded = pattern.sub(lambda match: " " * len(match[0]), folded)
    folded = known.unspaced.sub(lambda match: " " * len(match[0]), folded)
    for match in WORD.finditer(folded):
        (start, end), written = match.span(), plain[match.start() : match.end()]
        terms += [Term(run, is_name=False) for run in RUN.findall(match[0]) if len(run) > 1]
        word = RUN.sub("", match[0])
        is_letter = len(written) == 1 and written.isupper() and written not in "AI"
        is_plan = written[:1].isupper() and _PLAN.match(folded, end) and not (start == 0 and stem(word) in known.empty)
        if (len(word) > 1 or word.isdigit() or is_letter) and (is_plan or stem(word) not in known.soft):
            is_name = (written[:1].isupper() and start > 0) or bool(_BEFORE_SUBJECT.search(folded[:start]))
            terms.append(Term(word, is_name=is_name))
    return tuple(dict.fromkeys(terms))


def _blanked(text: str, start: int, end: int) -> str:
    """Replace a part of a text by spaces of the same length."""
    return text[:start] + " " * (end - start) + text[end:]


def normalised(text: str) -> str:
    """Return a text in Unicode NFKC with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def mentions(question: str, names: Iterable[tuple[str, str]]) -> list[Mention]:
    """Find the platforms that a question names. Whole names win over parts of names; merely similar names do not match.

    Parameters
    ----------
    question : str
        Normalised text.
    names : iterable of (slug, name)

    Returns
    -------
    list of Mention
        In order of position, without overlaps.
    """
    folded, known = fold(question), [(slug, normalised(name)) for slug, name in names]
    whole = [*_whole_names(question, folded, known), *_other_scripts(folded, known)]
    found: list[Mention] = []
    for mention in (*whole, *_parts(question, folded, known, alone=not whole)):
        if all(mention.end <= other.start or mention.start >= other.end for other in found):
            found.append(mention)
    found.sort()
    # a maker that only qualifies the next name, as owner or by its staff
    owners = [one for one, other in pairwise(found) if _is_owner(folded[one.end : other.start])]
    return [mention for mention in found if mention not in owners]


def _whole_names(question: str, folded: str, known: Names) -> Iterator[Mention]:
    """Find whole names and slugs, longest first; among platforms with equal names, prefer the exact spelling."""
    forms: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for slug, name in known:
        for words in {tuple(WORD.findall(fold(name))), tuple(WORD.findall(slug))}:
            if len("".join(words)) > 1:
                forms[words].append((slug, name))
    for words in sorted(forms, key=lambda words: (-len("".join(words)), len(words), words)):
        body = r"\W{0,3}".join(map(re.escape, words))
        form = body if RUN.search(body) else rf"(?<![^\W{UNSPACED}]){body}(?![^\W{UNSPACED}])"
        for match in re.finditer(form, folded) if all(word in folded for word in words) else ():
            written = question[match.start() : match.end()]
            exact = {slug for slug, name in forms[words] if written.casefold() in (name.casefold(), slug)}
            slugs = exact if len(exact) == 1 else {slug for slug, _ in forms[words]}
            if len(words) > 1 or not written.isascii() or not written.isalpha() or _is_name(written, folded, match):
                yield Mention(*match.span(), tuple(sorted(slugs)), words)


def _is_name(written: str, folded: str, match: re.Match[str]) -> bool:
    """Return whether a word that may be a common one is used as a name."""
    before, end = folded[: match.start()], match.end()
    return (
        not written.islower()
        or folded.startswith("'s", end)
        or bool(_BEFORE_NAME.search(before))
        or (bool(_PRODUCT.match(folded, end)) and before.endswith("the "))
    )


def _other_scripts(folded: str, known: Names) -> Iterator[Mention]:
    """Find names written in a different script than the platform's name."""
    for written, latin in vocabulary().also_called.items():
        slugs = tuple(sorted({slug for slug, name in known if latin in WORD.findall(fold(name))}))
        if 0 < len(slugs) <= _SHARED_BY:
            for match in re.finditer(re.escape(written), folded):
                yield Mention(*match.span(), slugs, (latin,))


def _parts(question: str, folded: str, known: Names, *, alone: bool) -> Iterator[Mention]:
    """Find single words of names that few platforms share; `alone` means that the question has no whole name."""
    owners: dict[str, set[str]] = defaultdict(set)
    for slug, name in known:
        for word in WORD.findall(fold(name)):
            if len(word) >= 3 and word not in vocabulary().generic and not RUN.search(word):
                owners[word].add(slug)
    lower = re.sub(r"\bI\b", "i", question).islower()
    for match in _SPACED_WORD.finditer(folded):
        slugs, (start, end) = owners.get(match[0], set()), match.span()
        if question[start].isupper():
            is_meant = start > 0 or alone or bool(_AT_THE_START.match(question, end))
        else:
            is_meant = lower and start > 0 and bool(_BEFORE_NAME.search(folded[:start]))
        if 0 < len(slugs) <= _SHARED_BY and (is_meant or folded.startswith("'s", end)):
            yield Mention(start, end, tuple(sorted(slugs)), (match[0],))


def _is_owner(between: str) -> bool:
    """Return whether the words between two names say that the first is the maker of the second."""
    return between.strip() == "'s" or bool(_STAFF.match(between.removeprefix("'s")) and _INSIDE.search(between))
