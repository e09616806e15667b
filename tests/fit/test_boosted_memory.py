"""`BoostedRanker` on LightGBM holds no copy of the features beside what LightGBM itself needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc as on Linux")

ROWS, COLUMNS = 400_000, 40
# Peak of resident memory beyond the features, in bytes of the features; small data warm everything up.
PROGRAM = """
import sys
import numpy as np
import lightgbm as lgb
import rankproof as rp

who, dtype, shape, rows, columns = *sys.argv[1:4], *map(int, sys.argv[4:6])

def made(rows):
    rng = np.random.default_rng(0)
    X = np.empty((rows, columns), dtype, order="F" if shape == "F" else "C")
    for low in range(0, rows, 1000):
        X[low : low + 1000] = rng.random((1000, columns))
    if shape == "frame":
        import pandas as pd
        X = pd.DataFrame(X, columns=[f"f{c}" for c in range(columns)], copy=False)
    return X, rng.integers(0, 5, rows).astype(float), np.repeat(np.arange(rows // 100), 100)

def fit(X, y, qid):
    if who == "rankproof":
        rp.BoostedRanker(n_estimators=2, threads=1).fit(X, y, qid=qid)
    else:
        params = {"objective": "lambdarank", "num_leaves": 16, "num_threads": 1, "verbose": -1,
                  "force_col_wise": True, "feature_pre_filter": False}
        lgb.train(params, lgb.Dataset(X, y, group=np.unique(qid, return_counts=True)[1]), 2)

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

fit(*made(2000))
data = made(rows)
before = status("VmRSS")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
fit(*data)
print((status("VmHWM") - before) / (rows * columns * np.dtype(dtype).itemsize))
"""


def peak(who: str, dtype: str, shape: str) -> float:
    words = [sys.executable, "-c", PROGRAM, who, dtype, shape, str(ROWS), str(COLUMNS)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        pytest.param("float32", "frame"),
        pytest.param("float64", "F", marks=pytest.mark.exhaustive),
        pytest.param("float64", "frame", marks=pytest.mark.exhaustive),
        pytest.param("float64", "C", marks=pytest.mark.exhaustive),
    ],
)
def test_the_features_are_not_copied(dtype: str, shape: str) -> None:
    """A copy would be 1 more, in float64 of float32 features 2 more."""
    assert peak("rankproof", dtype, shape) < peak("lightgbm", dtype, shape) + 0.6
