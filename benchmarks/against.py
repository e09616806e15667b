"""This checkout against an older one: our side of metrics.py, letor.py, losses.py and linear.py.

    python benchmarks/against.py --old DIR [--json] [--quick] [--pairs N] [--rounds N]
                                 [--only GROUP ...] [--keep-memory]

Two processes, one with the package of each checkout, take turns at the same work on the same data: old, new,
new, old, ... Before that both do it once, which compiles kernels, and their results must be equal to the bit.
Where its memory lies makes a process faster or slower for as long as it runs, so all is done with several
pairs of processes, and the fastest run of each checkout counts. A row is met when the old time over the new
one is at least 0.95.

``--keep-memory`` tells glibc in both processes not to give freed memory back to the system. What is slower
without it and not with it spends its time fetching that memory again, page by page; users pay for that too.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from shared.kernel_works import GROUPS, Sizes, Work, works
from shared.made_data import LETOR_FORMS, scored_queries, write_letor_rows, write_trec
from shared.table import Row, options, show

BAR, TURN = 0.95, 0.2
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}
ROOT = Path(__file__).parents[1]


class Worker:
    """A process that works with the package of one checkout."""

    def __init__(self, checkout: Path, group: str, sizes: Sizes, files: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker", group, *map(str, sizes), str(files)],
            env={**os.environ, "PYTHONPATH": str(checkout / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        start = self._line()
        if not Path(start["package"]).is_relative_to(checkout.resolve()):
            raise SystemExit(f"{checkout} has no package: {start['package']} was imported.")
        self.names: list[str] = start["names"]

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def run(self, name: str) -> dict[str, Any]:
        """Seconds and the digest of what came out."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self._line()

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A worker died; what it said is above.")
        answer: dict[str, Any] = json.loads(line)
        return answer


def work(group: str, sizes: Sizes, files: Path) -> None:
    """The other end of a `Worker`: names come in, times go out."""
    import rankproof

    # Which loss is trained matters here, not whether it is the right one.
    warnings.simplefilter("ignore")
    named: dict[str, Work] = dict(works(group, sizes, files))
    print(json.dumps({"package": str(Path(rankproof.__file__).resolve()), "names": list(named)}), flush=True)
    for line in sys.stdin:
        seconds, spent = float("inf"), 0.0
        # A turn is long enough for a short work to be undisturbed once.
        while spent < TURN:
            start = time.perf_counter()
            arrays = named[line.rstrip("\n")]()
            taken = time.perf_counter() - start
            seconds, spent = min(seconds, taken), spent + taken
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))
        print(json.dumps({"seconds": seconds, "digest": digest.hexdigest()}), flush=True)


def compare(old: Worker, new: Worker, name: str, rounds: int) -> tuple[float, float]:
    """The fastest of the new and of the old in turns, after one run that compiles and is compared."""
    if old.run(name)["digest"] != new.run(name)["digest"]:
        raise SystemExit(f"{name}: the two checkouts compute different numbers.")
    best = {old: float("inf"), new: float("inf")}
    for turn in range(rounds):
        for worker in (old, new) if turn % 2 == 0 else (new, old):
            best[worker] = min(best[worker], worker.run(name)["seconds"])
    return best[new], best[old]


def compare_group(group: str, old: Path, sizes: Sizes, files: Path, *, pairs: int, rounds: int) -> list[Row]:
    """A row per work of a group: the fastest of all pairs of processes."""
    seconds: dict[str, list[tuple[float, float]]] = {}
    for _ in range(pairs):
        with Worker(old, group, sizes, files) as before, Worker(ROOT, group, sizes, files) as now:
            for name in now.names:
                seconds.setdefault(name, []).append(compare(before, now, name, rounds))
    rows = []
    for name, runs in seconds.items():
        now_best, before_best = (1e3 * min(side) for side in zip(*runs, strict=True))
        rows.append(Row(f"{name}, against the old checkout", now_best, before_best, "ms", BAR))
    return rows


def write_files(files: Path, sizes: Sizes) -> None:
    """What the works read."""
    write_trec(files, *scored_queries(sizes.queries))
    for name, form in LETOR_FORMS.items():
        write_letor_rows(files / f"{name}.letor", sizes.queries / 200, form)


def main() -> None:
    if "--worker" in sys.argv:
        group, queries, items, files = sys.argv[2:]
        work(group, Sizes(int(queries), int(items)), Path(files))
        return
    parser = options(__doc__)
    parser.add_argument("--old", type=Path, required=True, help="the other checkout")
    parser.add_argument("--pairs", type=int, help="of processes: 5 unless said otherwise, 2 with --quick")
    parser.add_argument("--rounds", type=int, help="of each pair: 5 unless said otherwise, 3 with --quick")
    parser.add_argument("--only", action="append", choices=GROUPS, help="which groups; all by default")
    parser.add_argument("--keep-memory", action="store_true", help="the allocator keeps what is freed")
    args = parser.parse_args()
    if args.keep_memory:
        os.environ.update(KEEP_MEMORY)
    sizes = Sizes(2_000, 120_000) if args.quick else Sizes(10_000, 600_000)
    pairs, rounds = args.pairs or (2 if args.quick else 5), args.rounds or (3 if args.quick else 5)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), sizes)
        for group in args.only or GROUPS:
            print(f"{group} ...", file=sys.stderr)
            rows += compare_group(group, args.old, sizes, Path(folder), pairs=pairs, rounds=rounds)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
