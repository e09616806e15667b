"""How long the first moments take: import, --help, the first evaluate ever, and later ones.

    python benchmarks/startup.py [--json] [--quick] [--data FOLDER]

Each number is a whole process, held against a fixed time; what a bare interpreter, numpy and the ir_measures
command take is printed beside. The first evaluate runs with an empty kernel cache, so it compiles.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from shared.judged_sets import folder
from shared.table import Row, best_of, options, show


def run(*words: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, *words], check=True, capture_output=True, env={**os.environ, **environment}
    )


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--data", type=Path, default=folder(), help="folder that holds trec_eval/")
    args = parser.parse_args()
    trec = args.data / "trec_eval"
    if trec.exists():
        files = [str(trec / "results.test"), "--qrels", str(trec / "qrels.test")]
        peer_files = [str(trec / "qrels.test"), str(trec / "results.test")]
    else:
        example = Path(__file__).parents[1] / "src" / "rankproof" / "example"
        files = [str(example / "ranker.trec"), "--qrels", str(example / "qrels.txt")]
        peer_files = [str(example / "qrels.txt"), str(example / "ranker.trec")]
    evaluate = ["-m", "rankproof", "evaluate", *files, "-m", "nDCG@10", "-m", "AP", "-m", "RR"]
    runs = 1 if args.quick else 5
    numpy_import = best_of(runs, lambda: run("-c", "import numpy"))
    bare = best_of(runs, lambda: run("-c", "pass"))
    imported = best_of(runs, lambda: run("-c", "import rankproof"))
    helped = best_of(runs, lambda: run("-m", "rankproof", "--help"))
    with tempfile.TemporaryDirectory() as cache:
        cold = best_of(1, lambda: run(*evaluate, NUMBA_CACHE_DIR=cache))
        warm = best_of(3, lambda: run(*evaluate, NUMBA_CACHE_DIR=cache))
    peer = best_of(3, lambda: run("-m", "ir_measures", *peer_files, "nDCG@10", "AP", "RR"))
    print(f"a bare interpreter takes {bare:.3f} s, with numpy {numpy_import:.3f} s", file=sys.stderr)
    print(
        f"the ir_measures command takes {peer:.3f} s on these few files: it loads no compiler",
        file=sys.stderr,
    )
    rows = [
        Row("import rankproof, against 0.3 s", imported, 0.3, "s", 1, "lower"),
        Row("rankproof --help, against 0.3 s", helped, 0.3, "s", 1, "lower"),
        Row("first evaluate ever (compiles), against 8 s", cold, 8.0, "s", 1, "lower"),
        Row("later evaluate, against 1.5 s", warm, 1.5, "s", 1, "lower"),
    ]
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
