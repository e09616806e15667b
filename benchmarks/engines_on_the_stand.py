"""The engines' own ranking objectives on laws whose best ranking is known, beside ours in the same trees.

    python benchmarks/engines_on_the_stand.py [--json] [--quick]

For every objective of LightGBM, XGBoost and CatBoost and every metric: the smallest law of our search and the
one that costs most (`research/engine_laws.py`), and for nDCG a law to check by hand. The installed engine is
trained on queries in exact proportion to the law, with one column per item and trees that may give every item
its own score. ``peer`` is what its order loses at the end of training, in the mean over the runs, ``ours``
what is lost with the loss that rankproof chooses for the metric, in the same trees on the same rows. This is
a demonstration, not a proof; where it is also proven under the law (of the mean gradient of the shipped
formula, or of the minimum of a convex loss), the claim says so.
AP and ERR have no convex loss that is right under every law, so these rows are shown and not judged. With
``--quick``: the smallest laws only, with one seed and fewer trees.
"""

from __future__ import annotations

import sys
from importlib.metadata import version

from rankproof.experiments.engines.known_laws import KNOWN_LAWS
from rankproof.experiments.engines.stand import StandRow, stand_rows
from rankproof.theory.base.wording import law_words
from rankproof.theory.shipped.table import ENGINES
from shared.table import Row, options, show

QUICK_RATES, QUICK_SEEDS, QUICK_TREES = (0.3, 0.05), (0,), 200


def as_row(found: StandRow) -> Row:
    """Our loss of the metric must stay below a hundredth of the engine's."""
    known, shown = found.case, found.shown
    how = "proven and shown" if found.proven else "shown"
    runs = (
        f"{shown.wrong_runs} of {len(shown.runs)} runs and {shown.wrong_iterations:.0%} of iterations wrong"
    )
    return Row(
        f"{known.objective}: {known.metric} lost under {law_words(known.law)} ({how}; {runs})",
        found.ours,
        # An engine that loses nothing must not lead to a division by zero; the claim counts wrong runs.
        max(shown.lost, 1e-12),
        known.metric,
        0.01,
        "lower",
        judged=known.metric.startswith("nDCG"),
    )


def main() -> None:
    args = options(__doc__).parse_args()
    installed = ", ".join(f"{name} {version(name)}" for name in ENGINES)
    print(f"{installed}; a demonstration, not a proof", file=sys.stderr)
    if args.quick:
        known = [law for law in KNOWN_LAWS if law.kind == "small"]
        found = stand_rows(known, rates=QUICK_RATES, seeds=QUICK_SEEDS, trees=QUICK_TREES)
    else:
        found = stand_rows()
    rows = [as_row(row) for row in found]
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
