"""Untrusted text and addresses: hidden characters become visible, and only public web addresses are accepted."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

_UNSEEN: Final = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|[\U000e0000-\U000e007f]+")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]")
_LONGEST: Final = 4000
FORMULA: Final = re.compile(r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
"""First characters with which a spreadsheet takes a text for a formula; tables saved from pages follow the same rule."""


def visible(text: str) -> str:
    """Return a text with hidden characters made visible.

    Direction marks and tag characters are replaced by their code points (`[U+202E]`), control characters and the noncharacters that
    XML forbids by U+FFFD. Line feeds and tabs are kept. A text of more than 4,000 characters is shortened with a note.

    Parameters
    ----------
    text : str
        Text from an untrusted source, such as a document, a service or a user.

    Returns
    -------
    str
        Plain text, not escaped for HTML.
    """
    if len(text) <= _LONGEST and text.isascii() and text.isprintable():
        return text
    shown = _UNSEEN.sub(lambda mark: f"[U+{ord(mark[0][0]):04X}{'…' * (len(mark[0]) > 1)}]", text[: 2 * _LONGEST])
    shown = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", shown)
    if len(text) > _LONGEST:
        shown = shown[:_LONGEST] + f" [… {len(text) - _LONGEST:,} more characters]"
    return shown


def without_tags(text: str) -> str:
    r"""Return a text with its invisible tag characters (U+E0000 to U+E007F) written as code points: `\u{E0041 E0042}`.

    Parameters
    ----------
    text : str
    """
    return re.sub("[\U000e0000-\U000e007f]+", lambda match: _escape(match[0]), text)


def inert(value: object) -> object:
    """Return a value for a cell of a CSV file; a text that a spreadsheet would take for a formula begins with an apostrophe.

    Parameters
    ----------
    value : object
        A text from an untrusted source, or any other value, which is returned unchanged.

    Examples
    --------
    >>> inert("=1+1"), inert("Yes"), inert(1)
    ("'=1+1", 'Yes', 1)
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def visible_line(text: str, kept: str = "") -> str:
    r"""Return a text as one line: line breaks and all invisible characters are written as code points, such as `\u{202E}`.

    Parameters
    ----------
    text : str
    kept : str
        Characters to keep as they are, such as line breaks. By default none.
    """
    if text.isprintable():
        return text
    return "".join(_escape(letter) if _is_hidden(letter) and letter not in kept else letter for letter in text)


def marked(text: str) -> str:
    """Return a text with each hidden character replaced by the replacement character (U+FFFD).

    Parameters
    ----------
    text : str
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_hidden(letter) else letter for letter in text)


def code_points(letters: str) -> str:
    """Return characters as their code points: `E0041 E0042`.

    Parameters
    ----------
    letters : str
    """
    return " ".join(f"{ord(letter):04X}" for letter in letters)


def _is_hidden(letter: str) -> bool:
    """Return whether a character is invisible."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _escape(letters: str) -> str:
    r"""Return characters as their code points: `\u{E0041 E0042}`."""
    return f"\\u{{{code_points(letters)}}}"


_PRIVATE: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid")


@lru_cache(4096)
def is_public(url: str) -> bool:
    """Return whether an address is on the public web.

    Addresses of this machine or of a private network are not public.

    Parameters
    ----------
    url : str
    """
    # browsers read "\" as "/"
    if not url.isprintable() or " " in url or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removesuffix(".")
        # as in browsers (WHATWG URL Standard, host parsing): including other forms of an IPv4 address
        if ":" in host or re.fullmatch("[0-9]+|0x[0-9a-f]*", host.rpartition(".")[2]):
            public = is_public_address(ip_address(host))
        else:
            public = re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+", host) is not None and not host.endswith(_PRIVATE)
    except ValueError:
        return False
    return public and parts.scheme in ("http", "https")


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an IP address is public; an IPv4 address embedded in it (6to4) must be public too.

    Parameters
    ----------
    address : IPv4Address or IPv6Address
        An IPv6 address is public only if it is an allocated global unicast address (2000::/3, RFC 4291 and the IANA registry).
        Addresses in `::/96` and `64:ff9b::/96`, which contain an IPv4 address, and site-local addresses are not public.
    """
    if isinstance(address, IPv6Address):
        inner = address.sixtofour
        if address not in IPv6Network("2000::/3") or address.scope_id or (inner and not is_public_address(inner)):
            return False
    return address.is_global and not address.is_multicast
