"""Do paths by another implementation ever rest where it is proven that an engine's objective does not?

    python research/engine_rest_points.py --laws 10000 --boxes 300 --seed 0

The laws, of two or three label vectors of three items, are shared out over the shipped formulas of LightGBM
and XGBoost. Three of four are random; the fourth is drawn among those under which the paths (Euler's method
on the mean field, in plain numpy, from five places in every ranking) rest in no best ranking. The prover may
look at so many boxes for a face of the scores; a law for which that is not enough counts as tried, not as
agreement. Prints a line per formula: laws tried, laws under which the paths fail, proofs, and proofs that the
paths contradict, which must be none.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from theory.shipped_agreement import agreement
from theory.shipped_cases import KINDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--laws", type=int, default=10_000)
    parser.add_argument("--boxes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    share = -(-args.laws // len(KINDS))
    sums = [0, 0, 0, 0]
    for at, spec in enumerate(KINDS):
        result = agreement(spec, share, args.boxes, args.seed + at, _tell)
        numbers = [result.tried, result.failing, result.proven, len(result.against)]
        sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        print(f"{spec:58} {_words(numbers)}", flush=True)
        for law in result.against:
            print(f"    AGAINST: {law!r}")
    print(f"{'all':58} {_words(sums)}")
    sys.exit(1 if sums[3] else 0)


def _words(numbers: list[int]) -> str:
    tried, failing, proven, against = numbers
    return f"tried {tried:6}  paths fail {failing:5}  proven {proven:5}  against {against}"


def _tell(done: int, count: int) -> None:
    print(f"\r{done} of {count} ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
