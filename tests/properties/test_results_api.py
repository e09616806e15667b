"""Every result speaks the same way: to_dict is data, to_json text, to_frame rows, HTML a view of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.evaluation.bootstrap import mean_interval
from rankproof.evaluation.effect import effect_size
from rankproof.evaluation.explain import Explained
from rankproof.evaluation.paired import randomisation_test

EVIL = "<script>alert('&')</script>"
LABELS, STARTS = [2, 0, 1, 0, 0, 0, 1, 0], [0, 2, 4, 6, 8]
SCORES = {EVIL: [2, 1, 2, 1, 2, 1, 1, 1], "down": [1, 2, 1, 2, 1, 2, 2, 1]}


PAIR = np.array([[0, 1]])


def comparison() -> rp.Comparison:
    return rp.compare(SCORES, LABELS, ["nDCG", "AP"], offsets=STARTS, resamples=200)


def results() -> rp.Results:
    ids = [EVIL, EVIL, "b", "b", "c", "c", "d", "d"]
    return rp.evaluate(SCORES["down"], LABELS, ["nDCG@3", "AP(rel=2)"], qid=ids, bounds=True)


def explained() -> Explained:
    data = rp.RankingData(labels=[1, np.nan, 2], offsets=[0, 3], query_ids=[EVIL], doc_ids=[EVIL, "b", "c"])
    return rp.explain("nDCG@2", [np.inf, 0.5, 0.5], data, query=EVIL)


def nothing_to_explain() -> Explained:
    return rp.explain("AP", [1.0, 2.0], [0, 0], offsets=[0, 2], query=0)


def demonstration() -> rp.Demonstration:
    law = rp.Law({(2, 1): "3/5", (0, 1): "2/5"})
    return rp.demonstrate("lightgbm:lambdarank", "nDCG", law, rates=[0.1], seeds=[0, 1], trees=3)


# Every class of results, as a maker of one; with the number of rows when it has rows.
RESULTS: dict[str, tuple[Callable[[], Any], int | None]] = {
    "Comparison": (comparison, 2),
    "Results": (results, 4),
    "Explained": (explained, 2),
    "Explained of an empty query": (nothing_to_explain, 0),
    "PairResult": (lambda: comparison().pairs["AP"][0], None),
    "Interval": (lambda: mean_interval([0.1, 0.5, 0.7]), None),
    "Interval without ends": (lambda: mean_interval([0.1]), None),
    "Effect": (lambda: effect_size([0.6, 0.8, 0.7], [0.5, 0.6, 0.6]), None),
    "Effect without end": (lambda: effect_size([0.6, 0.6, 0.6], [0.5, 0.5, 0.5]), None),
    "Paired": (lambda: randomisation_test([0.6, 0.8, 0.7], [0.5, 0.6, 0.6]), None),
    "Demonstration": (demonstration, 2),
    "Run of a demonstration": (lambda: demonstration().runs[0], None),
    "Law of grades": (lambda: rp.Law({(1, "1/2"): "1/3", (0, 2): "2/3"}), 2),
    "Law of graphs": (lambda: rp.Law.point({(0, 1): 1, (2, 1): "1/2"}), 1),
    "Law of permutations": (lambda: rp.Law.point(rp.Permutation((1, 3, 2))), 1),
}
# Data have rows and a view; their text forms are files.
DATA: dict[str, tuple[Callable[[], Any], int]] = {
    "RankingData": (
        lambda: rp.RankingData(labels=[1, np.nan], offsets=[0, 1, 2], query_ids=[EVIL, "b"], X=[[1], [2]]),
        2,
    ),
    "RankingData of many queries": (lambda: rp.RankingData(labels=[0] * 9, offsets=range(10)), 9),
    "Run": (lambda: rp.Run.from_dict({EVIL: {EVIL: 0.5, "b": np.inf}, "q": {}}, tag=EVIL), 2),
    "Qrels": (lambda: rp.Qrels.from_dict({EVIL: {EVIL: 2.0}}), 1),
    "Prefs": (
        lambda: rp.Prefs(
            np.array([EVIL, "q"]), (("a", EVIL), ("b",)), ((EVIL, "ann"), ("ann",)), (PAIR, PAIR[:0])
        ),
        1,
    ),
}
TABLES = {name: entry for name, entry in RESULTS.items() if entry[1] is not None} | DATA


def is_plain(value: Any) -> bool:
    """What JSON holds, of the very types that it gives back."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(entry) for key, entry in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.parametrize("name", RESULTS)
def test_to_dict_is_plain_data_and_to_json_its_text(name: str) -> None:
    result = RESULTS[name][0]()
    plain = result.to_dict()
    assert is_plain(plain), plain
    text = result.to_json()
    assert type(text) is str
    assert json.loads(text, parse_constant=pytest.fail) == plain
    assert plain == RESULTS[name][0]().to_dict()


@pytest.mark.parametrize("make", [comparison, results])
def test_the_values_of_the_queries_come_along_when_they_are_asked_for(make: Callable[[], Any]) -> None:
    result = make()
    plain = result.to_dict(per_query=True)
    assert is_plain(plain)
    assert json.loads(result.to_json(per_query=True), parse_constant=pytest.fail) == plain
    assert len(json.dumps(plain)) > len(json.dumps(result.to_dict()))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", TABLES)
def test_a_frame_has_the_rows(name: str, backend: str) -> None:
    make, rows = TABLES[name]
    frame = make().to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert frame.shape[0] == rows


class Page(HTMLParser):
    """Checks that tags are closed in order, and keeps the tags and the texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.rows: list[int] = []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(key == "style" for key, _ in attrs), attrs
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("name", RESULTS | DATA)
def test_the_notebook_view_is_well_formed_and_escaped(name: str) -> None:
    text = (RESULTS | DATA)[name][0]()._repr_html_()
    page = Page(text)
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "caption", "div", "p", "br", "pre"}
    assert "<script" not in text
    widths = iter(page.rows)
    assert all(width > 0 for width in widths)
    assert len(text) < 20_000


@pytest.mark.parametrize("name", ["Comparison", "Explained", "PairResult", "RankingData", "Run", "Qrels"])
def test_the_name_of_a_system_or_a_document_is_shown_as_it_is(name: str) -> None:
    page = Page((RESULTS | DATA)[name][0]()._repr_html_())
    assert EVIL in "".join(page.texts)


def test_a_frame_has_the_numbers_of_the_result() -> None:
    found = comparison()
    frame = found.to_frame()
    pair = found.pairs["nDCG"][0]
    row = frame[frame["metric"] == "nDCG"].iloc[0]
    assert (row["a"], row["b"], row["difference"], row["p_adjusted"]) == (
        *(pair.a, pair.b),
        *(pair.difference, pair.adjusted),
    )
    assert row["winner"] is None
    assert found.to_csv().splitlines()[0].split(",") == list(frame.columns)
    places = explained().to_frame()
    assert places["item"].tolist() == [EVIL, "b"]
    assert places["score"].tolist() == [np.inf, 0.5]
    assert np.isnan(places["label"].tolist()[1])
    law = rp.Law({(1, "1/2"): "1/3", (0, 2): "2/3"}).to_frame()
    assert law.columns.tolist() == ["probability", "share", "y(0)", "y(1)"]
    assert law["probability"].tolist() == ["1/3", "2/3"]
    assert law["y(1)"].tolist() == [0.5, 2.0]


def test_one_empty_frame_names_no_columns() -> None:
    assert nothing_to_explain().to_frame().shape[0] == 0
