"""What is said of the service itself: whether it works, and its description."""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI, Request, Response

from riskanalytics.models.records import Health
from riskanalytics.service.store.records import UNFINISHED
from riskanalytics.service.wire.asked import each_once, no_query
from riskanalytics.service.wire.description import answers, describe
from riskanalytics.service.wire.service import UNSTORED, TheService, answer

router = APIRouter(dependencies=[Depends(each_once), Depends(no_query)])


@router.get("/health", tags=["open"], responses=answers(Health))
def health(request: Request, service: TheService) -> Response:
    """Say that the database can be read, how new it is, and what else does not work."""
    state = request.app.state
    service.store.version()  # tells soon where a database does not answer, which reading may wait for
    faults = ["the pace is not counted: the keys' file cannot be written"] if state.limiter.trouble else []
    if state.access.trouble:
        faults.append("the keys' file cannot be written: corrections and subscriptions must wait")
    if service.store.meta(UNFINISHED) is not None:
        faults.append(
            "an ingest goes on, or was cut off and must run again: platforms that it has not read are unverified"
        )
    told = {"status": "degraded" if faults else "ok", "newest_capture": service.store.newest, "faults": faults}
    return answer(request, told, UNSTORED)


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> Response:
    """Describe the service (OpenAPI 3.1)."""
    app: FastAPI = request.app
    app.openapi_schema = app.openapi_schema or describe(app)
    return answer(request, app.openapi_schema)
