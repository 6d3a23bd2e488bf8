"""The posture feed: what each platform does with users' content, by route, each fact with the clause that states it.

If clauses contradict each other, a fact is undetermined. A clause that holds in general takes precedence over a clause that
holds in part. Only for `opt_out`, a clause that says that the vendor trains on some content despite an opt-out takes precedence
over general clauses. The fact `trains` is given only if a clause states it and the platform's stance on training use agrees.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from riskanalytics.extraction import posture as reading
from riskanalytics.extraction.evidence import may_speak
from riskanalytics.models import DISCLAIMER
from riskanalytics.models.parts import Provenance, Quoted
from riskanalytics.models.records import (
    FACTS,
    NO,
    OPT_IN,
    PARTLY,
    POSTURE_VERSION,
    ROUTES,
    YES,
    PlatformPosture,
    Posture,
    PostureFact,
)  # fmt: skip
from riskanalytics.text.untrusted import inert

from .store.records import FINDING_COLUMNS, FOUND, Json, documents_read, found, quoted_record
from .wire import AS_JSON, UNCHANGED, DatedPage, Service, TheService, answers

_UNDETERMINED: Final = {"value": "undetermined"}
_BY_STANCE: Final = {
    "trains_by_default": {YES, PARTLY}, "trains_with_opt_out": {YES, PARTLY},
    "trains_with_opt_in": {OPT_IN}, "does_not_train": {NO, OPT_IN},
}  # fmt: skip
_DAYS: Final = {"H": 1 / 24, "D": 1, "W": 7}
router = APIRouter(tags=["open"], responses=UNCHANGED)


class PostureQuery(DatedPage):
    """Query parameters of the posture feed: those of a list of platforms, `platform` (one slug) and `format`."""

    platform: str | None = None
    format: Literal["json", "csv"] = "json"


def platform_posture(service: Service, state: Json) -> PlatformPosture:
    """Return the facts of a platform by route.

    Parameters
    ----------
    service : Service
        Database and public address of the service.
    state : dict
        Stances and documents of the platform, as `Store.platform` returns them.
    """
    clauses, rows = _clauses(service, state), []
    state = state | {"despite": {route for clause in clauses if clause["feedback"] for route in clause["routes"]}}
    for product in dict.fromkeys((None, *(clause["scope"]["product"] for clause in clauses))):
        own = [clause for clause in clauses if clause["scope"]["product"] == product]
        for route in ROUTES:
            facts = {fact: _fact(fact, route, own, state) for fact in FACTS}
            if product is None or any(fact != _UNDETERMINED for fact in facts.values()):
                rows.append({"route": route, "product": product, **facts})
    return PlatformPosture.model_validate({"platform": state["id"], "name": state["name"], "routes": rows})


def _clauses(service: Service, state: Json) -> list[Json]:
    """Return the clauses of a platform that state facts, the surest first, with these facts and the routes to which they apply."""
    places = {document["snapshot_sha256"]: document for document in reversed(documents_read(state))}
    rows = [
        (kind, row) for kind in ("finding", "lead") for row in service.store.rows(
            f"SELECT s.sha256, {FINDING_COLUMNS} {FOUND.format(kind)}WHERE s.sha256 IN :hashes AND f.surface IN :surfaces "
            "ORDER BY f.confidence DESC, s.sha256, f.start, f.surface", hashes=list(places), surfaces=reading.SURFACES_READ,
        )
    ]  # fmt: skip
    clauses = []
    for kind, finding, place in ((kind, found(row), places[row["sha256"]]) for kind, row in rows):
        stated = reading.stated_by(finding) if kind == "finding" else {}
        feedback = reading.uses_with_feedback(finding)
        if stated or feedback:
            text = service.store.text(place["snapshot_sha256"])
            facts = {
                "stated": stated and (reading.in_region(finding, text) or stated), "feedback": feedback,
                "routes": reading.routes_of(finding, place["document"], text), "by_plan": reading.is_by_plan(finding),
                "exception": reading.is_exception(finding), "only_way_out": reading.only_way_out(finding),
            }  # fmt: skip
            clauses.append(service.resolved(quoted_record(state["id"], finding, place, Quoted)) | facts)
    return clauses


def _fact(fact: str, route: str, clauses: Sequence[Json], state: Json) -> Json:
    """Return one fact on one route."""
    stating = [clause for clause in clauses if clause["stated"].get(fact)]
    own = [clause for clause in stating if route in clause["routes"]]
    values = {clause["stated"][fact] for clause in own}
    values -= {NO} if OPT_IN in values else set()  # the weaker promise counts
    general = values - {PARTLY, NO, OPT_IN}  # it counts before what holds in part
    if fact == "opt_out" and any(one["exception"] for one in own):
        values -= general
    elif general:
        values.discard(PARTLY)
    stance = (route != "consumer" and state["business_stance"]) or state["consumer_stance"]
    # an opt-in is no opt-out
    value = "".join(values) if len(values) == 1 and (fact != "opt_out" or YES in _BY_STANCE.get(stance, {YES})) else ""
    if fact == "trains":
        value = value if value in _BY_STANCE.get(stance, ()) else ""
        own = [clause for clause in own if may_speak(clause["quote"], (clause["lead_in"] or {"quote": ""})["quote"])]
        own.sort(key=lambda clause: (clause["only_way_out"], clause["id"] not in state["stance_decided_by"]))
        if value == YES and not any(clause["stated"][fact] == YES for clause in own):
            value = PARTLY
    chosen = next((clause for clause in own if clause["stated"][fact] == value), None)
    if chosen is None or (route != "consumer" and any(clause["by_plan"] for clause in stating)):
        return _UNDETERMINED
    said = PostureFact.part_of(chosen | {"value": value, "finding": chosen["id"]})
    if fact == "opt_out" and value == YES and route in state["despite"]:
        said["value"] = PARTLY
    if fact == "retention" and value[-1] in _DAYS:
        said["days"] = _DAYS[value[-1]] * int(value[1:-1].strip("T"))
    return said


def csv_of(platforms: Iterable[Json]) -> str:
    """Return platforms of the feed as CSV (RFC 4180), a row for each fact, safe to open in a spreadsheet.

    Parameters
    ----------
    platforms : iterable of dict
        The members of `data` in the JSON form of the feed.

    Returns
    -------
    str
        Columns `schema`, `platform`, `name`, `product`, `route`, `fact`, the fields of a fact, and `disclaimer`.
    """
    file = io.StringIO()
    columns = ["schema", "platform", "name", "product", "route", "fact", "value", "days", "finding", "quote", "lead_in"]
    rows = csv.DictWriter(file, [*columns, *Provenance.model_fields, "disclaimer"], extrasaction="ignore")
    rows.writeheader()
    for platform, route, fact in ((one, route, fact) for one in platforms for route in one["routes"] for fact in FACTS):
        said, always = route[fact], {"schema": POSTURE_VERSION, "fact": fact, "disclaimer": DISCLAIMER}
        flat = said | {"lead_in": (said.get("lead_in") or {}).get("quote")} | (said.get("provenance") or {})
        rows.writerow({name: inert(value) for name, value in (platform | route | flat | always).items()})
    return file.getvalue()


@router.get("/api/machine/posture", responses=answers(Posture))
def posture(request: Request, service: TheService, query: Annotated[PostureQuery, Query()]) -> Response:
    """List what platforms do with users' content: six facts by route, each with the clause that states it."""

    def build() -> Posture | bytes:
        total, slugs = 1, [query.platform or ""][query.offset :]
        if query.platform is None:
            page = query.model_dump(include={"limit", "offset", "as_of"})
            total, slugs = service.store.count(query.as_of), [row["id"] for row in service.store.platforms(**page)]
        data = (platform_posture(service, service.state(slug, query.as_of)).model_dump() for slug in slugs)
        feed = service.listed(Posture, data, total, query)
        return csv_of(feed.model_dump()["data"]).encode(errors="replace") if as_csv else feed

    as_csv = query.format == "csv"
    return service.reply(request, build, {"Content-Type": "text/csv; charset=utf-8"} if as_csv else AS_JSON)
