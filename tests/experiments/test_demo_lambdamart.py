"""The first scene of the demo: a law to check by hand, engines where installed, their formula where not."""

from __future__ import annotations

import sys
from math import log2

import numpy as np
import pytest

from rankproof.experiments.demo.lambdamart import RATE, TREES, LambdaMARTScene, lambdamart_scene
from rankproof.experiments.demo.lambdamart_text import (
    TITLE,
    end_table,
    lambdamart_in_words,
    target_table,
)
from rankproof.report.content import LineChart, Paragraphs
from rankproof.report.pages.demo import _lambdamart

MEANS = (3 / 5 * 3 / (3 + 1 / log2(3)), 2 / 5 + 3 / 5 / (3 + 1 / log2(3)))


@pytest.fixture(scope="module")
def trained() -> LambdaMARTScene:
    return lambdamart_scene()


def test_engines_end_at_the_wrong_order_and_ours_at_the_best(trained: LambdaMARTScene) -> None:
    assert trained.means == pytest.approx(MEANS)
    assert trained.best == (1, 0)
    assert trained.lost == pytest.approx((MEANS[1] - MEANS[0]) * (1 - 1 / log2(3)))
    assert [curve.order for curve in trained.curves] == [(0, 1), (0, 1), (1, 0)]
    assert [curve.ours for curve in trained.curves] == [False, False, True]
    assert trained.missing == ()
    assert target_table(trained).rows == [
        ["60%", "2 1", "3.631", "0.826", "0.275"],
        ["40%", "0 1", "1.000", "0.000", "1.000"],
        ["mean", "", "", "0.496", "0.565"],
    ]
    assert [row[-1] for row in end_table(trained).rows] == ["0.0257", "0.0257", "0"]
    assert "a demonstration" in lambdamart_in_words(trained)


def test_without_engines_the_formula_takes_their_place(
    trained: LambdaMARTScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in ("lightgbm", "xgboost"):
        monkeypatch.setitem(sys.modules, engine, None)
    scene = lambdamart_scene()
    formula, ours = scene.curves
    # LightGBM's own trees take the same steps, in single precision.
    np.testing.assert_allclose(formula.gaps, trained.curves[0].gaps, rtol=0, atol=2e-4)
    assert ours.gaps[-1] == pytest.approx((MEANS[0] - MEANS[1]) * (1 - (1 - RATE) ** TREES))
    assert ours.order == (1, 0)
    assert len(scene.missing) == 2
    assert "trees" not in lambdamart_in_words(scene)
    assert "The curve of lambdarank, LightGBM is missing." in scene.missing[0]
    assert "pip install xgboost" in scene.missing[1]
    section = _lambdamart(scene)
    assert section.title == TITLE
    notes = [block for block in section.blocks if isinstance(block, Paragraphs) and block.tone == "note"]
    assert list(notes[0].paragraphs) == list(scene.missing)
    (chart,) = (block for block in section.blocks if isinstance(block, LineChart))
    assert [series.name for series in chart.series] == [formula.name, ours.name, "equal scores"]
