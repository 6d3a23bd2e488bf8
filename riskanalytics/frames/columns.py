"""Columns of all frames: dtype and meaning, declared once.

Text is `str`, times are `datetime64[us, UTC]`, counts `Int64`, numbers `Float64`, nested values `object`. A
`level` is an ordered category over `LEVELS`: whatever is not exactly one of the known ratings is `UNKNOWN`
there, and stands verbatim in the text column beside it.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.models import LEVELS

Columns = dict[str, tuple[str, str]]
"""Column -> (dtype, meaning)."""

LEVEL_DTYPE: Final = pd.CategoricalDtype(list(LEVELS), ordered=True)
TIME: Final = "datetime64[us, UTC]"
TEXT, COUNT, NUMBER, NESTED, LEVEL = "str", "Int64", "Float64", "object", "level"

PLATFORMS_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "website": (TEXT, "address of the vendor's site; missing where not known"),
    "rating": (TEXT, "rating as the service gave it"),
    "level": (LEVEL, "the rating as an ordered level"),
    "risk_reason": (TEXT, "why, beginning with the rating and the number of citations"),
    "last_reviewed": (TIME, "day of the newest capture reviewed"),
    "verification": (TEXT, "state of the evidence"),
    "url": (TEXT, "public page of the platform"),
}
FINDINGS_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "finding_id": (TEXT, "identifier of the finding"),
    "document": (TEXT, "name of the document"),
    "surface": (TEXT, "subject of the clause"),
    "risk": (TEXT, "level of the clause as the service gave it"),
    "level": (LEVEL, "the same as an ordered level"),
    "polarity": (TEXT, "raises_risk, mitigates_risk or neutral"),
    "confidence": (NUMBER, "0 to 1: measured precision of what decided"),
    "confidence_low": (NUMBER, "lower bound of its interval"),
    "confidence_high": (NUMBER, "upper bound of its interval"),
    "quote": (TEXT, "the clause, verbatim"),
    "rule": (TEXT, "what decided"),
    "audience": (TEXT, "consumer, business or developer, where the clause limits itself"),
    "region": (TEXT, "region, where the clause limits itself"),
    "product": (TEXT, "product, where the clause limits itself"),
    "actor": (TEXT, "vendor, user or third_party: who acts, where the clause tells"),
    "action": (TEXT, "what is done, in the clause's own plain words"),
    "object": (TEXT, "what it is done to, in the clause's own plain words"),
    "condition": (TEXT, "under which condition, in the clause's own plain words"),
    "verification_status": (TEXT, "whether the quote stands at its offsets"),
    "snapshot_sha256": (TEXT, "hash of the snapshot"),
    "archive_url": (TEXT, "link to the archive"),
    "start": (COUNT, "offset of the first character, in code points"),
    "end": (COUNT, "offset after the last character"),
    "captured_at": (TIME, "time of the capture"),
    "conflicts_with": (NESTED, "list of identifiers of findings that say the opposite"),
    "duplicate_of": (TEXT, "identifier of the finding with the same words"),
}
SURFACES_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "surface": (TEXT, "subject"),
    "risk": (TEXT, "level of the surface as the service gave it; missing where nothing was found"),
    "level": (LEVEL, "the same as an ordered level"),
    "count": (COUNT, "number of findings"),
    "state": (TEXT, "found, quiet (read and nothing found) or unread (not known)"),
    "decided_by": (NESTED, "list of identifiers of the findings that decided the level"),
}
TRAINING_USE_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "rating": (TEXT, "rating as the service gave it"),
    "level": (LEVEL, "the rating as an ordered level"),
    "stance": (TEXT, "answer on training use"),
    "consumer_stance": (TEXT, "answer for consumers"),
    "business_stance": (TEXT, "answer for business users"),
    "decided_by": (NESTED, "list of identifiers of the findings that decided"),
}
STATES_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "date": (TIME, "day that the state speaks of"),
    "state": (TEXT, "known, untracked (not tracked yet on that day) or not known (the server does not tell)"),
    "rating": (TEXT, "rating at the end of that day"),
    "level": (LEVEL, "the rating as an ordered level"),
    "stance": (TEXT, "answer on training use at the end of that day"),
    "consumer_stance": (TEXT, "answer for consumers"),
    "business_stance": (TEXT, "answer for business users"),
}
DATED_SURFACES_COLUMNS: Final[Columns] = {"date": (TIME, "day that the level speaks of"), **SURFACES_COLUMNS}
DOCUMENTS_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "document": (TEXT, "name of the document"),
    "captured_at": (TIME, "time of the text that is current"),
    "newest_capture_at": (TIME, "time of the newest capture, good or broken"),
    "snapshot_sha256": (TEXT, "hash of the text that is current"),
    "state": (TEXT, "good, stale, broken or not_a_policy"),
    "check": (TEXT, "name of the check that decided"),
    "archive_url": (TEXT, "link to the archive"),
}
CHANGES_COLUMNS: Final[Columns] = {
    "change_id": (TEXT, "identifier of the change"),
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "document": (TEXT, "name of the document"),
    "reviewed_at": (TIME, "time of the capture that showed it"),
    "change_class": (TEXT, "material, wording, format, revert, capture_failure or technical"),
    "surfaces": (NESTED, "list of surfaces touched"),
    "direction": (TEXT, "up, down, mixed or none: what it does to the risk on the weightiest surface that moved"),
    "directions": (NESTED, "mapping of surface to up, down, mixed or none"),
    "rating_before": (TEXT, "rating before"),
    "rating_after": (TEXT, "rating after"),
    "stance_before": (TEXT, "stance before"),
    "stance_after": (TEXT, "stance after"),
    "snapshot_before": (TEXT, "hash of the text before"),
    "snapshot_after": (TEXT, "hash of the text after"),
    "added": (NESTED, "list of findings that are new or rewritten"),
    "removed": (NESTED, "list of findings that are gone or were rewritten"),
    "altered": (NESTED, "list of rewritten sentences: before, after, surface"),
    "cause": (NESTED, "list of findings that make the change, the weightiest first, and what each moved"),
    "summary": (TEXT, "one line"),
    "url": (TEXT, "public page"),
}
COVERAGE_COLUMNS: Final[Columns] = {
    "as_of": (TIME, "day that the counts speak of"),
    "tracked": (COUNT, "platforms tracked"),
    "verified": (COUNT, "of them verified"),
    "partial": (COUNT, "of them with a document that is no policy or not readable"),
    "stale": (COUNT, "of them with a broken newest capture"),
    "unverified": (COUNT, "of them not read"),
    "surfaces": (NESTED, "mapping of surface to the number of platforms with a finding"),
}
HISTORY_COLUMNS: Final[Columns] = {
    "slug": (TEXT, "identifier of the platform"),
    "name": (TEXT, "display name"),
    "date": (TIME, "day that the state speaks of"),
    "rating": (TEXT, "rating at the end of that day"),
    "level": (LEVEL, "the rating as an ordered level"),
    "known": ("bool", "False where the state of that day cannot be known"),
}
ACCURACY_COLUMNS: Final[Columns] = {
    "labels": (TEXT, "what was scored: test, unseen, calibrate or given"),
    "surface": (TEXT, "subject; all for all surfaces together, hand_written and learned for what decided"),
    "measure": (TEXT, "precision (of all shown, those right), recall (of firm labels, those found), high (of those shown as "
                "HIGH, those right), level, polarity (of those right), sure (of those with a confidence of .95 or more, those "
                "right), leads (of labels missed, those among the leads), calibration_error"),
    "share": (NUMBER, "0 to 1; missing of nothing"),
    "low": (NUMBER, "lower bound of its 95 % interval, families of vendors drawn again"),
    "high": (NUMBER, "upper bound of its interval"),
    "part": (COUNT, "what is counted"),
    "whole": (COUNT, "of how many"),
    "families": (COUNT, "families of vendors that these are of"),
}  # fmt: skip
RELIABILITY_COLUMNS: Final[Columns] = {
    "labels": (TEXT, "what was scored: test, unseen, calibrate or given"),
    "decided_by": (TEXT, "all, hand_written or learned"),
    "from": (NUMBER, "lower bound of the stated confidence"),
    "to": (NUMBER, "upper bound of the stated confidence"),
    "stated": (NUMBER, "its mean"),
    "share": (NUMBER, "of these findings, those right, 0 to 1"),
    "low": (NUMBER, "lower bound of its 95 % interval, families of vendors drawn again"),
    "high": (NUMBER, "upper bound of its interval"),
    "part": (COUNT, "findings that are right"),
    "whole": (COUNT, "findings"),
}
FAULTS_COLUMNS: Final[Columns] = {
    "surface": (TEXT, "subject"),
    "kind": (TEXT, "missed, false_alarm or level"),
    "slug": (TEXT, "identifier of the platform"),
    "document": (TEXT, "name of the document"),
    "risk": (TEXT, "level as labelled; missing of a false alarm"),
    "given": (TEXT, "level as found; missing of a missed clause"),
    "rule": (TEXT, "what decided; missing of a missed clause"),
    "quote": (TEXT, "the clause, verbatim"),
    "snapshot_sha256": (TEXT, "hash of the snapshot"),
    "start": (COUNT, "offset of the first character, in code points"),
    "end": (COUNT, "offset after the last character"),
}
CONTRACT_COLUMNS: Final[Columns] = {
    "endpoint": (TEXT, "path of the endpoint, without its values"),
    "kind": (TEXT, "missing (specified and not there, or null), retyped, unknown (a field that nobody named), unseen (a value "
             "of an open set), lacking (an addition of our service that is not there), addition (one that is), more"),
    "field": (TEXT, "path of the field in the answer: [] for each of a list, {} for each of a mapping"),
    "told": (TEXT, "what the answer tells: absent, null, a kind of value, or the value never seen before"),
    "expected": (TEXT, "what it is read as, or the values known so far"),
    "count": (COUNT, "how often it was seen"),
    "of": (COUNT, "in how many records the field could have stood"),
    "example": (TEXT, "the first answer in which it was seen, such as a slug"),
}  # fmt: skip
ENDPOINTS_COLUMNS: Final[Columns] = {
    "endpoint": (TEXT, "path of the endpoint, without its values"),
    "answers": (COUNT, "answers that were compared"),
    "state": (TEXT, "compared, no key (so not asked), not shown (the key's tier does not have it) or failed"),
    "status": (COUNT, "HTTP status of what was not shown or failed"),
}
