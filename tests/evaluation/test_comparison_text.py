"""Every form of a comparison says how many queries count, by whose rules, and what was shown."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.evaluation.defaults import MOST_PAIRS

RNG = np.random.default_rng(3)
QUERIES, SIZE = 60, 10
OFFSETS = np.arange(0, QUERIES * SIZE + 1, SIZE)
LABELS = RNG.integers(0, 3, QUERIES * SIZE).astype(float)
LABELS[:70] = 0.0  # seven queries without a relevant item
SYSTEMS = {
    "poor": RNG.normal(size=LABELS.size),
    "good_1": LABELS + RNG.normal(size=LABELS.size),
    "fair": LABELS + 2 * RNG.normal(size=LABELS.size),
}


def compared(**options: object) -> rp.Comparison:
    return rp.compare(SYSTEMS, LABELS, ["nDCG@10", "AP"], offsets=OFFSETS, **options)  # type: ignore[arg-type]


def many(count: int, **options: object) -> rp.Comparison:
    rng = np.random.default_rng(count)
    systems = {f"s{k}": LABELS + (1 + k / 3) * rng.normal(size=LABELS.size) for k in range(count)}
    return rp.compare(systems, LABELS, "AP", offsets=OFFSETS, test="t", **options)  # type: ignore[arg-type]


def test_how_many_queries_count_is_said_in_every_form() -> None:
    """53 of 60: seven are empty."""
    found = compared()
    line = "53 of 60 queries count; convention: rankproof"
    for text in (str(found), found._repr_html_(), found.to_latex()):
        assert line in text
    assert line in json.loads(found.to_json())["notes"]
    for row in csv.DictReader(io.StringIO(found.to_csv())):
        assert (row["queries"], row["dropped"], row["convention"]) == ("53", "7", "rankproof")


def test_a_convention_leaves_its_trace_in_every_form() -> None:
    """ranx counts empty queries 0 and has linear gains."""
    found = compared(convention="ranx")
    for text in (str(found), found._repr_html_(), found.to_latex()):
        assert "60 of 60 queries count; convention: ranx" in text
        assert "nDCG@10 = nDCG(gain=linear,empty=0)@10" in text
    plain = json.loads(found.to_json())
    assert (plain["convention"], plain["metrics"]["AP"]["as"]) == ("ranx", "AP(empty=0)")
    for row in csv.DictReader(io.StringIO(found.to_csv())):
        assert (row["convention"], row["queries"], row["dropped"]) == ("ranx", "60", "0")
        assert row["as"].endswith("empty=0)@10" if row["metric"] == "nDCG@10" else "AP(empty=0)")


def test_values_by_query_leave_with_the_convention_and_the_number_of_queries() -> None:
    found = compared(convention="ranx")
    rows = list(csv.DictReader(io.StringIO(found.to_csv(per_query=True))))
    assert list(rows[0]) == ["query", "system", "nDCG@10", "AP", "convention"]
    assert {row["convention"] for row in rows} == {"ranx"}
    text = found.to_latex(per_query=True)
    assert r"\caption{nDCG@10, AP by query and system. 60 of 60 queries count; convention: ranx. " in text
    assert text.count(r"\begin") == text.count(r"\end") == 2
    assert "53 of 60 queries count; convention: rankproof." in compared().to_latex(per_query=True)


def test_metrics_that_count_other_queries_say_so() -> None:
    found = rp.compare(SYSTEMS, LABELS, ["AP", "AP(empty=0)"], offsets=OFFSETS)
    assert "queries that count, of 60: AP: 53; AP(empty=0): 60; convention: rankproof" in found.notes()


def test_runs_with_other_queries_count_by_system() -> None:
    qrels = rp.Qrels.from_dict({q: {"d": 1, "e": 0} for q in "xyz"})
    right = {"d": 2.0, "e": 1.0}
    runs = {"a": rp.Run.from_dict({"x": right}), "b": rp.Run.from_dict({"x": right, "y": right})}
    found = rp.compare(runs, qrels, "RR", missing="skip")
    assert "1 to 2 (by system) of 2 queries count; convention: rankproof" in found.notes()


def test_evaluate_says_the_convention_in_its_csv_too() -> None:
    results = rp.evaluate(SYSTEMS["fair"], LABELS, "nDCG@10", offsets=OFFSETS, convention="ranx")
    (row,) = csv.DictReader(io.StringIO(results.to_csv()))
    assert (row["convention"], row["as"]) == ("ranx", "nDCG(gain=linear,empty=0)@10")


def test_systems_are_sorted_by_value() -> None:
    assert [row[0] for row in compared().table().rows][:3] == ["good_1", "fair", "poor"]
    lower = rp.compare(SYSTEMS, LABELS, "PD", offsets=OFFSETS)
    assert [row[0] for row in lower.table().rows][:3] == ["good_1", "fair", "poor"]


def test_one_line_for_the_constant_scorer_whatever_was_retrieved() -> None:
    """One of two systems finds one item of three, so constant scorers of their items differ."""
    qrels = rp.Qrels.from_dict({q: {"d": 1, "e": 0, "f": 0} for q in "xyz"})
    full = {"d": 3.0, "e": 2.0, "f": 1.0}
    runs = {
        "full": rp.Run.from_dict(dict.fromkeys("xyz", full)),
        "short": rp.Run.from_dict({"x": {"d": 1.0}, "y": {"d": 1.0}, "z": full}),
    }
    found = rp.compare(runs, qrels, "P@1")
    rows = [row for row in found.table().rows if row[0].startswith("(")]
    # A third of the queries' items is relevant; the short run has the relevant one alone in two queries.
    assert [list(row) for row in rows] == [["(constant scorer, by system)", "0.3333-0.7778", "", ""]]


def test_many_systems_make_few_lines() -> None:
    found = many(17)
    lines = str(found).splitlines()
    assert len(lines) < 17 + 12
    assert len(found.pairs["AP"]) == 136 > MOST_PAIRS
    assert "136 pairs of each metric" in lines[-1]
    assert "136 pairs of each metric" in found._repr_html_()
    assert len(many(5).pairs["AP"]) == 10
    assert "s0 - s1" in str(many(5))


def test_a_baseline_is_tested_against_and_nothing_else() -> None:
    all_pairs, found = compared(test="t"), compared(test="t", baseline="fair")
    assert [(p.a, p.b) for p in found.pairs["AP"]] == [("poor", "fair"), ("good_1", "fair")]
    assert found.against_baseline("MAP") == {"poor": "worse", "good_1": "better"}
    # Two tests are corrected for, not three.
    worst = max(found.pairs["AP"], key=lambda p: p.p)
    best = min(found.pairs["AP"], key=lambda p: p.p)
    assert best.adjusted == pytest.approx(2 * best.p)
    assert worst.adjusted == pytest.approx(max(worst.p, best.adjusted))
    others = {frozenset((p.a, p.b)): p for p in all_pairs.pairs["AP"]}
    for p in found.pairs["AP"]:
        assert p.p == pytest.approx(others[frozenset((p.a, p.b))].p)
        assert p.adjusted <= others[frozenset((p.a, p.b))].adjusted
    assert found.winner("AP") is None  # good_1 and poor were not compared
    assert "AP: better than fair: good_1; worse: poor" in found.notes()
    assert json.loads(found.to_json())["baseline"] == "fair"
    with pytest.raises(ArgumentError, match="only those with the baseline 'fair' were tested"):
        found.letters("AP")
    with pytest.raises(ArgumentError, match="has no baseline"):
        all_pairs.against_baseline("AP")
    with pytest.raises(
        ArgumentError, match="baseline must be one of the systems, poor, good_1, fair; got 'x'"
    ):
        compared(baseline="x")


def test_the_best_system_as_baseline_wins() -> None:
    assert compared(baseline="good_1").winner("AP") == "good_1"


def test_latex_is_a_table_of_a_paper() -> None:
    found = compared(test="t")
    text = found.to_latex()
    rows = [line for line in text.splitlines() if re.match(r"[abc] & ", line)]
    assert [row.split(" & ")[1] for row in rows] == [r"good\_1", "fair", "poor"]
    for at, system in enumerate(["good_1", "fair", "poor"]):
        _, _, *cells = rows[at].removesuffix(r" \\").split(" & ")
        for metric, cell in zip(found.metrics, cells, strict=True):
            value = f"{found.results[system].mean[metric]:.4f}"
            assert (rf"\textbf{{{value}}}" in cell) == (system == "good_1")
            beaten = {p.b if p.winner == p.a else p.a for p in found.pairs[metric] if p.winner == system}
            labels = dict(zip(["good_1", "fair", "poor"], "abc", strict=True))
            letters = "".join(label for name, label in labels.items() if name in beaten)
            assert cell.endswith(f"$^{{{letters}}}$" if letters else value)
    assert "paired t test, Holm's correction over the pairs of each metric, level 0.05" in text
    against = compared(baseline="fair").to_latex()
    assert re.search(r"good\\_1 & \\textbf\{[\d.]+\}\$\^\{\+\}\$", against)
    assert re.search(r"poor & [\d.]+\$\^\{-\}\$", against)


def test_per_query_values_in_every_form() -> None:
    found = compared()
    rows = list(csv.DictReader(io.StringIO(found.to_csv(per_query=True))))
    assert len(rows) == QUERIES * 3
    values = found.results["fair"].per_query["AP"]
    for row in rows:
        if row["system"] == "fair":
            at = int(row["query"])
            assert row["AP"] == ("" if np.isnan(values[at]) else repr(float(values[at])))
    assert len(found.per_query_table().rows) == QUERIES * 3
    assert r"\begin{tabular}" in found.to_latex(per_query=True)


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon"])
@pytest.mark.parametrize("correction", ["metric", "all"])
def test_an_interval_never_contradicts_its_row_without_a_word(test: str, correction: str) -> None:
    """0 is outside exactly where a difference is shown, or the row has a star and the table says why."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        systems = {f"s{k}": LABELS[:250] + (2 + k / 4) * rng.normal(size=250) for k in range(6)}
        found = rp.compare(
            systems, LABELS[:250], ["nDCG@10", "RR"], offsets=OFFSETS[:26], test=test, correction=correction
        )
        for metric in found.metrics:
            table = found.pair_table(metric)
            for p, row in zip(found.pairs[metric], table.rows, strict=True):
                contradicts = (0.0 in p.interval) == (p.winner is not None)
                if test == "t":
                    assert not contradicts
                assert row[2].endswith("*") or not contradicts
            starred = any(row[2].endswith("*") for row in table.rows)
            assert starred == any("disagree about 0; the test decides" in note for note in table.notes)


def test_few_queries_that_the_test_cannot_show_are_explained() -> None:
    """Five wins in five: randomisation cannot go below 2/32, the t interval excludes 0."""
    scores = {"a": [2, 1] * 5, "b": [1, 2] * 5}
    found = rp.compare(scores, [1, 0] * 5, "RR", offsets=np.arange(0, 11, 2))
    (pair,) = found.pairs["RR"]
    assert (pair.winner, pair.p, 0.0 in pair.interval) == (None, 2 / 32, False)
    assert pair.disagrees
    assert "* the t interval and the randomisation test disagree about 0; the test decides" in str(found)


def test_sampling_error_is_shown() -> None:
    found = compared(samples=5000)
    largest = max(p.p_error for listed in found.pairs.values() for p in listed)
    assert largest > 0.0
    assert f"p is sampled, with a standard error of at most {largest:.1g}" in found.notes()
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [float(row["p_error"]) for row in rows] == [
        p.p_error for listed in found.pairs.values() for p in listed
    ]
    plain = json.loads(found.to_json())["metrics"]["AP"]["pairs"][0]
    assert plain["p"]["randomisation"]["p_error"] == found.pairs["AP"][0].p_error
