"""The tables, figures, files and JSON of `rankproof.experiments.reproduce.r11`."""

from __future__ import annotations

import json
from typing import Any

from rankproof.evaluation.pair_result import probability
from rankproof.evaluation.tables import Table, as_csv, number
from rankproof.experiments.reproduce.curves import Point, draw_lines, draw_points
from rankproof.experiments.reproduce.measured import Versus
from rankproof.experiments.reproduce.per_query import per_query_csv
from rankproof.experiments.reproduce.r11 import CUTOFFS, FAMILIES, FIGURE_2, Q_FAMILY, R11
from rankproof.experiments.reproduce.settings import (
    SCHEMA,
    data_facts,
    unconverged_note,
    versions,
)
from rankproof.plain import plain_number

__all__ = ["r11_dict", "r11_files", "r11_tables"]

# Cutoffs shown on the terminal; the files have all.
_SHOWN = (1, 3, 5, 10)


def r11_tables(run: R11) -> list[tuple[str, Table]]:
    """One table per loss of Figure 1, and one for Figure 2, with their titles."""
    tables = [(f"R11 Figure 1: {kind}", _family_table(run, kind)) for kind in FAMILIES]
    return [*tables, ("R11 Figure 2: nDCG@10", _figure_2_table(run))]


def _family_table(run: R11, kind: str) -> Table:
    measured, base = run.experiment.measured, f"{kind}, plain"
    marks = {(v.ranker, v.metric): v for v in run.versus[kind]}
    rows = []
    for variant in FAMILIES[kind]:
        name = f"{kind}, {variant}"
        row = [variant]
        for k in _SHOWN:
            tested = marks.get((name, f"nDCG@{k}"))
            row.append(number(measured.mean(name, f"nDCG@{k}")) + _arrow(tested))
        tested = marks.get((name, "nDCG@10"))
        if tested is None:
            row += ["", "", ""]
        else:
            change = tested.difference / measured.mean(base, "nDCG@10")
            row += [f"{change:+.1%}", probability(tested.p), probability(tested.adjusted)]
        rows.append(row)
    columns = ["target", *(f"nDCG@{k}" for k in _SHOWN), "change @10", "p @10", "p Holm @10"]
    return Table(columns, rows, text_columns=[f"nDCG@{k}" for k in _SHOWN])


def _arrow(tested: Versus | None) -> str:
    return {"better": " ↑", "worse": " ↓", "same": ""}["same" if tested is None else tested.verdict]


def _figure_2_table(run: R11) -> Table:
    measured = run.experiment.measured
    tests = {v.ranker: v for v in run.versus[Q_FAMILY]}
    rows = []
    for name in FIGURE_2:
        interval, tested = run.intervals[name], tests.get(name)
        row = [name, number(measured.mean(name, "nDCG@10")) + _arrow(tested)]
        row.append(f"[{number(interval.low)}, {number(interval.high)}]")
        if tested is None:
            row += ["", "", ""]
        else:
            row += [number(tested.difference), probability(tested.p), probability(tested.adjusted)]
        rows.append(row)
    queries = sum(fold.queries[2] for fold in run.experiment.folds)
    arrows = f"↑ ↓ shown to be better or worse than plain (Figure 2: than {Q_FAMILY})"
    test = f"randomisation test, Holm over all variants and cutoffs 1..10 of a loss, level {run.level:g}"
    mean = f"{len(run.experiment.folds)} folds, {queries} test queries; mean over folds"
    notes = [
        f"{arrows}: {test}",
        f"{mean}; nDCG as {run.convention} counts it; {_penalties(run)}",
        *unconverged_note(run.experiment),
    ]
    columns = ["loss", "nDCG@10", "95% interval", f"minus {Q_FAMILY}", "p", "p Holm"]
    return Table(columns, rows, notes, text_columns=["nDCG@10"])


def _penalties(run: R11) -> str:
    if len(run.l2) == 1:
        return f"l2 = {run.l2[0]:g}"
    return f"l2 by nDCG@10 on the validation part, out of {', '.join(f'{value:g}' for value in run.l2)}"


def r11_dict(run: R11) -> dict[str, Any]:
    """Everything as JSON-ready data."""
    measured = run.experiment.measured
    return {
        "schema": SCHEMA,
        "paper": "R11",
        "data": data_facts(run.directory, run.experiment.folds),
        "settings": {
            "solver": "lbfgs",
            "l2": list(run.l2),
            "l2_chosen_by": "nDCG@10 on the validation part",
            "scale": run.scale,
            "convention": run.convention,
            "seed": run.seed,
            "level": run.level,
            "test": "randomisation, Holm over the variants and cutoffs of a loss",
        },
        "versions": versions(),
        "unconverged_fits": dict(run.experiment.unconverged),
        "rankers": [
            {
                "label": ranker,
                "loss": loss,
                "metrics": {
                    metric: {"mean": outcome.mean, "folds": outcome.fold_means}
                    for metric, outcome in measured.outcomes[ranker].items()
                },
                "l2": run.experiment.l2[ranker]["nDCG@10"],
                "interval@10": [
                    plain_number(run.intervals[ranker].low),
                    plain_number(run.intervals[ranker].high),
                ],
            }
            for ranker, loss in run.losses.items()
        ],
        "tests": [
            {
                "ranker": v.ranker,
                "base": v.base,
                "metric": v.metric,
                "difference": v.difference,
                "p": v.p,
                "p_adjusted": v.adjusted,
                "verdict": v.verdict,
            }
            for rows in run.versus.values()
            for v in rows
        ],
    }


def _norm(variant: str) -> str:
    """``Z_10`` as the figure writes it."""
    return f"$Z_{{{variant[2:]}}}$" if variant.startswith("Z_") else variant.replace("Z", "$Z$")


def r11_files(run: R11) -> dict[str, bytes]:
    """What is kept of it: name of a file to its content."""
    measured = run.experiment.measured
    names = list(run.losses)
    means = [
        [name, run.losses[name], *(repr(measured.mean(name, f"nDCG@{k}")) for k in CUTOFFS)] for name in names
    ]
    tests = [
        [v.ranker, v.base, v.metric, repr(v.difference), repr(v.p), repr(v.adjusted), v.verdict]
        for rows in run.versus.values()
        for v in rows
    ]
    texts = {
        "r11.json": json.dumps(r11_dict(run), indent=1, ensure_ascii=False) + "\n",
        "r11-curves.csv": as_csv(["ranker", "loss", *(f"nDCG@{k}" for k in CUTOFFS)], means),
        "r11-tests.csv": as_csv(
            ["ranker", "base", "metric", "difference", "p", "p_adjusted", "verdict"], tests
        ),
        "r11-per-query.csv": per_query_csv(run.experiment),
    }
    figure_1 = draw_lines(
        {
            kind: {
                _norm(variant): [measured.mean(f"{kind}, {variant}", f"nDCG@{k}") for k in CUTOFFS]
                for variant in variants
            }
            for kind, variants in FAMILIES.items()
        },
        x=CUTOFFS,
        x_label="k",
        y_label="nDCG@k",
    )
    points = [
        Point(
            name.replace(", ", "\n"),
            measured.mean(name, "nDCG@10"),
            run.intervals[name].low,
            run.intervals[name].high,
        )
        for name in FIGURE_2
    ]
    figure_2 = draw_points(points, y_label="nDCG@10")
    return {
        **{name: text.encode() for name, text in texts.items()},
        **{f"r11-figure1.{kind}": content for kind, content in figure_1.items()},
        **{f"r11-figure2.{kind}": content for kind, content in figure_2.items()},
    }
