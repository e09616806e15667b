"""Objectives of the engines by name: what is read, written and refused."""

from __future__ import annotations

import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.theory.shipped.lambdas import formula_of, why_no_formula
from rankproof.theory.shipped.objective import (
    ENGINE_OBJECTIVES,
    EngineObjective,
    engine_objective,
    is_engine_objective,
)
from rankproof.theory.shipped.plain import plain_loss


@pytest.mark.parametrize("name", ENGINE_OBJECTIVES)
def test_every_objective_parses_back_with_each_of_its_parameters(name: str) -> None:
    plain = engine_objective(name)
    assert str(plain) == name
    assert engine_objective(str(plain)) == plain
    assert plain.parameters == ()
    assert plain.shipped.source.rpartition(".")[2] in ("hpp", "cc", "cpp", "h")
    for parameter, known in plain.shipped.parameters.items():
        default = known.default
        assert plain.value(parameter) == default
        other = (
            not default
            if isinstance(default, bool)
            else known.choices[1]
            if isinstance(default, str)
            else default / 2
            if isinstance(default, float)
            else default + 1
        )
        changed = EngineObjective(plain.engine, plain.name, ((parameter, other),))
        assert engine_objective(str(changed)) == changed != plain
        assert changed.value(parameter) == other
        # The default is not written.
        assert EngineObjective(plain.engine, plain.name, ((parameter, default),)) == plain


def test_every_objective_is_a_formula_a_loss_or_neither_with_a_reason() -> None:
    for name in ENGINE_OBJECTIVES:
        objective = engine_objective(name)
        kinds = [formula_of(objective) is not None, plain_loss(objective) is not None]
        assert sum(kinds) + (why_no_formula(objective) is not None) == 1, name


def test_case_and_spaces_do_not_matter() -> None:
    spec = " XGBoost:RANK:NDCG( lambdarank_score_normalization = false , ndcg_exp_gain=true ) "
    assert str(engine_objective(spec)) == "xgboost:rank:ndcg(lambdarank_score_normalization=false)"
    assert str(engine_objective("lightgbm:lambdarank(sigmoid=2)")) == "lightgbm:lambdarank(sigmoid=2)"
    assert engine_objective("lightgbm:lambdarank(sigmoid=2.0)").value("sigmoid") == 2.0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("lightgbm:lamdarank", "Unknown objective 'lamdarank' of lightgbm. Did you mean 'lambdarank'?"),
        ("xgboost:rank:mrr", "Unknown objective 'rank:mrr' of xgboost"),
        ("lightgbm:rank:ndcg", "Known: lambdarank, rank_xendcg"),
        ("catboost:YetiRank(mod=NDCG)", "has no parameter 'mod' here. Did you mean 'mode'?"),
        ("catboost:YetiRank(mode=AUC)", "must be one of Classic, DCG, NDCG, MRR, ERR, MAP, got 'AUC'"),
        ("lightgbm:lambdarank(lambdarank_norm=1)", "must be true or false, got 1"),
        ("lightgbm:lambdarank(sigmoid=0)", "must be a finite number above 0, got 0"),
        ("lightgbm:lambdarank(sigmoid=x)", "must be a finite number above 0, got 'x'"),
        ("lightgbm:lambdarank(lambdarank_truncation_level=2.5)", "must be a whole number of at least 1"),
        ("catboost:YetiRank(decay=2)", "of at least 0 and at most 1, got 2"),
        ("lightgbm:lambdarank(lambdarank_norm)", "parameters are written name=value"),
        ("lightgbm:", "the form is ENGINE:NAME(parameter=value,...)"),
    ],
)
def test_what_is_wrong_is_said(spec: str, said: str) -> None:
    assert is_engine_objective(spec)
    with pytest.raises(ArgumentError) as error:
        engine_objective(spec)
    assert said in str(error.value)
    with pytest.raises(ArgumentError):
        rp.certify(spec, "nDCG")


def test_an_unknown_engine_is_no_engine() -> None:
    assert not is_engine_objective("lightgmb:lambdarank")
    with pytest.raises(UnknownNameError, match="Did you mean 'lightgbm'"):
        engine_objective("lightgmb:lambdarank")


def test_the_engines_train_on_labels() -> None:
    with pytest.raises(ArgumentError, match="is trained on graded labels"):
        rp.certify("lightgbm:lambdarank", "PD", feedback="preferences")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("catboost:YetiRank(mode=NDCG)", "perturbed at random"),
        ("lightgbm:rank_xendcg", "drawn at random in every iteration"),
        ("xgboost:rank:ndcg(lambdarank_pair_method=mean)", "draws the pairs at random"),
        ("xgboost:rank:map(lambdarank_unbiased=true)", "from one iteration to the next"),
    ],
)
def test_what_is_drawn_at_random_is_undecided(spec: str, why: str) -> None:
    verdict = rp.certify(spec, "nDCG@10")
    assert (verdict.outcome, verdict.loss, verdict.evidence) == ("undecided", spec, ())
    assert why in verdict.reason
    assert rp.replay(verdict.to_dict()).holds


def test_an_objective_that_is_a_loss_has_the_verdict_of_the_loss() -> None:
    right = rp.certify("catboost:QuerySoftMax", "DCG(gain=linear)")
    wrong = rp.certify("catboost:PairLogit", "AP")
    assert (right.outcome, wrong.outcome) == ("consistent", "inconsistent")
    assert "catboost:PairLogit is the loss preorder(margin=logistic)" in wrong.conditions[-1]
    for verdict in (right, wrong):
        plain = verdict.to_dict()
        assert rp.replay(plain).holds
        plain["loss"] = "catboost:YetiRank"
        assert not rp.replay(plain).holds
    plain = wrong.to_dict()
    plain["loss"] = "catboost:QuerySoftMax"
    assert not rp.replay(plain).holds
    plain = wrong.to_dict()
    plain["conditions"] = []
    assert not rp.replay(plain).holds
