"""What engines call a loss is ours where we have it; where not, the error says what it is and what to use."""

from __future__ import annotations

import pytest

import rankproof as rp
from rankproof.errors import UnknownNameError
from rankproof.losses.choose import choose_loss
from rankproof.losses.other_names import NAMES

OTHERS = {
    "rank_xendcg": "xe-ndcg",
    "rank:ndcg": "lambdarank",
    "rank:pairwise": "RankNet",
    "mse": "squared",
    "RMSE": "squared",
    "reg:squarederror": "squared",
    "QueryRMSE": "centred-squared",
    "QuerySoftMax": "softmax",
    "PairLogit": "RankNet",
    "binary:logistic": "pointwise-logistic",
    "mse:nDCG@10": "squared:nDCG@10",
    "softmax:ndcg_cut_10": "softmax:nDCG@10",
}


@pytest.mark.parametrize(("name", "ours"), OTHERS.items())
def test_the_name_of_an_engine_is_ours(name: str, ours: str) -> None:
    assert rp.loss(name) == rp.loss(ours)
    assert choose_loss("nDCG@10", name).loss == choose_loss("nDCG@10", ours).loss


def test_every_name_of_the_table_is_a_loss() -> None:
    for name, ours in NAMES.items():
        assert rp.loss(name.upper()) == rp.loss(ours)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("YetiRank", "CatBoost's YetiRank: pairwise logistic losses on randomly perturbed rankings"),
        ("YetiRank:mode=NDCG", "CatBoost's YetiRank: "),
        ("StochasticRank:metric=NDCG", "CatBoost's StochasticRank"),
        ("rank:map", "XGBoost's pairwise logistic loss weighted by the change of AP"),
        ("QueryCrossEntropy", "CatBoost's logistic loss"),
    ],
)
def test_what_we_do_not_have_is_named_with_what_to_use(name: str, what: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        rp.loss(name)
    assert str(raised.value).startswith(f"Loss {name!r} is {what}")
    assert "which rankproof does not have. Use " in str(raised.value)
