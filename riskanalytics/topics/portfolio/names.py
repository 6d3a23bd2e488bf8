"""Look up the names of a portfolio among the tracked platforms."""

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import pandas as pd
from rapidfuzz import fuzz, process

from riskanalytics.frames import PLATFORMS_COLUMNS
from riskanalytics.pages.rows import Rows

from ..shape import cut_to, dtypes, word_of

__all__ = ["tracked_platforms"]

TRACKED_COLUMNS: Final = {**dtypes(PLATFORMS_COLUMNS, "slug", "rating", "name", "website"), "aliases": "str"}
CONFIDENCE: Final = {"exact": 1.0, "website": 1.0, "spelling": 0.95, "alias": 0.9, "maker": 0.8}
"""Kinds of a certain match, in the order in which they are tried -> confidence."""
_LIKE: Final = 0.0075
"""Confidence of a similar name, for each point of similarity (0 to 100)."""
_LEAST_LIKE: Final = 60
_STROKES: Final = str.maketrans("łøđı", "lodi")
"""Letters whose diacritic Unicode does not separate."""
_COMMON: Final = frozenset(["ai", "app", "chat", "com", "io", "net", "new", "org", "the"])
"""Words that many names have in common."""
_LEGAL_FORM: Final = re.compile(
    "^the |(?: (?:inc|incorporated|gmbh|ltd|limited|llc|corp|corporation|plc|pbc|ag|ab|bv|sas))+$"
)
"""Article and legal form of a name."""
_ENDING: Final = re.compile(r"(.+)\.(?:ai|app|com|io|net|org)")
KEYS: Final = ("slug", "name", "website")
"""Columns of a portfolio that name a platform, in the order in which they are tried."""
WORD: Final = re.compile(r"[^\W_]+")
ADDRESS: Final = re.compile(r"(?:\S+://)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?")
_OWN: Final = 6
"""Minimum number of letters of a name that matches without article and legal form: `Bolt Inc.` may not be `Bolt`."""
_OWN_HOST: Final = 8
"""Minimum number of letters of a name that matches without an ending such as .com: `signal.ai` is not `Signal`."""


class Found(NamedTuple):
    """A tracked platform that a row of a portfolio names, or may name: slug, name, kind of match, and confidence (0 to 1).

    The kind of match, `matched_by`, is `slug`, `name`, `website`, `spelling`, `alias` or `maker`, as in `portfolio_scope`; or
    `like` for a platform that the row may name, because the names are similar.
    """

    slug: str
    name: str
    matched_by: str
    confidence: float


class Names:
    """An index of the names of tracked platforms, for looking up the rows of a portfolio.

    Parameters
    ----------
    platforms : list of dict
        `slug`, `name` and `website` of each tracked platform.
    """

    def __init__(self, platforms: Rows) -> None:
        self._index: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        self._names = {platform["slug"]: platform["name"] for platform in platforms}
        for platform in platforms:
            slug, name, website = (word_of(platform[key]) for key in KEYS)
            alike = [slug, name, host(website)]
            for how, text in (("slug", slug), ("name", name)):
                self._add("exact", [text, folded(text)], slug, how)
                self._add("spelling", _spellings(text), slug)
            self._add("website", [site(website)], slug)
            for product in _products_of(slug, name):
                names, makers = product["names"], product["makers"]
                pairs = ((one, maker) for one in names for maker in makers)
                both = (text for one, maker in pairs for text in (one + maker, maker + one, f"{one}by{maker}"))
                self._add("alias", map(_key, [*names, *both]), slug)
                self._add("maker", map(_key, makers if product.get("sole") else ()), slug)
                alike += [*names, *makers]
            self._add("like", map(_name_words, alike), slug)

    def certain(self, given: Mapping[str, str]) -> list[Found]:
        """Return the platforms that a row of a portfolio names: those with the most certain kind of match.

        Parameters
        ----------
        given : mapping
            `slug`, `name` and `website` of the row; those that it lacks are empty or left out.

        Returns
        -------
        list of Found
            One platform if the match is certain; several if they match equally well; empty if none matches.
        """
        names, website = [text for key in ("slug", "name") if (text := given.get(key))], given.get("website", "")
        hosts = [host(text) for text in (*names, website) if ADDRESS.fullmatch(text)]
        # next to a name, a website may belong to the vendor only
        texts = names or [website]
        sites = [form for text in filter(ADDRESS.fullmatch, texts) for form in (site(text), host(text))]
        spellings = [form for text in texts for form in _spellings(_address(text))]
        forms = {"exact": map(self._exact, [*names, *hosts]), "website": sites}
        own = self._hits({"exact": [self._exact(given.get("slug", ""))]})
        return own or self._hits(dict.fromkeys(CONFIDENCE, spellings) | forms)

    def confirmed(self, slug: str) -> list[Found]:
        """Return the platform with a slug that a person confirmed, as a list of one; empty if it is not tracked."""
        return [Found(slug, self._names[slug], "confirmed", 1.0)] if slug in self._names else []

    def candidates(self, given: Mapping[str, str]) -> list[Found]:
        """Return up to three platforms that a row of a portfolio may name, the likeliest first.

        Parameters
        ----------
        given : mapping
            `slug`, `name` and `website` of the row; those that it lacks are empty or left out.
        """
        names = self._index["like"]
        best: dict[str, float] = {}
        for text in filter(None, given.values()):
            words = _name_words(host(text) if ADDRESS.fullmatch(text) else text)
            for name, score, _ in process.extract(words, list(names), scorer=fuzz.WRatio, limit=20):
                if (alike := (score + fuzz.token_set_ratio(words, name)) / 2) >= _LEAST_LIKE:
                    best |= {slug: max(best.get(slug, 0), round(_LIKE * alike, 2)) for slug in names[name]}
        likely = sorted((-confidence, slug) for slug, confidence in best.items())[:3]
        return [Found(slug, self._names[slug], "like", -confidence) for confidence, slug in likely]

    def _add(self, level: str, keys: Iterable[str], slug: str, how: str = "") -> None:
        """Record that keys mean a platform."""
        for key in filter(None, keys):
            self._index[level][key].setdefault(slug, how or level)

    def _exact(self, text: str) -> str:
        """Return a name unchanged if a platform has exactly this name, else its folded form."""
        return text if text in self._index["exact"] else folded(text)

    def _hits(self, forms: Mapping[str, Iterable[str]]) -> list[Found]:
        """Return the platforms that match the forms of a name, by the first kind of match that applies."""
        for level, keys in forms.items():
            hits = {slug: how for key in keys for slug, how in self._index[level].get(key, {}).items()}
            if hits:
                return [Found(slug, self._names[slug], how, CONFIDENCE[level]) for slug, how in hits.items()]
        return []


@cache
def _products() -> list[dict[str, Any]]:
    """Return the table of known names: `names`, `makers`, `sole` of each product, and the keys of its names as `own`."""
    table = tomllib.loads(resources.files(__package__).joinpath("known_names.toml").read_text(encoding="utf-8"))
    return [product | {"own": set(map(_key, product["names"]))} for product in table["product"]]


def _products_of(slug: str, name: str) -> list[dict[str, Any]]:
    """Return the products of the table that match a platform."""
    return [product for product in _products() if not product["own"].isdisjoint({_key(slug), _key(name)})]


def tracked_platforms(platforms: pd.DataFrame, words: str = "") -> pd.DataFrame:
    """List the tracked platforms with the other names under which they are known.

    Parameters
    ----------
    platforms : pandas.DataFrame
        The tracked platforms, with `slug`, `name`, `website`, `rating`.
    words : str
        Keep only platforms whose slug, name, website or another name contains this text; case and diacritics are ignored. If
        empty, all platforms are kept.

    Returns
    -------
    pandas.DataFrame
        `slug` str, `rating` category, `name`, `website`, `aliases` str (other and former names of the product, and its web
        addresses, separated by commas), in the order of `platforms`.

    Examples
    --------
    >>> analysis.tracked_platforms(data.platforms, "Orvewick V")[["slug", "rating", "name"]]
                 slug rating            name
    0  orvewick-voice   HIGH  Orvewick Voice
    """
    aliases, wanted = [], folded(words)
    for slug, name in platforms[["slug", "name"]].itertuples(index=False):
        known = (text for product in _products_of(slug, word_of(name)) for text in product["names"])
        aliases.append(", ".join(text for text in dict.fromkeys(known) if text not in (slug, name)))
    listed = platforms.assign(aliases=aliases)
    texts = listed[[*KEYS, "aliases"]].map(lambda text: wanted in folded(word_of(text)))
    return cut_to(listed[texts.any(axis=1)], TRACKED_COLUMNS)


def folded(text: str) -> str:
    """Return a text in lower case, without diacritics, with single spaces only, for comparison."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().translate(_STROKES).split())


def host(address: str) -> str:
    """Return the host of an address, without `www.`; empty if it has none."""
    return site(address).partition("/")[0]


def site(address: str) -> str:
    """Return the host and path of an address, without `www.`; empty if it has no host."""
    try:
        parts = urlsplit(address if "//" in address else f"//{address}")
    except ValueError:
        return ""
    name = (parts.hostname or "").casefold().removeprefix("www.").rstrip(".")
    return name and name + parts.path.rstrip("/")


def _address(text: str) -> str:
    """Return an address without scheme, ending and `www.`; any other text unchanged."""
    return re.sub(r"^(?:\S+://)?(?:www\.)?|/$", "", text, flags=re.IGNORECASE) if ADDRESS.fullmatch(text) else text


def _words(text: str) -> str:
    """Return the words of a text, folded."""
    return " ".join(WORD.findall(folded(text)))


def _key(text: str) -> str:
    """Return a name without spaces and punctuation."""
    return _words(text).replace(" ", "")


def _name_words(text: str) -> str:
    """Return the words of a name without words that many names share; all words if no others are left."""
    words = _words(text).split()
    return " ".join([word for word in words if word not in _COMMON] or words)


def _spellings(text: str) -> list[str]:
    """Return the keys of a name: unchanged, without article and legal form, and without the ending of an address."""
    words, ending = _words(text), _ENDING.fullmatch(folded(text))
    bare, start = (part.replace(" ", "") for part in (_LEGAL_FORM.sub("", words), _words(ending[1]) if ending else ""))
    least = ((words.replace(" ", ""), 0), (bare, _OWN), (start, _OWN_HOST))
    return [spelling for spelling, letters in least if len(spelling) >= letters]
