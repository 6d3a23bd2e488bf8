"""`POST /api/corrections/{slug}` and the address where its outcome is read (specification section 4.2)."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Request, Response
from starlette.responses import JSONResponse

from riskanalytics.models import DISCLAIMER
from riskanalytics.models.records import Review
from riskanalytics.service.corrections.queue import KeyReusedError, Queue
from riskanalytics.service.description import UNKNOWN, answers
from riskanalytics.service.door.problems import Problem, unknown_platform
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import (
    Service,
    TheService,
    answer,
    bounded_body,
    each_once,
    no_query,
    own_site_only,
)

_REPEAT_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


async def _queue_of(request: Request) -> Queue:
    """Return the application's queue of corrections."""
    return Queue(request.app.state.access)


TheQueue = Annotated[Queue, Depends(_queue_of)]
_HEADER: Final[Json] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
}
router = APIRouter(
    prefix="/api/corrections",
    tags=["open"],
    dependencies=[Depends(each_once), Depends(no_query)],
    responses={400: {"description": "Bad parameter or Idempotency-Key"}, **UNKNOWN},
)


@router.post(
    "/{slug}",
    status_code=202,
    openapi_extra={"parameters": [_HEADER]},
    responses={
        **answers(Review, "Accepted; the outcome is read at Location", 202),
        403: {"description": "Sent by another site's page"},
        413: {"description": "A body has no use here"},
        422: {"description": "Idempotency-Key was used for another platform"},
    },
    dependencies=[Depends(own_site_only), Depends(bounded_body)],
)
def trigger(request: Request, service: TheService, queue: TheQueue, slug: str) -> Response:
    """Run the review of a platform again, in the background; one run for a platform at a time."""
    key = request.headers.get("idempotency-key")
    if key is not None and not _REPEAT_KEY.fullmatch(key):
        raise Problem(400, "Idempotency-Key has 1 to 255 visible ASCII characters.")
    if service.store.platform(slug) is None:
        raise unknown_platform()
    try:
        correction = queue.request(slug, key)
    except KeyReusedError:
        raise Problem(422, "This Idempotency-Key was used for another platform.") from None
    record = _record(service, correction)
    return JSONResponse(record, 202, {"Location": record["url"], "Cache-Control": "no-store"})


@router.get("/{slug}/{id}", responses=answers(Review, "The review"))
def outcome(
    request: Request, service: TheService, queue: TheQueue, slug: str, identifier: Annotated[str, Path(alias="id")]
) -> Response:
    """Tell how far a correction is, and what it found: findings added, removed and kept."""
    correction = queue.get(identifier)
    if correction is None or correction["platform"] != slug:
        raise Problem(404, "No such review of this platform is known.")
    return answer(request, _record(service, correction))


def _record(service: Service, correction: Json) -> Json:
    """Return a correction as the wire shows it."""
    return {
        "object": "review",
        **correction,
        "url": f"{service.public_url}/api/corrections/{correction['platform']}/{correction['id']}",
        "disclaimer": DISCLAIMER,
    }
