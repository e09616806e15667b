"""What a plain import loads: nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    *(
        "numba",
        "llvmlite",
        "scipy",
        "sklearn",
        "pandas",
        "polars",
        "pyarrow",
        "narwhals",
        "matplotlib",
        "jinja2",
    ),
    *("lightgbm", "xgboost", "catboost", "torch", "rich", "click", "ranx", "pytrec_eval"),
)


def loaded(code: str) -> set[str]:
    """The top-level modules in memory after ``code`` ran in an interpreter of its own."""
    script = f"import sys\n{code}\nprint('\\n@' + ' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.rsplit("@", 1)[1].split())


def test_import_rankproof_loads_nothing_heavy() -> None:
    assert not loaded("import rankproof") & set(HEAVY)


def test_a_metric_is_a_value_that_needs_no_compiler() -> None:
    assert not loaded("import rankproof; str(rankproof.metric('nDCG@10'))") & {"numba", "llvmlite", "scipy"}


def test_help_loads_no_arrays() -> None:
    code = "from rankproof.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert not loaded(code) & {"numpy", *HEAVY} - {"click", "rich"}


@pytest.mark.parametrize("name", ["numba", "numpy"])
def test_the_check_sees_what_is_loaded(name: str) -> None:
    assert name in loaded(f"import {name}")
