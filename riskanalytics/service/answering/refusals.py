"""Why a search found nothing: which documents were read and which were not, and how many leads a person may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskanalytics.models import DOCUMENT_STATE_NAMES
from riskanalytics.models.words import LANGUAGE_NAMES
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.wording import AUDIENCES, subjects
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.state import READ, documents_read


def why_nothing(asked: Question, states: Mapping[str, Json | None], leads: Sequence[Json]) -> tuple[str, str]:
    """Say why nothing answers a question about some platforms.

    Parameters
    ----------
    asked : Question
    states : mapping
        Slug -> what `Store.platform` returned.
    leads : sequence of dict
        Of these platforms, on the question's surfaces.

    Returns
    -------
    reason, text : str
        `silent` only where every document was read and holds no finding and no lead; else `no_evidence`.
    """
    told = list(filter(None, states.values()))
    where = " ".join(filter(None, (_searched(told), _not_read(told), _to_read(leads, asked))))
    if any(map(documents_read, told)) and all(_is_quiet(asked, state) for state in told):
        return "silent", f"Nothing was found on {subjects(asked)}. {where}"
    whom = f" for {AUDIENCES[asked.audience]}" if asked.audience else ""
    return "no_evidence", f"No finding on {subjects(asked)} answers this question{whom}. {where}"


def _is_quiet(asked: Question, state: Json) -> bool:
    """Say whether all documents of a platform were read and hold nothing on the question's surfaces."""
    return all(state["surfaces"][name]["state"] == "quiet" for name in asked.searched)


def _is_read(document: Json) -> bool:
    """Say whether a document is good and in a language that is read."""
    return document["state"] in READ and document.get("read") is not False


def _searched(states: Sequence[Json]) -> str:
    """Return the sentence on the documents that were read."""
    told = []
    for state in states:
        read = [f"{row['document']} ({row['captured_at'][:10]})" for row in state["documents"] if _is_read(row)]
        told.append(f"{state['name']}: {', '.join(read) or 'none'}")
    return f"Documents searched: {'; '.join(told)}."


def _not_read(states: Sequence[Json]) -> str:
    """Return the sentence on the documents that were not read, and why; empty where all were."""
    told = []
    for state in states:
        left = [f"{row['document']} ({_why(row)})" for row in state["documents"] if not _is_read(row)]
        told += [f"{state['name']}: {', '.join(left)}"] if left else []
    return f"Not read: {'; '.join(told)}." if told else ""


def _why(document: Json) -> str:
    """Return why a document was not read."""
    if document["state"] in READ:
        language = str(document["language"])
        return f"in {LANGUAGE_NAMES.get(language, language)}"
    state = str(document["state"])
    return DOCUMENT_STATE_NAMES.get(state, state).removeprefix("not read: ")


def _to_read(leads: Sequence[Json], asked: Question) -> str:
    """Return the sentence on the leads that a person may read; empty where there is none."""
    if not leads:
        return ""
    many = f"{len(leads)} leads are" if len(leads) > 1 else "1 lead is"
    return f"{many} to be read on {subjects(asked)}: clauses that are not sure enough to be findings."
