"""Reading LETOR text: speed against scikit-learn's reader, memory against the arrays that are the result.

About 60 MB of rows with 136 features are written to a temporary folder, in three forms: six decimals (as the
LETOR sets), whole numbers among decimals (as MSLR-WEB), and sixteen digits (as scikit-learn dumps). Memory
is the growth of the resident set of a fresh process at its peak (``VmHWM``), pages of the mapped file
included; before that, the process has read a small file, so that compiled code is loaded.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from table import Row, best_in_turns, options, show

FEATURES = 136
SPEED_BAR = 20.0
MEMORY_BAR = 2.0


def six_decimals(rng: np.random.Generator) -> list[str]:
    values = rng.random(FEATURES) * (rng.random(FEATURES) > 0.3)
    return [f"{value:.6f}" for value in values]


def whole_and_decimal(rng: np.random.Generator) -> list[str]:
    values = rng.lognormal(2, 2, FEATURES) * (rng.random(FEATURES) > 0.3)
    # As in MSLR-WEB: counts and lengths are whole numbers, ratios and scores are not.
    return [f"{value:.0f}" if k % 5 < 3 else f"{round(value, 6):.10g}" for k, value in enumerate(values)]


def sixteen_digits(rng: np.random.Generator) -> list[str]:
    return [f"{value:.16g}" for value in rng.normal(size=FEATURES)]


FORMS: dict[str, Callable[[np.random.Generator], list[str]]] = {
    "six decimals": six_decimals,
    "whole and decimal": whole_and_decimal,
    "sixteen digits": sixteen_digits,
}

MEASURE_MEMORY = """
import json, sys
from pathlib import Path
from rankproof.data.letor import read_letor

def status(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])

read_letor(sys.argv[1])
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
data = read_letor(sys.argv[2])
peak = status("VmHWM") - before
arrays = [data.X, data.labels, data.offsets, data.query_ids]
print(json.dumps([peak, sum(array.nbytes for array in arrays)]))
"""


def write_rows(path: Path, megabytes: float, form: Callable[[np.random.Generator], list[str]]) -> None:
    """Rows of queries of 50 to 150 items; the same thousands of rows come again under other queries."""
    rng = np.random.default_rng(1)
    bodies: list[str] = []
    while sum(map(len, bodies[:1])) * len(bodies) < min(megabytes, 6) * 1e6:
        bodies.append(" ".join(f"{index}:{value}" for index, value in enumerate(form(rng), 1)))
    query = written = row = 0
    with path.open("w") as file:
        while written < megabytes * 1e6:
            query += 1
            for _ in range(int(rng.integers(50, 150))):
                written += file.write(f"{rng.integers(0, 5)} qid:{query} {bodies[row % len(bodies)]}\n")
                row += 1


def speed(name: str, path: Path, runs: int) -> Row:
    from sklearn.datasets import load_svmlight_file

    from rankproof.data.letor import read_letor

    data = read_letor(path)
    X, labels, qid = load_svmlight_file(str(path), query_id=True)
    same = np.array_equal(data.X, X.toarray().astype(np.float32)) and np.array_equal(data.labels, labels)
    if not same or not np.array_equal(data.qids, qid):
        raise SystemExit(f"{name}: the two readers disagree")
    del X, labels, qid, data
    peer, ours = best_in_turns(
        runs, (1, lambda: load_svmlight_file(str(path), query_id=True)), (3, lambda: read_letor(path))
    )
    return Row(f"read LETOR text, {name}, vs scikit-learn", ours, peer, "s", SPEED_BAR)


def memory(name: str, small: Path, path: Path) -> Row:
    command = [sys.executable, "-c", MEASURE_MEMORY, str(small), str(path)]
    peak, size = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Row(f"peak resident memory, {name}, vs arrays", peak / 1e6, size / 1e6, "MB", MEMORY_BAR, "lower")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--megabytes", type=float, default=60.0, help="size of each file")
    parser.add_argument("--runs", type=int, default=5, help="the fastest of so many runs counts")
    chosen = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.txt"
        write_rows(small, 0.1, six_decimals)
        for name, form in FORMS.items():
            path = Path(folder) / "rows.txt"
            write_rows(path, chosen.megabytes, form)
            rows += [speed(name, path, chosen.runs), memory(name, small, path)]
    if not show(rows, as_json=chosen.json):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
