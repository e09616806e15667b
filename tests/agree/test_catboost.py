"""The convention ``catboost`` equals CatBoost's ``eval_metric``."""

from __future__ import annotations

import numpy as np
import pytest
from catboost import utils as catboost_utils

from agree.convention_values import Data, random_data, values
from every_case import every_case
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

CUTOFFS = (1, 2, 3, 5, 10, 100, None)
EXPONENTS = "[0,1,3,7,15]"


def tool(data: Data, name: str, cutoff: int | None, **parameters: object) -> np.ndarray:
    """CatBoost's metric of every query, one call each."""
    given = {**parameters, **({} if cutoff is None else {"top": cutoff})}
    full = name + (":" if given else "") + ";".join(f"{key}={value}" for key, value in given.items())
    return np.array(
        [
            catboost_utils.eval_metric(
                data.labels[q], data.scores[q], full, group_id=data.qid[q], thread_count=1
            )[0]
            for q in data.queries
        ]
    )


def at(cutoff: int | None) -> str:
    return "" if cutoff is None else f"@{cutoff}"


@every_case("cutoff", CUTOFFS)
@every_case("levels", [1, 4, None])
@every_case(("name", "ours"), [("MAP", "AP"), ("PrecisionAt", "P"), ("RecallAt", "R"), ("MRR", "RR")])
def test_binary_metrics(name: str, ours: str, levels: int | None, cutoff: int | None) -> None:
    """Ties put the lower grade first; P@k divides by the shorter of k and the list, AP@k by min(R, k)."""
    for seed in range(4):
        data = random_data(seed, levels=levels)
        np.testing.assert_allclose(
            values("catboost", ours + at(cutoff), data), tool(data, name, cutoff), rtol=1e-12, atol=0
        )
        np.testing.assert_allclose(
            values("catboost", f"{ours}(rel=3)" + at(cutoff), data),
            tool(data, name, cutoff, border=2.5),
            rtol=1e-12,
            atol=0,
        )


@every_case("cutoff", CUTOFFS)
@every_case("levels", [1, 4, None])
@every_case("name", ["nDCG", "DCG"])
@every_case(("kind", "gain"), [("Base", None), ("Exp", EXPONENTS)])
@every_case(("denominator", "discount"), [("LogPosition", "log2"), ("Position", "reciprocal")])
def test_discounted_metrics(
    name: str,
    kind: str,
    gain: str | None,
    denominator: str,
    discount: str,
    levels: int | None,
    cutoff: int | None,
) -> None:
    """Linear gains unless the gain table asks for 2^y - 1; an empty query counts 1 in nDCG and 0 in DCG."""
    inner = f"(discount={discount})" if gain is None else f"(gain={gain},discount={discount})"
    for seed in range(2):
        data = random_data(seed, levels=levels)
        np.testing.assert_allclose(
            values("catboost", name + inner + at(cutoff), data),
            tool(data, name.upper(), cutoff, type=kind, denominator=denominator),
            rtol=1e-12,
            atol=0,
        )


def test_the_mean_is_over_all_queries() -> None:
    data = random_data(5)
    theirs = catboost_utils.eval_metric(data.labels, data.scores, "NDCG:top=5", group_id=data.qid)[0]
    assert values("catboost", "nDCG@5", data).mean() == pytest.approx(theirs, rel=1e-12)


def test_scores_are_compared_in_double_precision() -> None:
    data = Data(np.array([1.0, 1.0 + 1e-12]), np.array([0.0, 1.0]), np.array([2]), np.array([2]))
    assert tool(data, "NDCG", 1).tolist() == values("catboost", "nDCG@1", data).tolist() == [1.0]


def test_what_it_does_not_have() -> None:
    convention = CONVENTIONS["catboost"]
    # A table of other gains; the exponents are the one table that CatBoost can be asked for.
    with pytest.raises(ConventionError, match="CatBoost has nDCG with gain=linear"):
        convention.resolve(metric("nDCG(gain=[0,1,5])"))
    with pytest.raises(ConventionError, match="discount=log2 or discount=reciprocal"):
        convention.resolve(metric("nDCG(discount=ln)"))
    with pytest.raises(ConventionError, match="CatBoost has no ERR"):
        convention.resolve(metric("ERR"))
    with pytest.raises(ConventionError, match="a whole rel of at least 1"):
        convention.resolve(metric("AP(rel=0.5)"))
    with pytest.raises(DataError, match="whole grades of at least 0"):
        convention.check(metric("AP"), np.array([-1.0]))


def test_its_err_takes_the_label_as_the_probability() -> None:
    """Grade 1 satisfies the reader for certain: 1/2 at rank 2, where 2^y - 1 over 2^1 gives half of that."""
    data = Data(np.array([2.0, 1.0]), np.array([0.0, 1.0]), np.array([2]), np.array([2]))
    assert tool(data, "ERR", None).tolist() == [0.5]
    assert metric("ERR(max_grade=1)").of_labels([0, 1]) == 0.25
