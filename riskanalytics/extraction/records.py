"""What the extraction works with and hands on: plain frozen values, no database, no clock, no network."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Scope(NamedTuple):
    """Whom or what a clause limits itself to; None where it does not.

    Parameters
    ----------
    audience : str, optional
        `consumer`, `business` or `developer` (users of the API).
    region : str, optional
        Such as `EU`, `US`, `CN`.
    product : str, optional
        `feedback` (suggestions only), `connector` (data of one integration only), or the product's kind.
    """

    audience: str | None = None
    region: str | None = None
    product: str | None = None


class Roles(NamedTuple):
    """Who does what to what, and under which condition, as a clause says it.

    Parameters
    ----------
    actor : str, optional
        `vendor`, `user`, `third_party`, or None where the clause does not name who acts.
    action : str, optional
        What is done, with its modality, in the clause's own plain words: "may use", "will not train".
    object : str, optional
        What it is done to, in the clause's own plain words: "your inputs and outputs".
    condition : str, optional
        Under which condition, in the clause's own plain words: "unless you opt out"; None where none is named.
    """

    actor: str | None = None
    action: str | None = None
    object: str | None = None
    condition: str | None = None


Span = tuple[int, int]
"""Where something begins and ends, in code points."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text that states one thing: a sentence, a list item, a table row.

    Parameters
    ----------
    start, end : int
        Offsets in code points; `text[start:end]` is the clause.
    kind : str
        `sentence`, `item`, `row` or `heading`.
    lead_in : str
        Words that the clause continues ("We use information to:"); empty where it continues nothing.
    heading : str
        Nearest heading above, plain.
    lead : Span, optional
        Place of the words that the clause continues: the lead-in of the item, the sentence above its list, or the column
        heads of its table; None if it continues nothing, or if they are too long to quote.
    before : Span, optional
        Place of the sentence before it in its paragraph.
    """

    start: int
    end: int
    kind: str = "sentence"
    lead_in: str = ""
    heading: str = ""
    lead: Span | None = None
    before: Span | None = None


class LeadIn(NamedTuple):
    """The words before a clause without which it has no sense.

    Parameters
    ----------
    quote : str
        `text[start:end]`, asserted when the finding is made.
    start, end : int
        Offsets in code points of the text that was read.
    """

    quote: str
    start: int
    end: int


class ClauseFinding(NamedTuple):
    """What one clause says on one surface.

    Parameters
    ----------
    surface : str
        One of `riskanalytics.surfaces.SURFACES`.
    start, end : int
        Offsets in code points of the text that was read.
    quote : str
        `text[start:end]`, asserted when the finding is made.
    risk : str
        `HIGH`, `MED` or `LOW`: level of the clause.
    polarity : str
        `raises_risk`, `mitigates_risk` or `neutral`.
    rule : str
        Identifier of the rule that decided.
    confidence : float
        0 to 1.
    confidence_interval : tuple of float
        Lower and upper bound.
    scope : Scope
        What the clause limits itself to.
    stance : str, optional
        On `training_use`: what the clause says of training, one of `riskanalytics.models.STANCES`.
    roles : Roles
        Who does what, to what, under which condition.
    lead_in : LeadIn, optional
        What it continues; None if nothing.
    """

    surface: str
    start: int
    end: int
    quote: str
    risk: str
    polarity: str
    rule: str
    confidence: float
    confidence_interval: tuple[float, float]
    scope: Scope = Scope()
    stance: str | None = None
    roles: Roles = Roles()
    lead_in: LeadIn | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read out of one text.

    Parameters
    ----------
    findings : tuple of ClauseFinding
        In the order of the text; one span may appear once per surface.
    language : str
        ISO 639-1 code, or `und` for a text too short to identify.
    clauses : int
        Number of clauses read.
    leads : tuple of ClauseFinding
        Clauses worth reading that are not sure enough to be findings, in the order of the text; never counted.
    """

    findings: tuple[ClauseFinding, ...] = ()
    language: str = "und"
    clauses: int = 0
    leads: tuple[ClauseFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureCheck:
    """Whether a capture shows the document it should.

    Parameters
    ----------
    state : str
        `good`, `broken` (collapsed, error page, empty, cookie wall) or `not_a_policy`.
    check : str
        Name of the check that decided, such as `collapsed`, `error_page`, `empty`, `passed`.
    """

    state: str
    check: str


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """One document of a platform at one date, for the assessment.

    Parameters
    ----------
    document : str
        Its name, such as "Privacy Policy".
    snapshot_sha256 : str
        Hash of the text that was read.
    captured_at : str
        ISO 8601 time of the capture read.
    reading : Reading
    """

    document: str
    snapshot_sha256: str
    captured_at: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class SurfaceAssessment:
    """Level of one surface and what led to it."""

    surface: str
    risk: str | None
    """None where nothing was found."""
    count: int
    """Findings, near-copies not counted twice."""
    decided_by: tuple[tuple[str, int, int], ...] = ()
    """(snapshot_sha256, start, end) of the findings that decided."""
    explanation: str = ""
    state: str = "found"
    """One of `riskanalytics.models.SURFACE_STATES`."""
    to_read: int = 0
    """Clauses that a person must read before the surface can be judged, where `state` is `to_read`."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """A platform's rating and how it came about.

    Parameters
    ----------
    rating : str
        `HIGH`, `MED`, `LOW`, or `UNRATED` where nothing was found.
    risk_reason : str
        Begins with the rating and the number of citations.
    stance, consumer_stance, business_stance : str or None
        Answers on training use; the last two are None where the documents do not say. `unread` where nothing speaks of
        training and a document is not read.
    surfaces : tuple of SurfaceAssessment
        Every surface in the order of `riskanalytics.surfaces.SURFACES`, also those without findings.
    citation_count : int
    stance_decided_by : tuple of (snapshot_sha256, start, end)
        Findings that decided the stance.
    rules : tuple of str
        Identifiers of the rating's own rules that applied, in order.
    """

    rating: str
    risk_reason: str
    stance: str
    consumer_stance: str | None
    business_stance: str | None
    surfaces: tuple[SurfaceAssessment, ...]
    citation_count: int
    stance_decided_by: tuple[tuple[str, int, int], ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Altered:
    """A clause whose words changed: before, after, and the findings they carried."""

    before: str
    after: str
    surface: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A finding that came, went or was rewritten, and what that does to the risk.

    Parameters
    ----------
    before, after : ClauseFinding or None
        The finding on that side; None if there is no finding.
    step : int
        Above 0 where it raises the risk, below where it lowers it; its size is its weight.
    """

    before: ClauseFinding | None
    after: ClauseFinding | None
    step: int

    @property
    def kind(self) -> str:
        """`added`, `removed` or `rewritten`."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "rewritten"

    @property
    def shown(self) -> ClauseFinding:
        """The finding as it is now, else as it was."""
        finding = self.after or self.before
        assert finding is not None  # noqa: S101 (a move has a side)
        return finding


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is different between two texts of one document.

    Parameters
    ----------
    change_class : str
        One of `riskanalytics.models.CHANGE_CLASSES`, without `technical` (the archive says that).
    surfaces : tuple of str
        Surfaces on which a finding was added, removed or changed, the weightiest first.
    direction : str
        `up`, `down`, `mixed` (up and down), `unclear` (both texts must be read) or `none`: on the whole.
    directions : dict of str to str
        The same for each of `surfaces`, in their order.
    moves : tuple of Move
        Findings that moved, those that decide first; `added` and `removed` are their sides.
    weighed : tuple of Move
        The same with leads: what the directions were weighed by.
    findings : tuple of tuple of ClauseFinding
        All of the earlier and of the later text.
    added, removed : tuple of ClauseFinding
        With offsets in the later and the earlier text.
    altered : tuple of Altered
    kept : int
        Findings in both texts.
    summary : str
        One line for a person.
    """

    change_class: str
    surfaces: tuple[str, ...] = ()
    direction: str = "none"
    directions: dict[str, str] = field(default_factory=dict)
    moves: tuple[Move, ...] = ()
    weighed: tuple[Move, ...] = ()
    findings: tuple[tuple[ClauseFinding, ...], ...] = ((), ())
    added: tuple[ClauseFinding, ...] = ()
    removed: tuple[ClauseFinding, ...] = ()
    altered: tuple[Altered, ...] = field(default=())
    kept: int = 0
    summary: str = ""


FindingKey = tuple[str, int, int, str]
"""Identifies a finding of a platform: snapshot_sha256, start, end, surface."""


@dataclass(frozen=True, slots=True)
class Relations:
    """How the findings of one platform relate to each other.

    Parameters
    ----------
    conflicts : dict of FindingKey to tuple of FindingKey
        Findings of the same surface and scope that say the opposite; both stay.
    duplicates : dict of FindingKey to FindingKey
        Near-copies and the first finding that says it; the first itself is not a key.
    """

    conflicts: dict[FindingKey, tuple[FindingKey, ...]] = field(default_factory=dict)
    duplicates: dict[FindingKey, FindingKey] = field(default_factory=dict)
