"""Turn the verdicts of readers (language models) on a text into findings.

A reader never writes text, so words, offsets and confidence of a finding come from this package. A reader gives each unit (a
clause with its headings) a list of verdicts; an empty list says that the unit speaks to no surface. The fields of a verdict have
fixed values, such as `HIGH`. A verdict is `agreed` if all readers that read the unit gave a verdict on the same surface.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES

from .evidence import CONDITIONAL, READ
from .reading import FINDING_FROM
from .records import ClauseFinding, Course, Reading, Scope
from .sense import roles_of
from .units import Unit, units_of

LEVELS: Final = ("HIGH", "MED", "LOW")
POLARITIES: Final = ("raises_risk", "mitigates_risk", "neutral")
ACTORS: Final = ("vendor", "user", "third_party")
AUDIENCES: Final = ("all", "consumer", "business", "developer")
ANSWERS: Final = tuple(stance for stance in STANCES if stance not in ("silent", "undetermined"))
"""The stances that one clause can give."""
Basis = Literal["agreed_known", "agreed", "majority_known", "majority", "disputed_known", "disputed"]
"""How many of the readers that read a unit gave a verdict on a surface: all (`agreed`), most (`majority`), or fewer (`disputed`).
`_known` is added if the package alone also has a finding or lead of the unit on this surface."""
BASES: Final[tuple[Basis, ...]] = get_args(Basis)
TRAINING: Final = "training_use"
CITED: Final = "training_use.cited"
"""Rule of a lead that exists only to be quoted, because readers rest a stance on its clause. The lead itself decides nothing."""
LEAD: Final = FINDING_FROM - 0.001
"""Highest confidence of a lead."""
_SURE: Final = 0.8
"""Lowest probability of a verdict that counts as agreement. A choice: the precision of what is below it is measured by model."""
HARDLY: Final = 0.4
"""Highest confidence of a verdict that a second look did not confirm as the vendor's own practice, or that names another actor."""
ANY_ACTOR: Final = frozenset({"content_license", "output_rights", "ip_liability", "ads_tracking", "terms_changes"})
"""Surfaces on which verdicts with any actor count: users grant, own, bear and accept, and third parties set cookies."""


class Verdict(NamedTuple):
    """What a unit (a clause with its headings) says on one surface, as a reader (a language model) judges it.

    Parameters
    ----------
    surface : str
        One of `SURFACES`.
    risk, polarity : str
        The level, one of `LEVELS`, and the effect on the risk, one of `POLARITIES`.
    actor : str
        Who acts: one of `ACTORS`.
    stance : str or None
        On `training_use`, the answer on training, one of `ANSWERS`, if the unit gives one; else None.
    audience : str or None
        `consumer`, `business` or `developer`; None if the unit is for all users.
    conditional : bool
        Whether the statement depends on a condition that the unit leaves open.
    own : bool or None
        Whether the reader confirmed, in a second request, that the unit states the vendor's own practice; None without a
        second request.
    probability : float or None
        How sure the reader was, from 0 to 1 (`reader.probabilities`); None if its server does not say.
    """

    surface: str
    risk: str
    polarity: str
    actor: str = "vendor"
    stance: str | None = None
    audience: str | None = None
    conditional: bool = False
    own: bool | None = None
    probability: float | None = None


class Verdicts(NamedTuple):
    """The verdicts of one reader (a language model) on one unit (a clause with its headings).

    Parameters
    ----------
    said : tuple of Verdict
        At most one for each surface; empty if the unit speaks to no surface.
    trusted : bool
        False if a unit of the same request contained words addressed to a language model, which may have misled the reader.
        Then the verdicts become leads at most.
    """

    said: tuple[Verdict, ...] = ()
    trusted: bool = True


class Vote(NamedTuple):
    """The vote of one reader (a language model) on a platform's stances on training use.

    Parameters
    ----------
    consumer, business : str
        The stances for consumers and for business users, each one of `models.STANCES`.
    units : sequence of str
        Keys of the units (clauses with their headings) that decide.
    """

    consumer: str
    business: str
    units: Sequence[str] = ()


class Readers(NamedTuple):
    """A group of readers (language models) that decide together, with their verdicts.

    Parameters
    ----------
    names : tuple of str
        Names of the readers, in order.
    verdicts : mapping of str to mapping of str to Verdicts
        Name of a reader -> key of a unit (a clause with its headings) -> the verdicts of the reader on the unit.
    shown : mapping of str to mapping of str to float
        Surface -> how far the readers agreed (a `Basis`, such as `majority`) -> measured confidence of such verdicts (see
        `accuracy.readers.measure`). Verdicts without a measured confidence become leads.
    label : str
        Name of the group, which findings carry as `read_by`; if empty, the names of its readers.
    courses : mapping of str to mapping of str to Course
        Name of a reader -> key of a change (`changed.Changed`) -> how the change affects the risk.
    stances : mapping of str to mapping of str to Vote
        Name of a reader -> key of the clauses that bear on training (`training.stances_key`) -> the reader's vote on the stances.
    """

    names: tuple[str, ...]
    verdicts: Mapping[str, Mapping[str, Verdicts]]
    shown: Mapping[str, Mapping[str, float]]
    label: str = ""
    courses: Mapping[str, Mapping[str, Course]] = {}
    stances: Mapping[str, Mapping[str, Vote]] = {}

    def of(self, unit: Unit) -> list[Verdicts]:
        """Return the verdicts that this group's readers (language models) gave on a unit, without readers that did not read it."""
        return [said for name in self.names if (said := self.verdicts.get(name, {}).get(unit.key)) is not None]

    @property
    def read_by(self) -> str:
        """The label of this group of readers (language models); without a label, their names."""
        return self.label or " + ".join(self.names)


def read_by(text: str, alone: Reading, groups: Sequence[Readers]) -> Reading:
    """Return the findings and leads of a text, combined from the verdicts of language models and from what the package alone finds.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    alone : Reading
        The findings and leads of the package alone (`extract`).
    groups : sequence of Readers
        Groups of readers, the preferred one first.

    Returns
    -------
    Reading
        The combined findings and leads. A group may decide a unit (a clause with its headings) if it has verdicts on the unit,
        the precision of the group was measured, and no unit of the same request contains words addressed to a language model.
        The first such group decides the unit. Then a finding of the package becomes a lead if no verdict on the unit names its
        surface. A unit that no group decides keeps the findings and leads of the package, and verdicts on it only add leads.
        `read_by` of the result names the groups if they decided every unit; else it is empty.
    """
    units = units_of(text)
    known = {(row.start, row.end, row.surface): row for row in (*alone.findings, *alone.leads)}
    found: list[ClauseFinding] = []
    decided: dict[tuple[int, int], str] = {}
    for unit in units:
        for readers, verdicts, decides in _votes(unit, groups):
            rows = [row._replace(quote=text[row.start : row.end]) for row in _found(unit, verdicts, known, readers)]
            if decides:
                decided[unit.clause.start, unit.clause.end] = readers.read_by
                found.extend(rows)
            else:
                new = (row for row in rows if (row.start, row.end, row.surface) not in known)
                found.extend(row._replace(confidence=0.0, confidence_interval=(0.0, 1.0)) for row in new)
    shared, whole = {(row.start, row.end, row.surface) for row in found}, bool(units) and len(decided) == len(units)
    for place, row in known.items():
        if place[:2] not in decided:
            found.append(row)
        elif place not in shared and row.confidence >= FINDING_FROM:
            found.append(row._replace(confidence=min(row.confidence, LEAD)))
    found.sort(key=lambda row: (row.start, SURFACES.index(row.surface)))
    return Reading(
        tuple(row for row in found if row.confidence >= FINDING_FROM), alone.language, alone.clauses,
        tuple(row for row in found if row.confidence < FINDING_FROM),
        tuple(sorted(set(decided.values()))) if whole else (), dates=alone.dates,
    )  # fmt: skip


def _votes(unit: Unit, groups: Sequence[Readers]) -> list[tuple[Readers, list[Verdicts], bool]]:
    """Return the first group that decides a unit, else the first with verdicts on it: group, verdicts, and whether it decides."""
    votes = [
        (readers, said, bool(readers.shown) and all(one.trusted for one in said))
        for readers in groups
        if (said := readers.of(unit))
    ]
    return ([one for one in votes if one[2]] or votes)[:1]


def _found(
    unit: Unit, said: Sequence[Verdicts], known: Mapping[tuple[int, int, str], ClauseFinding], readers: Readers
) -> Iterator[ClauseFinding]:
    """Yield the findings and leads of one unit, without their quotes."""
    named = {verdict.surface for one in said for verdict in one.said}
    for surface in (one for one in SURFACES if one in named):
        votes = [verdict for one in said for verdict in one.said if verdict.surface == surface]
        alone = known.get((unit.clause.start, unit.clause.end, surface))
        basis = basis_of(votes, len(said), known=alone is not None)
        verdict, precision = chosen(votes), readers.shown.get(surface, {}).get(basis, 0.0)
        if not all(vote.own is not False and (surface in ANY_ACTOR or vote.actor == "vendor") for vote in votes):
            precision = min(precision, HARDLY)
        elif verdict is None or (surface == TRAINING and verdict.stance is None):
            precision = min(precision, LEAD)
        if surface == TRAINING and alone is not None:
            # the package and the readers contradict each other
            if verdict is not None and verdict.polarity != alone.polarity:
                precision = min(precision, LEAD)
            interval = precision, precision
            yield alone._replace(confidence=precision, confidence_interval=interval, read_by=readers.read_by)
        else:
            yield _finding(unit, verdict or votes[0], precision, alone, readers.read_by)


def basis_of(votes: Sequence[Verdict], readers: int, *, known: bool) -> Basis:
    """Return how many readers (language models) gave a verdict on a surface of a unit, and whether the package found it, too.

    Parameters
    ----------
    votes : sequence of Verdict
        The readers' verdicts on this surface of the unit.
    readers : int
        Number of readers that read the unit.
    known : bool
        Whether the package alone has a finding or lead on this surface of the unit.

    Returns
    -------
    str
        `agreed` if all readers gave a verdict on the surface, `majority` if most did, else `disputed`; with `_known` at the
        end if `known`. A verdict with a probability below .8 does not count, so that one of a single reader is `disputed`.
    """
    sure = sum(vote.probability is None or vote.probability >= _SURE for vote in votes)
    degree = 0 if sure == readers else 2 - (2 * sure > readers)
    return (BASES[::2] if known else BASES[1::2])[degree]


def chosen(votes: Sequence[Verdict]) -> Verdict | None:
    """Return the first verdict with the most frequent combination of level, polarity and stance; None if two are equally frequent.

    Parameters
    ----------
    votes : sequence of Verdict
        Verdicts on one surface; not empty.
    """
    counts = Counter((vote.risk, vote.polarity, vote.stance) for vote in votes).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return None
    return next(vote for vote in votes if (vote.risk, vote.polarity, vote.stance) == counts[0][0])


def lead_on(text: str, unit: Unit, by: str) -> ClauseFinding:
    """Return a unit of a text as a neutral lead on training use, because readers (`by`) rest a stance on it."""
    found = _finding(unit, Verdict(TRAINING, "MED", "neutral"), 0.0, None, by)
    return found._replace(quote=text[found.start : found.end], confidence_interval=(0.0, 1.0), rule=CITED)


def _finding(unit: Unit, verdict: Verdict, confidence: float, alone: ClauseFinding | None, by: str) -> ClauseFinding:
    """Return a verdict as a finding: words and offsets from the text, region and product as the package reads them."""
    scope = alone.scope if alone else Scope()
    place = unit.clause
    return ClauseFinding(
        verdict.surface, place.start, place.end, "", verdict.risk, verdict.polarity,
        f"{verdict.surface}.{CONDITIONAL if verdict.conditional else READ}", confidence,
        (confidence, confidence), scope._replace(audience=verdict.audience or scope.audience), verdict.stance,
        roles_of(unit.words, place.lead_in)._replace(actor=verdict.actor), unit.before, by,
    )  # fmt: skip
