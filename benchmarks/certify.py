"""Certify: how long targets and the matrix take, whether all evidence replays, and whether theory agrees.

    python benchmarks/certify.py [--json]

Times are held against fixed ones. Evidence goes through JSON before it is replayed, as in a file.
"""

from __future__ import annotations

import json
import sys

from known_facts import contradictions, known_outcome
from rankproof.metrics.base import METRICS
from rankproof.theory.existence.decide import target_exists
from rankproof.theory.matrix import Matrix, certify_matrix
from rankproof.theory.replay import replay
from rankproof.theory.spaces import graded_space
from table import Row, best_of, options, show

# (items, grades) on which every metric is asked for a target.
SPACES = ((3, 2), (3, 3), (4, 2))
GRADES = 3


def existence() -> float:
    """Seconds to decide the existence of a target for every metric of the registry, on every space."""

    def work() -> None:
        for items, grades in SPACES:
            for cls in METRICS.values():
                target_exists(cls(), graded_space(items, grades))

    return best_of(1, work)


def matrix() -> tuple[float, Matrix]:
    made: list[Matrix] = []
    seconds = best_of(1, lambda: made.append(certify_matrix(grades=GRADES)))
    return seconds, made[0]


def main() -> None:
    args = options(__doc__).parse_args()
    targets = existence()
    seconds, found = matrix()
    refuted = [verdict for verdict in found.verdicts.values() if verdict.outcome == "inconsistent"]
    replayed = sum(replay(json.loads(json.dumps(verdict.to_json()))).holds for verdict in refuted)
    wrong = contradictions(found.verdicts, GRADES)
    known = sum(known_outcome(*cell, GRADES) is not None for cell in found.verdicts)
    for line in wrong:
        print(line, file=sys.stderr)
    undecided = sum(verdict.outcome == "undecided" for verdict in found.verdicts.values())
    print(
        f"{len(found.verdicts)} pairs: {len(refuted)} inconsistent, {undecided} undecided; of {known} the "
        "answer is known from theory",
        file=sys.stderr,
    )
    rows = [
        Row("targets of all metrics, 3 items and 4, against 10 s", targets, 10.0, "s", 1, "lower"),
        Row("the whole matrix on 3 items, against 90 s", seconds, 90.0, "s", 1, "lower"),
        Row("inconsistent pairs that replay, of all", replayed, len(refuted), "", 1, "larger"),
        Row(
            "known pairs that the matrix does not contradict, of all",
            known - len(wrong),
            known,
            "",
            1,
            "larger",
        ),
    ]
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
