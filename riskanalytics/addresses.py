"""Addresses that somebody else has written: which of them lead to the public web."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import urlsplit

_PRIVATE: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NAME: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")
_UNICAST: Final = IPv6Network("2000::/3")


@lru_cache(4096)
def is_public(url: str) -> bool:
    """Say whether an address leads to the public web.

    Addresses of this machine or of a private network lead nowhere for anybody else.

    Parameters
    ----------
    url : str
    """
    if not url.isprintable() or " " in url or "\\" in url:  # browsers read "\" as "/"
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and _is_public_host(parts.hostname or "")
    except ValueError:
        return False


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    """Say whether an address is of the public network, also one that is written inside another.

    Parameters
    ----------
    address : IPv4Address or IPv6Address
        Of IPv6 only what is given out as global unicast (2000::/3, RFC 4291 and the IANA registry) is public: no form that
        carries an IPv4 address in `::/96` or `64:ff9b::/96`, no site-local one.
    """
    if isinstance(address, IPv6Address):
        inner = address.sixtofour
        if address not in _UNICAST or address.scope_id is not None or (inner and not is_public_address(inner)):
            return False
    return address.is_global and not address.is_multicast


def _is_public_host(host: str) -> bool:
    """Say whether a host may be reached from elsewhere, read as browsers read it (WHATWG URL Standard, host parsing)."""
    if ":" in host:
        return is_public_address(IPv6Address(host))
    name = host.removesuffix(".")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):  # browsers read it as an IPv4 address, of other forms than this too
        return is_public_address(IPv4Address(name))
    return _NAME.fullmatch(name) is not None and not name.endswith(_PRIVATE)
