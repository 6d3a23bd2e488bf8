"""Quotes checked again wherever they are shown, and packs of evidence that are checked without us."""

from .pack import disclosed, pack_of, write_pack
from .reading import Pack, opened, own_key_file, public_pem, signing_key
from .sources import Snapshots
from .verifying import verify

__all__ = [
    "Pack", "Snapshots", "disclosed", "opened", "own_key_file", "pack_of", "public_pem", "signing_key", "verify",
    "write_pack",
]  # fmt: skip
