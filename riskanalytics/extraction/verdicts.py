"""Turn the verdicts of readers on a text into findings, whose words, offsets and confidence come from this package.

A reader, such as a language model, never writes text. It gives each unit a list of verdicts, made of fixed words; an
empty list says that the unit speaks to no surface. A verdict is `agreed` if all readers of the unit gave a verdict on
that surface.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES

from .evidence import CONDITIONAL
from .reading import FINDING_FROM
from .records import ClauseFinding, Reading, Scope
from .sense import roles_of
from .units import Unit, units_of

LEVELS: Final = ("HIGH", "MED", "LOW")
POLARITIES: Final = ("raises_risk", "mitigates_risk", "neutral")
ACTORS: Final = ("vendor", "user", "third_party")
AUDIENCES: Final = ("all", "consumer", "business", "developer")
ANSWERS: Final = tuple(stance for stance in STANCES if stance not in ("silent", "undetermined"))
"""The stances that one clause can give."""
Basis = Literal["agreed_known", "agreed", "disputed_known", "disputed"]
"""`agreed` if all readers gave a verdict on a surface, else `disputed`; with `known` if the package alone has a finding
or lead on it, too."""
BASES: Final[tuple[Basis, ...]] = ("agreed_known", "agreed", "disputed_known", "disputed")
TRAINING: Final = "training_use"
LEAD: Final = FINDING_FROM - 0.001
"""Highest confidence of a lead."""
HARDLY: Final = 0.4
"""Highest confidence of a verdict that a second look did not confirm as the vendor's own practice, or that names another actor."""
ANY_ACTOR: Final = frozenset({"content_license", "output_rights", "ip_liability", "ads_tracking", "terms_changes"})
"""Surfaces on which others than the vendor act: users grant, own, bear and accept, and third parties set cookies."""


class Verdict(NamedTuple):
    """The statement of a unit on one surface, as a reader judges it.

    Parameters
    ----------
    surface : str
        One of `SURFACES`.
    risk, polarity : str
        One of `LEVELS` and of `POLARITIES`.
    actor : str
        One of `ACTORS`.
    stance : str or None
        On `training_use`, one of `ANSWERS`.
    audience : str or None
        `consumer`, `business` or `developer`; None if the unit is for all users.
    conditional : bool
        Whether the statement depends on a condition that the unit leaves open.
    own : bool or None
        Whether a second look confirmed that the unit states the vendor's own practice; None without a second look.
    """

    surface: str
    risk: str
    polarity: str
    actor: str = "vendor"
    stance: str | None = None
    audience: str | None = None
    conditional: bool = False
    own: bool | None = None


class Verdicts(NamedTuple):
    """The verdicts of one reader on one unit.

    Parameters
    ----------
    said : tuple of Verdict
        At most one for each surface; empty if the unit speaks to no surface.
    trusted : bool
        False if a unit of the same request addressed a language model. Then the verdicts are leads at most.
    """

    said: tuple[Verdict, ...] = ()
    trusted: bool = True


class Readers(NamedTuple):
    """The verdicts that a database holds for some texts.

    Parameters
    ----------
    names : tuple of str
        The readers whose verdicts decide what is a finding, in order; findings name them as `read_by`.
    verdicts : mapping of str to mapping of str to Verdicts
        Reader -> key of a unit (a clause with its headings) -> its verdicts.
    shown : mapping of str to mapping of str to float
        Confidence of verdicts by surface and `Basis`, as `accuracy.readers.measure` gives it. Verdicts without one are leads.
    """

    names: tuple[str, ...]
    verdicts: Mapping[str, Mapping[str, Verdicts]]
    shown: Mapping[str, Mapping[str, float]]

    def of(self, unit: Unit) -> list[Verdicts]:
        """Return the verdicts of all readers on a unit."""
        return [said for name in self.names if (said := self.verdicts.get(name, {}).get(unit.key)) is not None]


def read_by(text: str, alone: Reading, readers: Readers) -> Reading:
    """Return the reading of a text by the package and by readers.

    Parameters
    ----------
    text : str
    alone : Reading
        The reading by the package alone.
    readers : Readers

    Returns
    -------
    Reading
        Verdicts decide a unit (a clause with its headings) if no unit of the same request addresses a language model, and
        the precision of the readers was measured. A finding of the package on such a unit becomes a lead if no verdict on
        the unit names the finding's surface. Other units keep the findings and leads of the package; their verdicts only
        add leads. `read_by` names the readers if verdicts decided every unit.
    """
    units = units_of(text)
    said = [readers.of(unit) for unit in units]
    known = {(row.start, row.end, row.surface): row for row in (*alone.findings, *alone.leads)}
    found: list[ClauseFinding] = []
    decided: set[tuple[int, int]] = set()
    for unit, verdicts in zip(units, said, strict=True):
        decides = bool(readers.shown and verdicts) and all(one.trusted for one in verdicts)
        rows = (row._replace(quote=text[row.start : row.end]) for row in _found(unit, verdicts, known, readers))
        if decides:
            decided.add((unit.clause.start, unit.clause.end))
            found.extend(rows)
        else:
            new = (row for row in rows if (row.start, row.end, row.surface) not in known)
            found.extend(row._replace(confidence=0.0, confidence_interval=(0.0, 1.0)) for row in new)
    shared, whole = {(row.start, row.end, row.surface) for row in found}, bool(units) and len(decided) == len(units)
    for place, row in known.items():
        if place[:2] not in decided:
            found.append(row)
        elif place not in shared and (row.confidence >= FINDING_FROM or not whole):
            found.append(row._replace(confidence=min(row.confidence, LEAD)))
    found.sort(key=lambda row: (row.start, SURFACES.index(row.surface)))
    return Reading(
        tuple(row for row in found if row.confidence >= FINDING_FROM), alone.language, alone.clauses,
        tuple(row for row in found if row.confidence < FINDING_FROM), readers.names if whole else (),
    )  # fmt: skip


def _found(
    unit: Unit, said: Sequence[Verdicts], known: Mapping[tuple[int, int, str], ClauseFinding], readers: Readers
) -> Iterator[ClauseFinding]:
    """Yield the findings and leads of one unit, without their quotes."""
    for surface in SURFACES:
        votes = [verdict for one in said for verdict in one.said if verdict.surface == surface]
        if not votes:
            continue
        alone = known.get((unit.clause.start, unit.clause.end, surface))
        basis = basis_of(votes, len(said), known=alone is not None)
        verdict, precision = chosen(votes), readers.shown.get(surface, {}).get(basis, 0.0)
        if not all(vote.own is not False and (surface in ANY_ACTOR or vote.actor == "vendor") for vote in votes):
            precision = min(precision, HARDLY)
        elif verdict is None or (surface == TRAINING and verdict.stance is None):
            precision = min(precision, LEAD)
        yield _finding(unit, verdict or votes[0], precision, alone, readers.names)


def basis_of(votes: Sequence[Verdict], readers: int, *, known: bool) -> Basis:
    """Return whether all readers gave a verdict on a surface of a unit, and whether the package found it, too.

    Parameters
    ----------
    votes : sequence of Verdict
        Verdicts on the surface.
    readers : int
        Number of readers of the unit.
    known : bool
        Whether the package alone has a finding or lead on this surface of the unit.
    """
    if len(votes) == readers:
        return "agreed_known" if known else "agreed"
    return "disputed_known" if known else "disputed"


def chosen(votes: Sequence[Verdict]) -> Verdict | None:
    """Return the first verdict with the most frequent level, polarity and stance; None if two are equally frequent.

    Parameters
    ----------
    votes : sequence of Verdict
        Verdicts on one surface; not empty.
    """
    counts = Counter((vote.risk, vote.polarity, vote.stance) for vote in votes).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return None
    return next(vote for vote in votes if (vote.risk, vote.polarity, vote.stance) == counts[0][0])


def _finding(
    unit: Unit, verdict: Verdict, confidence: float, alone: ClauseFinding | None, names: tuple[str, ...]
) -> ClauseFinding:
    """Return a verdict as a finding: words and offsets from the text, region and product as the package reads them."""
    scope = alone.scope if alone else Scope()
    place = unit.clause
    return ClauseFinding(
        verdict.surface, place.start, place.end, "", verdict.risk, verdict.polarity,
        f"{verdict.surface}.{CONDITIONAL if verdict.conditional else 'read'}", confidence,
        (confidence, confidence), scope._replace(audience=verdict.audience or scope.audience), verdict.stance,
        roles_of(unit.words, place.lead_in)._replace(actor=verdict.actor), unit.before, " + ".join(names),
    )  # fmt: skip
