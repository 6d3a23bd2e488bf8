"""What several answers read out of one platform's state, as `Store.platform` returns it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

READ: Final = ("good", "stale")
"""States of a document whose text was read: the newest capture's, or the last good one's (DESIGN, verification)."""


def documents_read(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the documents whose text was read.

    Parameters
    ----------
    state : mapping
    """
    return [document for document in state["documents"] if document["state"] in READ]


def quiet_surfaces(state: Mapping[str, Any]) -> list[str]:
    """Return the surfaces on which nothing was found.

    Parameters
    ----------
    state : mapping
    """
    return [name for name, surface in state["surfaces"].items() if surface["count"] == 0]


def training_use(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stance on training use as the wire shows it.

    Parameters
    ----------
    state : mapping

    Returns
    -------
    dict
        `stance`, `consumer_stance`, `business_stance`, None where no document could be read, and `decided_by`, the
        findings that decided.
    """
    return {
        "stance": state["stance"],
        "consumer_stance": state["consumer_stance"],
        "business_stance": state["business_stance"],
        "decided_by": state["stance_decided_by"],
    }
