"""Addresses that somebody else has written: public ones, and those that reach this machine or a private network."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from riskanalytics.text.untrusted import is_public, is_public_address


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://169.254.169.254/", "http://localhost/x",
     "https://embedded.localhost/archive/1", "http://10.0.0.1/", "//a.example", "https://a.example\n.b", "http://[::1",
     "http://127.1/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://a.0x7f/", "http://127.0.0.1./", "http://foo.local./",
     "http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020.0.1/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
     "http://[::127.0.0.1]/", "https://a.example\\.b.example/", "http://2130706433/", "http://%31%32%37.0.0.1/", "http://localhost./",
     "http://a.example../", "http://db.internal/x", "http://nas.lan/", "http://box.home.arpa/", "http://a.test/", "http://a.invalid/",
     "http://[2606:4700::1%25eth0]/", "ftp://a.example/", "wss://a.example/", "https://", "https:a.example", "https://224.0.0.1/",
     "https://example/", "https://a..example/", "https://a.example/b c", "https://a.example/b\\c"],
)  # fmt: skip
def test_addresses_that_others_cannot_reach_are_not_public(url: str) -> None:
    assert not is_public(url)


@pytest.mark.parametrize(
    "url", ["https://a.example/", "https://A.example.:8080/x?y#z", "http://1.1.1.1/", "http://[2606:4700:4700::1111]/", "http://xn--bcher-kva.example/"]
)  # fmt: skip
def test_public_hosts_of_every_form_are_public(url: str) -> None:
    assert is_public(url)


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "::1", "fc00::1", "fe80::1",
                "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "255.255.255.255", "0.0.0.0",
                "::127.0.0.1", "::ffff:1.1.1.1", "64:ff9b::101:101", "64:ff9b:1::1", "fec0::1", "2002:7f00:1::", "2001:db8::1",
                "2606:4700:4700::1111%1", "4000::1", "100::1"]
)  # fmt: skip
def test_addresses_that_are_not_public_are_known(address: str) -> None:
    assert not is_public_address(ip_address(address))
    assert is_public_address(ip_address("1.1.1.1"))
    assert is_public_address(ip_address("2606:4700:4700::1111"))
