"""The certification page shows every verdict, and laws on which each loss does what it is shown to do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankproof.experiments.laws.grid import grid
from rankproof.experiments.laws.of_matrix import matrix_scenes
from rankproof.experiments.laws.scene import LawScene
from rankproof.experiments.laws.scenes import law_scene
from rankproof.feedback import Law
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.report.content import DataTable, LawScenes, MatrixGrid
from rankproof.report.pages.certification import certification_report
from rankproof.report.pages.verdict import verdict_box
from rankproof.theory.base.risk import optimal_rankings, regret, risks
from rankproof.theory.certify import as_loss, as_metric, certify, certify_metric
from rankproof.theory.matrix import ANY, VerdictMatrix, certify_matrix
from rankproof.theory.minima.minimise import minimise

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def matrix() -> VerdictMatrix:
    return certify_matrix(("softmax", "listnet", "lambdarank"), ("nDCG", "AP", "PD"))


def laws_of(scene: LawScene, corners: list[tuple[int, ...]]) -> list[Law]:
    return [
        Law([(y, Fraction(w, scene.steps)) for y, w in zip(corners, weights, strict=True)])
        for weights in grid(len(corners), scene.steps)
    ]


def words(rankings: Any) -> str:
    return " or ".join(" > ".join(map(str, ranking)) for ranking in rankings).replace(" > ", "\u00a0>\u00a0")


@pytest.mark.parametrize(
    ("metric", "corners", "steps"),
    [
        ("nDCG", [(1, 2), (1, 0)], 12),
        ("AP", [(1, 1, 0), (0, 0, 1)], 13),
        ("PD", [(0, 2, 1), (2, 1, 0), (1, 0, 2)], 4),
    ],
)
def test_a_scene_shows_what_is_best_and_where_losses_end(
    metric: str, corners: list[tuple[int, ...]], steps: int
) -> None:
    """Against exact risks and the minimiser of every law on its own."""
    losses = ("softmax", "squared:gain", "RankNet")
    scene = law_scene(metric, corners, losses, steps=steps)
    sign = 1 if as_metric(metric).direction == "higher" else -1
    assert scene.higher_is_better == (sign > 0)
    for k, law in enumerate(laws_of(scene, corners)):
        best = optimal_rankings(metric, law)
        assert scene.rankings[scene.best[k]] == words(best)
        assert scene.values[k] == pytest.approx(sign * float(max(risks(metric, law).values())))
        for at, name in enumerate(losses):
            scores = minimise(as_loss(name, as_metric(metric)), law).scores
            rounded = np.round(scores / max(np.ptp(scores), 1e-9), 5).tolist()
            reached = list(sorting_rankings(rounded))
            assert scene.rankings[scene.reached[at][k]] == words(reached[:4]), (name, law)
            assert scene.costs[at][k] == pytest.approx(float(regret(metric, law, scores=rounded)), abs=1e-12)


def test_a_consistent_loss_never_fails_and_the_scene_starts_where_most_do() -> None:
    scene = law_scene("nDCG", [(3, 1), (0, 1)], ("softmax", "squared:gain", "listnet"))
    right, *wrong = scene.costs
    assert not any(right)
    assert all(any(lost) for lost in wrong)
    assert all(lost[scene.start] > 0 for lost in wrong)


def test_losses_without_a_minimum_are_left_out() -> None:
    scene = law_scene("nDCG", [(1, 0, 2), (0, 1, 0)], ("softmax", "lambdarank"), steps=3)
    assert scene.losses == ["softmax"]


def test_every_cell_has_its_verdict(matrix: VerdictMatrix) -> None:
    report = certification_report(matrix, [])
    (block,) = [b for s in report.sections for b in s.blocks if isinstance(b, MatrixGrid)]
    assert (block.rows, block.columns) == (matrix.losses, matrix.metrics)
    for row, cells in zip(block.rows, block.cells, strict=True):
        for column, cell in zip(block.columns, cells, strict=True):
            verdict = matrix[row, column]
            assert cell.verdict == verdict_box(verdict)
            assert cell.verdict.outcome == verdict.outcome
            assert verdict.reason in [s for _, sentences in cell.verdict.rows for s in sentences]
    assert [cell.sign for cell in block.cells[block.rows.index("softmax")]] == ["yes", "no", "no"]
    (table,) = [b.table for s in report.sections for b in s.blocks if isinstance(b, DataTable)]
    assert len(table.rows) == len(matrix.verdicts)


def test_scenes_are_over_the_label_vectors_of_witnesses(matrix: VerdictMatrix) -> None:
    told: list[str] = []
    scenes = matrix_scenes(matrix, progress=lambda done, of, what: told.append(f"{done}/{of} {what}"))
    report = certification_report(matrix, list(scenes))
    (block,) = [b for s in report.sections for b in s.blocks if isinstance(b, LawScenes)]
    assert [scene.metric for scene in block.scenes] == ["nDCG", "AP", "PD"]
    split = matrix[ANY, "AP"].find("split")
    assert split is not None
    law = Law.from_dict(split.data["law"])
    assert block.scenes[1].corners == ["".join(map(str, y)) for y in law.support]  # type: ignore[arg-type]
    assert told[0] == "0/3 laws for nDCG"
    assert told[-1] == "3/3 done"


def test_a_verdict_names_its_papers_and_evidence() -> None:
    box = verdict_box(certify("listnet", "nDCG"))
    assert box.head == "listnet is not consistent with nDCG."
    rows = dict(box.rows)
    assert any(line.startswith("C12: Calauzènes") for line in rows["papers"])
    assert "holds for" not in rows
    assert (
        box.details[0]
        == "Suppose the labels of a query follow this law (the probability of each set of labels):"
    )
    fine = dict(verdict_box(certify("softmax", "AP", "independent")).rows)
    assert "independent" in " ".join([*fine.get("holds for", []), *fine.get("holds if", [])])


def test_a_head_tells_of_conditions_that_it_does_not_name() -> None:
    known = verdict_box(certify("softmax", "AP", "independent"))
    assert known.head == "softmax:relevance is consistent with AP under independent labels."
    assert known.rows[0] == ("holds if", ["the labels of the items are independent given the query"])
    assert verdict_box(certify("cosine", "nDCG")).head.endswith(" with nDCG, under conditions.")


def test_a_target_that_the_reason_names_is_not_told_twice() -> None:
    for named in (certify("softmax", "nDCG"), certify_metric(lambda ranking, labels: labels[ranking[0]])):
        assert verdict_box(named).details == []
        target = named.find("target")
        assert target is not None
        assert target.data["closed_form"] in named.reason
    money = (0, 2, 5)
    unnamed = certify_metric(lambda ranking, labels: money[labels[ranking[0]]], grades=3)
    assert verdict_box(unnamed).details[0] == "The target to regress on, one number per item:"


def test_the_laws_of_ndcg_are_seen_first() -> None:
    matrix = certify_matrix(("listnet",), ("AP", "nDCG"))
    report = certification_report(matrix, list(matrix_scenes(matrix)))
    (scenes,) = [b for section in report.sections for b in section.blocks if isinstance(b, LawScenes)]
    assert [scene.metric for scene in scenes.scenes] == ["nDCG", "AP"]


def test_report_goes_with_matrix(rankproof: Run, tmp_path: Path) -> None:
    ran = rankproof("certify", "softmax", "-m", "nDCG", "--report", tmp_path / "m.html")
    assert ran.status == 3
    assert "--report needs --matrix" in ran.err
    ran = rankproof("certify", "--matrix", "--report", tmp_path / "no" / "m.html")
    assert ran.status == 3
    assert "its folder does not exist" in ran.err


def test_the_command_writes_the_page(
    rankproof: Run, tmp_path: Path, matrix: VerdictMatrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.theory.matrix.certify_matrix", lambda **_: matrix)
    ran = rankproof("certify", "--matrix", "--report", tmp_path / "m.html")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith(f"report    {tmp_path / 'm.html'}\n")
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "<code>rankproof certify --matrix</code>" in page
