"""The commands (DESIGN section 4).

Results go to stdout, everything else to stderr; an error is one line, a traceback only with `--debug`.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 incomplete or undetermined, 130 interrupted, 143 ended.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise
from types import FrameType

from riskanalytics.errors import (
    IncompleteReportError,
    LabelsError,
    ParameterError,
    RiskAnalyticsError,
    SettingsError,
)
from riskanalytics.settings.databases import is_server, without_login


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave the process with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the program's name; the process's own where None.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    signal.signal(signal.SIGTERM, _end)
    sys.exit(_run([word for word in words if word != "--debug"], debug=debug))


def _end(signal_number: int, _frame: FrameType | None) -> None:
    """Turn a request to end into an orderly exit, so that nothing half-written stays."""
    raise SystemExit(128 + signal_number)


def _run(words: list[str], *, debug: bool) -> int:
    """Run the words as a command and give its exit code."""
    try:
        _refuse_addresses(words)
        from riskanalytics.cli.batch import batch
        from riskanalytics.cli.commands import app

        app.command("batch")(batch)
        app(words, prog_name="riskanalytics")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except RiskAnalyticsError as error:
        return _told(error, _exit_code(error), debug=debug)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # the reader of stdout went away: point it elsewhere, so that the interpreter's own flush stays silent
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _told(error, 1, debug=debug)
    return 0


def _refuse_addresses(words: Sequence[str]) -> None:
    """Refuse the address of a database where a name or a path is meant: it may hold a password, and they are repeated."""
    for before, word in pairwise(["", *words]):
        option, _, given = word.partition("=") if word.startswith("--") else (before, "", word)
        named = given.partition("=")[2] if given[:1] != "-" or given[:2] == "-p" else ""  # -p NAME=VALUE
        elsewhere = option != "--database" and (option.startswith("-") or words[0] != "diff")
        if is_server(named.strip()) or (elsewhere and is_server(given.strip())):
            raise SettingsError("the address of a database is given by --database, and by nothing else")


def _exit_code(error: RiskAnalyticsError) -> int:
    """Exit code of an error of ours."""
    if isinstance(error, IncompleteReportError):
        return 3
    return 2 if isinstance(error, LabelsError | ParameterError | SettingsError) else 1


def _told(error: Exception, code: int, *, debug: bool) -> int:
    """Say on stderr what was wrong, in one line, and give the exit code."""
    if debug:
        traceback.print_exception(error)
    text = without_login(" ".join(str(error).split())) or type(error).__name__
    print(f"riskanalytics: {text}", file=sys.stderr)
    return code
