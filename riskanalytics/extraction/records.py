"""The immutable records that the functions of the extraction take and return, such as clauses, findings and ratings."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .plain import READ_LANGUAGES

if TYPE_CHECKING:
    from .dates import StatedDate
    from .units import Unit


class Scope(NamedTuple):
    """The audience, region and product that a clause limits itself to; None means no limit.

    Parameters
    ----------
    audience : str, optional
        `consumer`, `business` or `developer` (users of the API).
    region : str, optional
        `EU`, `UK`, `US` or `CN`.
    product : str, optional
        `feedback` (suggestions only), `connector` (data of one integration only) or `temporary` (temporary chats only).
    """

    audience: str | None = None
    region: str | None = None
    product: str | None = None


class Roles(NamedTuple):
    """Who does what to what, and under which condition, according to a clause.

    Parameters
    ----------
    actor : str, optional
        `vendor`, `user` or `third_party`; None if the clause does not name an actor.
    action : str, optional
        The action with its modality, in the clause's own plain words: "may use", "will not train".
    object : str, optional
        The object of the action, in the clause's own plain words: "your inputs and outputs".
    condition : str, optional
        The condition, in the clause's own plain words: "unless you opt out"; None if the clause names no condition.
    """

    actor: str | None = None
    action: str | None = None
    object: str | None = None
    condition: str | None = None


Span = tuple[int, int]
"""Start and end of a stretch of text, in code points."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text that states one thing, such as a sentence, a list item or a table row.

    Parameters
    ----------
    start, end : int
        Offsets in code points; `text[start:end]` is the clause.
    kind : str
        `sentence`, `item`, `row` or `heading`.
    lead_in : str
        Introductory words before the clause ("We use information to:"); empty without them.
    heading : str
        Nearest heading above the clause, in plain words.
    lead : Span, optional
        Place of the introductory words: the lead-in of the item, the sentence above its list, or the column headings of its table.
        None if there are no such words, or if they are too long to quote.
    before : Span, optional
        Place of the previous sentence in the same paragraph; None if there is no such sentence.
    """

    start: int
    end: int
    kind: str = "sentence"
    lead_in: str = ""
    heading: str = ""
    lead: Span | None = None
    before: Span | None = None


class LeadIn(NamedTuple):
    """The words before a clause that a reader needs to understand it.

    Parameters
    ----------
    quote : str
        `text[start:end]`, checked when the finding is made.
    start, end : int
        Offsets in the text, in code points.
    """

    quote: str
    start: int
    end: int


class ClauseFinding(NamedTuple):
    """The statement of one clause on one surface.

    Parameters
    ----------
    surface : str
        One of `riskanalytics.surfaces.SURFACES`; empty for a clause of a change that only readers (language models) found.
    start, end : int
        Offsets in the text, in code points.
    quote : str
        `text[start:end]`, checked when the finding is made.
    risk : str
        Level of the clause: `HIGH`, `MED` or `LOW`; empty without a surface.
    polarity : str
        `raises_risk`, `mitigates_risk` or `neutral`; empty without a surface.
    rule : str
        Identifier of the rule that decided level and polarity.
    confidence : float
        0 to 1.
    confidence_interval : tuple of float
        Lower and upper bound.
    scope : Scope
        Audience, region and product that the clause limits itself to.
    stance : str, optional
        On `training_use`, the clause's answer on training: one of `riskanalytics.models.STANCES`.
    roles : Roles
        Who does what, to what, under which condition.
    lead_in : LeadIn, optional
        The introductory words before the clause; None without them.
    read_by : str, optional
        Names of the readers (language models) whose verdicts decided; None if the rules and the model of the package decided.
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
    read_by: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The findings and leads of one text.

    Parameters
    ----------
    findings : tuple of ClauseFinding
        In the order of the text; the same span may appear once per surface.
    language : str
        ISO 639-1 code, or `und` for a text too short to identify.
    clauses : int
        Number of clauses in the text, headings included.
    leads : tuple of ClauseFinding
        Clauses worth reading that are too uncertain to be findings, in the order of the text; never counted.
    read_by : tuple of str
        Names of the readers (language models) whose verdicts decided every unit of the text; else empty.
    bearing : tuple of (int, Unit)
        Clauses that bear on training with users' material, in the order of the text, each with its rank: 0 if it may speak of
        training; 1 next to such a clause; 2 for a definition of material; 3 for a licence; 4 for improvement of products.
    dates : tuple of StatedDate
        Dates and periods that the text states, in the order of the text.
    """

    findings: tuple[ClauseFinding, ...] = ()
    language: str = "und"
    clauses: int = 0
    leads: tuple[ClauseFinding, ...] = ()
    read_by: tuple[str, ...] = ()
    bearing: "tuple[tuple[int, Unit], ...]" = ()
    dates: "tuple[StatedDate, ...]" = ()

    @property
    def is_read(self) -> bool:
        """Whether the text was read: rules and model support its language, or language models read all of it (`read_by`)."""
        return bool(self.read_by) or self.language in READ_LANGUAGES


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """One document of a platform on one date, as it is given to the function that rates the platform.

    Parameters
    ----------
    document : str
        Name of the document, such as "Privacy Policy".
    snapshot_sha256 : str
        Hash of the document's text.
    captured_at : str
        Time of the capture, ISO 8601.
    reading : Reading
        Findings and leads of the document's text.
    """

    document: str
    snapshot_sha256: str
    captured_at: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class SurfaceAssessment:
    """The level of one surface and the findings that led to it."""

    surface: str
    risk: str | None
    """None if the surface has no level: no findings, neutral ones only, or a stance without a level."""
    count: int
    """Number of findings; near-copies count once."""
    decided_by: tuple[tuple[str, int, int], ...] = ()
    """(snapshot_sha256, start, end) of the findings that decided."""
    explanation: str = ""
    state: str = "found"
    """One of `riskanalytics.models.SURFACE_STATES`."""
    to_read: int = 0
    """Number of clauses that a person must read to judge the surface; 0 unless `state` is `to_read`."""
    read_by: str | None = None
    """Names of the readers (language models) that decided the stance, on `training_use`; else None."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """A platform's rating and the reasons for it.

    Parameters
    ----------
    rating : str
        `HIGH`, `MED`, `LOW` or `UNRATED` (no surface has a level, or no document is in a language that is read).
    risk_reason : str
        One line that begins with the rating and the number of citations.
    stance, consumer_stance, business_stance : str or None
        Answers on training use: of the platform, for consumers, and for business users. None for the last two if the documents do
        not say. `unread` if no clause speaks of training and a document is in a language that is not read.
    surfaces : tuple of SurfaceAssessment
        All surfaces, with or without findings, in the order of `riskanalytics.surfaces.SURFACES`.
    citation_count : int
        Number of findings; near-copies count once.
    stance_decided_by : tuple of (snapshot_sha256, start, end)
        Clauses that decided the stance, or that a person must read to decide it.
    rules : tuple of str
        Identifiers of the rating rules that applied, in order.
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
    """A statement that was rewritten: its words before and after, and the surface of its finding, if any."""

    before: str
    after: str
    surface: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A finding that was added, removed or rewritten, and how this affects the risk.

    Parameters
    ----------
    before, after : ClauseFinding or None
        The finding in the earlier and in the later text; None if that text has no such finding.
    step : int
        Positive if the move raises the risk, negative if it lowers the risk; the absolute value is its size.
    """

    before: ClauseFinding | None
    after: ClauseFinding | None
    step: int

    @property
    def kind(self) -> str:
        """How the finding changed: `added`, `removed` or `rewritten`."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "rewritten"

    @property
    def shown(self) -> ClauseFinding:
        """The finding to show to a person: the later one, or the earlier one if the finding was removed."""
        finding = self.after or self.before
        assert finding is not None  # noqa: S101 (a move has at least one finding)
        return finding


COURSES: Final = ("up", "down", "both", "none")
"""How a change affects the risk for users, as readers (language models) judge it: it goes up, down, both, or neither (`none`)."""


class Course(NamedTuple):
    """How a change of a document affects the risk for users, as one reader (a language model) judges it.

    Parameters
    ----------
    whole : str
        For the whole change: one of `COURSES`.
    surfaces : tuple of (str, str)
        Surfaces on which the risk changed, each with one of `COURSES`.
    units : tuple of str
        Keys of the units (clauses) that decide the judgement; empty if the reader named none.
    """

    whole: str
    surfaces: tuple[tuple[str, str], ...] = ()
    units: tuple[str, ...] = ()

    @classmethod
    def parsed(cls, said: list[Any]) -> "Course":
        """Return a judgement from its form as JSON: `whole`, a list of the pairs in `surfaces`, and perhaps the list `units`."""
        whole, ways, *units = said
        return cls(whole, tuple((surface, way) for surface, way in ways), tuple(*units))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two texts of one document.

    Parameters
    ----------
    change_class : str
        One of `riskanalytics.models.CHANGE_CLASSES`, except `technical`, which only the archive's commit message shows.
    surfaces : tuple of str
        Surfaces on which a finding was added, removed or rewritten, the weightiest first.
    direction : str
        Direction of the risk over all surfaces together: `up`, `down`, `mixed` (up and down), `unclear` (a person must read both
        texts) or `none`.
    directions : dict of str to str
        Direction for each of `surfaces`, in the same order.
    moves : tuple of Move
        Findings that were added, removed or rewritten; those that decide the direction come first.
    weighed : tuple of Move
        Findings and leads that were added, removed or rewritten, from which the directions were computed.
    findings : tuple of tuple of ClauseFinding
        Two tuples: all findings and leads of the earlier text, then all findings of the later text.
    added : tuple of ClauseFinding
        The findings of `moves` as in the later text (added or rewritten), with offsets in that text. If no finding moved and the
        change is material, all clauses that only the later text has.
    removed : tuple of ClauseFinding
        The same of the earlier text (removed or rewritten).
    altered : tuple of Altered
        Statements that were rewritten, at most 40; those with a finding come first.
    kept : int
        Number of findings that both texts have.
    summary : str
        The difference in one line.
    courses : tuple of Course
        How the change affects the risk, as each reader (a language model) judges it; empty if no reader judged the change.
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
    courses: tuple[Course, ...] = ()


FindingKey = tuple[str, int, int, str]
"""Key of a finding of a platform: snapshot_sha256, start, end, surface."""


@dataclass(frozen=True, slots=True)
class Relations:
    """The contradictions and near-copies among the findings of one platform.

    Parameters
    ----------
    conflicts : dict of FindingKey to tuple of FindingKey
        Finding -> findings with the same audience and product that say the opposite; all are kept.
    duplicates : dict of FindingKey to FindingKey
        Near-copy -> the first finding that says the same; the first finding is not a key.
    """

    conflicts: dict[FindingKey, tuple[FindingKey, ...]] = field(default_factory=dict)
    duplicates: dict[FindingKey, FindingKey] = field(default_factory=dict)
