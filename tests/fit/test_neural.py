"""The neural ranker: it learns, stops by the metric, is the same twice, and comes back as it was saved."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from fit.made_data import UNASKED, Made, make
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, ConsistencyWarning, DataError, FileFormatError
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.neural.ranker import NeuralRanker
from rankproof.fit.neural.training import batches
from rankproof.fit.saved.load import load_model
from rankproof.losses import LOSSES, Softmax
from rankproof.metrics.parse import metric

pytestmark = pytest.mark.torch

DATA, OTHER = make(queries=60, seed=0), make(queries=30, seed=0)
SMALL: dict[str, Any] = {"hidden": (8,), "max_iter": 4, "learning_rate": 0.02, "batch_items": 100}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def bits(ranker: NeuralRanker) -> list[bytes]:
    return [array.tobytes() for part in (ranker.network_.weights, ranker.network_.biases) for array in part]


def xor_like(queries: int, seed: int) -> Made:
    """Items whose grade is whether two features agree in sign: no linear scorer can rank them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * 10, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    return Made(X, y, np.repeat(np.arange(queries), 10))


# Learning -----------------------------------------------------------------------------------------


def test_it_ranks_what_no_linear_scorer_can() -> None:
    train, test = xor_like(100, 1), xor_like(50, 2)
    ranker = NeuralRanker("nDCG@10", hidden=(16,), dropout=0, learning_rate=0.02, max_iter=40).fit(*train)
    linear = LinearRanker("nDCG@10").fit(*train)
    assert ranker.score(*test) > 0.97
    assert linear.score(*test) < 0.85


def test_the_first_step_follows_the_loss() -> None:
    """Without hidden layers and from weights of 0, AdamW's first step moves every weight by its rate."""
    ranker = NeuralRanker(
        loss="squared",
        hidden=(),
        scale="standard",
        max_iter=1,
        batch_items=10**6,
        valid_share=0,
        weight_decay=0.0,
        learning_rate=0.25,
    ).fit(*DATA)
    seen = ranker.features_.transform(DATA.X, DATA.offsets).astype(float)
    targets = ranker.loss_.targets(DATA.y, DATA.offsets)
    gradient = ranker.loss_.evaluate(np.zeros(targets.size), targets, DATA.offsets).gradient
    np.testing.assert_allclose(ranker.network_.weights[0][0], -0.25 * np.sign(seen.T @ gradient), rtol=1e-4)
    np.testing.assert_allclose(ranker.network_.biases[0], -0.25 * np.sign(gradient.sum()), rtol=1e-4)
    assert ranker.history_[0].loss == pytest.approx(np.square(targets).sum() / 60, rel=1e-5)


def test_weights_decay_and_biases_do_not() -> None:
    plain, less = (
        NeuralRanker(**SMALL, weight_decay=decay, valid_share=0, dropout=0).fit(*DATA).network_
        for decay in (0.0, 5.0)
    )
    first = np.abs(plain.weights[0]).mean()
    # 4 epochs of 4 or 5 batches, each of which leaves 1 - 0.02 * 5 of a weight.
    assert np.abs(less.weights[0]).mean() < 0.5 * first
    assert np.abs(less.biases[0]).mean() > 0.5 * np.abs(plain.biases[0]).mean()


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_can_be_trained_with(name: str) -> None:
    ranker = NeuralRanker("nDCG@5", loss=LOSSES[name](), **{**SMALL, "max_iter": 2}).fit(*OTHER)
    assert np.isfinite(ranker.predict(OTHER.X, OTHER.qid)).all()
    assert ranker.loss_.name == name


def test_the_loss_is_made_for_the_metric() -> None:
    assert str(NeuralRanker("nDCG@3", **SMALL).fit(*OTHER).loss_) == "softmax:normalised-gain@3"
    assert (
        str(NeuralRanker("nDCG@3", loss="squared", **SMALL).fit(*OTHER).loss_) == "squared:normalised-gain@3"
    )
    with pytest.warns(ConsistencyWarning, match="ERR"):
        NeuralRanker("ERR", **SMALL).fit(*OTHER)
    NeuralRanker("ERR", noise="independent", **SMALL).fit(*OTHER)


# Stopping -----------------------------------------------------------------------------------------


def test_the_best_epoch_is_kept_and_its_metric_is_what_score_says() -> None:
    ranker = NeuralRanker("nDCG@5", hidden=(8,), learning_rate=0.3, max_iter=30, patience=3)
    ranker.fit(*DATA, validation=tuple(OTHER))
    metrics = [epoch.metric for epoch in ranker.history_]
    best = int(np.argmax(metrics))
    report = ranker.report_
    assert report.converged
    assert report.best_epoch == best + 1
    assert report.epochs == ranker.n_iter_ == len(metrics) == report.best_epoch + 3
    assert ranker.score(*OTHER) == report.metric == metrics[best]
    assert str(report).startswith(f"{report.epochs} epochs, the best was {report.best_epoch}: no better in 3")


def test_a_metric_of_which_lower_is_better_stops_by_its_least_value() -> None:
    ranker = NeuralRanker("PD", loss="RankNet", learning_rate=0.3, max_iter=12, patience=3, hidden=(4,))
    ranker.fit(*DATA, validation=RankingData.from_qid(OTHER.X, OTHER.y, OTHER.qid))
    metrics = [epoch.metric for epoch in ranker.history_]
    assert metric("PD").direction == "lower"
    assert ranker.report_.metric == min(metrics)
    assert ranker.score(*OTHER) == -ranker.report_.metric


def test_of_equal_epochs_the_first_is_kept() -> None:
    ranker = NeuralRanker(**{**SMALL, "learning_rate": 0, "max_iter": 9, "patience": 3}).fit(*DATA)
    assert (ranker.report_.best_epoch, ranker.report_.epochs) == (1, 4)


def test_queries_are_held_out_by_the_seed_and_not_trained_on() -> None:
    one = NeuralRanker(valid_share=0.25, **SMALL).fit(*DATA)
    # Which queries: the first draw of the seed's generator.
    held = np.random.Generator(np.random.PCG64(0)).permutation(60)[:15]
    rows = np.isin(np.searchsorted(np.unique(DATA.qid), DATA.qid), held)
    known = (DATA.X[rows], DATA.y[rows], DATA.qid[rows])
    assert one.score(*known) == one.report_.metric
    centre = DATA.X[~rows].mean(axis=0)
    np.testing.assert_allclose(one.features_.centre, centre, rtol=1e-6)


def test_without_queries_to_judge_by_the_last_epoch_is_kept() -> None:
    for words in ({"valid_share": 0}, {"valid_share": 0.01}):
        ranker = NeuralRanker(**SMALL, **words).fit(*DATA)
        assert ranker.report_.metric is None
        assert ranker.report_.best_epoch == ranker.report_.epochs == 4
        assert not ranker.report_.converged


# The same twice -----------------------------------------------------------------------------------


def test_one_seed_gives_one_result_and_leaves_torch_as_it_was() -> None:
    words = {**SMALL, "dropout": 0.3}
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    one = NeuralRanker(**words).fit(*DATA)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == 1
    torch.manual_seed(8)
    torch.rand(3)
    two, three = NeuralRanker(**words).fit(*DATA), NeuralRanker(**words, random_state=1).fit(*DATA)
    assert bits(one) == bits(two)
    assert one.history_ == two.history_
    assert bits(one) != bits(three)
    assert bits(NeuralRanker(**SMALL).fit(*DATA)) != bits(one), "dropout does nothing"


def test_predictions_do_not_depend_on_threads_nor_on_other_queries() -> None:
    ranker = NeuralRanker(**SMALL).fit(*DATA)
    many = np.vstack([DATA.X] * 60), np.repeat(np.arange(60), DATA.y.size) * 1000 + np.tile(DATA.qid, 60)
    one, two = (ranker.set_params(threads=threads).predict(*many) for threads in (1, 2))
    assert one.size > 20_000
    assert (one == two).all()
    last = DATA.qid == DATA.qid[-1]
    np.testing.assert_allclose(
        ranker.predict(DATA.X[last], DATA.qid[last]), ranker.predict(DATA.X, DATA.qid)[last], rtol=1e-5
    )


def test_batches_hold_whole_queries_and_about_equally_many_items() -> None:
    sizes = np.random.default_rng(0).integers(0, 30, 400)
    parts = batches(sizes, 200, np.random.default_rng(1))
    assert sorted(np.concatenate(parts)) == np.flatnonzero(sizes).tolist()
    counts = [sizes[part].sum() for part in parts]
    assert len(parts) == round(sizes.sum() / 200)
    assert max(counts) - min(counts) <= 2 * 30
    one = batches(np.array([5, 10_000, 5]), 100, np.random.default_rng(0))
    assert sum(part.size for part in one) == 3


# Features -----------------------------------------------------------------------------------------


def test_sparse_features_are_those_of_dense_ones() -> None:
    X = DATA.X * (np.random.default_rng(0).random(DATA.X.shape) < 0.4)
    dense = NeuralRanker(**SMALL).fit(X, DATA.y, DATA.qid)
    other = NeuralRanker(**SMALL).fit(sparse.csr_array(X), DATA.y, DATA.qid)
    found = other.predict(sparse.csr_array(X), DATA.qid)
    np.testing.assert_allclose(found, dense.predict(X, DATA.qid), rtol=1e-3, atol=1e-4)


# Weights and odd data -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_weights_of_queries_and_items_count() -> None:
    plain = NeuralRanker(**SMALL, valid_share=0)
    weights = np.ones(60)
    weights[:30] = 0
    some = clone(plain).fit(*DATA, query_weight=weights)
    rows = DATA.qid >= np.unique(DATA.qid)[30]
    # Queries of weight 0 have no say, but they are in the batches: their labels may be any.
    y = DATA.y.copy()
    y[~rows] = 4 - y[~rows]
    assert bits(clone(plain).fit(DATA.X, y, DATA.qid, query_weight=weights)) == bits(some)
    assert bits(clone(plain).fit(*DATA)) != bits(some)
    items = np.random.default_rng(0).random(DATA.y.size)
    assert bits(clone(plain).fit(*DATA, sample_weight=items)) != bits(clone(plain).fit(*DATA))
    with pytest.raises(ArgumentError, match="not a sum over items"):
        clone(plain).set_params(loss="listmle").fit(*DATA, sample_weight=items)


def test_queries_of_one_item_and_of_equal_labels_are_no_exception() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    qid = np.repeat(np.arange(25), [1] * 20 + [4] * 5)
    y = np.where(qid % 2 == 0, 1.0, 0.0)
    ranker = NeuralRanker("nDCG(empty=0)@10", **SMALL).fit(X, y, qid)
    assert np.isfinite(ranker.predict(X, qid)).all()
    with pytest.raises(DataError, match=r"counts no query.*queries held out; give validation="):
        NeuralRanker("nDCG@10", **SMALL).fit(X, np.zeros(40), qid)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"scale": "minmax"}, "scale of NeuralRanker must be one of 'both', 'standard', 'query'"),
        ({"hidden": "64"}, "hidden of NeuralRanker must be a list of layer sizes, got '64'"),
        ({"hidden": (8, 0)}, "hidden of NeuralRanker must be an int >= 1, got 0"),
        ({"learning_rate": -1}, "learning_rate of NeuralRanker must be a finite number >= 0"),
        ({"dropout": 1.0}, "dropout of NeuralRanker must be a share from 0 to below 1"),
        ({"valid_share": 1.0}, "valid_share of NeuralRanker must be below 1"),
        ({"max_iter": 0}, "max_iter of NeuralRanker must be an int >= 1"),
        ({"device": "abacus"}, "device of NeuralRanker must name a device that torch can use, got 'abacus'"),
        ({"random_state": "x"}, "random_state of NeuralRanker must be an int"),
        ({"loss": "kl", "learning_rate": 1e6}, "the steps are too long"),
    ],
)
def test_wrong_parameters_are_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        NeuralRanker(**{**SMALL, **words}).fit(*OTHER)


def test_wrong_validation_data_and_missing_query_ids_are_refused() -> None:
    ranker = NeuralRanker(**SMALL)
    with pytest.raises(ArgumentError, match=r"must be \(X, y, qid\) or a RankingData, got list"):
        ranker.fit(*OTHER, validation=list(OTHER))
    with pytest.raises(ArgumentError, match="must have the 6 features of X, got 3"):
        ranker.fit(*OTHER, validation=(OTHER.X[:, :3], OTHER.y, OTHER.qid))
    with pytest.raises(ArgumentError, match="without X"):
        ranker.fit(*OTHER, validation=RankingData(labels=[1, 0], offsets=[0, 2]))
    with pytest.raises(ArgumentError, match="predict with scale='both' needs qid="):
        ranker.fit(*OTHER).predict(OTHER.X)
    NeuralRanker(**SMALL, scale="standard").fit(*OTHER).predict(OTHER.X)


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    NeuralRanker(**SMALL, verbose=2).fit(*OTHER)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        f"NeuralRanker softmax: epoch {k}" for k in (1, 2, 3, 4)
    ]
    assert ", metric 0." in lines[-1]


# On disk ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        NeuralRanker(**SMALL),
        NeuralRanker(metric("P@3"), loss=Softmax(), scale="query", **{**SMALL, "hidden": [4, 3]}),
        NeuralRanker("AP", noise="independent", scale="standard", valid_share=0, **{**SMALL, "hidden": ()}),
    ],
    ids=["default", "objects", "linear"],
)
def test_a_model_comes_back_as_it_was(model: Any, tmp_path: Path) -> None:
    model.fit(*DATA)
    model.save(tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == ["model.json", "weights.npz"]
    back = load_model(tmp_path / "model")
    assert type(back) is NeuralRanker
    assert (back.predict(DATA.X, DATA.qid) == model.predict(DATA.X, DATA.qid)).all()
    assert back.score(*DATA) == model.score(*DATA)
    for name in ("loss_", "report_", "history_", "n_features_in_", "n_iter_"):
        assert getattr(back, name) == getattr(model, name)
    assert bits(back) == bits(model)
    assert bits(back.fit(*DATA)) == bits(model), "the parameters did not come back"


def test_a_saved_model_predicts_without_torch(tmp_path: Path) -> None:
    ranker = NeuralRanker(**SMALL).fit(*DATA)
    ranker.save(tmp_path / "model")
    np.savez(tmp_path / "data.npz", X=DATA.X, qid=DATA.qid)
    code = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch': raise ImportError('not here')\n"
        "sys.meta_path.insert(0, Without())\n"
        "import numpy as np\n"
        "from rankproof.fit.saved.load import load_model\n"
        f"data = np.load({str(tmp_path / 'data.npz')!r})\n"
        f"model = load_model({str(tmp_path / 'model')!r})\n"
        f"np.save({str(tmp_path / 'scores.npy')!r}, model.predict(data['X'], data['qid']))\n"
        "try:\n    model.fit(data['X'], data['qid'] % 2, data['qid'])\n"
        "except ImportError as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install torch" in ran.stdout
    assert (np.load(tmp_path / "scores.npy") == ranker.predict(DATA.X, DATA.qid)).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 1}, "do not fit 6 features"),
        ({"scale": "standard"}, "do not fit 6 features and scale 'standard'"),
        ({"scale": "other"}, "do not fit"),
        ({"layers": 5}, "a part of the model is missing"),
        ({"report": {}}, "a part of the model is missing"),
    ],
)
def test_a_model_that_does_not_fit_together_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    NeuralRanker(**SMALL).fit(*OTHER).save(tmp_path / "m")
    content = json.loads((tmp_path / "m" / "model.json").read_text())
    content["state"] |= changes
    del content["sha256"]
    content["sha256"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (tmp_path / "m" / "model.json").write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match=message):
        load_model(tmp_path / "m")


def test_only_its_own_kind_is_saved(tmp_path: Path) -> None:
    class Mine(NeuralRanker):
        pass

    with pytest.raises(ArgumentError, match="got a Mine"):
        Mine(**SMALL).fit(*OTHER).save(tmp_path / "m")


# scikit-learn -------------------------------------------------------------------------------------

REPEATED = "an item twice is another batch, and the weight of an item multiplies its target in softmax"


def known_failures(_: Any) -> dict[str, str]:
    names = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{name}_data": REPEATED for name in names}


@pytest.mark.usefixtures("array_api")
@pytest.mark.filterwarnings(*UNASKED)
@parametrize_with_checks(
    [NeuralRanker(scale="standard", hidden=(4,), max_iter=3)], expected_failed_checks=known_failures
)
def test_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
