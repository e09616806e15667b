"""The matrix asks every loss about every metric, and no cell says what theory knows to be wrong."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from types import ModuleType

import pytest

from rankproof.errors import DataError
from rankproof.evaluation.tables import as_text
from rankproof.feedback.spaces import graded_space
from rankproof.losses.base import LOSSES
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics import METRICS
from rankproof.metrics.parse import metric as metric_of
from rankproof.theory.base.values import value_table
from rankproof.theory.base.verdict import Consistent, Inconsistent, Verdict
from rankproof.theory.matrix import ANY, LOSS_ROWS, VerdictMatrix, certify_matrix, metric_columns
from rankproof.theory.matrix_tables import SIGNS, matrix_tables
from rankproof.theory.replay.replay import replay
from theory.benchmark_scripts import script


@pytest.fixture(scope="module")
def small() -> VerdictMatrix:
    losses = ["softmax", "squared:gain", "RankNet", "pointwise-logistic", "lambdarank"]
    return certify_matrix(losses, ["nDCG", "AP", "AUC", "P@2"], items=3, grades=2, effort=0.3)


def test_the_rows_are_all_losses() -> None:
    assert {type(loss_of(row)).name for row in LOSS_ROWS} == set(LOSSES)
    assert len(set(LOSS_ROWS)) == len(LOSS_ROWS)


def test_the_columns_are_all_metrics() -> None:
    columns = metric_columns()
    assert {metric_of(column).name for column in columns} == set(METRICS)
    assert len(columns) == len(METRICS)


@pytest.mark.parametrize("column", metric_columns())
def test_a_column_tells_rankings_apart(column: str) -> None:
    """Else every loss would be consistent with it; only judged looks at no ranking."""
    rows = value_table(column, graded_space(3, 2)).values
    assert any(row != rows[0] for row in rows) or column.startswith("judged")


def test_every_cell_has_a_verdict(small: VerdictMatrix) -> None:
    assert small.losses == (ANY, "softmax", "squared:gain", "RankNet", "pointwise-logistic", "lambdarank")
    assert len(small.verdicts) == 6 * 4
    for loss in small.losses:
        for metric in small.metrics:
            verdict = small[loss, metric]
            assert verdict.metric == metric
            assert (verdict.loss is None) == (loss == ANY)
            assert verdict.short


@pytest.mark.parametrize(
    ("loss", "metric", "outcome"),
    [
        (ANY, "nDCG", "consistent"),
        (ANY, "AP", "inconsistent"),
        ("softmax", "nDCG", "consistent"),
        ("softmax", "AP", "inconsistent"),
        ("softmax", "AUC", "consistent"),
        ("squared:gain", "nDCG", "inconsistent"),
        ("RankNet", "nDCG", "inconsistent"),
        ("RankNet", "AP", "inconsistent"),
        ("pointwise-logistic", "P@2", "consistent"),
        # On three items it looks consistent.
        ("pointwise-logistic", "AUC", "inconsistent"),
        ("lambdarank", "nDCG", "inconsistent"),
    ],
)
def test_known_cells(small: VerdictMatrix, loss: str, metric: str, outcome: str) -> None:
    assert small[loss, metric].outcome == outcome


def test_every_cell_replays(small: VerdictMatrix) -> None:
    found = replay(json.loads(json.dumps(small.to_dict())))
    assert found.holds, found


def test_no_cell_contradicts_what_is_known(small: VerdictMatrix) -> None:
    assert known_facts().contradictions(small.verdicts, grades=2) == []


def known_facts() -> ModuleType:
    """What the benchmark holds the whole matrix against."""
    return script("benchmarks/shared/known_facts.py")


def test_the_known_facts_are_about_the_matrix() -> None:
    facts = known_facts()
    rows = {*facts.ORDER_PRESERVING, *facts.CONVEX, *facts.NOT_NDCG}
    columns = {*facts.POSITIONAL, *facts.NO_TARGET, *facts.NO_TARGET_ON_GRADES}
    assert rows <= set(LOSS_ROWS)
    assert columns == {column for column in metric_columns() if not column.startswith("judged")}
    known = [facts.known_outcome(row, column, 3) for row in (ANY, *LOSS_ROWS) for column in metric_columns()]
    assert sum(outcome is not None for outcome in known) > 300


def test_a_contradiction_would_be_seen(small: VerdictMatrix) -> None:
    def flipped(verdict: Verdict) -> Verdict:
        kind = Consistent if isinstance(verdict, Inconsistent) else Inconsistent
        return kind(**{field.name: getattr(verdict, field.name) for field in fields(verdict)})

    for cell in [
        ("softmax", "nDCG"),
        (ANY, "AP"),
        ("RankNet", "nDCG"),
        ("squared:gain", "nDCG"),
        (ANY, "P@2"),
    ]:
        wrong = {**small.verdicts, cell: flipped(small.verdicts[cell])}
        assert len(known_facts().contradictions(wrong, grades=2)) == 1


def test_a_matrix_comes_back_from_json(small: VerdictMatrix) -> None:
    plain = json.loads(json.dumps(small.to_dict()))
    back = VerdictMatrix.from_dict(plain)
    assert back.to_dict() == plain == small.to_dict()
    assert (back.losses, back.metrics, back.items, back.grades) == (small.losses, small.metrics, 3, 2)


@pytest.mark.parametrize(
    "damage", [{}, {"format": "rankproof.verdict"}, {"cells": 3}, {"cells": [{}]}, {"items": None}]
)
def test_a_damaged_matrix_is_told(small: VerdictMatrix, damage: dict[str, object]) -> None:
    plain = {**small.to_dict(), **damage}
    if damage in ({}, {"items": None}):
        plain.pop("items")
    with pytest.raises(DataError, match="matrix"):
        VerdictMatrix.from_dict(plain)


def test_tables_for_people(small: VerdictMatrix) -> None:
    reasons, grid = matrix_tables(small)
    assert len(reasons.rows) == 24
    text = as_text(grid)
    row = next(line for line in text.splitlines() if line.startswith("pointwise-logistic"))
    assert row.split()[1:] == ["no", "no", "no", "yes"]
    counts = {sign: sum(SIGNS[v.outcome] == sign for v in small.verdicts.values()) for sign in SIGNS.values()}
    assert f"{counts['yes']} consistent, {counts['no']} inconsistent, {counts['?']} undecided" in text
    assert "consistent under every law" in text
    assert "independent labels" in as_text(matrix_tables(replace(small, noise="independent"))[1])


def test_under_noise_and_with_progress() -> None:
    told: list[tuple[int, int, str]] = []
    matrix = certify_matrix(
        ["softmax"], ["AP"], noise="independent", grades=2, progress=lambda *words: told.append(words)
    )
    assert matrix["softmax", "AP"].outcome == matrix[ANY, "AP"].outcome == "consistent"
    assert told == [(0, 2, "any convex loss and AP"), (1, 2, "softmax and AP"), (2, 2, "done")]
