"""Parts of records: clauses with their place (specification section 2.4), and what a service says of its extraction."""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, AliasPath, Field

from riskanalytics.models.base import Actor, Level, Polarity, Record, Sometimes, Surface, Time, Told, VerificationStatus


class Provenance(Record):
    """Where a quote is, to check it again (specification section 2.4)."""

    snapshot_sha256: Told[str] = Field(
        validation_alias=AliasChoices("snapshot_sha256", "sha256", "snapshot_hash", "hash"),
        description="SHA-256 of the document's bytes as they were captured.",
    )
    archive_url: str | None = Field(
        None,
        validation_alias=AliasChoices("archive_url", "web_archive_url"),
        description="Public copy of the document; null where none is known.",
    )
    start: Told[int] = Field(
        validation_alias=AliasChoices("start", AliasPath("offsets", "start"), AliasPath("text_offsets", "start")),
        description="Offset of the quote's first character, in Unicode code points.",
    )
    end: Told[int] = Field(
        validation_alias=AliasChoices("end", AliasPath("offsets", "end"), AliasPath("text_offsets", "end")),
        description="Offset after the quote's last character.",
    )
    document: Told[str] = Field(description="Name of the document.")
    captured_at: Told[Time] = Field(description="Time of the capture: ISO 8601, UTC.")
    document_url: str | None = Field(None, description="Vendor's page that was captured; null where it is not known.")


class Scope(Record):
    """To whom a clause limits itself; null where it does not."""

    audience: str | None = Field(None, description="consumer, business or developer, where the clause limits itself.")
    region: str | None = Field(None, description="Region, where the clause limits itself.")
    product: str | None = Field(None, description="Product, where the clause limits itself.")


class Roles(Record):
    """Who does what to what, and when, in the clause's own words: untrusted text; null where it does not say."""

    actor: Actor | None = Field(None, description="vendor, user or third_party: who acts, where the clause says.")
    action: str | None = Field(None, description="What is done, in the clause's own words.")
    object: str | None = Field(None, description="What it is done to, in the clause's own words.")
    condition: str | None = Field(None, description="Under which condition, in the clause's own words.")


class LeadIn(Record):
    """The words before a quote that it continues, in the same snapshot."""

    quote: Told[str] = Field(description="What leads in to the clause, verbatim: untrusted text.")
    start: Told[int] = Field(description="Offset of its first character, in Unicode code points.")
    end: Told[int] = Field(description="Offset after its last character.")


class Quoted(Record):
    """A verbatim clause, what it was taken for, and where it is."""

    id: Told[str] = Field(description="Identifier of the finding.")
    lead_in: LeadIn | None = Field(
        None, description="What the clause continues, to be quoted before it; null where it needs nothing before it."
    )
    quote: Told[str] = Field(
        validation_alias=AliasChoices("quote", "text", "excerpt"), description="The clause, verbatim: untrusted text."
    )
    surface: Told[Surface] = Field(description="Subject of the clause.")
    risk: Level | None = Field(
        None, validation_alias=AliasChoices("risk", "risk_level"), description="Level of the clause."
    )
    polarity: Polarity | None = Field(None, description="raises_risk, mitigates_risk or neutral.")
    rule: Told[str] = Field(description="What decided.")
    scope: Scope = Field(default_factory=Scope)
    roles: Roles = Field(default_factory=Roles)
    provenance: Provenance = Field(
        default_factory=lambda: Provenance.model_validate({}), validation_alias=AliasChoices("provenance", "source")
    )


class Lead(Quoted):
    """One verified clause that is worth reading and not sure enough to be a finding: listed, never counted."""

    confidence: Told[float] = Field(description="0 to 1: measured precision of what decided.")
    confidence_interval: Told[list[float]] = Field(description="Lower and upper bound of the confidence.")
    verification_status: Told[VerificationStatus] = Field(description="Whether the quote is at its offsets.")


class Finding(Lead):
    """One verified clause that counts (specification section 2.4)."""

    conflicts_with: Told[list[str]] = Field(description="Identifiers of the findings that say the opposite.")
    duplicate_of: str | None = Field(None, description="Identifier of the finding with the same words.")


class NamedFinding(Finding):
    """A finding with its platform."""

    platform: Told[str] = Field(description="Slug.")
    name: Told[str]


class Cited(NamedFinding):
    """A clause that an answer cites: a finding, or a lead that is marked."""

    to_read: Sometimes[bool] = Field(
        None, description="True for a lead: to be read, not a finding. Absent for a finding."
    )


class FoundClause(NamedFinding):
    """A finding of a clause search."""

    highlighted: Told[str]
    url: Told[str]


class ShareOfCount(Record):
    """A part of a whole, 0 to 1, with its 95 % interval (families of vendors drawn again); without a value of nothing."""

    value: Sometimes[float] = Field(None, description="0 to 1; missing of nothing.")
    low: Sometimes[float] = Field(
        None, description="Lower bound of its 95 % interval, families of vendors drawn again."
    )
    high: Sometimes[float] = Field(None, description="Upper bound of its interval.")
    part: Told[int] = Field(description="What is counted.")
    whole: Told[int] = Field(description="Of how many.")
    families: Told[int] = Field(description="Families of vendors that the whole is of.")


class Bin(ShareOfCount):
    """Findings of one stated confidence, and how many are right."""

    from_: Annotated[Told[float], Field(alias="from")] = Field(description="Lower bound of the stated confidence.")
    to: Told[float] = Field(description="Upper bound of the stated confidence.")
    stated: Told[float] = Field(description="Mean of the stated confidence.")


class Measured(Record):
    """How documents are read that were labelled whole: what is not labelled is wrong."""

    measured_on: Told[str] = Field(description="ISO 8601 day.")
    rules: Told[str] = Field(description="Version of the rules and weights that was measured.")
    times_scored: Sometimes[int] = Field(None, description="Of a part whose scoring is counted.")
    scored_on: Sometimes[list[str]] = None
    documents: Told[int]
    platforms: Told[int]
    families: Told[int]
    labels: Told[int]
    firm: Told[int] = Field(description="Labels that two careful readers would share: what must be found.")
    groups: Told[dict[str, dict[str, ShareOfCount | float]]] = Field(
        description="By surface, by what decided (`hand_written`, `learned`) and in all."
    )
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
    read: Told[str] = Field(description="What they read.")
    findings: Told[dict[str, ShareTold]]
    stances: Told[dict[str, ShareTold]]
    changes: Told[dict[str, ShareTold]]


class Figures(Record):
    """How well the extraction reads, by the part of the labels that was scored."""

    test: Sometimes[Measured] = Field(None, description="Vendors that nothing was made from.")
    unseen: Sometimes[Measured] = Field(None, description="AI platforms that nothing was made from.")
    calibrate: Sometimes[Measured] = Field(None, description="Vendors that only the confidence was set by.")
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
    high_from: Told[float] = Field(description="Weighted mean from which a rating is HIGH.")
    low_below: Told[float] = Field(description="Weighted mean below which a rating may be LOW.")


class Extraction(Record):
    """What reads the texts."""

    version: Told[str]
    finding_from: Told[float]
    figures: Told[Figures]
    rating: Told[RatingFormula]
