"""Convert database rows to the records that HTTP responses show, and make ids of findings and changes, and slugs.

The records do not contain links to the service itself.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from riskanalytics.extraction import ClauseFinding, LeadIn, Reading, Roles, Scope
from riskanalytics.models.parts import Provenance, Quoted
from riskanalytics.text.wording import led_in

from .schema import FINDING

Json = dict[str, Any]
Rows = Sequence[Json]
Row = Mapping[Any, Any]
"""Mapping of column names to values."""

UNFINISHED: Final = "unfinished"
"""Key of the meta entry that exists while an ingest has captures to review, even after an interruption."""
CAPTURES: Final = (
    "FROM capture k JOIN document d ON d.id = k.document_id JOIN platform p ON p.id = d.platform_id "
    "JOIN snapshot s ON s.id = k.snapshot_id "
)
FOUND: Final = "FROM {} f JOIN clause c ON c.id = f.clause_id JOIN snapshot s ON s.id = f.snapshot_id "
"""FROM clause of findings or leads with their clauses and snapshots; `{}` is the table: finding or lead."""
STANCES: Final = ("stance", "consumer_stance", "business_stance")
STANCE_COLUMNS: Final = "s.stance_decided_by" + "".join(f", NULLIF(s.{name}, 'unread') AS {name}" for name in STANCES)
"""Columns of a state's stances on training use; `unread` becomes null, because it is not silence."""
LEAD_IN: Final = ("lead_in", "lead_start", "lead_end")
KEPT: Final = [column.name for column in FINDING.columns if column.name not in ("id", "snapshot_id", "clause_id")]
"""Names of the columns of a finding or lead, except its id, snapshot and clause."""
FINDING_COLUMNS: Final = ", ".join(["c.quote", *(f'f."{name}"' for name in KEPT)])
"""SQL columns of a finding or lead `f` and its clause `c`."""
_JSON: Final = frozenset((
    "stance_decided_by", "surfaces", "rules", "documents", "added", "removed", "altered", "cause", "directions",
    "conflicts_with", "sources",
))  # fmt: skip
"""Columns that contain JSON."""
_SPELT: Final = str.maketrans({
    "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i"
})  # fmt: skip


def as_json(value: object) -> str:
    """Return a value as JSON text for a column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def dates_of(reading: Reading) -> str:
    """Return the dates that a text states as JSON text for a column."""
    return as_json([one._asdict() for one in reading.dates])


def unpacked(row: Row) -> Json:
    """Return a row as a dictionary with JSON columns parsed."""
    return {name: json.loads(value) if name in _JSON else value for name, value in row.items()}


def columns_of(finding: ClauseFinding) -> Json:
    """Return a finding or lead as a dictionary: its quote, and the value for each of its columns in the database.

    The list `KEPT` has the names of these columns. The function `found` converts such a dictionary back.
    """
    values = finding._asdict() | finding.scope._asdict() | finding.roles._asdict()
    values["confidence_low"], values["confidence_high"] = finding.confidence_interval
    values |= zip(LEAD_IN, finding.lead_in or (None, None, None), strict=True)
    return {name: values[name] for name in ("quote", *KEPT)}


def found(row: Row) -> ClauseFinding:
    """Return the finding or lead that a database row contains.

    Parameters
    ----------
    row : mapping
        Row with the columns `FINDING_COLUMNS`.
    """
    return ClauseFinding(
        **{name: row[name] for name in ("quote", *KEPT) if name in ClauseFinding._fields and name != "lead_in"},
        confidence_interval=(row["confidence_low"], row["confidence_high"]),
        scope=Scope(**{name: row[name] for name in Scope._fields}),
        roles=Roles(**{name: row[name] for name in Roles._fields}),
        lead_in=None if row["lead_in"] is None else LeadIn(*(row[name] for name in LEAD_IN)),
    )


def finding_record(public: str, row: Row, source: Row) -> Json:
    """Return a finding as responses show it (specification section 2.4).

    Parameters
    ----------
    public : str
        Public identifier of the finding.
    row : mapping
        Row of the finding: `FINDING_COLUMNS`, optionally `conflicts_with` and `duplicate_of`.
    source : mapping
        Capture that contains the finding: `document`, `captured_at`, `snapshot_sha256`, `archive_url`, optionally
        `document_url`.
    """
    lead_in = dict(zip(("quote", "start", "end"), (row[name] for name in LEAD_IN), strict=True))
    return {
        "id": public,
        "lead_in": None if row["lead_in"] is None else lead_in,
        **{name: row[name] for name in ("quote", "confidence")},
        **{name: row[name] or None for name in ("surface", "risk", "polarity")},
        "confidence_interval": [row["confidence_low"], row["confidence_high"]],
        "rule": row["rule"],
        "read_by": row["read_by"],
        "scope": {name: row[name] for name in Scope._fields},
        "roles": {name: row[name] for name in Roles._fields},
        "conflicts_with": row.get("conflicts_with", []),
        "duplicate_of": row.get("duplicate_of"),
        "verification_status": "verified",
        "provenance": {
            name: row[name] if name in ("start", "end") else source.get(name) for name in Provenance.model_fields
        },
    }


def public_id(slug: str, row: Row, source: Row) -> str:
    """Return the public identifier of a finding: a hash of its platform, document, snapshot, surface and position.

    Parameters
    ----------
    slug : str
        Slug of the platform.
    row : mapping
        Row of the finding, with `surface`, `start` and `end`.
    source : mapping
        Capture that contains the finding, with `document` and `snapshot_sha256`.
    """
    names = (slug, source["document"], row["surface"], source["snapshot_sha256"])
    return _digest(*names, str(row["start"]), str(row["end"]))[:20]


def change_id(slug: str, document: str, revision: str) -> str:
    """Return the public identifier of a change: a hash of its platform, its document and the revision that shows the change.

    Parameters
    ----------
    slug, document : str
        Slug of the platform, and name of the document.
    revision : str
        Commit of the archive, or name of the dated file, that contains the new text.
    """
    return _digest("change", slug, document, revision)[:20]


def quoted_record(slug: str, finding: ClauseFinding, source: Row, kind: type[Quoted]) -> Json:
    """Return a finding or lead as responses show it, with the fields of a given record class only.

    Parameters
    ----------
    slug : str
        Slug of the platform.
    finding : ClauseFinding
        The finding or lead.
    source : mapping
        Capture that contains the finding, as for `finding_record`.
    kind : type of Quoted
        Class whose fields the returned dictionary has: `Quoted` or a class derived from it, such as `Lead`.
    """
    row = columns_of(finding)
    record = finding_record(public_id(slug, row, source), row, source)
    return {name: value for name, value in record.items() if name in kind.model_fields}


def with_each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value in which each text is changed by a function, also the texts in dictionaries, at any depth.

    Parameters
    ----------
    value
        A text, a dictionary, or any other value, which is returned as it is.
    change
        Takes a text and returns the text to put in its place.
    """
    if isinstance(value, dict):
        return {name: with_each_text(part, change) for name, part in value.items()}
    return change(value) if isinstance(value, str) else value


def led(finding: Json) -> str:
    """Return the quote of a finding with its lead-in in front."""
    lead_in = finding["lead_in"]
    before = "" if lead_in is None else led_in(lead_in["quote"], lead_in["end"], finding["provenance"]["start"])
    return f"{before}{finding['quote']}"


def documents_read(state: Json) -> list[Json]:
    """Return the documents of a platform that have a text from a good capture, even if the extraction cannot read their language.

    Parameters
    ----------
    state : dict
        Rating, levels and documents of the platform, as `Store.platform` returns them.
    """
    return [document for document in state["documents"] if document["state"] in ("good", "stale")]


def quiet_surfaces(state: Json) -> list[str]:
    """Return the surfaces on which no document of a platform has a finding or lead; empty if a document was not read.

    Parameters
    ----------
    state : dict
        Rating, levels and documents of the platform, as `Store.platform` returns them.
    """
    return [name for name, surface in state["surfaces"].items() if surface["state"] == "quiet"]


def training_use(state: Json) -> Json:
    """Return the stances on training use of a platform, as responses show them.

    Parameters
    ----------
    state : dict
        Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.

    Returns
    -------
    dict
        `stance`, `consumer_stance` and `business_stance`, and `decided_by`: ids of the clauses that decided `stance`, or
        that a person must read to decide it. `stance` is None if a document was not read and no clause
        in the documents that were read is about training. The other two stances are also None if the documents do not distinguish
        consumers and business users.
    """
    return {name: state[name] for name in STANCES} | {"decided_by": state["stance_decided_by"]}


def bare(text: str) -> str:
    """Return a text in lower case (case-folded) and without diacritics: `Café` gives `cafe`."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in folded if not unicodedata.combining(character))


def free_slug(name: str, taken: Callable[[str], bool]) -> str:
    """Return a free slug for a platform's name: lower-case ASCII words joined by `-`.

    The slug depends only on the name and the slugs already taken.

    Parameters
    ----------
    name : str
        Name of the platform.
    taken : callable
        Returns whether another platform has a slug.

    Returns
    -------
    str
        `Claude.ai` gives `claude-ai`, `DALL·E` gives `dall-e`, `Café` gives `cafe`; a name without a Latin letter or digit
        gives `x-` and eight hexadecimal digits of its hash. If the slug is taken, digits of the hash are appended.
    """
    words = re.sub("[^a-z0-9]+", "-", bare(name).translate(_SPELT)).strip("-")[:80].strip("-")
    slug, digest = words or "x-" + _digest(unicodedata.normalize("NFC", name))[:8], _digest(name)
    candidates = (slug, *(f"{slug}-{digest[:length]}" for length in range(4, len(digest) + 1, 4)))
    return next(candidate for candidate in candidates if not taken(candidate))


def _digest(*parts: str) -> str:
    """Return the SHA-256 of some texts in hexadecimal."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
