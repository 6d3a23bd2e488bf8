"""The specification's service on an embedded database: routes over a store, wrapped in what every answer has.

What listens is in `server` and `tool_server`, imported only by who serves: an application in a reader's own process
needs neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

from anyio import create_task_group
from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from . import answering, compliance, corrections, pages, routes, subscriptions, tool_server
from .door import Door
from .door.gate import UNLIMITED, Gate, Limiter, Pace
from .door.problems import FAILURES, failed
from .store.read import Store
from .subscriptions import Access
from .wire import ALWAYS, Service, each_once

if TYPE_CHECKING:
    from .tool_server.serving import HttpTools

__all__ = ["UNLIMITED", "Access", "Pace", "Store", "create_app", "subscriptions"]

_ROUTERS: Final = (
    routes.keyed, routes.router, routes.plain, pages.router, answering.router, compliance.router, corrections.router,
    tool_server.router,
)  # fmt: skip
_LEAST_PACKED: Final = 1024
"""Bytes."""


def create_app(
    store: Store, access: Access, *, public_url: str, pace: Pace | None = None, corrects: bool = False,
    tools: HttpTools | None = None,
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
    tools : HttpTools, optional
        Answers `/api/mcp` while the application's lifespan runs; without them it says that they are not served.

    Returns
    -------
    FastAPI
    """
    limiter = Limiter(access.place)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            running.callback(limiter.close)
            tasks = await running.enter_async_context(create_task_group())
            running.callback(tasks.cancel_scope.cancel)
            if corrects:
                tasks.start_soon(corrections.run_corrections, store.place, corrections.Queue(access))
            if tools is not None:
                await running.enter_async_context(tools.running())
            yield

    app = FastAPI(
        title="Risk-Rating Data Service", version="1", docs_url=None, redoc_url=None, openapi_url=None,
        redirect_slashes=False, lifespan=lifespan, exception_handlers=dict.fromkeys(FAILURES, failed),
        dependencies=[Depends(each_once)], responses=ALWAYS,
    )  # fmt: skip
    app.state.service = service = Service(store, public_url)
    app.state.access, app.state.limiter, app.state.reports = access, limiter, compliance.Reports(service.limiter)
    if tools is not None:
        app.router.routes.append(tools.route)
    for router in _ROUTERS:
        app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_PACKED, compresslevel=5)
    app.add_middleware(Door, gate=Gate(access, pace or Pace(), limiter))
    return app
