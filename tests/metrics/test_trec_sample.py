"""The binary metrics print what trec_eval prints for its own test run, to the last printed digit."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import pytest

from every_case import every_case
from metrics.one_query import lists_of
from rankproof.metrics import metric
from rankproof.metrics.ranked.lists import RankedLists

CALLED = {
    "bpref": "bpref",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "rbp": "RBP(p=0.9)",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"R@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
    **{f"unj_{k}": f"judged@{k}" for k in (5, 10, 20)},
}
Sample = tuple[dict[str, RankedLists], dict[tuple[str, str], str]]


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> Sample:
    """Ranked lists by query, NaN where there is no judgment, and the printed values."""
    folder = shared_data / "trec_eval"
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.test").read_text().splitlines():
        query, _, document, grade = line.split()
        judged[query][document] = float(grade)
    run: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (folder / "results.test").read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run[query].append((float(score), document))
    lists = {}
    for query, found in run.items():
        # Equal scores are ordered by document, last first; so no ties are left.
        documents = [document for _, document in sorted(found, reverse=True)]
        missed = [grade for document, grade in judged[query].items() if document not in set(documents)]
        labels = [judged[query].get(document, math.nan) for document in documents]
        lists[query] = lists_of(range(len(documents), 0, -1), labels, missed)
    printed = {}
    for line in (folder / "out.test.aq").read_text().splitlines():
        name, query, text = line.split()
        printed[name, query] = text
    return lists, printed


@every_case("name", CALLED)
def test_prints_the_same(name: str, sample: Sample) -> None:
    lists, printed = sample
    found = metric(CALLED[name])
    for query, ranked in lists.items():
        value = float(found.per_query(ranked.with_unjudged("keep" if found.sees_unjudged else "zero"))[0])
        value = 1 - value if name.startswith("unj") else value
        assert f"{value:.4f}" == printed[name, query], (name, query)
