"""The conventions ``letor3``, ``letor4`` and ``mslr`` equal what the data sets' own scripts print.

The expected outputs are those of the official scripts on scores with many ties (rounded feature values).
"""

from __future__ import annotations

import lzma
import math
from pathlib import Path

import numpy as np
import pytest

from agree.convention_values import Data, values
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

TEN = range(1, 11)


def read(folder: Path, name: str) -> tuple[Data, list[str]]:
    """The scores beside the labels of the set's part S5, and its query ids."""
    labels, qids = [], []
    with lzma.open(folder / name / "S5.txt.xz", "rt", encoding="ascii") as lines:
        for line in lines:
            label, qid, _ = line.split(" ", 2)
            labels.append(float(label))
            qids.append(qid.removeprefix("qid:"))
    scores = np.loadtxt(folder / "letor_eval" / f"{name}-S5.scores.txt")
    names = list(dict.fromkeys(qids))
    sizes = np.array([qids.count(qid) for qid in names])
    assert [qid for qid, n in zip(names, sizes, strict=True) for _ in range(n)] == qids
    return Data(scores, np.array(labels), sizes, sizes), names


def blocks(text: str) -> list[list[list[str]]]:
    """The tables of a LETOR 4.0 or MSLR output: precision and MAP, nDCG and MeanNDCG."""
    return [[line.split("\t") for line in block.splitlines()] for block in text.strip().split("\n\n")]


@pytest.mark.parametrize("script", ["letor4", "mslr"])
def test_letor4_and_mslr(script: str, shared_data: Path) -> None:
    data, qids = read(shared_data, "mq2008")
    text = (shared_data / "letor_eval" / f"mq2008-S5.{script}.expected.txt").read_text(encoding="ascii")
    precision, gains = blocks(text)
    assert precision[0] == ["qid", *(f"P@{k}" for k in TEN), "MAP"]
    assert gains[0] == ["qid", *(f"NDCG@{k}" for k in TEN), "MeanNDCG"]
    for table, names in (
        (precision, [*(f"P@{k}" for k in TEN), "AP"]),
        (gains, [*(f"nDCG@{k}" for k in TEN), "MeanNDCG"]),
    ):
        columns = [values(script, name, data) for name in names]
        # The script lists queries by number.
        for q, row in zip(np.argsort([int(qid) for qid in qids]), table[1:-1], strict=True):
            assert row == [qids[q], *(f"{column[q]:.4f}" for column in columns)]
        assert table[-1] == ["Average", *(f"{column.mean():.4f}" for column in columns)]


def test_letor3(shared_data: Path) -> None:
    """It prints 15 digits: 14 agree always, the last but for rounding in the sums."""
    data, qids = read(shared_data, "ohsumed")
    text = (shared_data / "letor_eval" / "ohsumed-S5.letor3.expected.txt").read_text(encoding="ascii")
    numeric = np.argsort([int(qid) for qid in qids])
    pairs: list[tuple[float, str]] = []
    for names, of_query, total in (
        ([f"P@{k}" for k in TEN], "precision of query", "precision:"),
        (["AP"], "Map of query", "MAP:"),
        ([f"nDCG@{k}" for k in TEN], "NDCG of query", "NDCG:"),
    ):
        printed = [line.split("\t") for line in text.splitlines() if line.startswith((of_query, total))]
        assert [row[0] for row in printed] == [*(f"{of_query}{i}:" for i in range(len(qids))), total]
        columns = [values("letor3", name, data)[numeric] for name in names]
        for i, row in enumerate(printed):
            ours = [column[i] if i < len(qids) else column.mean() for column in columns]
            pairs += zip(ours, (cell for cell in row[1:] if cell), strict=True)
    assert len(pairs) == 23 * 21
    for value, theirs in pairs:
        unit = 10.0 ** (math.floor(math.log10(float(theirs))) - 14) if float(theirs) else 0.0
        assert abs(value - float(theirs)) <= unit
    assert sum(f"{value:.15g}" == theirs for value, theirs in pairs) > 0.97 * len(pairs)


@pytest.mark.parametrize("script", ["letor3", "letor4", "mslr"])
def test_lists_shorter_than_the_cutoff(script: str) -> None:
    """Two items, both relevant, in ideal order: nDCG@3 counts 0; P@3 counts 0 (LETOR 3.0) or 2/3 (later)."""
    data = Data(np.array([2.0, 1.0]), np.array([2.0, 2.0]), np.array([2]), np.array([2]))
    assert values(script, "nDCG@2", data).tolist() == [1.0]
    assert values(script, "nDCG@3", data).tolist() == [0.0]
    assert values(script, "P@2", data).tolist() == [1.0]
    assert values(script, "P@3", data).tolist() == [0.0 if script == "letor3" else 2 / 3]


def test_the_discounts_of_ranks_1_and_2_are_equal() -> None:
    """Grades 1, 2 against 2, 1: the gains 1 + 3 over 3 + 1."""
    data = Data(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.array([2]), np.array([2]))
    assert values("letor4", "nDCG@2", data).tolist() == [1.0]
    assert values("letor4", "nDCG@1", data) == pytest.approx([1 / 3], rel=1e-15)
    assert values("letor4", "MeanNDCG", data) == pytest.approx([(1 / 3 + 1) / 2], rel=1e-15)


def test_relevance_starts_at_grade_2_in_mslr() -> None:
    data = Data(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.array([2]), np.array([2]))
    assert values("mslr", "AP", data).tolist() == [0.5]
    assert values("letor4", "AP", data).tolist() == [1.0]


def test_what_they_do_not_have() -> None:
    with pytest.raises(ConventionError, match=r"the LETOR 3\.0 script has no MeanNDCG"):
        CONVENTIONS["letor3"].resolve(metric("MeanNDCG"))
    with pytest.raises(ConventionError, match="over the whole list only"):
        CONVENTIONS["letor4"].resolve(metric("AP@10"))
    with pytest.raises(ConventionError, match="the MSLR script has AP with rel=2"):
        CONVENTIONS["mslr"].resolve(metric("AP(rel=3)"))
    with pytest.raises(ConventionError, match="nDCG with discount=letor"):
        CONVENTIONS["mslr"].resolve(metric("nDCG(discount=ln)@10"))
    with pytest.raises(DataError, match="whole grades from 0 to 2"):
        CONVENTIONS["letor4"].check(metric("P@1"), np.array([3.0]))
