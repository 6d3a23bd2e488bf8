"""The papermill engine: each notebook on a kernel of its own, forked from multiprocessing's fork server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import nbformat
import papermill
import pytest
from jupyter_core.utils import ensure_event_loop
from nbformat.v4 import new_code_cell, new_notebook
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError

from riskanalytics.reporting.engine import WarmKernelEngine
from riskanalytics.work.executors import CAN_FORK
from tests.processes_seen import ended, eventually

ROOT = Path(__file__).resolve().parents[2]
papermill_engines.register("riskanalytics", WarmKernelEngine)

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="kernels are not forked here")


def ran(tmp_path: Path, *cells: str, name: str = "in", kernel: str = "python3", **options: object) -> list[str]:
    """Run cells by the engine, and give what each printed."""
    path = tmp_path / f"{name}.ipynb"
    spec = {"kernelspec": {"name": kernel, "language": "python", "display_name": "Python"}}
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata=spec), path)
    made = papermill.execute_notebook(
        path, tmp_path / f"{name}-out.ipynb", engine_name="riskanalytics", progress_bar=False, **options
    )
    return ["".join(out.get("text", "") for out in cell.outputs).strip() for cell in made.cells]


def test_papermill_knows_the_engine_by_its_name() -> None:
    actual = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["papermill.engine"]
    module, _, name = actual["riskanalytics"].partition(":")
    assert getattr(import_module(module), name) is WarmKernelEngine


def test_notebooks_do_not_share_state(tmp_path: Path) -> None:
    left = "import os, builtins, pandas\nbuiltins.left = 1\nos.environ['LEFT'] = '1'\nos.chdir('/')\npandas.left = 1\nx = 1"
    seen = (
        "import os, builtins, pandas\n"
        "print(hasattr(builtins, 'left'), 'LEFT' in os.environ, os.getcwd(), hasattr(pandas, 'left'), 'x' in globals())"
    )
    ran(tmp_path, left)
    assert ran(tmp_path, seen) == [f"False False {Path.cwd()} False False"]


def test_each_notebook_draws_its_own_random_numbers(tmp_path: Path) -> None:
    draw = "import random, uuid, tempfile, numpy\nprint(random.random(), numpy.random.random(), uuid.uuid4(), tempfile.mktemp())"
    first, second = (ran(tmp_path, draw)[0].split() for _ in range(2))
    assert not set(first) & set(second)


def test_a_notebook_runs_in_the_current_folder_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran(tmp_path, "1")
    monkeypatch.setenv("TOLD", "later")
    assert ran(tmp_path, "import os\nprint(os.environ['TOLD'], os.getcwd())", cwd=tmp_path) == [f"later {tmp_path}"]


def test_a_kernel_that_dies_fails_its_notebook_only(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="died"):
        ran(tmp_path, "import os\nos._exit(3)")
    assert ran(tmp_path, "print('next')") == ["next"]


def test_a_failing_cell_fails_as_in_papermill(tmp_path: Path) -> None:
    with pytest.raises(PapermillExecutionError, match="ZeroDivisionError"):
        ran(tmp_path, "1 / 0")
    kept = nbformat.read(tmp_path / "in-out.ipynb", 4)
    assert any(output.output_type == "error" for cell in kept.cells for output in cell.get("outputs", ()))


def test_exit_handlers_of_a_notebook_run(tmp_path: Path) -> None:
    ran(tmp_path, f"import atexit, pathlib\natexit.register(pathlib.Path({str(tmp_path / 'ended')!r}).touch)")
    assert (tmp_path / "ended").exists()


def test_a_kernel_of_another_interpreter_is_started_as_papermill_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kernels" / "other"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    actual = {"argv": argv, "language": "python", "display_name": "Other", "env": {"OTHER": "yes"}}
    (folder / "kernel.json").write_text(json.dumps(actual))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert ran(tmp_path, "import os\nprint(os.environ['OTHER'])", kernel="other") == ["yes"]
    assert issubclass(WarmKernelEngine, NBClientEngine)


def test_a_killed_parent_leaves_no_process_and_no_folder(tmp_path: Path, short_folder: Path) -> None:
    cell = f"import os, subprocess, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    code = (
        "from pathlib import Path; import tests.reporting.test_engine as t; from multiprocessing import forkserver as f\n"
        "f.ensure_running(); print(f._forkserver._forkserver_pid, flush=True)\n"
        f"t.ran(Path({str(tmp_path)!r}), {cell!r})"
    )
    asker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert asker.stdout is not None
    with asker, asker.stdout:
        server = int(asker.stdout.readline())
        eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        kernel = int((tmp_path / "pid").read_text())
        asker.kill()
        asker.wait()
    for pid in (server, kernel):
        eventually(lambda pid=pid: ended(pid))
    eventually(lambda: not list(short_folder.glob("riskanalytics-*")))


def test_kernels_listen_on_ports_if_the_temporary_path_is_too_long_for_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long" * 30)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert ran(tmp_path, "print('here')") == ["here"]


def test_modules_next_to_the_notebook_are_found_after_the_standard_library(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("told = 'beside'")
    (tmp_path / "colorsys.py").write_text("raise ValueError('not this one')")
    assert ran(tmp_path, "import beside, colorsys\nprint(beside.told)", cwd=tmp_path) == ["beside"]


def test_matplotlib_is_imported_after_the_kernel_sets_its_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands_in = tmp_path / "packages" / "matplotlib"  # the library reads the variable as it is imported
    stands_in.mkdir(parents=True)
    (stands_in / "__init__.py").write_text("import os\nbackend = os.environ.get('MPLBACKEND')")
    (stands_in / "pyplot.py").touch()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(stands_in.parent), str(ROOT)]))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    actual = ran(tmp_path, "import matplotlib.pyplot", "print(matplotlib.backend)")
    assert "matplotlib_inline" in actual[1]


@pytest.mark.slow
def test_a_second_thread_with_another_environment_does_not_disturb_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = "import pathlib, time\npathlib.Path('begun').touch()\nwhile not pathlib.Path('go').exists(): time.sleep(0.05)\nprint(1)"

    def ran_in_a_thread() -> list[str]:
        try:
            return ran(tmp_path, wait, name="first", cwd=tmp_path)
        finally:
            ensure_event_loop().close()  # Jupyter's client made one for the thread

    with ThreadPoolExecutor() as threads:
        first = threads.submit(ran_in_a_thread)
        eventually((tmp_path / "begun").exists)
        for value in "ab":
            monkeypatch.setenv("TOLD", value)
            assert ran(tmp_path, "import os\nprint(os.environ['TOLD'])") == [value]
        (tmp_path / "go").touch()
        assert first.result(60) == ["1"]
