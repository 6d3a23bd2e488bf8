"""The program, called as a person would: each call in a process of its own with its own folder and environment.

Python and its imports are most of what a call costs, so they are paid once: the processes are forks of one that has
imported what the commands use, and nothing else. `cold=True` starts the program from nothing.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

LONGEST = 120
"""Seconds after which a call is ended."""
USED = (
    "accuracy", "cli", "dataset.difference", "dataset.pulling", "evidence", "ingest", "reporting.execution", "service",
)  # fmt: skip
"""Rooms that the commands import when they run."""
_ONE_AT_A_TIME = Lock()

Result = subprocess.CompletedProcess[str]


class Call(NamedTuple):
    """What a call is made with."""

    words: tuple[str, ...]
    folder: Path
    surroundings: dict[str, str]
    outputs: tuple[str, str]
    """Files for what it prints on stdout and on stderr."""


def run(*words: str, cwd: Path, cold: bool = False, **environment: str) -> Result:
    """Run the program in an empty surrounding; give what it printed and its exit code."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("RISKANALYTICS_")}
    surroundings |= environment
    if cold or not hasattr(os, "fork"):
        command = [sys.executable, "-m", "riskanalytics.cli", *words]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=cwd, env=surroundings, timeout=LONGEST, check=False
        )
    with tempfile.TemporaryDirectory() as folder, _ONE_AT_A_TIME:
        outputs = [Path(folder) / name for name in ("stdout", "stderr")]
        forking = _forking()
        assert forking.stdin is not None
        assert forking.stdout is not None
        pickle.dump(Call(words, cwd, surroundings, (str(outputs[0]), str(outputs[1]))), forking.stdin)
        forking.stdin.flush()
        code = pickle.load(forking.stdout)
        return subprocess.CompletedProcess(words, code, *(file.read_text(encoding="utf-8") for file in outputs))


def refused(result: Result, code: int) -> str:
    """Assert that a command refused in one line without a traceback; give the line."""
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("riskanalytics: ")]
    assert len(lines) == 1, result.stderr
    return lines[0]


@cache
def _forking() -> subprocess.Popen[bytes]:
    """Start the process that is forked for each call; it ends with this one."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import fork_for_calls; fork_for_calls()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    )
    atexit.register(process.kill)
    return process


def fork_for_calls() -> None:
    """Import what the commands use, then fork for each call; the forks leave as the program does."""
    for name in USED:
        importlib.import_module(f"riskanalytics.{name}")
    gc.freeze()
    answers = os.dup(sys.stdout.fileno())
    while True:
        try:
            call: Call = pickle.load(sys.stdin.buffer)
        except EOFError:
            return None
        forked = os.fork()
        if not forked:
            os.close(answers)
            return _called(call)
        _, status = os.waitpid(forked, 0)
        os.write(answers, pickle.dumps(os.waitstatus_to_exitcode(status)))


def _called(call: Call) -> None:
    """Run the program in a process that was forked for it."""
    signal.alarm(LONGEST)
    os.chdir(call.folder)
    os.environ.clear()
    os.environ.update(call.surroundings)
    for number, name in enumerate((os.devnull, *call.outputs)):
        opened = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["riskanalytics", *call.words]
    importlib.import_module("riskanalytics.cli").main()
