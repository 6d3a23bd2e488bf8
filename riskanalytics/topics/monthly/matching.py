"""Names as people write them: which tracked platform one means for certain, and which it may mean."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from rapidfuzz import fuzz, process

from riskanalytics.pages.rows import Rows
from riskanalytics.topics.shape import word_of

CONFIDENCE: Final = {"exact": 1.0, "website": 1.0, "spelling": 0.95, "alias": 0.9, "maker": 0.8}
"""Ways in which a name means a platform for certain, in the order in which they are tried, and how sure each is."""
_OF_MAKER: Final = 0.5
_LIKE: Final = 0.75
"""Confidence in a name that is wholly like another; less alike is less."""
_LEAST_LIKE: Final = 0.6
_TRIED: Final = 20
"""Names, the most alike, whose likeness is looked at more closely."""
_COMMON: Final = frozenset(["ai", "app", "chat", "com", "io", "net", "new", "org", "the"])
"""Words that many names share."""
_CANDIDATES: Final = 3
_BEGINNING: Final = 3
_WRITTEN: Final = "as written: "
_LEGAL: Final = frozenset(
    [
        "inc",
        "incorporated",
        "gmbh",
        "ltd",
        "limited",
        "llc",
        "corp",
        "corporation",
        "plc",
        "pbc",
        "ag",
        "ab",
        "bv",
        "sas",
    ]
)
_ENDING: Final = re.compile(r"(.+)\.(?:ai|app|com|io|net|org)")
_ADDRESS: Final = re.compile(r"(?:\S+://)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?")
_WORD: Final = re.compile(r"[^\W_]+")
_OWN: Final = 6
"""Letters that are left of a name without article and legal form, at least: `Bolt Inc.` need not be `Bolt`."""
_OWN_HOST: Final = 8
"""Letters that are left of an address without its ending, at least: `signal.ai` is not `Signal`."""


class Found(NamedTuple):
    """A platform that a name means, or may mean."""

    slug: str
    matched_by: str
    confidence: float


class Names:
    """The names of tracked platforms, in which a name is looked up.

    Parameters
    ----------
    platforms : list of dict
        `slug`, `name`, `website`.
    """

    def __init__(self, platforms: Rows) -> None:
        self._index: dict[str, dict[str, dict[str, str]]] = {
            level: defaultdict(dict) for level in (*CONFIDENCE, "made", "host", "like")
        }
        for platform in platforms:
            slug, name = word_of(platform["slug"]), word_of(platform["name"])
            for how, text in (("slug", slug), ("name", name)):
                self._add("exact", [_WRITTEN + text, folded(text)], slug, how)
                self._add("spelling", _spellings(text), slug, "spelling")
                self._add("like", [_words(text)], slug, "like")
            self._add("website", [site(word_of(platform["website"]))], slug, "website")
            self._add("host", [host(word_of(platform["website"]))], slug, "website")
            own = {_key(slug), _key(name)}
            for product in _products():
                if not own.isdisjoint(product.names):
                    self._add_product(product, slug)

    def certain(self, given: Mapping[str, str]) -> list[Found]:
        """Return what a row of a portfolio means, in the surest way in which it means anything.

        Parameters
        ----------
        given : mapping
            `slug`, `name`, `website`, each where the row has it.

        Returns
        -------
        list of Found
            Certain where there is one; several are candidates only.
        """
        slug, names = given.get("slug", ""), [text for key in ("slug", "name") if (text := given.get(key))]
        website = given.get("website", "")
        hosts = [host(text) for text in (*names, website) if _ADDRESS.fullmatch(text)]
        # beside a name, a website may be that of its vendor only
        alone = filter(_ADDRESS.fullmatch, names or [website])
        sites = [form for text in alone for form in (site(text), host(text))]
        spellings = [form for text in names or [website] for form in _spellings(_address(text))]
        forms = {"exact": map(self._exact, [*names, *hosts]), "website": sites}
        own = self._hits({"exact": [self._exact(slug)]})
        return own or self._hits(dict.fromkeys(CONFIDENCE, spellings) | forms)

    def candidates(self, given: Mapping[str, str]) -> list[Found]:
        """Return the platforms that a row may mean, at most three, the likeliest first.

        Parameters
        ----------
        given : mapping
            As `certain` takes it.
        """
        found: dict[str, float] = defaultdict(float)
        for text in filter(None, given.values()):
            name = host(text) if _ADDRESS.fullmatch(text) else text
            made = {slug for maker in _makers(name) for slug in self._index["made"].get(maker, {})}
            made |= set(self._index["host"].get(name, {}))
            sure = {hit.slug: hit.confidence / 2 for hit in (*self.certain(given), *self.certain({"name": name}))}
            for slug, confidence in (dict.fromkeys(made, _OF_MAKER) | sure).items():
                found[slug] = max(found[slug], confidence)
            near = process.extract(_words(name), list(self._index["like"]), scorer=fuzz.WRatio, limit=_TRIED)
            for like, _, _ in near:
                alike = _likeness(_words(name), like)
                for slug in self._index["like"][like] if alike >= _LEAST_LIKE else ():
                    found[slug] = max(found[slug], _LIKE * alike)
        hits = (Found(slug, "like", round(confidence, 2)) for slug, confidence in found.items())
        return sorted(hits, key=lambda hit: (-hit.confidence, hit.slug))[:_CANDIDATES]

    def _add(self, level: str, keys: Iterable[str], slug: str, how: str) -> None:
        """Note that keys mean a platform."""
        for key in filter(None, keys):
            self._index[level][key].setdefault(slug, how)

    def _add_product(self, product: _Product, slug: str) -> None:
        """Note the other names of a platform's product, and its makers."""
        self._add("alias", product.keys, slug, "alias")
        self._add("maker" if product.sole else "made", product.makers, slug, "maker")
        self._add("like", product.like, slug, "like")

    def _exact(self, text: str) -> str:
        """Return the key of a name as it is written where a platform is written so, else without what does not matter."""
        written = _WRITTEN + text
        return written if written in self._index["exact"] else folded(text)

    def _hits(self, forms: Mapping[str, Iterable[str]]) -> list[Found]:
        """Return the platforms that forms of a name mean, in the first way in which they mean any."""
        for level, keys in forms.items():
            hits: dict[str, str] = {}
            for key in keys:
                hits |= self._index[level].get(key, {})
            if hits:
                return [Found(slug, how, CONFIDENCE[level]) for slug, how in hits.items()]
        return []


class _Product(NamedTuple):
    """A product of the table of known names, ready for looking up."""

    names: frozenset[str]
    makers: frozenset[str]
    keys: frozenset[str]
    """The names, alone and beside the name of a maker."""
    like: frozenset[str]
    """The names, and that of a maker who is known for this product, in words."""
    sole: bool
    written: tuple[str, ...]
    """The names as people write them."""


@cache
def _products() -> tuple[_Product, ...]:
    """Return the table of known names."""
    table = tomllib.loads(resources.files(__package__).joinpath("known_names.toml").read_text(encoding="utf-8"))
    products = []
    for product in table["product"]:
        names, makers, sole = frozenset(product["names"]), frozenset(product["makers"]), product.get("sole", False)
        both = [(name, maker) for name in names for maker in makers]
        pairs = {text for name, maker in both for text in (name + maker, maker + name, f"{name}by{maker}")}
        like = frozenset(map(_words, names | makers if sole else names))
        own, by, keys = (frozenset(map(_key, texts)) for texts in (names, makers, names | pairs))
        products.append(_Product(own, by, keys, like, sole, tuple(product["names"])))
    return tuple(products)


def aliases(slug: str, name: str) -> list[str]:
    """Return the other names of a platform's product, today's and former ones, and its own addresses.

    Parameters
    ----------
    slug, name : str
        Of the platform.
    """
    own = {_key(slug), _key(name)}
    known = (text for product in _products() if not own.isdisjoint(product.names) for text in product.written)
    return [text for text in dict.fromkeys(known) if text not in (slug, name)]


def _makers(name: str) -> set[str]:
    """Return the keys of the makers that a name may be, or of the makers of the product that it is."""
    spellings = set(_spellings(name))
    return spellings.union(*(product.makers for product in _products() if not product.names.isdisjoint(spellings)))


def _likeness(words: str, other: str) -> float:
    """Return how alike two names are, 0 to 1: by their letters, more where they share a word or a beginning."""
    key, other_key = words.replace(" ", ""), other.replace(" ", "")
    alike = fuzz.ratio(key, other_key) / 100
    begins = min(len(key), len(other_key)) >= _BEGINNING and (key.startswith(other_key) or other_key.startswith(key))
    shared = set(words.split()) & set(other.split()) - _COMMON
    return max(alike, 0.7 + 0.3 * alike if begins or shared else 0)


def folded(text: str) -> str:
    """Return a spelling without what does not matter: case, diacritics and space around."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().split())


def host(address: str) -> str:
    """Return the host of an address; empty where it has none."""
    try:
        name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    return name.casefold().removeprefix("www.").rstrip(".")


def site(address: str) -> str:
    """Return an address without its scheme, `www.` and what stands behind its path: a host may serve several products."""
    try:
        path = urlsplit(address if "//" in address else f"//{address}").path
    except ValueError:
        return ""
    return host(address) and host(address) + path.rstrip("/")


def _address(text: str) -> str:
    """Return an address without its scheme, its end and `www.`; any other text as it is."""
    return re.sub(r"^(?:\S+://)?(?:www\.)?|/$", "", text, flags=re.IGNORECASE) if _ADDRESS.fullmatch(text) else text


def _words(text: str) -> str:
    """Return the words of a text, folded."""
    return " ".join(_WORD.findall(folded(text)))


def _key(text: str) -> str:
    """Return a name without space and punctuation."""
    return _words(text).replace(" ", "")


def _spellings(text: str) -> list[str]:
    """Return the keys of a name: as it is, without article and legal form, and without the ending of an address."""
    words = _words(text).split()
    whole = "".join(words)
    if words[:1] == ["the"]:
        words = words[1:]
    while words and words[-1] in _LEGAL:
        words = words[:-1]
    bare, ending = "".join(words), _ENDING.fullmatch(folded(text))
    start = _key(ending[1]) if ending else ""
    return [whole, *([bare] if len(bare) >= _OWN else []), *([start] if len(start) >= _OWN_HOST else [])]
