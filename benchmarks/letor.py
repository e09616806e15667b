"""Reading LETOR text: speed against scikit-learn's reader, memory against the arrays that are the result.

    python benchmarks/letor.py [--json] [--quick] [--megabytes N] [--runs N]

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
from pathlib import Path

import numpy as np

from shared.made_data import LETOR_FORMS, dense, six_decimals, write_letor_rows
from shared.table import Row, best_in_turns, options, show

SPEED_BAR = 20.0
MEMORY_BAR = 2.0


MEASURE_MEMORY = """
import json, sys
from pathlib import Path
from rankproof.data.letor.read import read_letor

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


def speed(name: str, path: Path, runs: int) -> Row:
    from sklearn.datasets import load_svmlight_file

    from rankproof.data.letor.read import read_letor

    data = read_letor(path)
    X, labels, qid = load_svmlight_file(str(path), query_id=True)
    same = np.array_equal(dense(data), X.toarray().astype(np.float32)) and np.array_equal(data.labels, labels)
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
    parser.add_argument("--megabytes", type=float, help="size of each file: 60, or 20 with --quick")
    parser.add_argument("--runs", type=int, help="the fastest of so many runs counts: 5, or 2 with --quick")
    args = parser.parse_args()
    megabytes = args.megabytes or (20.0 if args.quick else 60.0)
    runs = args.runs or (2 if args.quick else 5)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.txt"
        write_letor_rows(small, 0.1, six_decimals)
        for name, form in LETOR_FORMS.items():
            path = Path(folder) / "rows.txt"
            write_letor_rows(path, megabytes, form)
            rows += [speed(name, path, runs), memory(name, small, path)]
    if not show(rows, as_json=args.json):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
