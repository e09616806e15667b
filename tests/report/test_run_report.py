"""The report of a run says what the run is, on the data that it was about, and how to make it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

import rankproof as rp
from cli.small_letor import write_parts
from rankproof.cli.commands import fit_command
from rankproof.errors import DataError
from rankproof.fit.saved.load import load_model
from rankproof.report.content import (
    Block,
    Command,
    DataTable,
    Histograms,
    LineChart,
    NamedBars,
    Paragraphs,
    QueryBars,
    Rankings,
    Report,
    VerdictBox,
)
from rankproof.report.html import render, write_report
from rankproof.report.pages.run import run_report as page_of
from rankproof.runs.review import read_record
from rankproof.runs.run_folder import read_run

Run = Callable[..., Any]
B = TypeVar("B", bound=Block)


def blocks(report: Report, kind: type[B]) -> list[B]:
    return [block for section in report.sections for block in section.blocks if isinstance(block, kind)]


def run_report(folder: Path) -> Report:
    """The report of a run that is read again from its folder."""
    record = read_record(folder)
    return page_of(record, fit_command(record.facts, str(folder)))


def texts(report: Report) -> str:
    return "\n".join(paragraph for block in blocks(report, Paragraphs) for paragraph in block.paragraphs)


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Path]:
    return write_parts(tmp_path)


@pytest.fixture
def made(rankproof: Run, parts: dict[str, Path], tmp_path: Path) -> Path:
    """A run on train, valid and test."""
    words = ("fit", parts["train"], "--valid", parts["valid"], "--test", parts["test"], "--l2", "1,0.1")
    assert rankproof(*words, "-m", "nDCG@10", "--out", tmp_path / "run").status == 0
    return tmp_path / "run"


def test_the_sections_of_a_run(made: Path) -> None:
    report = run_report(made)
    assert [section.title for section in report.sections] == [
        *("Verdict", "Results", "Learning", "Query by query, test", "nDCG at cutoffs, test"),
        *("Scores by grade, test", "Worst and best queries, test", "Features", "Data", "Reproduce"),
    ]
    assert report.title == "run: a ranker for nDCG@10"
    (known,) = read_run(made)["results"]["test"]["metrics"]
    assert report.lead == (
        f"Trained for nDCG@10 with softmax:normalised-gain@10. On test it gets {known['mean']:.4f} (95% "
        f"interval [{known['interval'][0]:.4f}, {known['interval'][1]:.4f}]). A constant scorer, which "
        f"gives every "
        f"item the same score, gets {known['constant']:.4f}."
    )
    (verdict,) = blocks(report, VerdictBox)
    assert verdict.outcome == "consistent"


def test_the_results_are_those_that_were_stored(made: Path) -> None:
    table = blocks(run_report(made), DataTable)[0].table
    stored = read_run(made)["results"]
    for part in ("valid", "test"):
        (known,) = stored[part]["metrics"]
        (row,) = [row for row in table.rows if row[0] == part]
        assert row[1] == f"{known['mean']:.4f}"
        assert row[2] == f"[{known['interval'][0]:.4f}, {known['interval'][1]:.4f}]"
        (constant,) = [row for row in table.rows if row[0] == f"(constant scorer, {part})"]
        assert constant[1] == f"{known['constant']:.4f}"
        assert (row[3], constant[3]) == ("a", "b")
    assert any(
        note.startswith("test: the model is significantly better than the constant scorer (p < 0.001")
        for note in table.notes
    )
    assert any("penalty was chosen on valid" in note for note in table.notes)


def test_query_by_query_adds_up_to_the_difference_of_the_means(made: Path) -> None:
    (chart,) = blocks(run_report(made), QueryBars)
    (known,) = read_run(made)["results"]["test"]["metrics"]
    values = [value for _, value in chart.bars]
    assert np.mean(values) == pytest.approx(known["mean"] - known["constant"], rel=1e-9)
    assert len(values) == known["queries"]
    ids = read_run(made)["results"]["test"]["query_ids"]
    assert {name for name, _ in chart.bars} <= set(map(str, ids))


def test_of_a_metric_that_is_to_be_low_less_is_gained(
    rankproof: Run, parts: dict[str, Path], tmp_path: Path
) -> None:
    words = ("fit", parts["train"], "--test", parts["test"], "--l2", "0.1", "-m", "PD")
    assert rankproof(*words, "--noise", "low noise", "--out", tmp_path / "run").status == 0
    report = run_report(tmp_path / "run")
    (chart,) = blocks(report, QueryBars)
    (known,) = read_run(tmp_path / "run")["results"]["test"]["metrics"]
    assert known["mean"] < known["constant"]
    assert np.mean([v for _, v in chart.bars]) == pytest.approx(known["constant"] - known["mean"], rel=1e-9)


def test_curves_at_cutoffs_pass_through_the_result(made: Path) -> None:
    learning, curves = blocks(run_report(made), LineChart)
    (known,) = read_run(made)["results"]["test"]["metrics"]
    model, constant = curves.series
    assert model.points[9] == pytest.approx((10, known["mean"]))
    assert constant.points[9] == pytest.approx((10, known["constant"]))
    assert [x for x, _ in model.points] == list(range(1, 21))
    path = read_run(made)["selection"]["path"]
    assert list(learning.series[0].points) == [(row["l2"], row["value"]) for row in path]
    assert learning.chosen == read_run(made)["selection"]["l2"]


def test_histograms_count_every_item_once(made: Path, parts: dict[str, Path]) -> None:
    (chart,) = blocks(run_report(made), Histograms)
    labels = rp.read_letor(parts["test"]).labels
    assert {name: sum(counts) for name, counts in chart.groups} == {
        f"grade {grade}": int((labels == grade).sum()) for grade in (2, 1, 0)
    }


def test_weights_are_those_of_the_model(made: Path) -> None:
    (chart,) = blocks(run_report(made), NamedBars)
    weights = load_model(made).coef_
    order = np.argsort(-np.abs(weights))
    assert list(chart.bars) == [(f"feature {k + 1}", weights[k]) for k in order]


def test_rankings_beside_the_ideal(made: Path, parts: dict[str, Path]) -> None:
    report = run_report(made)
    shown = blocks(report, Rankings)
    assert [one.title.split(":")[0] for one in shown] == [
        *("Worst 1", "Worst 2", "Worst 3", "Best 1", "Best 2", "Best 3")
    ]
    gained = sorted(blocks(report, QueryBars)[0].bars, key=lambda bar: bar[1])
    assert shown[0].title == f"Worst 1: query {gained[0][0]}"
    assert shown[3].title == f"Best 1: query {gained[-1][0]}"
    data = rp.read_letor(parts["test"])
    for one in shown:
        query = data.query(int(one.title.rsplit(" ", 1)[1]))
        scores = load_model(made).predict(query.X)
        ours, ideal = one.sides
        order = np.argsort(-scores, kind="stable")
        assert [row[1] for row in ours.table.rows] == query.doc_ids[order].tolist()  # type: ignore[index]
        assert [row[2] for row in ideal.table.rows] == [f"{g:g}" for g in np.sort(query.labels)[::-1]]
        # The ideal side says at which rank the model has each item.
        ranks = {row[1]: row[0] for row in ours.table.rows}
        assert [row[3] for row in ideal.table.rows] == [ranks[row[1]] for row in ideal.table.rows]


def test_the_command_makes_the_run_again(rankproof: Run, made: Path, tmp_path: Path) -> None:
    (command,) = blocks(run_report(made), Command)
    words = shlex.split(command.text)
    assert (words[0], words[-2:]) == ("rankproof", ["--out", str(made)])
    assert rankproof(*words[1:-1], tmp_path / "again").status == 0
    first, second = read_run(made), read_run(tmp_path / "again")
    assert first == second


def test_files_are_listed_with_their_digests(made: Path, parts: dict[str, Path]) -> None:
    table = blocks(run_report(made), DataTable)[-1].table
    known = read_run(made)
    listed = {row[1]: row[2] for row in table.rows}
    for part, path in parts.items():
        assert listed[str(path)] == known["data"][part]["files"][0]["sha256"]
    assert listed["weights.npz"] == known["model"]["weights.npz"]


@pytest.mark.parametrize("change", ["gone", "changed"])
def test_data_that_are_not_those_of_the_run_are_left_out(
    made: Path, parts: dict[str, Path], change: str
) -> None:
    before = blocks(run_report(made), DataTable)[0].table.rows
    if change == "gone":
        parts["test"].unlink()
    else:
        parts["test"].write_text(parts["test"].read_text().replace("0 qid", "1 qid", 1))
    report = run_report(made)
    why = "does not exist" if change == "gone" else "has changed since the run"
    assert why in texts(report)
    # The numbers of the run stand, without the letters, which need the queries.
    after = blocks(report, DataTable)[0].table.rows
    assert [row[:3] for row in after] == [row[:3] for row in before]
    assert [row[3] for row in after] == ["a", "b", "", ""]
    # What is told of queries is then told of valid.
    assert "Query by query, valid" in [section.title for section in report.sections]


def test_without_any_file_the_stored_numbers_are_still_told(made: Path, parts: dict[str, Path]) -> None:
    for path in parts.values():
        path.unlink()
    titles = [section.title for section in run_report(made).sections]
    assert titles == ["Verdict", "Results", "Learning", "Features", "Reproduce"]


def test_the_page_of_values_at_hand_is_the_page_of_the_folder(made: Path, tmp_path: Path) -> None:
    """What fit writes from memory is what is read again from the run."""
    write_report(run_report(made), tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (made / "report.html").read_bytes()


def test_the_verdict_is_about_the_grades_of_the_data(rankproof: Run, tmp_path: Path) -> None:
    """softmax:balance optimises PD on binary labels, and does not on more grades."""
    found = {}
    for top in (1, 2):
        path = tmp_path / f"{top}.txt"
        path.write_text("".join(f"{k % (top + 1)} qid:{k // 6} 1:{k % 5} 2:{k % 7}\n" for k in range(60)))
        rankproof("fit", path, "-m", "PD", "--l2", "1", "--out", tmp_path / f"run{top}")
        (found[top],) = blocks(run_report(tmp_path / f"run{top}"), VerdictBox)
    assert found[1].outcome == "consistent"
    assert found[1].head.endswith(" under binary labels.")
    assert found[1].rows[0] == ("holds if", ["every label is 0 or 1"])
    assert found[2].outcome == "inconsistent"
    assert found[2].details


@pytest.mark.parametrize(("options", "warned"), [(["nDCG", "--loss", "listnet"], False), (["AP"], True)])
def test_that_nothing_was_known_of_a_loss_is_not_told_beside_its_verdict(
    rankproof: Run, parts: dict[str, Path], tmp_path: Path, options: list[str], warned: bool
) -> None:
    """A condition that the choice rests on is told still."""
    words = ("fit", parts["train"], "--l2", "1", "--out", tmp_path / "run", "-m", *options)
    assert "warning: " in rankproof(*words).err
    (section,) = [one for one in run_report(tmp_path / "run").sections if one.title == "Verdict"]
    verdict, *more = section.blocks
    assert isinstance(verdict, VerdictBox)
    assert verdict.outcome == "inconsistent"
    assert [isinstance(block, Paragraphs) and block.tone == "warning" for block in more] == [True] * warned


def test_a_question_that_cannot_be_asked_does_not_stop_the_report(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("no such law")

    monkeypatch.setattr("rankproof.runs.review.choose_loss", fails)
    (verdict,) = blocks(run_report(made), VerdictBox)
    assert verdict.outcome == "undecided"
    assert "RuntimeError: no such law" in verdict.rows[0][1][0]


@pytest.mark.parametrize("rows", ["1 qid:1 1:1\n0 qid:1 1:2\n", "1 qid:1 1:1\n"])
def test_a_test_set_of_one_query_has_a_report(
    rankproof: Run, parts: dict[str, Path], tmp_path: Path, rows: str
) -> None:
    small = tmp_path / "small.txt"
    small.write_text(rows)
    words = ("fit", parts["train"], "--test", small, "-m", "nDCG", "--l2", "1", "--out", tmp_path / "run")
    assert rankproof(*words).status == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert render(run_report(tmp_path / "run")) == page


def test_trees_have_curves_and_importances(rankproof: Run, parts: dict[str, Path], tmp_path: Path) -> None:
    words = ("fit", parts["train"], "--valid", parts["valid"], "-m", "nDCG@10", "--model", "lightgbm")
    assert rankproof(*words, "--n-estimators", "8", "--out", tmp_path / "run").status == 0
    report = run_report(tmp_path / "run")
    learning = blocks(report, LineChart)[0]
    model = load_model(tmp_path / "run")
    assert [y for _, y in learning.series[0].points] == model.evaluations_.tolist()
    assert learning.x_label == "trees"
    (bars,) = blocks(report, NamedBars)
    assert [value for _, value in bars.bars] == sorted(
        model.feature_importances_[model.feature_importances_ > 0]
    )[::-1]


def test_the_command_writes_it_where_it_is_asked_for(rankproof: Run, made: Path, tmp_path: Path) -> None:
    ran = rankproof("report", made)
    assert (ran.status, ran.out) == (0, f"report  {made / 'report.html'}\n")
    ran = rankproof("report", made, "-o", tmp_path / "other.html")
    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / "other.html").read_bytes() == (made / "report.html").read_bytes()
    # The model of the run is still the one of its results.
    assert rankproof("predict", made, tmp_path / "test.txt", "-o", tmp_path / "scores.txt").status == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["none"], "'none' does not exist"),
        (["."], "holds no run"),
        (["run", "-o", "no/report.html"], "its folder does not exist"),
        (["run", "-o", "run"], "is a folder"),
    ],
)
def test_wrong_use_is_one_line(
    rankproof: Run, made: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], message: str
) -> None:
    monkeypatch.chdir(made.parent)
    before = {path: path.read_bytes() for path in made.iterdir()}
    ran = rankproof("report", *more)
    assert (ran.status, ran.out) == (3, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert {path: path.read_bytes() for path in made.iterdir()} == before


def test_a_model_that_is_not_of_the_results_is_refused(made: Path) -> None:
    (made / "model.json").write_text("{}")
    with pytest.raises(DataError, match="SHA-256 differs"):
        run_report(made)


def edited(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change results.json as someone with an editor would."""
    file = folder / "results.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    change(facts)
    file.write_text(json.dumps(facts), encoding="utf-8")


def test_the_headline_comes_from_what_was_checked(made: Path) -> None:
    """Someone writes 0.9999 into results.json: headline and table have what the model gives, and say so."""
    true = run_report(made)

    def better(facts: dict[str, Any]) -> None:
        row = facts["results"]["test"]["metrics"][0]
        row["mean"], row["interval"], row["constant"] = 0.9999, [0.9998, 1.0], 0.0001

    edited(made, better)
    report = run_report(made)
    assert report.lead == true.lead
    table = blocks(report, DataTable)[0].table
    assert table.rows == blocks(true, DataTable)[0].table.rows
    assert "0.9999" not in report.lead
    (note,) = [note for note in table.notes if "0.9999" in note]
    assert "which is shown, but the run stored 0.9999" in note


def test_a_headline_that_cannot_be_checked_says_so(made: Path, parts: dict[str, Path]) -> None:
    parts["test"].unlink()
    parts["valid"].unlink()
    assert run_report(made).lead.endswith(
        "These are the numbers that the run has stored; they were not checked."
    )


@pytest.mark.parametrize(("word", "value"), [("loss", "squared:gain"), ("metric", "AP")])
def test_the_loss_and_the_metric_are_those_of_the_model(made: Path, word: str, value: str) -> None:
    """The verdict must not be on a loss that was not trained."""
    true = run_report(made)
    edited(made, lambda facts: facts["choice"].update({word: value}))
    report = run_report(made)
    assert (report.lead, report.title) == (true.lead, true.title)
    assert blocks(report, VerdictBox)[0].head == blocks(true, VerdictBox)[0].head
    assert f"results.json says that the {word} is {value}, but the model was made for " in texts(report)
