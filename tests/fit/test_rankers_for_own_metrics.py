"""Rankers for a metric of the user's own: trained on its target, stopped by it, saved without its code."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_val_score

import rankproof as rp
from rankproof.errors import ArgumentError, ConsistencyWarning


def cost(ranking: Any, feedback: Any) -> float:
    """A hit in the first two is worth 1, a bad item costs 0.4."""
    return sum((0, 1, -0.4)[feedback[i]] for i in ranking[:2]) / 2


def revenue_at_3(ranking: Any, feedback: Any) -> int:
    return sum((0, 1, 5)[feedback[i]] for i in ranking[:3])


def clean_page(ranking: Any, feedback: Any) -> int:
    page = [feedback[i] for i in ranking[:2]]
    return int(2 in page and 1 not in page)


def wasted(ranking: Any, feedback: Any) -> int:
    return sum(feedback[i] == 0 for i in ranking[:2])


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    random = np.random.default_rng(8)

    def part(queries: int) -> Any:
        sizes = random.integers(4, 9, queries)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        X = random.random((offsets[-1], 3))
        y = np.where(X[:, 0] + 0.1 * random.normal(size=len(X)) > 0.8, 2, np.where(X[:, 1] > 0.6, 1, 0))
        return rp.RankingData(labels=y.astype(float), offsets=offsets, X=X)

    return part(60), part(30)


def test_a_function_is_a_parameter_like_any_other(data: Any) -> None:
    train, test = data
    ranker = rp.LinearRanker(cost, l2=0.1)
    assert clone(ranker).get_params()["metric"] is cost
    ranker.fit(train.X, train.labels, qid=train.qids)
    assert str(ranker.loss_) == "centred-squared:label-worth(worths=[0,1,-2/5])"
    value = rp.evaluate(ranker.predict(test.X), test, cost).mean["cost"]
    assert ranker.score(test.X, test.labels, qid=test.qids) == pytest.approx(value, abs=1e-12)
    # A bad item is below a neutral one, which no metric of grades would do.
    weights = ranker.coef_ / ranker.scaling_.divisor
    assert weights[1] > 0 > weights[0]


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_engines_stop_by_the_function(data: Any, engine: str) -> None:
    train, test = data
    ranker = rp.BoostedRanker(revenue_at_3, engine=engine, n_estimators=15, threads=1)
    ranker.fit(train.X, train.labels, qid=train.qids, validation=test)
    assert "label-worth(worths=[0,1,5])" in str(ranker.loss_)
    got = rp.evaluate(ranker.predict(test.X), test, revenue_at_3).mean["revenue_at_3"]
    assert ranker.best_score_ == pytest.approx(got, abs=1e-9)
    assert ranker.best_score_ == pytest.approx(max(ranker.evaluations_), abs=1e-9)


def test_less_is_better(data: Any) -> None:
    train, test = data
    metric = rp.own_metric(wasted, direction="lower", grades=3)
    ranker = rp.LinearRanker(metric, l2=0.1).fit(train.X, train.labels, qid=train.qids)
    constant = rp.evaluate(np.zeros(test.items), test, metric).mean["wasted"]
    assert -ranker.score(test.X, test.labels, qid=test.qids) < constant


def test_a_saved_model_holds_no_code(data: Any, tmp_path: Path) -> None:
    train, test = data
    (tmp_path / "mine.py").write_text(
        "def cost(ranking, feedback):\n    return sum((0, 1, -0.4)[feedback[i]] for i in ranking[:2]) / 2\n"
    )
    metric = rp.own_metric(f"{tmp_path / 'mine.py'}:cost")
    ranker = rp.LinearRanker(metric, l2=0.1).fit(train.X, train.labels, qid=train.qids)
    ranker.save(tmp_path / "model")
    # Were it run, this would show.
    (tmp_path / "mine.py").write_text("raise SystemExit('ran')\n")
    again = rp.load_model(tmp_path / "model")
    assert (again.predict(test.X) == ranker.predict(test.X)).all()
    assert str(again.metric) == str(metric)
    assert again.loss_ == ranker.loss_
    with pytest.raises(ArgumentError, match=r"no file is run because another file names it.*own_metric\("):
        again.score(test.X, test.labels, qid=test.qids)
    again.set_params(metric=cost)
    assert again.score(test.X, test.labels, qid=test.qids) == ranker.score(test.X, test.labels, qid=test.qids)
    again.save(tmp_path / "twice")
    assert (
        json.loads((tmp_path / "twice" / "model.json").read_text())["parameters"]["metric"]["own"] == "cost"
    )


def test_a_ranker_pickles_when_its_function_does(data: Any) -> None:
    train, test = data
    ranker = rp.LinearRanker(cost, l2=0.1).fit(train.X, train.labels, qid=train.qids)
    again = pickle.loads(pickle.dumps(ranker))  # noqa: S301 - our own
    assert again.score(test.X, test.labels, qid=test.qids) == ranker.score(test.X, test.labels, qid=test.qids)


def test_scikit_learn_cross_validates_by_it(data: Any) -> None:
    import sklearn

    train, _ = data
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            rp.LinearRanker(cost, l2=0.1),
            train.X,
            train.labels,
            cv=GroupKFold(3).split(train.X, groups=train.qids),
            params={"qid": train.qids},
        )
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_no_target_is_refused_and_the_nearest_is_an_explicit_choice(data: Any) -> None:
    train, test = data
    with pytest.raises(ArgumentError, match="No target standardises clean_page"):
        rp.LinearRanker(rp.own_metric(clean_page, grades=3)).fit(train.X, train.labels, qid=train.qids)
    metric = rp.own_metric(clean_page, grades=3, nearest=True)
    with pytest.warns(
        ConsistencyWarning, match=r"nearest metric with a target that was found.*loses at most"
    ):
        ranker = rp.LinearRanker(metric, l2=0.1).fit(train.X, train.labels, qid=train.qids)
    constant = rp.evaluate(np.zeros(test.items), test, metric).mean["clean_page"]
    assert ranker.score(test.X, test.labels, qid=test.qids) > constant


def test_a_run_says_where_its_target_holds(data: Any, tmp_path: Path) -> None:
    train, test = data
    run = rp.train(train, test=test, metric=revenue_at_3, l2=0.1, out=tmp_path / "run")
    limits = run.to_dict()["choice"]["limits"]
    assert "proven on all lists of 2, 3, 4 items with grades 0, 1, 2" in limits
    assert "not proven" in limits
    rp.write_report(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "revenue_at_3" in page
    assert limits in page


@pytest.mark.parametrize(
    ("function", "nearest"),
    [(cost, False), (revenue_at_3, False), (clean_page, True)],
    ids=["cost", "revenue", "clean page"],
)
def test_the_journey_in_python(data: Any, tmp_path: Path, function: Any, nearest: bool) -> None:
    train, test = data
    verdict = rp.certify_metric(function, grades=3)
    assert verdict.outcome == ("inconsistent" if nearest else "consistent")
    metric = rp.own_metric(function, grades=3, nearest=nearest)
    target = rp.target_for(metric)
    assert len(set(target.values(train.labels, train.offsets).tolist())) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsistencyWarning)
        run = rp.train(train, test=test, metric=metric, l2=0.1)
    assert run.choice.target == target
    name = function.__name__
    mine = run.ranker.predict(test.X)
    assert run.results["test"].mean[name] == rp.evaluate(mine, test, function).mean[name]
    other = rp.LinearRanker("nDCG@3", l2=0.1).fit(train.X, train.labels, qid=train.qids).predict(test.X)
    found = rp.compare({"mine": mine, "ndcg": other}, test, [metric, "AP"])
    assert name in str(found)
    for number, result in enumerate((run, found, rp.evaluate(mine, test, metric))):
        rp.write_report(result, tmp_path / f"{number}.html")
        assert name in (tmp_path / f"{number}.html").read_text()
