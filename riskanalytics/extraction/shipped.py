"""The verdicts that the package ships: language models gave them on the clauses of real policies.

The package does not ship the words of these policies: it knows each unit (a clause with its headings) by its key, a hash. The
verdicts are JSON with the fields `label` (name of the group of language models, for pages), `readers` (the number of models),
`shown` (measured confidence of their verdicts, as in `Readers`), `nothing` (keys of the units on which no model had a verdict),
`units` (key of a unit -> for each model its verdicts, as lists of the fields of `Verdict`, or null if it did not read the unit),
`changes` (key of a change -> for each model the fields of its `Course`, or null) and, if there are any, `stances` (key of the
clauses that bear on training -> for each model the fields of its `Vote`, or null).
"""

import gzip
import json
from functools import cache

from .reading import READINGS
from .records import Course
from .verdicts import Readers, Verdict, Verdicts, Vote


@cache
def shipped() -> Readers:
    """Return the group of readers (language models) whose verdicts the package ships, with these verdicts."""
    held = json.loads(gzip.decompress(READINGS))
    names = tuple(f"{held['label']} {number}" for number in range(1, held["readers"] + 1))
    first_two = [dict.fromkeys(held["nothing"], Verdicts()) for _ in names[:2]]  # a third one read disputed units only
    verdicts: list[dict[str, Verdicts]] = [*first_two, *({} for _ in names[2:])]
    for key, votes in held["units"].items():
        for own, said in zip(verdicts, votes, strict=True):
            if said is not None:
                own[key] = Verdicts(tuple(Verdict(*one) for one in said))
    changes = {key: [said and Course.parsed(said) for said in votes] for key, votes in held["changes"].items()}
    courses = {name: {key: votes[at] for key, votes in changes.items() if votes[at]} for at, name in enumerate(names)}
    given = [(key, said, at) for key, votes in held.get("stances", {}).items() for at, said in enumerate(votes) if said]
    stances = {name: {key: Vote(*said) for key, said, by in given if by == at} for at, name in enumerate(names)}
    return Readers(names, dict(zip(names, verdicts, strict=True)), held["shown"], held["label"], courses, stances)


def readers_with(chosen: Readers | None) -> tuple[Readers, ...]:
    """Return the groups of readers (language models) that a database uses: its own group, if any, then that of the package.

    Parameters
    ----------
    chosen : Readers or None
        The group chosen for the database (see `service.store.verdicts.readers_of`); None if no reader was chosen.
    """
    return (chosen, shipped()) if chosen else (shipped(),)
