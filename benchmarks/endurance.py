"""Nothing is lost and nothing hangs: mutated inputs, kills, saving while loading, forks.

    python benchmarks/endurance.py [--json] [--quick] [--seed N] [--only PART]

Parts: inputs (a million mutated files over all readers), kills (a thousand, of four signals, over all
writers), pairs (ten thousand saves and loads at once), forks (every way to start processes). ``--quick`` is a
fiftieth of the inputs and a tenth of the rest. The bar of every line is 0 losses.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shared.forked import fork_matrix
from shared.killed import kills
from shared.mutated import mutated_inputs
from shared.saved_together import save_and_load
from shared.table import Losses, options, show_losses

PARTS = ("inputs", "kills", "pairs", "forks")


def rows(parts: list[str], quick: bool, seed: int) -> Iterator[Losses]:
    """One part after the other; each cleans up behind itself."""
    for part in parts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if part == "inputs":
                yield from mutated_inputs(folder, 20_000 if quick else 1_000_000, seed)
            elif part == "kills":
                yield from kills(folder, 100 if quick else 1000, seed)
            elif part == "pairs":
                yield from save_and_load(folder, 1000 if quick else 10_000)
            else:
                yield from fork_matrix(everything=not quick)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of mutations and moments")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; may be given several times")
    args = parser.parse_args()
    parts = args.only or list(PARTS)
    sys.exit(0 if show_losses(rows(parts, args.quick, args.seed), as_json=args.json) else 1)


if __name__ == "__main__":
    main()
