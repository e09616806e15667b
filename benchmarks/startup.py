"""How long whole commands take: import, --help, the first ones ever, and evaluate on runs of two sizes.

    python benchmarks/startup.py [--json] [--quick]

Each number is a whole process, with the interpreter, the imports and the reading of files in it; peers run in
turn with ours. Python's byte code is kept, as an installation keeps it. The first commands ever run with an
empty kernel cache, so they compile. trec_eval is measured where the program is on the PATH. Without it its
rows show pytrec_eval, the same C code called from Python; they say so, and that the bar cannot be checked.
The large run is also measured in CPU time, of all threads, which other work on the machine disturbs less.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from shared.table import Row, best_in_turns, best_of, options, show

PYTREC_EVAL = """
import sys
import pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
values = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut_10", "map", "recip_rank"}).evaluate(ranked)
print({name: sum(v[name] for v in values.values()) / len(values) for name in next(iter(values.values()))})
"""


NO_TREC_EVAL = "trec_eval is not on the PATH: its bar cannot be checked here"


def write_run(folder: Path, queries: int, depth: int) -> tuple[str, str]:
    """A run and qrels in TREC form: ``queries`` lists of ``depth`` documents, 60 of each judged."""
    rng = np.random.default_rng(0)
    paths = folder / f"{queries}.qrels", folder / f"{queries}.run"
    with paths[0].open("w") as qrels, paths[1].open("w") as run:
        for query in range(301, 301 + queries):
            docs = rng.choice(1_000_000, depth, replace=False).tolist()
            scores = np.sort(rng.random(depth))[::-1].tolist()
            for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), start=1):
                run.write(f"{query} Q0 FT{doc:06d}-{doc % 97} {rank} {20 * score:.6f} bench\n")
            for doc in docs[:: max(1, depth // 60)]:
                qrels.write(f"{query} 0 FT{doc:06d}-{doc % 97} {doc % 3}\n")
    return str(paths[0]), str(paths[1])


def process(*words: str, **environment: str) -> Callable[[], None]:
    """A process that is run to its end, and must end well."""
    return lambda: _ended([sys.executable, *words], environment)


def _ended(words: Sequence[str], environment: dict[str, str]) -> None:
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, **environment})


def in_turn(runs: int, *works: Callable[[], None]) -> list[float]:
    """The least seconds of each, after one run that fills caches."""
    best_in_turns(1, *((1, work) for work in works))
    return best_in_turns(runs, *((1, work) for work in works))


def cpu_in_turn(runs: int, *works: Callable[[], None]) -> list[float]:
    """The least CPU seconds of the processes of each."""
    best = [float("inf")] * len(works)
    for _ in range(runs):
        for k, work in enumerate(works):
            before = _cpu_of_children()
            work()
            best[k] = min(best[k], _cpu_of_children() - before)
    return best


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def trec_eval(qrels: str, run: str) -> tuple[str, Callable[[], None]]:
    """The peer's name, and its command."""
    program = shutil.which("trec_eval")
    if program is None:
        return f"pytrec_eval ({NO_TREC_EVAL})", process("-c", PYTREC_EVAL, qrels, run)
    words = [program, "-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", qrels, run]
    return "trec_eval", lambda: _ended(words, {})


def commands(folder: Path, quick: bool) -> list[Row]:
    """``evaluate`` as a command beside its peers."""
    rows = []
    for queries, runs in ((100, 3 if quick else 9), *(() if quick else ((3_700, 3),))):
        qrels, run = write_run(folder, queries, 1_000)
        lines = f"evaluate, {queries * 1_000:,} lines, whole process"
        ours = process(
            *("-m", "rankproof", "evaluate", run, "--qrels", qrels, "-m", "nDCG@10", "-m", "AP", "-m", "RR")
        )
        name, peer = trec_eval(qrels, run)
        judged = name == "trec_eval"
        if queries == 100:
            measures = process("-m", "ir_measures", qrels, run, "nDCG@10", "AP", "RR")
            mine, theirs, tool = in_turn(runs, ours, measures, peer)
            rows.append(Row(f"{lines}: ir_measures", mine, theirs, "s", 1, "lower"))
            rows.append(Row(f"{lines}: 3x {name}", mine, 3 * tool, "s", 1, "lower", judged))
        else:
            mine, tool = in_turn(runs, ours, peer)
            rows.append(Row(f"{lines}: {name}", mine, tool, "s", 1, "lower", judged))
            mine, tool = cpu_in_turn(runs, ours, peer)
            rows.append(Row(f"{lines}, CPU time: {name}", mine, tool, "s", 1, "lower", judged))
    return rows


def first_ever(words: Sequence[str]) -> float:
    """Seconds of a command with an empty kernel cache.

    It is run before with another empty one: that writes the byte code of numba, as pip does when it installs.
    """

    def once() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return best_of(1, process("-m", "rankproof", *words, NUMBA_CACHE_DIR=cache))

    once()
    return once()


def main() -> None:
    args = options(__doc__).parse_args()
    missing = [name for name in ("ir_measures", "pytrec_eval") if find_spec(name) is None]
    if missing:
        sys.exit(f"startup.py measures {', '.join(missing)} as well: pip install -e '.[bench]'")
    runs = 1 if args.quick else 5
    with tempfile.TemporaryDirectory() as place:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(place, "bytecode"))
        bare, numpy_import, imported, helped = in_turn(
            runs,
            *(process("-c", "pass"), process("-c", "import numpy"), process("-c", "import rankproof")),
            process("-m", "rankproof", "--help"),
        )
        print(f"a bare interpreter takes {bare:.3f} s, with numpy {numpy_import:.3f} s", file=sys.stderr)
        rows = [
            Row("import rankproof, against 0.3 s", imported, 0.3, "s", 1, "lower"),
            Row("rankproof --help, against 0.3 s", helped, 0.3, "s", 1, "lower"),
            *commands(Path(place), args.quick),
        ]
        example = first_ever(["evaluate", "--example"])
        rows.append(Row("first evaluate --example ever, against 5 s", example, 5.0, "s", 1, "lower"))
        if not args.quick:
            demo = first_ever(["demo", "--out", str(Path(place, "demo"))])
            rows.append(Row("first demo ever, against 20 s", demo, 20.0, "s", 1, "lower"))
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
