"""The tables, files and JSON of `rankproof.experiments.reproduce.b11`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from rankproof.evaluation.comparison_text import csv_rows, pair_rows
from rankproof.evaluation.tables import Table, as_csv, number
from rankproof.experiments.reproduce.b11 import B11, COLUMNS, PRINTED, ROWS, Solver
from rankproof.experiments.reproduce.measured import against
from rankproof.experiments.reproduce.per_query import per_query_csv
from rankproof.experiments.reproduce.settings import (
    SCHEMA,
    data_facts,
    unconverged_note,
    versions,
)
from rankproof.plain import plain_number

__all__ = ["b11_dict", "b11_files", "b11_tables"]


def b11_tables(run: B11) -> list[tuple[str, Table]]:
    """Tables 1 and 2 for each solver, with their titles; an arrow marks what the best of a column beats."""
    return [
        (f"B11 Table {table}, {solver}", _table(run, solver, table))
        for solver in run.solvers
        for table in (1, 2)
    ]


def _table(run: B11, solver: Solver, table: int) -> Table:
    rows = [row for row in ROWS if row.table == table]
    marks = {column: _marks(run, solver, table, column) for column in COLUMNS}
    lines = [
        [
            row.label,
            *(
                number(run.experiment.measured.mean(run.name(row, solver), column)) + marks[column][row.label]
                for column in COLUMNS
            ),
        ]
        for row in rows
    ]
    return Table(["loss", *COLUMNS], lines, _notes(run, solver) if table == 2 else [], text_columns=COLUMNS)


def _marks(run: B11, solver: Solver, table: int, column: str) -> dict[str, str]:
    """``*`` for the best, an arrow for what it is shown to beat."""
    names = {run.name(row, solver): row.label for row in ROWS if row.table == table}
    best = run.experiment.measured.best(column, list(names))
    standing = against(run.pairs[solver, table, column], best)
    return {
        label: " *" if name == best else " ↓" if standing[name] == "worse" else ""
        for name, label in names.items()
    }


def _notes(run: B11, solver: Solver) -> list[str]:
    ends = {max(run.l2), min(run.l2)}
    chosen = Counter(
        value in ends
        for row in ROWS
        for column in COLUMNS
        for value in run.experiment.l2[run.name(row, solver)][column]
    )
    tests = sum(fold.queries[2] for fold in run.experiment.folds)
    marks = "* best of the column in its table; ↓ shown to be worse than it"
    test = f"randomisation test, Holm over the pairs of the column, level {run.level:g}"
    metrics = "; ".join(f"{c} = {run.metrics[c]}" for c in COLUMNS if c != run.metrics[c])
    penalties = ", ".join(f"{value:g}" for value in run.l2)
    ended = f"{chosen[True]} of {chosen.total()} choices are at an end of this list"
    return [
        f"{marks} ({test})",
        f"{len(run.experiment.folds)} folds, {tests} test queries; mean over folds; {metrics}",
        f"l2 by validation, per metric, out of {penalties}; {ended}",
        *unconverged_note(run.experiment),
    ]


def b11_dict(run: B11) -> dict[str, Any]:
    """Everything as JSON-ready data."""
    measured = run.experiment.measured
    rows = []
    for solver in run.solvers:
        for row in ROWS:
            name = run.name(row, solver)
            columns = {}
            for at, column in enumerate(COLUMNS):
                outcome = measured.outcomes[name][column]
                columns[column] = {
                    "mean": outcome.mean,
                    "folds": outcome.fold_means,
                    "l2": run.experiment.l2[name][column],
                    "mark": _marks(run, solver, row.table, column)[row.label].strip(),
                    "printed_for_mq2007": PRINTED[row.label][at],
                }
            rows.append(
                {
                    "label": row.label,
                    "table": row.table,
                    "solver": solver,
                    "loss": run.losses[row.label],
                    "metrics": columns,
                }
            )
    return {
        "schema": SCHEMA,
        "paper": "B11",
        "data": data_facts(run.directory, run.experiment.folds),
        "settings": {
            "solvers": list(run.solvers),
            "l2": list(run.l2),
            "l2_chosen_by": "the column's metric on the validation part",
            "scale": run.scale,
            "max_grade": run.max_grade,
            "seed": run.seed,
            "level": run.level,
            "test": "randomisation, Holm over the pairs of a column of a table",
            "metrics": dict(run.metrics),
        },
        "versions": versions(),
        "unconverged_fits": dict(run.experiment.unconverged),
        "rows": rows,
        "pairs": [
            {
                "solver": solver,
                "table": table,
                "metric": column,
                "a": pair.a,
                "b": pair.b,
                "difference": pair.difference,
                "interval": [plain_number(pair.interval.low), plain_number(pair.interval.high)],
                "p": pair.p,
                "p_adjusted": pair.adjusted,
                "winner": pair.winner,
            }
            for (solver, table, column), pairs in run.pairs.items()
            for pair in pairs
        ],
    }


def b11_files(run: B11) -> dict[str, bytes]:
    """What is kept of it: name of a file to its content."""
    plain = b11_dict(run)
    header = ["table", "loss", "solver", "metric", "mean", "mark", "l2 per fold", "mean per fold", "printed"]
    rows = [
        [
            str(row["table"]),
            row["label"],
            row["solver"],
            column,
            repr(cell["mean"]),
            cell["mark"],
            " ".join(f"{value:g}" for value in cell["l2"]),
            " ".join(map(repr, cell["folds"])),
            repr(cell["printed_for_mq2007"]),
        ]
        for row in plain["rows"]
        for column, cell in row["metrics"].items()
    ]
    tests = {
        f"{column} (Table {table}, {solver})": pairs for (solver, table, column), pairs in run.pairs.items()
    }
    files = {
        "b11.json": json.dumps(plain, indent=1, ensure_ascii=False) + "\n",
        "b11-tables.csv": as_csv(header, rows),
        "b11-tests.csv": as_csv(*csv_rows(pair_rows(tests))),
        "b11-per-query.csv": per_query_csv(run.experiment),
    }
    return {name: text.encode() for name, text in files.items()}
