"""Records inside other records: clauses with their place in a document (specification section 2.4), and measured accuracy."""

from .base import Actor, DateKind, Level, Maybe, Polarity, Record, Sometimes, Surface, Time, VerificationStatus, means


class Provenance(Record):
    """The place of a quote in a snapshot of a document, by which the quote can be verified (specification section 2.4)."""

    snapshot_sha256: str = means("SHA-256 of the captured bytes.", "snapshot_sha256", "sha256", "snapshot_hash", "hash")
    archive_url: Maybe[str] = means("Public copy of the document.", "archive_url", "web_archive_url")
    start: int = means(
        "Offset of its first character, in Unicode code points.",
        "start", "offsets.start", "text_offsets.start",
    )  # fmt: skip
    end: int = means("Offset after its last character.", "end", "offsets.end", "text_offsets.end")
    document: str = means("Name of the document.")
    captured_at: Time = means("Capture: ISO 8601, UTC.")
    document_url: Maybe[str] = means("The vendor's page that was captured.")


class Scope(Record):
    """Audience, region and product to which a clause is limited; each is null if the clause sets no such limit."""

    audience: Maybe[str] = means("consumer, business or developer, if limited.")
    region: Maybe[str] = means("Region, if limited.")
    product: Maybe[str] = means("Product, if limited.")


class Roles(Record):
    """Who acts according to a clause, what is done to what, and under which condition.

    A field is null if the clause does not state it. The words of the clause are untrusted text.
    """

    actor: Maybe[Actor] = means("Who acts: vendor, user or third_party.")
    action: Maybe[str] = means("What is done, in the clause's words.")
    object: Maybe[str] = means("What it is done to, in the clause's words.")
    condition: Maybe[str] = means("Under which condition, in the clause's words.")


class LeadIn(Record):
    """The introductory words before a quote, such as the first line of a list, in the same snapshot."""

    quote: str = means("The words that the clause continues, verbatim: untrusted text.")
    start: int = means("Offset of its first character, in Unicode code points.")
    end: int = means("Offset after its last character.")


class Quoted(Record):
    """A verbatim clause with its surface, its level and its place in a snapshot."""

    id: str = means("Identifier of the finding.")
    lead_in: Maybe[LeadIn] = means("The words that the clause continues, to be quoted before it.")
    quote: str = means("The clause, verbatim: untrusted text.", "quote", "text", "excerpt")
    surface: Maybe[Surface] = means("Subject of the clause; null in a change that only readers found.")
    risk: Maybe[Level] = means("Level of the clause.", "risk", "risk_level")
    polarity: Maybe[Polarity] = means("raises_risk, mitigates_risk or neutral.")
    rule: str = means("Rule that decided.")
    read_by: Maybe[str] = means("Readers whose verdicts it rests on; null if rules and model decided.")
    scope: Scope
    roles: Roles
    provenance: Provenance = means("Place of the quote.", "provenance", "source")


class Lead(Quoted):
    """One verified clause that is worth reading but not sure enough to be a finding: listed, never counted."""

    confidence: float = means("0 to 1: measured precision of the deciding rule or model.")
    confidence_interval: list[float] = means("Its lower and upper bound.")
    verification_status: VerificationStatus = means("Whether the quote is at its offsets.")


class Finding(Lead):
    """One verified clause that is sure enough to count on its surface (specification section 2.4)."""

    conflicts_with: list[str] = means("Findings that say the opposite.")
    duplicate_of: Maybe[str] = means("Finding with the same words.")


class StatedDate(Record):
    """A date or period that a document states; either `date` or `period` is null."""

    kind: DateKind = means("updated, effective, notice (period of notice) or objection (to object or opt out).")
    date: Maybe[Time] = means("Stated day: YYYY-MM-DD.")
    period: Maybe[str] = means("Stated period: ISO 8601, such as P30D.")
    quote: str = means("The clause, verbatim: untrusted text.")
    provenance: Provenance = means("Place of the quote.")


class NamedFinding(Finding):
    """A finding with the slug and name of its platform."""

    platform: str = means("Slug.")
    name: str


class Cited(NamedFinding):
    """A clause that is cited in the answer to a question: a finding, or a lead (then `to_read` is true)."""

    to_read: Sometimes[bool] = means("True for a lead; absent for a finding.")


class FoundClause(NamedFinding):
    """A finding that matches a search; `highlighted` is its quote with the matches marked, `url` the page of its platform."""

    highlighted: str
    url: str


class ShareOfCount(Record):
    """A share from 0 to 1 (the count `part` divided by the count `whole`), with a 95 % interval.

    The interval is a bootstrap over families, which are groups of related vendors. If `whole` is 0, share and interval are missing.
    """

    value: Sometimes[float] = means("0 to 1; missing if the whole is 0.")
    low: Sometimes[float] = means("Lower bound of its 95 % interval.")
    high: Sometimes[float] = means("Upper bound of its interval.")
    part: int = means("Number counted.")
    whole: int = means("Denominator.")
    families: int = means("Families of vendors in the whole.")


class Bin(ShareOfCount):
    """The findings whose stated confidence lies between two bounds, and the share of these findings that is right."""

    from_: float = means("Lower bound of the stated confidence.", alias="from")
    to: float = means("Upper bound of the stated confidence.")
    stated: float = means("Mean of the stated confidence.")


class Measured(Record):
    """Accuracy of the extraction on fully labelled documents; a finding that has no label counts as wrong."""

    measured_on: str = means("ISO 8601 day.")
    rules: str = means("Version of rules and weights.")
    times_scored: Sometimes[int] = means("Number of scorings, for a part where it is limited.")
    scored_on: Sometimes[list[str]]
    documents: int
    platforms: int
    families: int
    labels: int
    firm: int = means("Labels that two careful readers share, and that must be found.")
    groups: dict[str, dict[str, ShareOfCount | float]] = means("By surface, by what decided, and in all.")
    reliability: dict[str, list[Bin]]
    stances: Sometimes[dict[str, ShareOfCount]]
    changes: Sometimes[dict[str, ShareOfCount]]
    platform_level: Sometimes[ShareOfCount]


class ShareOfOldMeasure(Record):
    """A share from 0 to 1 from an audit or an older measurement, with its interval and its counts (`part` of `whole`) if known."""

    value: float
    low: Sometimes[float]
    high: Sometimes[float]
    part: Sometimes[int]
    whole: Sometimes[int]


class Withdrawn(Record):
    """Accuracy figures of an older measurement that are no longer valid because that measurement was too favourable."""

    measured_on: str
    why: str
    groups: dict[str, dict[str, ShareOfOldMeasure]]


class Audit(Record):
    """Results of an audit, in which independent readers judged published findings, stances and changes."""

    measured_on: str
    rules: str
    read: str = means("What they read.")
    findings: dict[str, ShareOfOldMeasure]
    stances: dict[str, ShareOfOldMeasure]
    changes: dict[str, ShareOfOldMeasure]


class WithReadings(Record):
    """Accuracy of the findings where language models read the documents."""

    measured_on: str
    read: str = means("Which language models read, and how this was measured.")
    groups: dict[str, dict[str, ShareOfOldMeasure]] = means("By part of the labels: `precision` and `recall`.")


class Figures(Record):
    """Accuracy of the extraction on each set of labelled documents, with the audit and figures that are no longer valid."""

    test: Sometimes[Measured] = means("Vendors that were not used to make the rules or the model.")
    unseen: Sometimes[Measured] = means("AI platforms that were not used to make the rules or the model.")
    calibrate: Sometimes[Measured] = means("Vendors used only to calibrate the confidence.")
    with_readings: Sometimes[WithReadings]
    audit: Sometimes[Audit]
    withdrawn: Sometimes[Withdrawn]


class Points(Record):
    """The points of each level in the weighted mean of a platform's surfaces, from which its rating is computed."""

    LOW: int
    MED: int
    HIGH: int


class RatingFormula(Record):
    """The formula for a platform's rating: its steps, weights of surfaces, points of levels, and limits for `HIGH` and `LOW`."""

    version: str
    steps: list[str]
    weights: dict[str, int]
    points: Points
    high_from: float = means("Weighted mean from which it is HIGH.")
    low_below: float = means("Weighted mean below which it may be LOW.")


class Extraction(Record):
    """The extraction, which finds clauses and rates platforms: its version, its accuracy and its rating formula."""

    version: str
    finding_from: float
    figures: Figures
    rating: RatingFormula
