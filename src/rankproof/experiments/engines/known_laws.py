"""Laws on which the objectives of engines are known to end at an order that is not best.

They were found by training on all laws of two label vectors with grades 0 to 3 and probabilities in tenths
(two items: in twentieths), on two and three items, and of three binary label vectors on three items, up to
the names of items. Of those on which every run with the learning rates 0.3, 0.1 and 0.02 ends wrong, a short
law that is easy to check by hand is kept, and the one on which most is lost. Laws outside this search may
cost more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankproof.feedback import Law
from rankproof.theory.shipped.objective import EngineObjective, engine_objective

__all__ = ["KNOWN_LAWS", "KnownLaw", "laws_to_try"]


@dataclass(frozen=True)
class KnownLaw:
    """A law on which an objective is known to lose.

    Attributes
    ----------
    objective, metric : what was trained, and what is lost
    kind : "small", one that is easy to check by hand, or "worst", the one of the search that costs most
    """

    objective: str
    metric: str
    kind: str
    law: Law


# One law for most of them: item 0 is better for three of five people and useless to the others.
_TWO_ITEMS = Law({(2, 1): "3/5", (0, 1): "2/5"})
_BINARY = Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})
_LAMBDA_ERR = Law({(3, 3, 0): "1/2", (0, 0, 1): "1/2"})

# Objective, metric, kind, law.
_TABLE: tuple[tuple[str, str, str, Law], ...] = (
    ("lightgbm:lambdarank", "nDCG", "small", _TWO_ITEMS),
    ("lightgbm:lambdarank", "nDCG", "worst", Law({(3, 3, 1): "3/5", (0, 0, 1): "2/5"})),
    ("lightgbm:lambdarank", "ERR", "small", Law({(1, 2, 1): "1/2", (0, 0, 1): "1/2"})),
    ("lightgbm:lambdarank", "ERR", "worst", _LAMBDA_ERR),
    ("lightgbm:rank_xendcg", "nDCG", "small", _TWO_ITEMS),
    ("lightgbm:rank_xendcg", "nDCG", "worst", Law({(1, 3, 0): "2/5", (0, 0, 1): "3/5"})),
    ("lightgbm:rank_xendcg", "ERR", "small", Law({(1, 2, 1): "1/2", (0, 0, 1): "1/2"})),
    ("lightgbm:rank_xendcg", "ERR", "worst", Law({(3, 3, 1): "3/5", (0, 0, 2): "2/5"})),
    ("xgboost:rank:ndcg", "nDCG", "small", _TWO_ITEMS),
    ("xgboost:rank:ndcg", "nDCG", "worst", Law({(3, 3, 2): "3/5", (1, 1, 3): "2/5"})),
    ("xgboost:rank:ndcg", "ERR", "small", Law({(1, 2, 1): "1/2", (0, 0, 1): "1/2"})),
    ("xgboost:rank:ndcg", "ERR", "worst", _LAMBDA_ERR),
    ("xgboost:rank:pairwise", "nDCG", "small", _TWO_ITEMS),
    ("xgboost:rank:pairwise", "nDCG", "worst", Law({(3, 3, 2): "1/2", (0, 1, 3): "1/2"})),
    ("xgboost:rank:pairwise", "AP", "small", _BINARY),
    ("xgboost:rank:pairwise", "ERR", "small", Law({(2, 0): "2/5", (0, 1): "3/5"})),
    ("xgboost:rank:pairwise", "ERR", "worst", Law({(3, 0, 1): "1/2", (0, 1, 1): "1/2"})),
    ("xgboost:rank:map", "nDCG", "small", _BINARY),
    ("xgboost:rank:map", "nDCG", "worst", Law({(1, 1, 0): "1/2", (1, 1, 1): "1/10", (0, 0, 1): "2/5"})),
    ("xgboost:rank:map", "AP", "small", _BINARY),
    ("xgboost:rank:map", "AP", "worst", Law({(1, 1, 0): "1/2", (1, 1, 1): "1/10", (0, 0, 1): "2/5"})),
    ("catboost:YetiRank", "nDCG", "small", _TWO_ITEMS),
    ("catboost:YetiRank", "nDCG", "worst", Law({(3, 3, 0): "3/10", (0, 0, 1): "7/10"})),
    ("catboost:YetiRank", "ERR", "small", Law({(3, 2): "1/2", (0, 2): "1/2"})),
    ("catboost:YetiRank", "ERR", "worst", Law({(3, 2, 1): "7/10", (0, 2, 3): "3/10"})),
    (
        "catboost:YetiRank(mode=NDCG)",
        *("nDCG", "small"),
        Law({(1, 1, 0): "1/2", (0, 1, 0): "3/10", (0, 0, 1): "1/5"}),
    ),
    ("catboost:YetiRank(mode=NDCG)", "nDCG", "worst", Law({(3, 2, 0): "7/10", (0, 2, 3): "3/10"})),
    ("catboost:YetiRank(mode=NDCG)", "ERR", "small", _TWO_ITEMS),
    ("catboost:YetiRank(mode=NDCG)", "ERR", "worst", Law({(3, 3, 1): "7/10", (0, 0, 1): "3/10"})),
    ("catboost:QuerySoftMax", "nDCG", "small", _TWO_ITEMS),
    ("catboost:QuerySoftMax", "nDCG", "worst", Law({(2, 3, 0): "3/10", (0, 0, 1): "7/10"})),
    ("catboost:QuerySoftMax", "ERR", "small", Law({(2, 1): "2/5", (0, 1): "3/5"})),
    ("catboost:QuerySoftMax", "ERR", "worst", Law({(3, 2, 0): "3/5", (0, 2, 3): "2/5"})),
    ("catboost:PairLogit", "nDCG", "small", _TWO_ITEMS),
    ("catboost:PairLogit", "nDCG", "worst", Law({(3, 3, 2): "2/5", (0, 1, 3): "3/5"})),
    ("catboost:PairLogit", "AP", "small", _BINARY),
    ("catboost:PairLogit", "AP", "worst", Law({(1, 1, 0): "3/10", (0, 1, 1): "3/10", (0, 0, 1): "2/5"})),
    ("catboost:PairLogit", "ERR", "small", Law({(2, 0): "2/5", (0, 1): "3/5"})),
    ("catboost:PairLogit", "ERR", "worst", Law({(3, 0, 1): "3/5", (0, 1, 1): "2/5"})),
)
KNOWN_LAWS: tuple[KnownLaw, ...] = tuple(KnownLaw(*row) for row in _TABLE)


def laws_to_try(objective: EngineObjective) -> Iterator[list[Law]]:
    """The laws known for the objective whatever its parameters, and then those known for others."""
    name = f"{objective.engine}:{objective.name}"
    own = [entry.law for entry in KNOWN_LAWS if _name(entry.objective) == name and _fits(entry.law, name)]
    others = [entry.law for entry in KNOWN_LAWS if entry.law not in own and _fits(entry.law, name)]
    if own:
        yield list(dict.fromkeys(own))
    yield list(dict.fromkeys(others))


def _name(spec: str) -> str:
    parsed = engine_objective(spec)
    return f"{parsed.engine}:{parsed.name}"


def _fits(law: Law, name: str) -> bool:
    """XGBoost's objective for AP refuses labels other than 0 and 1."""
    return name != "xgboost:rank:map" or all(grade in (0, 1) for y in law.support for grade in y)  # type: ignore[union-attr]
