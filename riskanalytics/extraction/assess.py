"""Compute a platform's stance, levels and rating from the findings of all its documents.

Formula (version 7; published with the data, deterministic):

1. Findings of one surface that say the same in the same or nearly the same words count once (`stance.near_copies`).
   Neutral findings never raise or lower a level.
2. The level of a surface is that for a self-serve user. Findings that are limited to feedback, to one connector or to
   business customers do not count, unless the surface has no others. Let h, m and l be the numbers of risk-raising HIGH,
   risk-raising MED and protective LOW findings. The level is HIGH if h > 0, h >= l and 2h >= m (the strong clauses are not
   outweighed); else LOW if l > 2 (h + m) (the protective clauses outweigh all others); else MED. HIGH needs at least one
   HIGH clause with a confidence of 0.9 or more; otherwise the level is MED. On `output_rights` the level is LOW as soon as
   l > h, because rights assigned to the user decide. A surface without findings, or with neutral ones only, has no level
   and never counts as LOW.
3. On `training_use` the stance decides the level, and only clauses that speak explicitly of training decide the stance
   (`stance`): training by default is HIGH; training with an opt-out, or depending on the plan, is MED; training only after
   opt-in, or none, is LOW. The level is also HIGH if training depends on the plan and consumers have no opt-out. There is no
   level if the documents are silent or the stance is undetermined. Then training use is not part of the mean, and the rating
   of the platform is never LOW.
4. The weighted mean is the sum over surfaces of weight times level (HIGH 2, MED 1, LOW 0), divided by the sum of the weights
   of the surfaces that have a level. Training use and content licence weigh 3; data retention, third-party sharing, web data
   training, output rights, and ads and tracking weigh 2; the others 1. The rating is HIGH if training use is HIGH or the
   mean is 1.25 or more. It is LOW if training use is LOW, the mean is below 0.9 and no surface of weight 2 or 3 is HIGH.
   Else it is MED; silence on training never leads to LOW. A platform without a level on any surface, or without a document
   in a language that the extraction reads, is UNRATED.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from riskanalytics.models import UNRATED
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name

from . import dates
from .reading import RULES_VERSION
from .records import Assessment, DocumentReading, SurfaceAssessment
from .stance import SURE, UNDETERMINED, UNREAD, Located, Stances, located, near_copies, stances
from .training import agreed
from .verdicts import CITED, Readers

WEIGHTS: Final = {surface.id: surface.weight for surface in SURFACE_DESCRIPTIONS.values()}
HIGH_FROM: Final = 1.25
LOW_BELOW: Final = 0.9
POINTS: Final = {"LOW": 0, "MED": 1, "HIGH": 2}
"""Points of a level in the weighted mean."""
_STANCE_LEVEL: Final = {
    "trains_by_default": "HIGH",
    "depends_on_plan": "MED",
    "trains_with_opt_out": "MED",
    "trains_with_opt_in": "LOW",
    "does_not_train": "LOW",
}
_UNDECIDED: Final = "undetermined: to be read"
_EXPLAINED: Final = {UNDETERMINED: _UNDECIDED, "silent": "no clause says whether users' content trains models"}
_STANCE_WORDS: Final = {
    "trains_by_default": "trains by default",
    "depends_on_plan": "training depends on the plan",
    "trains_with_opt_out": "trains unless opted out",
    "trains_with_opt_in": "trains only after opt-in",
    "does_not_train": "says that it does not train",
    "undetermined": "training is undetermined, to be read",
    "silent": "silent on training",
    UNREAD: "not read on training",
}


def assess(documents: Sequence[DocumentReading], groups: Sequence[Readers] = ()) -> Assessment:
    """Rate a platform by the formula of this module.

    Parameters
    ----------
    documents : sequence of DocumentReading
        The platform's current documents, in a stable order; may be empty.
    groups : sequence of Readers, optional
        Groups of readers (language models). If all documents were read and their clauses leave the stance `undetermined`, the
        stances on which the readers agree take its place (`training.agreed`).

    Returns
    -------
    Assessment
        Rating, stance and levels. If nothing was found, the rating is `UNRATED`, and its reason "UNRATED: 0 citations
        extracted".
    """
    findings = located(documents)
    duplicates = near_copies(findings)
    items = [item for item in findings if item.key not in duplicates]
    leads = [item for item in located(documents, leads=True) if item.finding.rule != CITED]
    copies = near_copies(leads)
    to_read = {name: {lead.key for lead in _on(name, leads)} - copies.keys() for name in SURFACES}
    read = [document.reading.is_read for document in documents]
    all_read = bool(read) and all(read)
    stance = stances(documents, _on("training_use", items), _on("training_use", leads), all_read=all_read)
    if stance.platform == UNDETERMINED and all_read:
        stance = agreed(documents, groups) or stance
    surfaces = tuple(
        _with_state(_surface(name, _on(name, items), stance), len(to_read[name]), all_read=all_read)
        for name in SURFACES
    )
    rating, rules = _rating(surfaces) if any(read) else (UNRATED, ("rating.not_read",))
    reason = _reason(rating, items, surfaces, stance.platform)
    return Assessment(rating, reason, *stance[:3], surfaces, len(items), stance.decided_by, rules)


def _on(surface: str, items: Sequence[Located]) -> list[Located]:
    """Return those findings or leads that are on a surface."""
    return [item for item in items if item.finding.surface == surface]


def _with_state(surface: SurfaceAssessment, leads: int, *, all_read: bool) -> SurfaceAssessment:
    """Set the state of a surface: `found`, `to_read` (by a person), `quiet` or `unread`."""
    undetermined = surface.explanation == _UNDECIDED
    if (surface.count or surface.risk) and not undetermined:
        return surface
    if undetermined or (all_read and leads):
        to_read = surface.count + leads
        explanation = surface.explanation if undetermined else f"no finding; {to_read} clauses to read"
        return replace(surface, explanation=explanation, state="to_read", to_read=to_read)
    if all_read:
        return replace(surface, state="quiet")
    return replace(surface, explanation="not read: a document is in a language that is not read", state="unread")


def _surface(name: str, items: list[Located], stance: Stances) -> SurfaceAssessment:
    """Return the assessment of one surface for a self-serve user; its state is not set yet."""
    if name == "training_use" and (items or stance.read_by or stance.platform == UNDETERMINED):
        level = _STANCE_LEVEL.get(stance.platform)
        if stance.platform == "depends_on_plan" and stance.consumer == "trains_by_default":
            level = "HIGH"
        explanation = _EXPLAINED.get(stance.platform) or _STANCE_WORDS[stance.platform]
        explanation += f", as language models read the documents ({stance.read_by})" if stance.read_by else ""
        return SurfaceAssessment(name, level, len(items), stance.decided_by, explanation, read_by=stance.read_by)
    if not items:
        return SurfaceAssessment(name, None, 0, (), "read, no clause found")
    counting = [
        item
        for item in items
        if item.finding.scope.product not in ("feedback", "connector") and item.audience != "business"
    ] or items
    raising = [item for item in counting if item.finding.polarity == "raises_risk"]
    high, med = ([item for item in raising if item.finding.risk == risk] for risk in ("HIGH", "MED"))
    low = [item for item in counting if item.finding.polarity == "mitigates_risk"]
    level = _weighed(name, len(high), len(med), low)
    high.sort(key=lambda item: item.finding.confidence < SURE)
    if level == "HIGH" and high[0].finding.confidence < SURE:
        level = "MED"
    deciding = {"HIGH": high, "MED": med or high}.get(level or "") or low
    rules = sorted({item.finding.rule for item in deciding})
    explanation = ", ".join(rules[:3]) or "neutral clauses only"
    return SurfaceAssessment(name, level, len(items), tuple(item.key[:3] for item in deciding[:3]), explanation)


def _weighed(name: str, high: int, med: int, low: Sequence[Located]) -> str | None:
    """Return the level that the numbers of risk-raising and protective clauses give; None if all clauses are neutral."""
    protective = sum(item.finding.risk == "LOW" for item in low)
    if SURFACE_DESCRIPTIONS[name].protective_decide and protective > high:
        return "LOW"
    if high and high >= protective and 2 * high >= med:
        return "HIGH"
    if protective > 2 * (high + med):
        return "LOW"
    return "MED" if high or med or low else None


def _rating(surfaces: Sequence[SurfaceAssessment]) -> tuple[str, tuple[str, ...]]:
    """Return the rating by the formula, and the rating rules that applied."""
    rated = [surface for surface in surfaces if surface.risk is not None]
    if not rated:
        return UNRATED, ("rating.nothing_found",)
    levels = {surface.surface: surface.risk for surface in rated}
    points = sum(WEIGHTS[surface.surface] * POINTS[surface.risk or "LOW"] for surface in rated)
    mean = points / sum(WEIGHTS[surface.surface] for surface in rated)
    if levels.get("training_use") == "HIGH":
        return "HIGH", ("rating.training_high", f"rating.mean={mean:.2f}")
    if mean >= HIGH_FROM:
        return "HIGH", (f"rating.mean={mean:.2f}>={HIGH_FROM}",)
    heavy = [name for name, level in levels.items() if level == "HIGH" and WEIGHTS[name] > 1]
    if levels.get("training_use") == "LOW" and mean < LOW_BELOW and not heavy:
        return "LOW", (f"rating.mean={mean:.2f}<{LOW_BELOW}", "rating.training_low")
    return "MED", (f"rating.mean={mean:.2f}", *(f"rating.high={name}" for name in heavy))


def _reason(rating: str, items: Sequence[Located], surfaces: Sequence[SurfaceAssessment], stance: str) -> str:
    """Return one line that begins with the rating and the number of citations (specification section 2.2).

    A surface is named as high only if one of the clauses that decided it is HIGH. Training use can be HIGH by clauses of
    level MED (by default, without a way out); then only its stance is named.
    """
    head = f"{rating}: {len(items)} citation{'' if len(items) == 1 else 's'} extracted"
    if rating == UNRATED:
        return head if not items else f"{head}; no document is in a language that is read"
    strong = {(item.finding.surface, item.key[:3]) for item in items if item.finding.risk == "HIGH"}
    high = [row for row in surfaces if row.risk == "HIGH"]
    named = [surface_name(row.surface) for row in high if any((row.surface, key) in strong for key in row.decided_by)]
    others = "no other surface is high" if high else "no surface is high"
    on = "" if stance in ("silent", UNREAD) else f" ({surface_name('training_use')})"
    return f"{head}; {_STANCE_WORDS[stance]}{on}, {'high on ' + ', '.join(named) if named else others}"


VERSION: Final = "7"
"""Version of the formula; raised whenever a change of `assess` changes results."""
ASSESSED_BY: Final = f"{RULES_VERSION}/{VERSION}/{dates.VERSION}"
"""Versions of the extraction, the formula and the patterns of dates. A database that other versions rated is reviewed again."""


def published_formula() -> dict[str, object]:
    """Return the rating formula as the service publishes it.

    Returns
    -------
    dict
        `version`; `weights` (surface -> weight) and `points` (level -> points); `high_from` and `low_below`, the
        bounds of the weighted mean; `steps`, the formula in words.
    """
    return {
        "version": VERSION,
        "weights": dict(WEIGHTS),
        "points": dict(POINTS),
        "high_from": HIGH_FROM,
        "low_below": LOW_BELOW,
        "steps": list(_STEPS),
    }


_PROTECTED: Final = " and ".join(one.name for one in SURFACE_DESCRIPTIONS.values() if one.protective_decide)
_STEPS: Final = (
    "Findings of one surface with the same words count once. Neutral clauses never raise or lower a level.",
    "A surface's level is the one for users who sign up on their own. Clauses and documents for business customers, and "
    "clauses only on feedback or on one connected service (such as a linked mail account), count only if the surface has no "
    "others. It is HIGH if its HIGH clauses are at least as many as its protective clauses and at least half as "
    "many as its MED clauses. It is LOW if protective clauses outnumber clauses that raise the risk by more than two to one. "
    f"Otherwise it is MED. HIGH needs a HIGH clause with a confidence of {SURE} or more. On {_PROTECTED}, the level is LOW "
    "as soon as protective clauses outnumber HIGH ones. A surface without findings, or with neutral ones only, has no level and "
    "never counts as LOW.",
    "On training use the stance decides. Only clauses whose own words say that the vendor does, or does not, train models "
    "with its users' material decide the stance. Training by default without a way out is HIGH; with a way out, or "
    "depending on the plan, MED (HIGH if consumers have no way out); only after consent, or never, "
    "LOW. The stance is undetermined if these clauses conflict, if none of them is explicit, if it would rest on a single "
    f"clause with a confidence below {SURE}, or if a lead explicitly says the opposite. Then a person must read the clauses, "
    "training use has no level, and the platform is never LOW. Without a clause, training use has no level either, and the "
    'platform is never LOW. "No clause found" requires that all documents are in a language that is read and contain no '
    "finding and no lead on training use.",
    "The weighted mean is the sum over surfaces of weight times points, divided by the sum of the weights of the surfaces "
    f"that have a level; points are {', '.join(f'{name} {points}' for name, points in reversed(POINTS.items()))}.",
    f"The rating is HIGH if training use is HIGH or the mean is {HIGH_FROM} or more. It is LOW if training use is LOW, "
    f"the mean is below {LOW_BELOW} and no surface of weight 2 or more is HIGH. Else it is "
    "MED. Silence on training never leads to LOW. Without a level on any surface, or without a document in a language that "
    "is read, the platform is UNRATED.",
)
