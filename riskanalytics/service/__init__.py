"""The specification's service on an embedded database: routes over a store, wrapped in what every answer has.

What listens is in `server` and `tool_server`, imported only by who serves: an application in a reader's own process
needs neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final, Protocol

from anyio import create_task_group
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route

from riskanalytics.service import answering, compliance, corrections, pages, routes, subscriptions, tool_server
from riskanalytics.service.door import Envelope
from riskanalytics.service.door.gate import UNLIMITED, Gate, Limiter, Pace
from riskanalytics.service.door.problems import FAILURES, failed
from riskanalytics.service.keys import Access
from riskanalytics.service.store.read import Store
from riskanalytics.service.wire import Service

__all__ = ["UNLIMITED", "Access", "Pace", "Store", "create_app", "subscriptions"]

_ROUTERS: Final = (
    routes.keyed, routes.router, routes.plain, pages.router, answering.router, compliance.router, corrections.router,
    tool_server.router,
)  # fmt: skip
_LEAST_PACKED: Final = 1024
"""Bytes."""


class Tools(Protocol):
    """What serves the tools: a route, and what must run beside it."""

    route: Route

    def running(self) -> AbstractAsyncContextManager[None]:
        """Serve calls for the length of a block."""
        ...


def create_app(
    store: Store, access: Access, *, public_url: str, pace: Pace | None = None, corrects: bool = False,
    tools: Tools | None = None,
) -> FastAPI:  # fmt: skip
    """Return the service on a database.

    Parameters
    ----------
    store : Store
    access : Access
    public_url : str
        Address that answers name.
    pace : Pace, optional
        Limits; those of the specification where None.
    corrects : bool, optional
        Whether corrections run while the application's lifespan lasts; else they wait for a process that runs them.
    tools : Tools, optional
        Answers `/api/mcp` while the application's lifespan runs; without them it says that they are not served.

    Returns
    -------
    FastAPI
    """
    limiter = Limiter(access.place)
    app = FastAPI(
        title="Risk-Rating Data Service", version="1", docs_url=None, redoc_url=None, openapi_url=None,
        redirect_slashes=False, lifespan=_lifespan_of(store, access if corrects else None, tools, limiter),
        exception_handlers=dict.fromkeys(FAILURES, failed),
    )  # fmt: skip
    app.state.service = service = Service(store, public_url)
    app.state.access, app.state.limiter, app.state.reports = access, limiter, compliance.Reports(service.limiter)
    if tools is not None:
        app.router.routes.append(tools.route)
    for router in _ROUTERS:
        app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_PACKED, compresslevel=5)
    app.add_middleware(Gate, access=access, pace=pace or Pace(), limiter=limiter)
    app.add_middleware(Envelope)
    return app


def _lifespan_of(
    store: Store, access: Access | None, tools: Tools | None, limiter: Limiter
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return what runs beside an application from its start to its end."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            running.callback(limiter.close)
            tasks = await running.enter_async_context(create_task_group())
            running.callback(tasks.cancel_scope.cancel)
            if access is not None:
                tasks.start_soon(corrections.run_corrections, store.place, corrections.Queue(access))
            if tools is not None:
                await running.enter_async_context(tools.running())
            yield

    return lifespan
