"""What is ready before a kernel begins: what it imports, its environment, and how it is told to begin."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final, NamedTuple

from riskanalytics.reporting.zygote import LEFT_BEHIND
from riskanalytics.settings import Settings

ROOMS: Final = (
    "riskanalytics.dataset",
    "riskanalytics.analysis",
    "riskanalytics.charts",
    "riskanalytics.sections",
    "riskanalytics.reporting.layout",
    "riskanalytics.reporting.loading",
)
"""What notebooks on our data import."""
SERVICE: Final = ("riskanalytics.service.app", "riskanalytics.demo")
"""What they import beside that, where no other process answers them."""
_KERNEL: Final = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.zmqshell",
    "riskanalytics.reporting.kernel",
    "tornado.platform.asyncio",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "faulthandler",
    "xmlrpc.client",
)
COMMAND_OF_HTTPX: Final = "httpx._main"
_FIXED: Final = {
    "PLOTLY_RENDERER": "plotly_mimetype",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}
"""Environment that makes a page depend on its data and parameters only."""


class Start(NamedTuple):
    """How a kernel begins.

    Parameters
    ----------
    arguments : list of str
        Of IPython's kernel.
    environment : dict
        All of its variables.
    folder : str
        Its working folder.
    quiet : bool
        Whether nothing that is written to its own stderr is shown: it could hold the key.
    beside : tuple
        Name of a notebook of ours, its parameters, and the socket of the service's process, if there is one: what the
        notebook will ask for is loaded before its first cell comes.
    """

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    quiet: bool = False
    beside: tuple[str, Mapping[str, object], str] | None = None


def report_environment(settings: Settings) -> dict[str, str]:
    """Return the environment in which reports are made.

    Parameters
    ----------
    settings : Settings
        Told to the notebook, the key with them.
    """
    return {**os.environ, **settings.environment(), **_FIXED}


def warm(modules: Sequence[str], folder: str = "") -> None:
    """Import modules where they are installed: in the zygote, for the kernels that are forked from it.

    Parameters
    ----------
    modules : sequence of str
        Beside what each kernel imports.
    folder : str
        What the zygote removes at its end, where who has started it no longer can.
    """
    if folder:
        LEFT_BEHIND.add(folder)
    import_without("ipykernel.debugger", "debugpy")
    import_without("httpx", COMMAND_OF_HTTPX)
    for name in (*_KERNEL, *modules):
        with contextlib.suppress(ImportError):  # the notebook says so, where it needs it
            import_module(name)


def warm_for_many() -> None:
    """Import what runs notebooks and writes their pages, and make what all pages share: in the zygote, for many reports."""
    warm((*SERVICE, "riskanalytics.reporting.execution", "riskanalytics.reporting.publication"))
    import_module("riskanalytics.reporting.exporter").prepare()


def import_without(module: str, unneeded: str) -> None:
    """Import a library, in a process of ours, without what it imports for a person who sits before it.

    Parameters
    ----------
    module, unneeded : str
        The library does without the second where it is not installed.
    """
    before = sys.modules.get(unneeded)
    sys.modules[unneeded] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import_module(module)
    finally:
        del sys.modules[unneeded]
        if before is not None:
            sys.modules[unneeded] = before
