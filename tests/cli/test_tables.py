"""Commands take tables wherever they take data, print what columns are, and name options in errors."""

from __future__ import annotations

import hashlib
import html
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import rankproof as rp
from data.written_forms import WRITERS, table
from rankproof.cli.main import main


def frame(queries: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    session = np.repeat(np.arange(queries), 8)
    f = rng.normal(size=(session.size, 3)).astype(np.float32)
    clicks = np.clip(np.round(1 + f[:, 0] - f[:, 1] / 2 + rng.normal(size=session.size)), 0, 2).astype(int)
    return pd.DataFrame(
        {
            "session": [f"s{k}" for k in session],
            "clicks": clicks,
            "f1": f[:, 0],
            "f2": f[:, 1],
            "site": session % 3,
            "score_old": f[:, 2],
            "title": "t",
            "url": [f"u{k}" for k in range(session.size)],
        }
    )


COLUMNS = ["--query", "session", "--label", "clicks"]
FEATURES = ["--features", "f*", "--features", "site", "--drop", "score_old"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, (queries, seed) in {"train": (40, 1), "valid": (20, 2), "test": (20, 3)}.items():
        frame(queries, seed).to_parquet(tmp_path / f"{name}.parquet", index=False)
        frame(queries, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    main(list(words))
    captured = capsys.readouterr()
    return captured.out, captured.err


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    assert stop.value.code == 3
    return capsys.readouterr().err


def letor_of(data: pd.DataFrame, path: Path) -> None:
    rp.write_letor(rp.from_frame(data, query="session", label="clicks", features=["f1", "f2", "site"]), path)


def test_fit_prints_what_was_taken_and_gives_the_model_of_letor_text(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--valid", "valid.csv", "--test", "test.parquet", "-m", "nDCG@5", "--out"]
    out, err = run(
        capsys, "fit", "train.parquet", *COLUMNS, *FEATURES, "--doc", "url", *words, "run", "--json"
    )
    line = (
        "rankproof: train.parquet: query 'session', label 'clicks', document 'url', 3 features: 'f1', 'f2', "
        "'site'; not used: 'score_old' (dropped), 'title' (not among the features)\n"
    )
    assert err == line
    facts = json.loads(out)
    assert facts["data"]["train"]["columns"] == {
        "query": "session",
        "label": "clicks",
        "doc": "url",
        "features": ["f1", "f2", "site"],
        "not_used": {"score_old": "dropped", "title": "not among the features"},
    }
    expected = hashlib.sha256((place / "valid.csv").read_bytes()).hexdigest()
    assert facts["data"]["valid"]["files"] == [{"path": "valid.csv", "sha256": expected}]
    for name in ("train", "valid", "test"):
        letor_of(frame(*{"train": (40, 1), "valid": (20, 2), "test": (20, 3)}[name]), place / f"{name}.txt")
    words = ["--valid", "valid.txt", "--test", "test.txt", "-m", "nDCG@5", "--out"]
    out, _ = run(capsys, "fit", "train.txt", *words, "letor", "--json")
    assert json.loads(out)["results"]["test"]["metrics"] == facts["results"]["test"]["metrics"]
    assert np.array_equal(rp.load_model("run").coef_, rp.load_model("letor").coef_)


def test_a_run_is_predicted_reported_and_made_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fit", "train.parquet", *COLUMNS, *FEATURES, "-m", "nDCG@5", "--l2", "0.1", "--out", "run")
    # Other columns, in another order.
    shuffled = frame(20, 3)[["score_old", "site", "f2", "url", "f1", "session"]]
    shuffled.to_csv("other.csv", index=False)
    run(capsys, "predict", "run", "other.csv", "-o", "scores.txt")
    model = rp.load_model("run")
    X = frame(20, 3)[["f1", "f2", "site"]].to_numpy(np.float32)
    expected = model.predict(X, qid=frame(20, 3)["session"].to_numpy())
    assert np.loadtxt("scores.txt").tolist() == expected.tolist()
    run(capsys, "predict", "run", "test.parquet", "--doc", "url", "-o", "scores.parquet")
    scored = pq.read_table("scores.parquet").to_pydict()
    assert scored["score"] == expected.tolist()
    assert scored["query"] == frame(20, 3)["session"].tolist()
    assert scored["doc"] == frame(20, 3)["url"].tolist()
    values = []
    for scores in ("scores.txt", "scores.parquet"):
        out, err = run(
            capsys, "evaluate", "--data", "test.csv", *COLUMNS, "--scores", scores, "-m", "nDCG@5", "--json"
        )
        assert err == "rankproof: test.csv: query 'session', label 'clicks', no features\n"
        values.append(json.loads(out)["metrics"])
    assert values[0] == values[1]
    out, _ = run(capsys, "compare", "scores.txt", "scores.parquet", "--data", "test.csv", *COLUMNS, "--json")
    assert json.loads(out)
    run(capsys, "report", "run", "-o", "report.html")
    page = html.unescape((place / "report.html").read_text())
    assert "--query session --label clicks --drop score_old" in page
    assert "--features 'f*' --features site" in page


def test_rows_apart_are_grouped_and_scores_keep_the_order_of_the_file(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "fit", "train.csv", *COLUMNS, *FEATURES, "-m", "nDCG@5", "--l2", "1", "--out", "run")
    mixed = frame(20, 3).sample(frac=1, random_state=0)
    mixed.to_parquet("mixed.parquet", index=False)
    _, err = run(capsys, "predict", "run", "mixed.parquet", "--doc", "url", "-o", "scores.parquet")
    assert "rankproof: warning: Rows of a query stood apart in mixed.parquet" in err
    scored = pq.read_table("scores.parquet").to_pydict()
    assert scored["doc"] == mixed["url"].tolist()
    out, _ = run(
        capsys, "evaluate", "--data", "mixed.parquet", *COLUMNS, "--scores", "scores.parquet", "--json"
    )
    run(capsys, "predict", "run", "test.csv", "-o", "straight.txt")
    same, _ = run(capsys, "evaluate", "--data", "test.csv", *COLUMNS, "--scores", "straight.txt", "--json")
    means = [[one["mean"] for one in json.loads(text)["metrics"]] for text in (out, same)]
    assert means[0] == pytest.approx(means[1], rel=1e-12)
    err = refused(capsys, "evaluate", "--data", "test.csv", *COLUMNS, "--scores", "scores.parquet")
    assert "Scores must stand in the order of the data" in err


def test_categories_are_named_by_their_columns(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-m", "nDCG@5", "--model", "lightgbm", "--n-estimators", "3", "--json", "--out"]
    out, err = run(capsys, "fit", "train.csv", *COLUMNS, *FEATURES, "--categorical", "site", *words, "a")
    assert "of these categories: 'site'" in err
    named = json.loads(out)
    assert named["settings"]["categorical"] == "3"
    assert named["data"]["train"]["columns"]["categories"] == ["site"]
    run(capsys, "fit", "train.csv", *COLUMNS, *FEATURES, "--categorical", "3", *words, "b")
    assert Path("a/booster.txt").read_bytes() == Path("b/booster.txt").read_bytes()
    err = refused(capsys, "fit", "train.csv", *COLUMNS, "--categorical", "url", *words, "c")
    assert "Option --categorical names 'url', which is not a feature of train.csv" in err


def test_tune_takes_tables_and_says_the_command_with_columns(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-m", "nDCG@5", "--trials", "1", "--n-estimators", "3", "--json", "-q", "--out", "search"]
    out, _ = run(capsys, "tune", "train.parquet", *COLUMNS, *FEATURES, *words)
    command = json.loads(out)["command"]
    assert "--query session --label clicks --drop score_old --features 'f*' --features site" in command


def test_standardize_writes_tables(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "standardize", "train.csv", *COLUMNS, *FEATURES, "-m", "nDCG@5", "-o", "targets.parquet")
    written = pq.read_table("targets.parquet")
    assert written.column_names == ["session", "clicks", "f1", "f2", "site"]
    labels, sizes = frame(40, 1)["clicks"].to_numpy(), [8] * 40
    assert (
        written["clicks"].to_pylist() == rp.lightgbm.regression_target("nDCG@5", labels, group=sizes).tolist()
    )
    run(capsys, "standardize", "train.csv", *COLUMNS, "--column", "-m", "nDCG@5", "-o", "column.txt")
    assert np.loadtxt("column.txt").tolist() == written["clicks"].to_pylist()


def test_weights_of_columns_are_used(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = frame(40, 1)
    data["w"] = np.repeat(np.random.default_rng(0).integers(1, 9, 40), 8).astype(float)
    data.to_parquet("weighted.parquet", index=False)
    words = ["-m", "nDCG@5", "--l2", "0.1", "--features", "f*", "--out"]
    run(capsys, "fit", "weighted.parquet", *COLUMNS, "--query-weight", "w", *words, "a")
    ranker = rp.LinearRanker("nDCG@5", l2=0.1)
    arrays = data[["f1", "f2"]].to_numpy(np.float32), data["clicks"], data["session"]
    weighted = ranker.fit(*arrays, query_weight=data["w"].to_numpy()[::8]).coef_.copy()
    plain = ranker.fit(*arrays).coef_
    assert np.allclose(rp.load_model("a").coef_, weighted, rtol=1e-9)
    assert not np.allclose(plain, weighted, rtol=1e-3)


@pytest.mark.parametrize("form", list(WRITERS))
def test_convert_writes_what_was_asked_for(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    WRITERS[form](Path("data"), table())
    out, err = run(capsys, "convert", "data", "out.txt")
    assert out == "6 rows with 5 columns: out.txt\n"
    assert err == "rankproof: data: query 'query', label 'label', document 'doc', 2 features: 'f1', 'f2'\n"
    out, _ = run(capsys, "convert", "out.txt", "out.parquet", "--json")
    assert json.loads(out) == {
        "out": "out.parquet",
        "rows": 6,
        "columns": ["query", "doc", "label", "f1", "f2"],
    }


def test_a_folder_of_a_run_is_digested(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "parts").mkdir()
    frame(20, 1).to_parquet("parts/0.parquet", index=False)
    run(capsys, "fit", "parts", *COLUMNS, *FEATURES, "-m", "nDCG@5", "--l2", "1", "--out", "run")
    facts = json.loads(Path("run/results.json").read_text())
    assert len(facts["data"]["train"]["files"][0]["sha256"]) == 64
    run(capsys, "report", "run", "-o", "a.html")
    frame(20, 2).to_parquet("parts/1.parquet", index=False)
    run(capsys, "report", "run", "-o", "b.html")
    assert "has changed since the run" not in Path("a.html").read_text()
    assert "has changed since the run" in Path("b.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--query", "sesion"],
            "Option --query names the column 'sesion', which train.csv does not have. Did",
        ),
        (["--label", "clicks"], "train.csv: no column is called query or qid or query_id"),
        (["--query", "session"], "train.csv: no column is called label or grade or relevance"),
        ([*COLUMNS, "--features", "g*"], "Option --features: no column of train.csv matches 'g*'"),
        (
            [*COLUMNS, "--features", "title"],
            "train.csv: column 'title', row 0 (counted from 0): 't' is not",
        ),
        ([*COLUMNS, "--drop", "*_x"], "Option --drop: no column of train.csv matches '*_x'"),
        ([*COLUMNS, "--features", "7"], "train.csv has 4 feature columns"),
    ],
)
def test_errors_name_options(
    words: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    err = refused(capsys, "fit", "train.csv", *words, "-m", "AP", "--out", "run")
    assert message in err
    assert len([line for line in err.splitlines() if "error" in line]) == 1
    assert not (place / "run").exists()


def test_options_of_tables_are_refused_for_text(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letor_of(frame(20, 1), place / "a.txt")
    err = refused(capsys, "fit", "a.txt", "--query", "qid", "-m", "AP", "--out", "run")
    assert "Option --query names columns, but LETOR text has none" in err
    err = refused(capsys, "evaluate", "a.trec", "--qrels", "q.txt", "--label", "x")
    assert "--label is about a table, which --data reads" in err
    err = refused(capsys, "fit", "a.txt", "--categorical", "site", "-m", "AP", "--out", "run")
    assert "--categorical takes whole numbers >= 1, or names of columns" in err


def test_predictions_must_fit_the_data(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pd.DataFrame({"p": [0.5], "q": [1]}).to_csv("two.csv", index=False)
    words = ["evaluate", "--data", "test.csv", *COLUMNS, "-m", "AP", "--scores"]
    assert "Argument score names the column 'score', which two.csv does not have" in refused(
        capsys, *words, "two.csv"
    )
    pd.DataFrame({"p": [0.5, 1.5]}).to_parquet("one.parquet")
    assert "one.parquet has 2 scores, but test.csv has 160 items" in refused(capsys, *words, "one.parquet")
    pd.DataFrame({"score": [0.5, None]}).to_parquet("null.parquet")
    assert "null.parquet: column 'score', row 1 (counted from 0): there is no score" in refused(
        capsys, *words, "null.parquet"
    )
    np.save("scores.npy", np.arange(160.0))
    out, _ = run(capsys, *words, "scores.npy")
    assert "AP" in out
