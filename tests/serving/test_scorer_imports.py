"""What a process imports to load a model and to score: numpy, the engine, and nothing that trains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import rankproof as rp
from serving.served import DATA, every_model, rows, saved

# With these out of reach, imports of them fail. What an engine imports where it is there is its own affair.
# CatBoost cannot do without pandas.
NEVER = ("sklearn", "scipy.optimize", "matplotlib", "torch", "jinja2", "optuna", "pandas")
SCRIPT = """
import json, sys
import numpy as np
for name in {never!r}:
    sys.modules[name] = None
import rankproof as rp
scorer = rp.load_scorer({folder!r})
scores = scorer.batch(np.load({rows!r}), {offsets!r})
once = scorer(np.load({rows!r})[:5])
for name in {never!r}:
    assert sys.modules[name] is None, name
# Installed it is, with what kernels call; but the compiler sleeps.
assert "numba" not in sys.modules
print(json.dumps([scores.tolist(), sorted(name for name in sys.modules if sys.modules[name] is not None)]))
"""
# Folders of the package that scoring may need.
MAY = {
    *("__init__", "arrays", "errors", "files", "forks", "ids", "kernels", "optional", "serving", "shown"),
    *("threads", "deciders", "fit", "fit.boosters", "fit.matrix", "fit.model_files", "fit.neural"),
    *("fit.plain_rows", "fit.scaling"),
}
ENGINES = {"lightgbm", "xgboost", "catboost"}


@every_model
def test_scoring_imports_numpy_and_the_engine(name: str, tmp_path: Path) -> None:
    fitted, X = saved(name, tmp_path), rows(name)
    # Code of kernels that is not in the cache yet is compiled here, for which numba is needed.
    scorer = rp.load_scorer(tmp_path / name)
    expected = scorer.batch(X, DATA.offsets)
    np.save(tmp_path / "rows.npy", X)
    script = SCRIPT.format(
        never=NEVER[:-1] if name == "catboost" else NEVER,
        folder=str(tmp_path / name),
        rows=str(tmp_path / "rows.npy"),
        offsets=DATA.offsets.tolist(),
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert run.returncode == 0, run.stderr
    scores, modules = json.loads(run.stdout)
    assert scores == expected.tolist() == fitted.predict(X, qid=DATA.qid).tolist()
    own = {one.removeprefix("rankproof.") for one in modules if one.startswith("rankproof.")}
    strange = {one for one in own if not any(one == may or one.startswith(f"{may}.") for may in MAY)}
    assert not strange
    assert not {one.split(".")[0] for one in modules} & (ENGINES - {scorer.engine}), "another engine"
    if scorer.engine is None:
        assert not {"scipy", "sklearn", "narwhals", "numba"} & set(modules)


def test_what_is_out_of_reach_is_missed() -> None:
    """Whoever trains does need what scoring must not import: the test above can fail."""
    script = "import sys; sys.modules['sklearn'] = None; import rankproof as rp; rp.load_model"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, "reading the name alone imports nothing"
    script += "; from rankproof.fit.linear.ranker import LinearRanker"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "sklearn" in run.stderr
