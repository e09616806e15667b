"""Benchmarks that end: a hang is a loss, a missing peer one line, a bar that cannot be checked no success."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def ran(code: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n{code}"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


def test_processes_that_hang_are_ended_and_counted(tmp_path: Path) -> None:
    """With what they have started, which holds the pipes open."""
    script = tmp_path / "hang.py"
    script.write_text("import os, time\nos.fork()\ntime.sleep(600)\n")
    done = ran(
        "from pathlib import Path\nfrom shared import forked\n"
        f"forked.SCRIPT, forked.FOR_EVER = Path({str(script)!r}), 1\n"
        "print(forked._row('os.fork', ('evaluate',)).ours)"
    )
    assert (done.stdout, done.stderr) == ("1\n", "  os.fork, evaluate: hangs, ended after 1 seconds\n")


def test_a_missing_peer_is_one_line_that_names_the_extra() -> None:
    done = ran(
        "import importlib.util as u\nfound = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'ir_measures' else found(name, *more)\n"
        "sys.argv = ['startup.py', '--quick']\nimport startup\nstartup.main()"
    )
    assert done.returncode == 1
    assert done.stderr == "startup.py measures ir_measures as well: pip install -e '.[bench]'\n"


@pytest.mark.parametrize("as_json", [True, False])
def test_a_bar_that_cannot_be_checked_is_neither_met_nor_missed(as_json: bool) -> None:
    done = ran(
        "import startup\nstartup.shutil.which = lambda name: None\n"
        "name, _ = startup.trec_eval('q', 'r')\n"
        "row = startup.Row(name, 1.0, 2.0, 's', 1, 'lower', name == 'trec_eval')\n"
        f"print(startup.show([row], as_json={as_json}))"
    )
    assert "pytrec_eval (trec_eval is not on the PATH: its bar cannot be checked here)" in done.stdout
    assert ('"ok": null' if as_json else "not checked") in done.stdout
    assert done.stdout.endswith("True\n")
