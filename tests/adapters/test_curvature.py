"""The scale of a gradient comes from all rows, also when a machine has only some of them."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import LIGHTGBM
from every_case import every_case
from properties.loss_cases import EVERY, Ragged, identity
from rankproof.adapters import lightgbm, xgboost
from rankproof.adapters.curvature import Curvature, curvature, exact_sum
from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import scale_for_mean
from rankproof.errors import ArgumentError, DataError
from rankproof.losses import Loss
from rankproof.losses.choose import PREFERRED
from rankproof.losses.parse import loss
from rankproof.losses.supervision import Supervision
from rankproof.threads import using

USABLE = [found for found in EVERY if found.claims.value("hessian") is not None]
# Six queries of five items, many of them relevant; then four of 60 items with one relevant item each.
RNG = np.random.default_rng(3)
SIZES = np.array([5] * 6 + [60] * 4)
CUT = 30
LABELS = np.concatenate([RNG.integers(1, 5, CUT), *(np.eye(1, 60, 7 * k)[0] for k in range(4))]).astype(float)
SCORES = RNG.normal(size=LABELS.size)
PARTS = (slice(0, CUT), SIZES[:6]), (slice(CUT, None), SIZES[6:])
WHOLE = slice(None), SIZES


def dataset(rows: slice, sizes: np.ndarray) -> lgb.Dataset:
    data = lgb.Dataset(np.zeros((LABELS[rows].size, 1)), LABELS[rows], group=sizes, free_raw_data=False)
    return data.construct()


def by_lightgbm(part: tuple[slice, np.ndarray], **more: object) -> np.ndarray:
    objective = lightgbm.objective("nDCG@10", **more)
    return np.array(objective(SCORES[part[0]], dataset(*part)))


def by_xgboost(part: tuple[slice, np.ndarray], **more: object) -> np.ndarray:
    matrix = xgb.DMatrix(np.zeros((LABELS[part[0]].size, 1)), LABELS[part[0]], group=part[1])
    return np.array(xgboost.objective("nDCG@10", **more)(SCORES[part[0]], matrix))


@pytest.mark.parametrize("gradients", [by_lightgbm, by_xgboost])
@pytest.mark.parametrize("name", ["auto", "softmax", "squared", "relative"])
def test_parts_weigh_their_queries_as_the_whole_does(gradients: object, name: str) -> None:
    whole = gradients(WHOLE, loss=name)
    parts = [curvature("nDCG@10", LABELS[rows], group=sizes, loss=name) for rows, sizes in PARTS]
    for scale in (sum(parts), sum(parts).scale):
        together = [gradients(part, loss=name, scale=scale) for part in PARTS]
        assert np.array_equal(np.concatenate(together, axis=1), whole)
    alone = np.concatenate([gradients(part, loss=name) for part in PARTS], axis=1)
    # Plain squares have the curvature 1 in any data; all others were weighed by the part they are in.
    assert np.array_equal(alone, whole) == (name == "squared")


def test_two_parts_of_different_density_have_different_scales() -> None:
    dense, sparse = (curvature("nDCG@10", LABELS[rows], group=sizes) for rows, sizes in PARTS)
    assert dense.scale != sparse.scale
    assert (dense + sparse).scale == curvature("nDCG@10", LABELS, group=SIZES).scale


@every_case("found", USABLE, ids=identity)
def test_parts_add_up_to_the_whole_to_the_bit(found: Loss) -> None:
    data = Ragged.draw(found, np.random.default_rng(8), (3, 9, 1, 30, 4, 0, 17))
    whole = Curvature.at_zero(found, data.targets, data.offsets)
    for cut in (1, 2, 4, 6):
        parts = []
        for low, high in ((0, cut), (cut, 7)):
            starts = data.offsets[low : high + 1]
            rows = slice(int(starts[0]), int(starts[-1]))
            parts.append(Curvature.at_zero(found, data.targets[rows], starts - starts[0]))
        assert parts[0] + parts[1] == parts[1] + parts[0] == whole
        assert Gradients(
            found, Supervision(data.targets, data.offsets, 7.0)
        ).scale == (parts[0] + parts[1]).scale  # fmt: skip


def test_the_sum_is_exact_in_any_order() -> None:
    rng = np.random.default_rng(0)
    numbers = np.ldexp(rng.random(5000), rng.integers(-1090, 900, 5000))
    expected = sum(map(Fraction, numbers.tolist()), Fraction(0)) * 2**1126
    assert exact_sum(numbers) == exact_sum(numbers[::-1].copy()) == expected
    assert exact_sum(numbers[:1234]) + exact_sum(numbers[1234:]) == expected
    assert exact_sum(np.empty(0)) == 0


def test_many_rows_are_summed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(1).random(1000)
    whole = exact_sum(numbers)
    monkeypatch.setattr("rankproof.adapters.curvature._ROWS_AT_ONCE", 7)
    assert exact_sum(numbers) == whole


def test_a_mean_on_the_edge_of_two_scales_falls_to_the_same_side_in_any_split() -> None:
    # Means next to sqrt(2) are where the scale changes from 1 to 1/2.
    edge = math.sqrt(2)
    numbers = np.full(1001, edge)
    numbers[::2] = np.nextafter(edge, 2)
    split = [Curvature.of_hessian(loss("squared"), part) for part in np.array_split(numbers, 13)]
    assert sum(split).scale == Curvature.of_hessian(loss("squared"), numbers).scale
    exact = Fraction(exact_sum(numbers), 1001 * 2**1126)
    assert sum(split).scale == scale_for_mean(float(exact), 1.0)


def test_the_default_of_one_process_is_what_it_was() -> None:
    rng = np.random.default_rng(4)
    for aim, name in ((1.0, "squared"), (1 / 16, "softmax")):
        for _ in range(200):
            hessian = rng.gamma(0.3, size=50) * (rng.random(50) < 0.7) * 10.0 ** rng.integers(-9, 9)
            mean = float(hessian[hessian > 0].mean())
            assert Curvature.of_hessian(loss(name), hessian).scale == scale_for_mean(mean, aim)


def test_lightgbm_trains_the_trees_of_the_whole_with_the_scale_of_the_whole() -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(LABELS.size, 4))
    data = lgb.Dataset(X, LABELS, group=SIZES)
    parts = [curvature("nDCG@10", LABELS[rows], group=sizes) for rows, sizes in PARTS]
    texts = [
        lgb.train({**LIGHTGBM, "objective": objective, "metric": "None"}, data, 3).predict(X).tolist()
        for objective in (lightgbm.objective("nDCG@10"), lightgbm.objective("nDCG@10", scale=sum(parts)))
    ]
    assert texts[0] == texts[1]
    assert lightgbm.parameters("nDCG@10", scale=sum(parts))["objective"].scale == sum(parts).scale


def test_a_summary_travels() -> None:
    part = curvature("nDCG@10", LABELS, group=SIZES)
    assert Curvature.from_dict(part.to_dict()) == part == pickle.loads(pickle.dumps(part))  # noqa: S301
    assert (Curvature(part.loss, part.aim, 0, 0) + part) == part


def test_threads_change_nothing() -> None:
    sums = []
    for threads in (1, 2):
        with using(threads):
            sums.append(curvature("P@5", LABELS > 2, group=SIZES, loss="softmax"))
    assert sums[0] == sums[1]


def test_both_engines_choose_the_same_loss() -> None:
    assert PREFERRED["lightgbm"] == PREFERRED["xgboost"]
    part = curvature("nDCG@10", LABELS, group=SIZES)
    assert part.loss == str(lightgbm.objective("nDCG@10").loss) == str(xgboost.objective("nDCG@10").loss)


def test_a_wrong_scale_is_refused() -> None:
    for wrong in (0.75, 0, -1.0, math.inf, math.nan, "2"):
        with pytest.raises(ArgumentError, match="Argument scale must be a power of two"):
            lightgbm.objective("nDCG@10", scale=wrong)
    other = curvature("nDCG@10", LABELS, group=SIZES, loss="softmax")
    with pytest.raises(
        ArgumentError, match=r"is the curvature of softmax:normalised-gain@10, but the loss is"
    ):
        xgboost.objective("nDCG@10", scale=other)
    with pytest.raises(ArgumentError, match="Curvatures of different losses cannot be added"):
        other + curvature("nDCG@10", LABELS, group=SIZES)
    with pytest.raises(TypeError):
        other + 3
    with pytest.raises(DataError, match="second derivatives that are not finite"):
        Curvature.of_hessian(loss("squared"), np.array([1.0, np.inf]))


def test_weights_of_the_plain_regression_can_be_those_of_a_part() -> None:
    target, weight = lightgbm.relative_target("nDCG@10", LABELS, group=SIZES)
    parts = [
        lightgbm.relative_target("nDCG@10", LABELS[rows], group=sizes, scale=1.0) for rows, sizes in PARTS
    ]
    assert np.array_equal(np.concatenate([one for one, _ in parts]), target)
    weights = np.concatenate([one for _, one in parts])
    assert np.array_equal(weights / weights.mean(), weight)
    alone = [lightgbm.relative_target("nDCG@10", LABELS[rows], group=sizes)[1] for rows, sizes in PARTS]
    assert not np.allclose(np.concatenate(alone), weight, rtol=0.1)
    nothing = lightgbm.relative_target("nDCG@10", np.zeros(3), group=[3], scale=2.0)
    assert nothing[1].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ArgumentError, match="Argument scale must be a number > 0"):
        lightgbm.relative_target("nDCG@10", LABELS, group=SIZES, scale=0)
