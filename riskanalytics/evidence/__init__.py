"""Quotes checked again wherever they are told, and packs of evidence that are checked without us."""

from riskanalytics.evidence.pack import disclosed, pack_of, write_pack
from riskanalytics.evidence.reading import Pack, opened, own_key_file, public_pem, signing_key
from riskanalytics.evidence.sources import Snapshots
from riskanalytics.evidence.verifying import verify

__all__ = [
    "Pack", "Snapshots", "disclosed", "opened", "own_key_file", "pack_of", "public_pem", "signing_key", "verify",
    "write_pack",
]  # fmt: skip
