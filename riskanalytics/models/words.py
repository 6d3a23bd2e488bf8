"""Words that the service's answers use, and what people read for them; sets are open, what is not listed passes through."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, get_args

RATINGS: Final = ("LOW", "MED", "HIGH")
"""Levels in rising order of risk; the set is open, values not listed here pass through."""

LEVELS: Final = ("UNKNOWN", *RATINGS)
"""Categories of every `level` column, in order; UNKNOWN is apart, not low."""

SURFACE_NAMES: Final = {
    "training_use": "Training use",
    "web_data_training": "Web data training",
    "content_license": "Content licence",
    "output_rights": "Output rights",
    "ip_liability": "IP liability",
    "data_retention": "Data retention",
    "third_party_sharing": "Third-party sharing",
    "ads_tracking": "Ads and tracking",
    "human_review": "Human review",
    "cross_border_transfer": "Cross-border transfer",
    "sensitive_data": "Sensitive data",
    "terms_changes": "Terms changes",
}
"""Words for the known surfaces: subjects a clause may speak to, in the order in which pages show them."""

SURFACES: Final = tuple(SURFACE_NAMES)

STANCE_NAMES: Final = {
    "trains_by_default": "Trains by default",
    "depends_on_plan": "Depends on plan",
    "trains_with_opt_out": "Trains, opt-out offered",
    "trains_with_opt_in": "Trains only after opt-in",
    "does_not_train": "Does not train",
    "undetermined": "Undetermined: to be read",
    "silent": "Documents are silent",
}
"""Words for the known stances on training use, from the most to the least exposed; `undetermined` (the documents
conflict or fall short, a person must read them) and silence are no answers."""

STANCES: Final = tuple(STANCE_NAMES)

_FOR_BUSINESS: Final = re.compile(
    r"\b(?:business|commercial|enterprise|corporate|data process(?:or|ing)|developer|api)\b", re.IGNORECASE
)

STANCE_CLAUSES: Final = {
    "trains_by_default": "trains on user content by default, and no way out is stated",
    "depends_on_plan": "trains on user content depending on the plan",
    "trains_with_opt_out": "trains on user content unless the user opts out",
    "trains_with_opt_in": "trains on user content only where the user opts in",
    "does_not_train": "does not train on user content",
}
"""What a stance says of a platform, as the rest of a sentence; silence says nothing, and `undetermined` no one thing."""

UNDETERMINED: Final = "do not settle whether user content trains models: these clauses are to be read"
"""What is said of documents whose stance is `undetermined`, as the rest of a sentence."""

DOCUMENT_STATE_NAMES: Final = {
    "good": "read",
    "stale": "last good text read; the newest capture is broken",
    "broken": "not read: the capture is broken",
    "not_a_policy": "not read: the page is no policy",
}
"""Words for the known states of a document."""

ChangeClass = Literal["material", "wording", "format", "revert", "capture_failure", "technical"]
"""What a review may call a difference between two captures of a document."""

CHANGE_CLASSES: Final[tuple[str, ...]] = get_args(ChangeClass)

VERIFICATIONS: Final = ("verified", "partial", "stale", "unverified")
"""States of a platform's evidence."""

VERIFICATION_STATUSES: Final = ("verified", "moved", "altered", "missing", "hash_mismatch", "unavailable")
"""What a check of a quote may find, best first."""

ACCURACY_PARTS: Final = {
    "test": "vendors that nothing was made from",
    "unseen": "AI platforms that nothing was made from",
    "calibrate": "vendors kept apart to set the confidence by",
    "given": "the labels given",
}
"""Words for what figures of accuracy may be measured on, what is to be shown first first."""

DECIDED_BY: Final = {"hand_written": "Rules alone", "learned": "Model alone", "all": "All findings"}
"""Words for what decided the findings that figures of accuracy are about."""

REFUSALS: Final = (
    "no_evidence", "silent", "unknown_platform", "not_about_policies", "legal_advice", "ambiguous_platform",
)  # fmt: skip
"""Why a question may be refused."""

DISCLAIMER: Final = (
    "Informational only, not legal advice. Ratings and findings are computed automatically from publicly "
    "available policy documents and must be verified against the cited source."
)
"""Notice that every payload and every page carries (specification section 1)."""


class SurfaceDescription(NamedTuple):
    """What a surface asks, what makes a clause of it HIGH, MED or LOW, and what does not count."""

    question: str
    high: str
    med: str
    low: str
    not_counted: str


SURFACE_DESCRIPTIONS: Final = {
    "training_use": SurfaceDescription(
        "Does the provider use content, inputs, outputs or personal data of its users to train or improve its models?",
        "by default without a way out; the way out is partial; content goes to others for their training; the licence "
        "names training",
        "by default with an opt-out; de-identified or aggregated only; depends on the plan; one purpose among others",
        "not used; only after opt-in; business tiers excluded; model vendors barred",
        "improving services without models; customers tuning their own models; bans on competing models; staff training",
    ),
    "web_data_training": SurfaceDescription(
        "Are models built from the open web, public databases, or bought or licensed sets, possibly about others than users?",
        "personal data from the public internet or public posts",
        "public, licensed or bought sets that are not tied to persons; rights limited for training data",
        "crawler rules honoured; no contact, profiling or sale from training data",
        "bans on users crawling the service; public profile pages; recruiting from public career profiles",
    ),
    "content_license": SurfaceDescription(
        "Which rights does the user grant to the provider and to others over content, name and likeness?",
        "perpetual or irrevocable; sublicensable or transferable; derivative works; any purpose; a licence to all other users",
        "to operate, and to improve, develop or promote; sublicence to vendors; name and logo",
        "strictly to provide the service; ends on deletion; no licence for marketing",
        "licences from the provider to the user; the user's warranties; licences among third parties",
    ),
    "output_rights": SurfaceDescription(
        "Who owns, or may use, what is generated?",
        "the provider or a model vendor owns it; non-commercial or plan-bound use only",
        "subject to plan, third parties' rights or model terms; the user bears the check",
        "the user owns it; rights are assigned; commercial use is allowed",
        "bans on use that do not restrict outputs; a company sale's assets; disclaimers about third parties' content",
    ),
    "ip_liability": SurfaceDescription(
        "Who carries the risk that something infringes?",
        "a broad one-sided indemnity by the user; non-infringement disclaimed",
        "a mutual or narrow indemnity by the user; a capped or tier-bound one by the provider",
        "the provider defends the customer; a warranty of rights",
        "tax indemnities; app-store clauses; procedures; forms for copyright notices",
    ),
    "data_retention": SurfaceDescription(
        "How long are inputs, outputs and personal data kept, and what does deletion do?",
        "until the provider decides; after termination or deletion; very long fixed periods",
        "as long as necessary; while the account exists; exceptions for safety or law",
        "a fixed short period; deletion within a stated time; zero retention",
        "refund, arbitration and notice periods; retaining all rights; retention by third parties",
    ),
    "third_party_sharing": SurfaceDescription(
        "To whom outside the provider are data disclosed?",
        "advertisers, data partners, any third party; content for vendors' own products; without the user's choice",
        "vendors, affiliates, mergers, authorities; partners at the user's direction",
        "no disclosure without consent; processors bound by contract only; content is not sold",
        "what users give to the provider; links to other sites; resale bans; aggregate statistics alone",
    ),
    "ads_tracking": SurfaceDescription(
        "Are personal data used for advertising, cross-site tracking, sale or sharing?",
        "targeted or cross-context ads; sale or sharing; retargeting; ad partners set trackers",
        "own marketing cookies, analytics, session replay; limited identifiers to ad platforms; opt-out only",
        "no sale or sharing; no third-party ads; content is not used for ads",
        "rules about spam; ad networks as a source of data; general text on the right to know",
    ),
    "human_review": SurfaceDescription(
        "Can people, or monitoring, read content?",
        "staff review content for product work or to teach systems",
        "review for abuse, safety, support or moderation at discretion; training feedback raters",
        "staff do not read without permission; named exceptions only; opt-out of review; no monitoring",
        "advice to review outputs; authorised users; text on unauthorised access; an organisation's administrators",
    ),
    "cross_border_transfer": SurfaceDescription(
        "Where are data stored or sent?",
        "storage in or transfer to a country without safeguards named; consent by use; anywhere",
        "transfer to the US or a third country; clauses, adequacy or a framework named",
        "stays in the region; no transfer",
        "export control; governing law; lists for taxes",
    ),
    "sensitive_data": SurfaceDescription(
        "What happens with biometrics, voice, face, health, children's and other special data?",
        "voiceprints, face data or special categories collected or stored",
        "processed on consent or if the user enters it; momentary analysis of face or voice",
        "not collected; nothing inferred; an age limit and no knowing collection from children",
        "rules about content with minors; statutory lists of categories; health and safety; names of companies",
    ),
    "terms_changes": SurfaceDescription(
        "Can the provider change terms or policy one-sidedly?",
        "at any time, at sole discretion, effective on posting, without notice",
        "posting and continued use; notice only of material changes or where law asks",
        "a fixed advance notice; the right to reject or leave first; no cut of rights without consent",
        "changes of prices, of arbitration clauses, of the product, of third parties' terms",
    ),
}
"""What counts and what does not on each known surface, in the order of `SURFACES`; wording of this project."""


def surface_name(surface: str) -> str:
    """Return the readable name of a surface; one never seen is its identifier with spaces."""
    return SURFACE_NAMES.get(surface) or surface.replace("_", " ").strip().capitalize()


def stance_name(stance: str) -> str:
    """Return the readable name of a stance; one never seen is its identifier with spaces."""
    return STANCE_NAMES.get(stance) or stance.replace("_", " ").strip().capitalize()


def audience_of_document(name: str) -> str | None:
    """Return whom a whole document is for, by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        `business`, `developer`, or None where that is everybody.
    """
    found = _FOR_BUSINESS.search(name)
    return None if found is None else "developer" if found[0].lower() in ("developer", "api") else "business"
