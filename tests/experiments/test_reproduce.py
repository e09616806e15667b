"""The experiments of the papers, on small folds: every number can be had by hand with the public parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError, UnknownNameError
from rankproof.experiments.reproduce.b11 import COLUMNS, L2, PRINTED, ROWS, b11_metrics, reproduce_b11
from rankproof.experiments.reproduce.b11_text import b11_dict, b11_files, b11_tables
from rankproof.experiments.reproduce.paths import fit_path
from rankproof.experiments.reproduce.r11 import CUTOFFS, FAMILIES, Q_FAMILY, ranker_names, reproduce_r11
from rankproof.experiments.reproduce.r11_text import r11_dict, r11_files, r11_tables
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.losses.parse import loss
from rankproof.threads import using

# Whole experiments; `test_reproduce_parts` has the quick tests of what they are made of.
pytestmark = pytest.mark.exhaustive

Run = Callable[..., Any]
FOLDS, FEATURES = 3, 4


def part(rng: np.random.Generator, queries: int, features: int = FEATURES) -> RankingData:
    """Queries of 5 to 9 items whose grades 0..2 depend on the features; the first has no relevant item."""
    sizes = rng.integers(5, 10, size=queries)
    X = rng.random((int(sizes.sum()), features)).astype(np.float32)
    quality = X @ np.linspace(1.0, -0.5, features) + rng.normal(scale=0.25, size=len(X))
    labels = np.digitize(quality, [0.5, 0.9]).astype(float)
    labels[: sizes[0]] = 0.0
    return RankingData(labels=labels, offsets=np.concatenate(([0], np.cumsum(sizes))), X=X)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("folds")
    rng = np.random.default_rng(3)
    for number in range(1, FOLDS + 1):
        (root / f"Fold{number}").mkdir()
        for name, queries in (("train", 20), ("vali", 8), ("test", 6 + number)):
            rp.write_letor(part(rng, queries), root / f"Fold{number}" / f"{name}.txt")
    return root


@pytest.fixture(scope="module")
def b11(folds: Path) -> Any:
    with using(2):
        return reproduce_b11(folds, solvers=["lbfgs", "sgd"], l2=[1.0, 0.1, 0.01])


@pytest.fixture(scope="module")
def r11(folds: Path) -> Any:
    with using(2):
        return reproduce_r11(folds, l2=[1e-3])


def test_the_rows_of_b11_are_the_losses_of_the_paper() -> None:
    """Eq. 5 (Huber hinge), eq. 6 with the targets of §5.1, and the weights of §6, on one query by hand."""
    scores, labels = np.array([0.2, -0.3, 0.6]), np.array([2.0, 1.0, 0.0])

    def phi(t: float) -> float:  # Chapelle 2007, width 1/2
        return 0.0 if t > 1.5 else (1.5 - t) ** 2 / 2 if abs(1 - t) <= 0.5 else 1 - t

    def gap(i: int, j: int) -> float:
        return phi(float(scores[i] - scores[j]))

    ordered = [(0, 1), (0, 2), (1, 2)]
    gains = 2**labels - 1
    best = 3.0 + 1.0 / np.log2(3.0)
    every = sum(gains[i] * gap(i, j) for i, j in product(range(3), repeat=2) if i != j)
    expected = {
        "preorder": sum(gap(i, j) for i, j in ordered),
        "consistent DCG": every,
        "consistent nDCG": every / best,
        "preorder, norm": sum(gap(i, j) for i, j in ordered) / 3,
        "preorder, norm + DCG": sum((2 ** labels[i] - 2 ** labels[j]) * gap(i, j) for i, j in ordered) / 3,
        "consistent, norm + DCG": every / (3 * 2),
    }
    offsets = np.array([0, 3])
    for row in ROWS:
        made = loss(row.loss)
        value = made.evaluate(scores, made.targets(labels, offsets), offsets).value
        assert value == pytest.approx(expected[row.label], rel=1e-12), row.label
    assert [row.label for row in ROWS] == list(PRINTED)


def test_the_losses_of_r11_are_those_of_the_paper() -> None:
    """§2 and §3.3 on one query by hand; Z_k with log2."""
    s, y = np.array([0.2, -0.3, 0.6]), np.array([2.0, 1.0, 0.0])
    g = 2**y - 1
    norms = {"Z_1": 3.0, "Z_10": 3.0 + 1.0 / np.log2(3.0), "Z": 3.0 + 1.0 / np.log2(3.0)}
    q = np.log(3.0) + 2.0
    p_y, p_s = np.exp(y) / np.exp(y).sum(), np.exp(s) / np.exp(s).sum()
    expected = {
        "cosine, plain": 1 - s @ g / (np.linalg.norm(s) * np.linalg.norm(g)),
        "squared, plain": ((s - g) ** 2).sum(),
        "cross-entropy, plain": (p_y * np.log(p_y / p_s)).sum(),
        Q_FAMILY: -(s @ g) / norms["Z"] / (np.abs(s) ** q).sum() ** (1 / q),
    }
    for z, norm in norms.items():
        u = g / norm
        logs = np.log(np.where(u > 0, u, 1.0))
        expected[f"cosine, {z}"] = 1 - s @ u / np.linalg.norm(s)
        expected[f"squared, {z}"] = ((s - u) ** 2).sum()
        expected[f"cross-entropy, {z}"] = (u * (logs - s) - u + np.exp(s)).sum()
    offsets = np.array([0, 3])
    assert set(expected) == set(ranker_names())
    for name, text in ranker_names().items():
        made = loss(text)
        value = made.evaluate(s, made.targets(y, offsets), offsets).value
        assert value == pytest.approx(expected[name], rel=1e-12), name


def test_printed_figures_are_means_of_five_figures_with_four_decimals() -> None:
    """Which is how a mean over five folds comes to have an even fifth decimal; a slip of a digit may not."""
    for figures in PRINTED.values():
        for value in figures:
            assert round(value * 1e5) % 2 == 0
            assert value == round(value, 5)


def test_the_metrics_of_b11_are_those_that_give_the_printed_magnitudes() -> None:
    metrics = b11_metrics(2)
    labels, scores = [1.0, 2.0, 0.0, 0.0, 0.0], [3.0, 2.0, 1.0, 1.0, 0.0]
    found = rp.evaluate(scores, labels, list(metrics.values()), offsets=[0, 3, 5])
    dcg = 0.25 / np.log(2) + 0.75 / np.log(3)
    err = 0.25 + 0.75 * 0.75 / 2
    assert found.per_query[metrics["DCG"]] == pytest.approx([dcg, 0.0])
    assert found.per_query[metrics["ERR"]] == pytest.approx([err, 0.0])
    assert found.per_query[metrics["nDCG"]][0] == pytest.approx(dcg / (0.75 / np.log(2) + 0.25 / np.log(3)))
    assert np.isnan(found.per_query[metrics["nDCG"]][1])


def test_a_path_chooses_on_validation_what_separate_fits_would(folds: Path) -> None:
    """Cold fits of the public estimator, each metric's best l2 on the validation part, scored on test."""
    fold = next(rp.read_folds(folds))
    row, strengths = ROWS[1], (1.0, 0.1, 0.01)
    metrics = b11_metrics(2)
    found = fit_path(
        loss(row.loss),
        fold,
        metrics,
        l2=strengths,
        solver="lbfgs",
        scale="none",
        seed=0,
        stop=lambda: False,
    )
    cold = {
        l2: LinearRanker(loss=row.loss, l2=l2, scale="none", tol=1e-7, max_iter=5000).fit(
            fold.train.X, fold.train.labels, qid=fold.train.qids
        )
        for l2 in strengths
    }
    assert found.unconverged == 0
    for column, name in metrics.items():
        valid = {
            l2: rp.evaluate(m.predict(fold.valid.X), fold.valid, name).mean[name] for l2, m in cold.items()
        }
        best = max(strengths, key=lambda l2: valid[l2])
        assert found.l2[column] == best
        expected = rp.evaluate(cold[best].predict(fold.test.X), fold.test, name).per_query[name]
        np.testing.assert_allclose(found.values[column], expected, rtol=1e-12)


def test_the_table_is_the_mean_over_folds(b11: Any, folds: Path) -> None:
    plain = b11_dict(b11)
    assert len(plain["rows"]) == 2 * len(ROWS)
    row = next(r for r in plain["rows"] if r["label"] == "consistent nDCG" and r["solver"] == "lbfgs")
    for column, name in b11.metrics.items():
        means = []
        for number, fold in enumerate(rp.read_folds(folds)):
            l2 = row["metrics"][column]["l2"][number]
            ranker = LinearRanker(loss=row["loss"], l2=l2, scale="none", tol=1e-7, max_iter=5000)
            ranker.fit(fold.train.X, fold.train.labels, qid=fold.train.qids)
            means.append(rp.evaluate(ranker.predict(fold.test.X), fold.test, name).mean[name])
        assert row["metrics"][column]["folds"] == pytest.approx(means, rel=1e-12)
        assert row["metrics"][column]["mean"] == pytest.approx(np.mean(means), rel=1e-12)


def test_both_solvers_come_near_the_same_minimum(b11: Any) -> None:
    for row in ROWS:
        for column in COLUMNS:
            means = [b11.experiment.measured.mean(b11.name(row, solver), column) for solver in b11.solvers]
            assert means[0] == pytest.approx(means[1], rel=0.1)


@pytest.mark.exhaustive
def test_numbers_do_not_depend_on_threads(b11: Any, r11: Any, folds: Path) -> None:
    with using(1):
        again = reproduce_b11(folds, solvers=["lbfgs", "sgd"], l2=[0.01, 1.0, 0.1])
        other = reproduce_r11(folds, l2=[1e-3])
    assert b11_dict(again) == b11_dict(b11)
    assert r11_dict(other) == r11_dict(r11)


def test_tables_show_rows_columns_and_marks(b11: Any) -> None:
    tables = b11_tables(b11)
    assert [title for title, _ in tables] == [
        f"B11 Table {table}, {solver}" for solver in ("lbfgs", "sgd") for table in (1, 2)
    ]
    for title, table in tables:
        number = int(title[10])
        assert [line[0] for line in table.rows] == [row.label for row in ROWS if row.table == number]
        for at, column in enumerate(table.columns[1:], start=1):
            assert column == COLUMNS[at - 1]
            values = [float(line[at].split()[0]) for line in table.rows]
            starred = [line[at].endswith("*") for line in table.rows]
            assert sum(starred) == 1
            assert values[starred.index(True)] == max(values)


@pytest.mark.exhaustive
def test_r11_curves_are_the_means_of_its_rankers(r11: Any, folds: Path) -> None:
    for name in ("squared, Z_10", "cross-entropy, plain"):
        means: dict[str, list[float]] = {f"nDCG@{k}": [] for k in CUTOFFS}
        for fold in rp.read_folds(folds):
            ranker = LinearRanker(loss=ranker_names()[name], l2=1e-3, scale="none", tol=1e-7, max_iter=5000)
            ranker.fit(fold.train.X, fold.train.labels, qid=fold.train.qids)
            found = rp.evaluate(ranker.predict(fold.test.X), fold.test, list(means))
            for metric, value in found.mean.items():
                means[metric].append(value)
        for metric, values in means.items():
            assert r11.experiment.measured.mean(name, metric) == pytest.approx(np.mean(values), rel=1e-12)


def test_r11_tests_each_variant_against_the_plain_loss(r11: Any) -> None:
    for kind in FAMILIES:
        found = r11.versus[kind]
        assert len(found) == 3 * len(CUTOFFS)
        assert {v.base for v in found} == {f"{kind}, plain"}
        for v in found:
            measured = r11.experiment.measured
            difference = measured.mean(v.ranker, v.metric) - measured.mean(v.base, v.metric)
            assert v.difference == pytest.approx(difference, abs=1e-12)
            assert v.p <= v.adjusted <= min(1.0, 30 * v.p) + 1e-12
    assert len(r11_tables(r11)) == 4


def test_several_penalties_are_for_losses_that_see_the_length_of_scores(folds: Path) -> None:
    found = reproduce_r11(folds, l2=[0.1, 0.001]).experiment.l2
    assert found["cosine, plain"]["nDCG@10"] == [0.0] * FOLDS
    assert found[Q_FAMILY]["nDCG@1"] == [0.0] * FOLDS
    for per_metric in (found["squared, Z"], found["cross-entropy, plain"]):
        assert set(per_metric["nDCG@10"]) <= {0.1, 0.001}
        assert all(chosen == per_metric["nDCG@10"] for chosen in per_metric.values())


@pytest.mark.exhaustive
def test_files_hold_what_the_tables_show_and_are_the_same_again(b11: Any, r11: Any, folds: Path) -> None:
    tables = b11_files(b11)
    assert set(tables) == {"b11.json", "b11-tables.csv", "b11-tests.csv", "b11-per-query.csv"}
    assert json.loads(tables["b11.json"]) == json.loads(json.dumps(b11_dict(b11)))
    lines = tables["b11-per-query.csv"].decode().splitlines()
    queries = sum(fold.test.queries for fold in rp.read_folds(folds))
    assert len(lines) == 1 + 2 * len(ROWS) * queries
    drawn = r11_files(r11)
    assert drawn == r11_files(r11)
    for figure in ("r11-figure1", "r11-figure2"):
        assert drawn[f"{figure}.png"].startswith(b"\x89PNG\r\n")
        assert ET.fromstring(drawn[f"{figure}.svg"]).tag.endswith("svg")  # noqa: S314
    curves = drawn["r11-curves.csv"].decode().splitlines()
    assert len(curves) == 1 + len(ranker_names())


def test_a_label_above_the_highest_grade_is_an_error(folds: Path) -> None:
    with pytest.raises(DataError, match=r"Fold 1 has label 2, above the highest grade 1.*max_grade=2"):
        reproduce_b11(folds, max_grade=1, l2=[1.0])


def test_wrong_arguments_are_told_before_any_work(folds: Path) -> None:
    with pytest.raises(ArgumentError, match="solvers"):
        reproduce_b11(folds, solvers=["newton"])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="l2"):
        reproduce_b11(folds, l2=[-1.0])
    with pytest.raises(ArgumentError, match="scale"):
        reproduce_r11(folds, scale="log")
    with pytest.raises(UnknownNameError, match="letor4"):
        reproduce_r11(folds, convention="letor5")
    assert sorted(L2, reverse=True) == list(L2)
    assert len(L2) == 7
