"""Check quotes against their snapshots, and make evidence packs that anyone can check without riskanalytics."""

from .pack import disclosed, pack_of, write_pack
from .reading import Pack, opened, own_key_file, public_pem, signing_key
from .sources import Snapshots
from .verifying import decisions, verify

__all__ = [
    "Pack", "Snapshots", "decisions", "disclosed", "opened", "own_key_file", "pack_of", "public_pem", "signing_key",
    "verify", "write_pack",
]  # fmt: skip
