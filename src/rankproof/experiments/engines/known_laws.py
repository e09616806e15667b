"""Laws on which the objectives of engines are known to end at an order that is not best.

`research/engine_laws.py` finds them: the training of an objective is followed by its mean field under tens of
thousands of laws of two and three items, and those that lose at least 0.01 of the metric are candidates. Of
these the smallest and the one that costs most are kept on which every run with the learning rates 0.3, 0.1
and 0.02 ends wrong. Larger laws may cost more.
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
    kind : "by hand", the one of two items that the page explains; "small", the smallest one of the search;
        or "worst", the one of the search that costs most
    """

    objective: str
    metric: str
    kind: str
    law: Law


# One law for most of them: item 0 is better for three of five people and useless to the others.
_TWO_ITEMS = Law({(2, 1): "3/5", (0, 1): "2/5"})

# Objective, metric, kind, law.
_TABLE: tuple[tuple[str, str, str, Law], ...] = (
    ("lightgbm:lambdarank", "nDCG", "by hand", _TWO_ITEMS),
    ("lightgbm:lambdarank", "nDCG", "small", Law({(3, 2): "2/3", (0, 1): "1/3"})),
    ("lightgbm:lambdarank", "nDCG", "worst", Law({(3, 3, 2): "3/5", (1, 0, 3): "1/5", (0, 1, 3): "1/5"})),
    ("lightgbm:lambdarank", "ERR", "small", Law({(2, 1): "1/2", (0, 1): "1/2"})),
    ("lightgbm:lambdarank", "ERR", "worst", Law({(3, 3, 0): "1/2", (0, 0, 1): "1/2"})),
    ("lightgbm:rank_xendcg", "nDCG", "by hand", _TWO_ITEMS),
    ("lightgbm:rank_xendcg", "nDCG", "small", Law({(3, 1): "1/2", (0, 1): "1/2"})),
    ("lightgbm:rank_xendcg", "nDCG", "worst", Law({(3, 1, 0): "3/8", (0, 0, 1): "5/8"})),
    ("lightgbm:rank_xendcg", "ERR", "small", Law({(2, 1): "1/2", (0, 1): "1/2"})),
    ("lightgbm:rank_xendcg", "ERR", "worst", Law({(3, 3, 1): "1/10", (3, 3, 0): "1/2", (0, 0, 2): "2/5"})),
    ("xgboost:rank:ndcg", "nDCG", "by hand", _TWO_ITEMS),
    ("xgboost:rank:ndcg", "nDCG", "small", Law({(3, 2): "2/3", (0, 1): "1/3"})),
    ("xgboost:rank:ndcg", "nDCG", "worst", Law({(3, 3, 2): "3/5", (1, 0, 3): "1/5", (0, 1, 3): "1/5"})),
    ("xgboost:rank:ndcg", "ERR", "small", Law({(2, 1): "1/2", (0, 1): "1/2"})),
    ("xgboost:rank:ndcg", "ERR", "worst", Law({(3, 3, 0): "1/2", (0, 0, 1): "1/2"})),
    ("xgboost:rank:pairwise", "nDCG", "by hand", _TWO_ITEMS),
    ("xgboost:rank:pairwise", "nDCG", "small", Law({(3, 2): "2/3", (0, 1): "1/3"})),
    ("xgboost:rank:pairwise", "nDCG", "worst", Law({(3, 3, 2): "1/2", (1, 0, 3): "1/10", (0, 0, 1): "2/5"})),
    ("xgboost:rank:pairwise", "AP", "small", Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})),
    ("xgboost:rank:pairwise", "AP", "worst", Law({(1, 1, 0): "1/10", (1, 0, 1): "1/2", (0, 1, 0): "2/5"})),
    ("xgboost:rank:pairwise", "ERR", "small", Law({(2, 0): "1/3", (0, 1): "2/3"})),
    ("xgboost:rank:pairwise", "ERR", "worst", Law({(3, 1, 0): "1/10", (3, 0, 0): "2/5", (0, 1, 1): "1/2"})),
    ("xgboost:rank:map", "nDCG", "small", Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})),
    ("xgboost:rank:map", "nDCG", "worst", Law({(1, 1, 0): "5/9", (0, 0, 1): "4/9"})),
    ("xgboost:rank:map", "AP", "small", Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})),
    ("xgboost:rank:map", "AP", "worst", Law({(1, 1, 0): "5/9", (0, 0, 1): "4/9"})),
    ("catboost:YetiRank", "nDCG", "by hand", _TWO_ITEMS),
    ("catboost:YetiRank", "nDCG", "small", Law({(3, 1): "1/2", (0, 1): "1/2"})),
    ("catboost:YetiRank", "nDCG", "worst", Law({(3, 3, 0): "2/7", (0, 0, 1): "5/7"})),
    ("catboost:YetiRank", "ERR", "small", Law({(2, 0): "1/2", (2, 3): "1/2"})),
    ("catboost:YetiRank", "ERR", "worst", Law({(3, 2, 1): "7/10", (0, 2, 3): "3/10"})),
    ("catboost:YetiRank(mode=NDCG)", "nDCG", "small", Law({(2, 1): "2/3", (0, 1): "1/3"})),
    ("catboost:YetiRank(mode=NDCG)", "nDCG", "worst", Law({(3, 2, 0): "2/7", (0, 2, 3): "5/7"})),
    ("catboost:YetiRank(mode=NDCG)", "ERR", "small", Law({(2, 1): "1/2", (0, 1): "1/2"})),
    ("catboost:YetiRank(mode=NDCG)", "ERR", "worst", Law({(3, 3, 1): "5/7", (0, 0, 1): "2/7"})),
    ("catboost:QuerySoftMax", "nDCG", "by hand", _TWO_ITEMS),
    ("catboost:QuerySoftMax", "nDCG", "small", Law({(3, 1): "1/2", (0, 1): "1/2"})),
    ("catboost:QuerySoftMax", "nDCG", "worst", Law({(3, 3, 0): "2/7", (0, 0, 1): "5/7"})),
    ("catboost:QuerySoftMax", "ERR", "small", Law({(3, 2): "1/2", (0, 2): "1/2"})),
    ("catboost:QuerySoftMax", "ERR", "worst", Law({(3, 2, 2): "1/2", (3, 1, 1): "1/10", (0, 2, 2): "2/5"})),
    ("catboost:PairLogit", "nDCG", "by hand", _TWO_ITEMS),
    ("catboost:PairLogit", "nDCG", "small", Law({(3, 2): "2/3", (0, 1): "1/3"})),
    ("catboost:PairLogit", "nDCG", "worst", Law({(3, 3, 2): "1/10", (3, 1, 0): "2/5", (0, 1, 3): "1/2"})),
    ("catboost:PairLogit", "AP", "small", Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})),
    ("catboost:PairLogit", "AP", "worst", Law({(1, 1, 0): "2/9", (1, 0, 1): "1/3", (0, 1, 0): "4/9"})),
    ("catboost:PairLogit", "ERR", "small", Law({(2, 0): "1/3", (0, 1): "2/3"})),
    ("catboost:PairLogit", "ERR", "worst", Law({(3, 0, 0): "4/9", (0, 1, 1): "5/9"})),
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
