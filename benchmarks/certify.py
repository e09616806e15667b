"""Certify: how long targets and the matrix take, whether all evidence replays, and whether theory agrees.

    python benchmarks/certify.py [--json] [--quick]

Labels have three grades, with ``--quick`` two. Times are held against fixed ones. Evidence goes through
JSON before it is replayed, as in a file.
"""

from __future__ import annotations

import json
import sys

from rankproof.feedback.spaces import graded_space
from rankproof.metrics.base import METRICS
from rankproof.theory.existence.decide import target_exists
from rankproof.theory.matrix import VerdictMatrix, certify_matrix
from rankproof.theory.replay.replay import replay
from shared.known_facts import contradictions, known_outcome
from shared.table import Row, best_of, options, show

# (items, grades) on which every metric is asked for a target.
SPACES = ((3, 2), (3, 3), (4, 2))
GRADES, QUICK_GRADES = 3, 2


def existence() -> float:
    """Seconds to decide the existence of a target for every metric of the registry, on every space."""

    def work() -> None:
        for items, grades in SPACES:
            for cls in METRICS.values():
                target_exists(cls(), graded_space(items, grades))

    return best_of(1, work)


def matrix(grades: int) -> tuple[float, VerdictMatrix]:
    """Seconds to fill the matrix, and the matrix."""
    made: list[VerdictMatrix] = []
    seconds = best_of(1, lambda: made.append(certify_matrix(grades=grades)))
    return seconds, made[0]


def main() -> None:
    args = options(__doc__).parse_args()
    grades = QUICK_GRADES if args.quick else GRADES
    targets = existence()
    seconds, found = matrix(grades)
    refuted = [verdict for verdict in found.verdicts.values() if verdict.outcome == "inconsistent"]
    replayed = sum(replay(json.loads(json.dumps(verdict.to_dict()))).holds for verdict in refuted)
    wrong = contradictions(found.verdicts, grades)
    known = sum(known_outcome(*cell, grades) is not None for cell in found.verdicts)
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
        Row(
            "pairs that are decided, of all",
            len(found.verdicts) - undecided,
            len(found.verdicts),
            "",
            1,
            "larger",
        ),
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
