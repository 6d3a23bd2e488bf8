"""What several answers read out of one platform's state, as `Store.platform` returns it."""

from __future__ import annotations

from typing import Final

from riskanalytics.service.store.records import STANCES, Json, Stored

READ: Final = ("good", "stale")
"""States of a document whose text was read: the newest capture's, or the last good one's (DESIGN, verification)."""


def completed(state: Json) -> Json:
    """Return a state with what a database reviewed by an older version does not hold.

    Parameters
    ----------
    state : dict
    """
    state["documents"] = [Stored({"language": None, "read": one["state"] in READ} | one) for one in state["documents"]]
    surfaces = {
        name: Stored({"state": "found" if one["count"] else "quiet", "to_read": 0} | one)
        for name, one in state["surfaces"].items()
    }
    return state | {"surfaces": Stored(surfaces)}


def documents_read(state: Json) -> list[Json]:
    """Return the documents with a good text, in whatever language.

    Parameters
    ----------
    state : dict
    """
    return [document for document in state["documents"] if document["state"] in READ]


def quiet_surfaces(state: Json) -> list[str]:
    """Return the surfaces on which all documents were read and nothing was found, not even a lead.

    Parameters
    ----------
    state : dict
    """
    return [name for name, surface in state["surfaces"].items() if surface["state"] == "quiet"]


def training_use(state: Json) -> Json:
    """Return the stance on training use as the wire shows it.

    Parameters
    ----------
    state : dict

    Returns
    -------
    dict
        `stance`, `consumer_stance`, `business_stance`, None where no document could be read, and `decided_by`, the
        findings that decided.
    """
    return {name: state[name] for name in STANCES} | {"decided_by": state["stance_decided_by"]}
