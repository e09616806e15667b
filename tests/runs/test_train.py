"""`rankproof.train` is what ``rankproof fit`` does, and the data go through it once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
import rankproof.evaluation.evaluate as evaluation
import rankproof.runs.plan as plan
from cli.small_letor import write_parts
from rankproof.errors import ArgumentError, ConsistencyWarning, DataError
from rankproof.runs.run_folder import read_run

Run = Callable[..., Any]


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    return write_parts(tmp_path)


@pytest.fixture
def parts(paths: dict[str, Path]) -> dict[str, rp.RankingData]:
    return {name: rp.read_letor(path) for name, path in paths.items()}


def words(paths: dict[str, Path], out: Path) -> list[object]:
    files = ("fit", paths["train"], "--valid", paths["valid"], "--test", paths["test"])
    return [*files, "-m", "nDCG@10", "--l2", "1,0.1", "--out", out]


@pytest.mark.parametrize(
    ("model", "options", "settings"),
    [
        ("linear", ["--l2", "1,0.1"], {"l2": "1,0.1"}),
        ("lightgbm", ["--n-estimators", "9", "--l2", "2"], {"n_estimators": 9, "l2": 2}),
        (
            "lightgbm",
            ["--n-estimators", "9", "--parameter", "feature_fraction=0.5"],
            {"n_estimators": 9, "parameters": {"feature_fraction": 0.5}},
        ),
    ],
)
def test_it_is_what_the_command_does(
    rankproof: Run,
    paths: dict[str, Path],
    parts: dict[str, rp.RankingData],
    tmp_path: Path,
    model: str,
    options: list[str],
    settings: dict[str, Any],
) -> None:
    files = ("fit", paths["train"], "--valid", paths["valid"], "--test", paths["test"], "-m", "nDCG@10")
    assert rankproof(*files, "--model", model, *options, "--out", tmp_path / "cli").status == 0
    run = rp.train(
        parts["train"],
        valid=parts["valid"],
        test=parts["test"],
        metric="nDCG@10",
        model=model,
        **settings,
        out=tmp_path / "api",
    )
    ours, theirs = read_run(tmp_path / "api"), read_run(tmp_path / "cli")
    assert {name for name in ours if ours[name] != theirs[name]} <= {"data"}
    assert ours["data"]["train"] == {**theirs["data"]["train"], "files": []}
    assert json.loads(run.to_json()) == {name: ours[name] for name in run.to_dict()}


def test_columns_of_categories_count_from_0_in_python_and_from_1_in_files() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=90), random.integers(3, size=90)])
    data = rp.RankingData(labels=(X[:, 1] == 1).astype(float), offsets=np.arange(0, 91, 9), X=X)
    run = rp.train(data, metric="nDCG", model="lightgbm", n_estimators=3, categorical_features=[1])
    assert run.settings["categorical"] == "2"
    assert list(run.ranker.categorical_features) == [1]


def test_every_part_is_evaluated_once_after_training_and_no_model_is_read(
    rankproof: Run,
    paths: dict[str, Path],
    parts: dict[str, rp.RankingData],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before training, a constant scorer says whether there is anything to evaluate; that is once, too."""
    sizes = {data.items: name for name, data in parts.items()}
    assert len(sizes) == 3
    counts: dict[str, Counter[str]] = {"before": Counter(), "after": Counter()}
    when = ["before"]
    real_evaluate, real_fit = evaluation.evaluate.__globals__["_evaluate"], plan.fit_and_select  # type: ignore[attr-defined]

    def counted(scored: Any, *args: Any, **options: Any) -> Any:
        counts[when[0]][sizes[scored.scores.size]] += 1
        return real_evaluate(scored, *args, **options)

    def fitted(*args: Any, **options: Any) -> Any:
        selection = real_fit(*args, **options)
        when[0] = "after"
        return selection

    def refused(*_: object) -> None:
        raise AssertionError("a model is read back")

    monkeypatch.setattr(evaluation, "_evaluate", counted)
    monkeypatch.setattr(plan, "fit_and_select", fitted)
    monkeypatch.setattr("rankproof.fit.saved.load.load_model", refused)
    monkeypatch.setattr("rankproof.fit.model_files.read_model", refused)
    monkeypatch.setattr("rankproof.runs.run_folder.read_run", refused)
    ran = rankproof(*words(paths, tmp_path / "run"))
    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / "run" / "report.html").is_file()
    assert counts == {"before": Counter(train=1, valid=1, test=1), "after": Counter(valid=1, test=1)}


def test_every_penalty_is_judged_once(
    parts: dict[str, rp.RankingData], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model selection looks at the held-out queries once for every candidate, and is not asked again."""
    metric, seen = type(rp.metric("nDCG@10")), Counter[int]()
    real = metric.per_query

    def counted(self: Any, lists: Any) -> Any:
        seen[int(lists.offsets[-1])] += 1
        return real(self, lists)

    monkeypatch.setattr(metric, "per_query", counted)
    penalties = (1.0, 0.1, 0.01)
    rp.LinearRankerCV("nDCG@10", l2s=penalties).fit(
        parts["train"].X, parts["train"].labels, qid=parts["train"].qids, validation=parts["valid"]
    )
    alone = seen[parts["valid"].items]
    seen.clear()
    rp.train(parts["train"], valid=parts["valid"], test=parts["test"], metric="nDCG@10", l2=penalties)
    # Beside what the ranker does: the constant scorer before training, and the scores of the model after it.
    assert seen[parts["valid"].items] == alone + 2
    assert alone <= len(penalties) + 1


def test_the_result_as_data_frame_and_text(parts: dict[str, rp.RankingData]) -> None:
    run = rp.train(parts["train"], valid=parts["valid"], test=parts["test"], metric="nDCG@10", l2=[1, 0.1])
    frame = run.to_frame()
    assert list(frame.columns) == ["part", "query", "nDCG@10", "constant"]
    assert frame.groupby("part").size().to_dict() == {"valid": 30, "test": 30}
    means = frame.groupby("part")["nDCG@10"].mean()
    for part, results in run.results.items():
        assert means[part] == pytest.approx(results.mean["nDCG@10"], rel=1e-12)
    assert "was chosen on valid" in str(run)
    assert "<table" in run._repr_html_()
    assert repr(run).startswith("TrainingRun(nDCG@10, softmax:normalised-gain@10, valid 0.")
    assert run.to_dict()["settings"]["l2"] == "1,0.1"


def test_without_parts_to_report_on_there_are_no_rows(parts: dict[str, rp.RankingData]) -> None:
    run = rp.train(parts["train"], metric="nDCG@10", l2=0.1)
    assert (run.results, len(run.to_frame()), run.tables()) == ({}, 0, [])


def test_a_loss_of_which_nothing_is_proven_is_a_warning(parts: dict[str, rp.RankingData]) -> None:
    with pytest.warns(ConsistencyWarning, match="listnet is not proven to optimise nDCG@10"):
        rp.train(parts["train"], metric="nDCG@10", loss="listnet", l2=0.1)


def test_warnings_of_the_solver_keep_their_kind(parts: dict[str, rp.RankingData]) -> None:
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="converge"):
        run = rp.train(parts["train"], metric="nDCG@10", l2=0.1, max_iter=1)
    assert len(run.warnings) == 1


def test_numbers_of_numpy_are_settings_like_any_other(parts: dict[str, rp.RankingData]) -> None:
    run = rp.train(parts["train"], metric="nDCG@10", l2=np.array([1.0, 0.1]))
    assert run.settings["l2"] == "1.0,0.1"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": "tree"}, ArgumentError, "Argument model must be one of linear, lightgbm"),
        (
            {"num_leaves": 4},
            ArgumentError,
            "num_leaves is not a setting of the model linear, but of light",
        ),
        ({"colour": 4}, ArgumentError, "colour is not a setting of the model linear. Settings of linear: l2"),
        ({"level": 2}, ArgumentError, "Argument level must be"),
        ({"l2": [1, "x"]}, ArgumentError, "Penalties l2 are path, or numbers >= 0"),
        ({"test": "test.txt"}, ArgumentError, "The data test must be a RankingData with features, got str"),
        (
            {"test": rp.RankingData(labels=[1.0, 0.0], offsets=[0, 2])},
            ArgumentError,
            "The data test must be a RankingData with features, got one without X",
        ),
        (
            {"test": rp.RankingData(labels=[0.0, 0.0], offsets=[0, 2], X=np.zeros((2, 5)))},
            DataError,
            "test: no query counts for nDCG@10",
        ),
    ],
)
def test_wrong_use_is_refused(
    parts: dict[str, rp.RankingData], arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rp.train(parts["train"], **{"metric": "nDCG@10", **arguments})


def test_none_is_a_value_where_a_ranker_has_it(parts: dict[str, rp.RankingData]) -> None:
    settings: dict[str, Any] = {"early_stopping_rounds": None, "learning_rate": None, "n_estimators": 4}
    run = rp.train(parts["train"], valid=parts["valid"], metric="nDCG@10", model="lightgbm", **settings)
    assert (run.ranker.early_stopping_rounds, run.ranker.learning_rate) == (None, None)


def test_a_run_is_not_replaced_unless_asked_for(parts: dict[str, rp.RankingData], tmp_path: Path) -> None:
    for seed in (0, 1):
        rp.train(parts["train"], metric="nDCG@10", l2=1, out=tmp_path / "run", seed=seed, replace=bool(seed))
    assert read_run(tmp_path / "run")["settings"]["seed"] == 1
    with pytest.raises(
        ArgumentError,
        match=r"already contains a run\. Choose another folder, or replace it "
        "with replace=True",
    ):
        rp.train(parts["train"], metric="nDCG@10", l2=1, out=tmp_path / "run")


def test_the_report_of_data_at_hand_says_that_they_are_not_kept(
    rankproof: Run, parts: dict[str, rp.RankingData], tmp_path: Path
) -> None:
    rp.train(parts["train"], test=parts["test"], metric="nDCG@10", l2=1, out=tmp_path / "run")
    assert rankproof("report", tmp_path / "run").status == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "they were not read from files, but given as arrays." in page
