"""The Merkle tree over the members of a pack (RFC 6962, section 2.1), and the proofs that each of them stands in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def tree_of(leaves: Sequence[bytes]) -> tuple[bytes, list[list[bytes]]]:
    """Return the root of a tree, and the inclusion proof of each member.

    Parameters
    ----------
    leaves : sequence of bytes
        Hashes of the members (`check.leaf`), in their order; one at least.

    Returns
    -------
    tuple of bytes and list
        The Merkle tree hash (RFC 6962, section 2.1), and for each member its audit path (section 2.1.1), the lowest
        hash first.
    """
    if len(leaves) == 1:
        return leaves[0], [[]]
    cut = 1 << (len(leaves) - 1).bit_length() - 1  # the largest power of two that is smaller
    (left, before), (right, after) = tree_of(leaves[:cut]), tree_of(leaves[cut:])
    root = hashlib.sha256(b"\1" + left + right).digest()
    return root, [*([*path, right] for path in before), *([*path, left] for path in after)]
