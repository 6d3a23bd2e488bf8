"""The rating service of the specification, as a FastAPI application on a database.

The modules `server` and `tool_server.serving` listen on sockets. Only commands that serve import them: a program that
uses the application inside its own process does not need them.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext
from typing import TYPE_CHECKING

from anyio import create_task_group
from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from . import answering, compliance, corrections, pages, posture, routes, subscriptions, tool_server
from .door import Door
from .door.gate import UNLIMITED, Limiter, Pace
from .door.problems import FAILURES, failed
from .store.read import Store
from .subscriptions import Access
from .wire import ALWAYS, Service, known_query

if TYPE_CHECKING:
    from .tool_server.serving import HttpTools

__all__ = ["UNLIMITED", "Access", "Pace", "Store", "create_app", "subscriptions"]


def create_app(
    store: Store, access: Access, *, public_url: str, pace: Pace | None = None, corrects: bool = False,
    tools: "HttpTools | None" = None,
) -> FastAPI:  # fmt: skip
    """Return the application that serves a database.

    Parameters
    ----------
    store : Store
        The database.
    access : Access
        The subscription keys.
    public_url : str
        Address of the service in responses.
    pace : Pace, optional
        Rate limits. If None, the limits of the specification.
    corrects : bool, optional
        Whether this application runs the corrections (reviews that users request) in the queue. If False, another process
        must run them.
    tools : HttpTools, optional
        Answers `/api/mcp` during the application's lifespan. If None, `/api/mcp` reports that it is not served.

    Returns
    -------
    FastAPI
    """
    limiter = Limiter(access.place)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with closing(limiter):
            async with tools.running() if tools else nullcontext(), create_task_group() as tasks:
                if corrects:
                    tasks.start_soon(corrections.run_corrections, store.place, corrections.Queue(access))
                yield
                tasks.cancel_scope.cancel()

    app = FastAPI(
        title="Risk-Rating Data Service", version="1", openapi_url=None, redirect_slashes=False, lifespan=lifespan,
        exception_handlers=dict.fromkeys(FAILURES, failed),
        dependencies=[Depends(known_query)], responses=ALWAYS,
    )  # fmt: skip
    app.state.service = service = Service(store, public_url)
    app.state.access, app.state.limiter, app.state.pace = access, limiter, pace or Pace()
    app.state.reports = compliance.Reports(service.limiter)
    if tools:
        app.router.routes.append(tools.route)
    app.include_router(routes.keyed)
    for part in (routes, posture, pages, answering, compliance, corrections, tool_server):
        app.include_router(part.router)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    app.add_middleware(Door)
    return app
