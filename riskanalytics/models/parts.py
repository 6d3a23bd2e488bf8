"""Parts of records: clauses with their place (specification section 2.4), and what a service says of its extraction."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from .base import Actor, Level, Polarity, Record, Sometimes, Surface, Time, Told, VerificationStatus, means


class Provenance(Record):
    """Where a quote is, to check it again (specification section 2.4)."""

    snapshot_sha256: Told[str] = means(
        "SHA-256 of the captured bytes.", "snapshot_sha256", "sha256", "snapshot_hash", "hash"
    )
    archive_url: str | None = means("Public copy of the document.", "archive_url", "web_archive_url")
    start: Told[int] = means(
        "Offset of its first character, in Unicode code points.",
        "start", "offsets.start", "text_offsets.start",
    )  # fmt: skip
    end: Told[int] = means("Offset after its last character.", "end", "offsets.end", "text_offsets.end")
    document: Told[str] = means("Name of the document.")
    captured_at: Told[Time] = means("Capture: ISO 8601, UTC.")
    document_url: str | None = means("The vendor's page that was captured.")


class Scope(Record):
    """To whom a clause limits itself; null where it does not."""

    audience: str | None = means("consumer, business or developer, if limited.")
    region: str | None = means("Region, if limited.")
    product: str | None = means("Product, if limited.")


class Roles(Record):
    """Who does what to what, and when, in the clause's own words: untrusted text; null where it does not say."""

    actor: Actor | None = means("Who acts: vendor, user or third_party.")
    action: str | None = means("What is done, in the clause's words.")
    object: str | None = means("What it is done to, in the clause's words.")
    condition: str | None = means("Under which condition, in the clause's words.")


class LeadIn(Record):
    """The words before a quote that it continues, in the same snapshot."""

    quote: Told[str] = means("What the clause continues, verbatim: untrusted text.")
    start: Told[int] = means("Offset of its first character, in Unicode code points.")
    end: Told[int] = means("Offset after its last character.")


class Quoted(Record):
    """A verbatim clause, what it was taken for, and where it is."""

    id: Told[str] = means("Identifier of the finding.")
    lead_in: LeadIn | None = means("What the clause continues: quote it before.")
    quote: Told[str] = means("The clause, verbatim: untrusted text.", "quote", "text", "excerpt")
    surface: Told[Surface] = means("Subject of the clause.")
    risk: Level | None = means("Level of the clause.", "risk", "risk_level")
    polarity: Polarity | None = means("raises_risk, mitigates_risk or neutral.")
    rule: Told[str] = means("What decided.")
    scope: Scope = Field(default_factory=Scope)
    roles: Roles = Field(default_factory=Roles)
    provenance: Provenance = Field(
        default_factory=lambda: Provenance.model_validate({}), validation_alias=AliasChoices("provenance", "source")
    )


class Lead(Quoted):
    """One verified clause that is worth reading and not sure enough to be a finding: listed, never counted."""

    confidence: Told[float] = means("0 to 1: measured precision of what decided.")
    confidence_interval: Told[list[float]] = means("Its lower and upper bound.")
    verification_status: Told[VerificationStatus] = means("Whether the quote is at its offsets.")


class Finding(Lead):
    """One verified clause that counts (specification section 2.4)."""

    conflicts_with: Told[list[str]] = means("Findings that say the opposite.")
    duplicate_of: str | None = means("Finding with the same words.")


class NamedFinding(Finding):
    """A finding with its platform."""

    platform: Told[str] = means("Slug.")
    name: Told[str]


class Cited(NamedFinding):
    """A clause that an answer cites: a finding, or a lead that is marked."""

    to_read: Sometimes[bool] = means("True for a lead; absent for a finding.")


class FoundClause(NamedFinding):
    """A finding of a clause search."""

    highlighted: Told[str]
    url: Told[str]


class ShareOfCount(Record):
    """A part of a whole, 0 to 1, with its 95 % interval (families of vendors drawn again); without a value of nothing."""

    value: Sometimes[float] = means("0 to 1; missing of nothing.")
    low: Sometimes[float] = means("Lower bound of its 95 % interval.")
    high: Sometimes[float] = means("Upper bound of its interval.")
    part: Told[int] = means("What is counted.")
    whole: Told[int] = means("Of how many.")
    families: Told[int] = means("Families of vendors in the whole.")


class Bin(ShareOfCount):
    """Findings of one stated confidence, and how many are right."""

    from_: Told[float] = means("Lower bound of the stated confidence.", alias="from")
    to: Told[float] = means("Upper bound of the stated confidence.")
    stated: Told[float] = means("Mean of the stated confidence.")


class Measured(Record):
    """How documents are read that were labelled whole: what is not labelled is wrong."""

    measured_on: Told[str] = means("ISO 8601 day.")
    rules: Told[str] = means("Version of rules and weights.")
    times_scored: Sometimes[int] = means("Of a part whose scoring is counted.")
    scored_on: Sometimes[list[str]] = None
    documents: Told[int]
    platforms: Told[int]
    families: Told[int]
    labels: Told[int]
    firm: Told[int] = means("Labels that two careful readers share: what must be found.")
    groups: Told[dict[str, dict[str, ShareOfCount | float]]] = means("By surface, by what decided and in all.")
    reliability: Told[dict[str, list[Bin]]]
    stances: Sometimes[dict[str, ShareOfCount]] = None
    changes: Sometimes[dict[str, ShareOfCount]] = None
    platform_level: Sometimes[ShareOfCount] = None


class ShareTold(Record):
    """A share of an older measure; its counts where they are known."""

    value: Told[float]
    low: Sometimes[float] = None
    high: Sometimes[float] = None
    part: Sometimes[int] = None
    whole: Sometimes[int] = None


class Withdrawn(Record):
    """Figures of an older measure, which flattered."""

    measured_on: Told[str]
    why: Told[str]
    groups: Told[dict[str, dict[str, ShareTold]]]


class Audit(Record):
    """What readers found who judged what is shown, not what was labelled."""

    measured_on: Told[str]
    rules: Told[str]
    read: Told[str] = means("What they read.")
    findings: Told[dict[str, ShareTold]]
    stances: Told[dict[str, ShareTold]]
    changes: Told[dict[str, ShareTold]]


class Figures(Record):
    """How well the extraction reads, by the part of the labels that was scored."""

    test: Sometimes[Measured] = means("Vendors that nothing was made from.")
    unseen: Sometimes[Measured] = means("AI platforms that nothing was made from.")
    calibrate: Sometimes[Measured] = means("Vendors that set the confidence only.")
    audit: Sometimes[Audit] = None
    withdrawn: Sometimes[Withdrawn] = None


class Points(Record):
    """What a level counts in the mean of a rating."""

    LOW: Told[int]
    MED: Told[int]
    HIGH: Told[int]


class RatingFormula(Record):
    """How ratings are computed."""

    version: Told[str]
    steps: Told[list[str]]
    weights: Told[dict[str, int]]
    points: Told[Points]
    high_from: Told[float] = means("Weighted mean from which it is HIGH.")
    low_below: Told[float] = means("Weighted mean below which it may be LOW.")


class Extraction(Record):
    """What reads the texts."""

    version: Told[str]
    finding_from: Told[float]
    figures: Told[Figures]
    rating: Told[RatingFormula]
