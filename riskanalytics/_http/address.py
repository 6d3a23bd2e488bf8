"""Addresses that may be asked, and that a key may travel to."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

import httpx

from riskanalytics.errors import InvalidAnswer, SettingsError

_LOOPBACK: Final = frozenset({"localhost", "ip6-localhost"})


def checked_base(base_url: str, *, keyed: bool) -> httpx.URL:
    """Refuse an address that is none, or that a key would travel to in clear."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError("the base address is no URL: give one like https://service.example")
    if keyed and url.scheme == "http" and not _is_loopback(url.host):
        raise SettingsError("a key would travel in clear: use https, or a service on this machine")
    return url.copy_with(userinfo=b"", query=None, fragment=None)


def redirected(base: httpx.URL, url: httpx.URL, location: str, path: str) -> httpx.URL:
    """Return where a redirect on the same origin leads; refuse any other."""
    try:
        target = url.join(location)
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidAnswer(f"{path} redirects to what is no address", path=path) from error
    if (target.scheme, target.host, target.port) != (base.scheme, base.host, base.port):
        raise InvalidAnswer(f"{path} redirects to another origin: not followed", path=path)
    return target.copy_with(userinfo=b"")


def _is_loopback(host: str) -> bool:
    """Say whether a host is this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in _LOOPBACK
