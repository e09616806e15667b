"""Checks of proofs reject whatever is wrong with a proof."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from rankproof.errors import DataError, PrecisionError
from rankproof.feedback import Graded, Law
from rankproof.metrics import METRICS
from rankproof.targets import absence_of
from rankproof.theory.base.proofs import Contradiction, ForcedOrder, TargetTable
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.checks import check_clash, check_contradiction, check_split, check_target
from rankproof.theory.existence.decide import Existence, target_exists
from rankproof.theory.existence.exchanges import exchange_target
from rankproof.theory.existence.symmetry import check_symmetry, rounded
from theory.existence_cases import ONE_HOT, SPACES


def test_a_wrong_target_is_rejected() -> None:
    table = value_table("P@2", SPACES["3 items"])
    right = target_exists("P@2", SPACES["3 items"]).target
    assert right is not None
    assert check_target(table, right) is None
    turned = tuple(tuple(-value for value in row) for row in right.rows)
    assert "not a multiple >= 0" in str(check_target(table, replace(right, rows=turned)))
    for y, row in enumerate(right.rows):
        for item in range(3):
            moved = (*row[:item], row[item] + 1, *row[item + 1 :])
            changed = replace(right, rows=(*right.rows[:y], moved, *right.rows[y + 1 :]))
            assert check_target(table, changed) is not None
    assert check_target(table, replace(right, rows=right.rows[1:])) is not None
    assert check_target(table, TargetTable(ONE_HOT, right.rows[:3])) is not None
    irrational = target_exists("nDCG", SPACES["3 items"]).target
    assert irrational is not None
    ndcg = value_table("nDCG", SPACES["3 items"])
    assert "one precision" in str(check_target(ndcg, replace(irrational, shadow=None)))
    assert check_target(ndcg, replace(irrational, shadow=right.rows)) is not None


def test_a_wrong_contradiction_is_rejected() -> None:
    table = value_table("AP", SPACES["3 items"])
    right = target_exists("AP", SPACES["3 items"]).contradiction
    assert right is not None
    first, *others = right.parts

    def wrong(part: ForcedOrder) -> str:
        return str(check_contradiction(table, Contradiction((part, *others))))

    assert "cancel" in wrong(replace(first, weight=first.weight * 2))
    assert "weight" in wrong(replace(first, weight=-first.weight))
    assert "not every best ranking" in wrong(replace(first, above=1, below=0))
    assert "not every best ranking" in wrong(replace(first, law=Law.point((0, 1, 1))))
    # Items 0 and 1 are tied.
    assert "not every best ranking" in wrong(replace(first, law=Law.point((1, 1, 0))))
    assert "cancel" in wrong(replace(first, law=Law.point((1, 0, 1))))
    assert "not a law on" in wrong(replace(first, law=Law.point((2, 0, 1))))
    assert "not a law on" in wrong(replace(first, law=Law.point((1, 0))))
    assert check_contradiction(table, Contradiction(())) is not None
    # What contradicts for AP does not for a metric that has a target.
    assert check_contradiction(value_table("P@1", SPACES["3 items"]), right) is not None


def test_the_laws_of_the_registry_contradict() -> None:
    """Those of `standardize.absence`: their mixture stays the same when items 0 and 1 are exchanged."""
    for name in ("AP", "RR", "Rprec", "bpref", "MeanNDCG"):
        absence = absence_of(METRICS[name]())
        assert absence is not None
        parts = tuple(ForcedOrder(Law(law), share) for share, law in absence.laws())
        assert check_contradiction(value_table(name, SPACES["3 items"]), Contradiction(parts)) is None
    pairs = absence_of(METRICS["PD"]())
    assert pairs is not None
    parts = tuple(ForcedOrder(Law(law), share) for share, law in pairs.laws())
    assert check_contradiction(value_table("PD", SPACES["3 grades"]), Contradiction(parts)) is None


def test_a_wrong_clash_is_rejected() -> None:
    table = value_table("RR", SPACES["3 items"])
    right = target_exists("RR", SPACES["3 items"]).clash
    assert right is not None
    assert check_clash(table, right) is None
    same = replace(right, rankings=(right.rankings[0],) * 2, gains=(right.gains[0],) * 2)
    assert "fit together" in str(check_clash(table, same))
    assert "gains" in str(check_clash(table, replace(right, gains=right.gains[::-1])))
    assert check_clash(table, replace(right, kind="sum")) is not None
    assert check_clash(table, replace(right, rankings=((0, 2, 1), (2, 0, 1)))) is not None
    assert check_clash(value_table("P@1", SPACES["3 items"]), right) is not None


def test_a_wrong_clash_of_sums_is_rejected() -> None:
    table = value_table("PD", SPACES["3 grades"])
    right = target_exists("PD", SPACES["3 grades"]).clash
    assert right is not None
    assert right.kind == "sum"
    assert check_clash(table, right) is None
    # For 110 the gains of 0 above 1, 1 above 2 and 0 above 2 are 0, 1 and 1.
    fits = replace(right, feedback=(Graded((1, 1, 0)),), gains=tuple((Fraction(g),) for g in (0, 1, 1)))
    assert "fit together" in str(check_clash(table, fits))
    # DCG(discount=reciprocal) pays 1/2 for ranks 1, 2 and 1/6 for ranks 2, 3: sums count at the same ranks.
    dcg = value_table("DCG(discount=reciprocal)", SPACES["3 items"])
    mixed = replace(
        right,
        rankings=((0, 1, 2), (0, 1, 2), (0, 2, 1)),
        feedback=(Graded((1, 1, 0)),),
        gains=tuple((gain,) for gain in (Fraction(0), Fraction(1, 6), Fraction(1, 2))),
    )
    assert "same ranks" in str(check_clash(dcg, mixed))
    assert "not those" in str(
        check_clash(table, replace(right, gains=((Fraction(1),),) * 2 + ((Fraction(5),),)))
    )


def test_values_without_symmetry_are_rejected() -> None:
    table = value_table("RR", SPACES["3 items"])
    found = target_exists("RR", SPACES["3 items"])
    assert found.contradiction is not None
    assert found.clash is not None
    assert found.split is not None
    assert check_symmetry(table) is None
    # The labels 000 are in none of the laws, so that nothing else is wrong.
    broken = replace(table, values=((Fraction(9), *table.values[0][1:]), *table.values[1:]))
    for said in (
        check_symmetry(broken),
        check_contradiction(broken, found.contradiction),
        check_clash(broken, found.clash),
        check_split(broken, found.split),
    ):
        assert "renamed" in str(said)


def test_precisions_that_disagree_are_refused() -> None:
    table = value_table("nDCG", SPACES["3 items"])
    assert exchange_target(rounded(table)) is not None
    other = value_table("RR", SPACES["3 items"])
    with pytest.raises(PrecisionError, match="two precisions"):
        exchange_target(replace(table, shadow=other))


def test_damaged_answers_are_data_errors() -> None:
    plain = target_exists("RR", SPACES["3 items"]).to_dict()
    with pytest.raises(DataError, match="format"):
        Existence.from_dict({**plain, "version": 0})
    with pytest.raises(DataError, match="damaged"):
        Existence.from_dict({**plain, "split": {"law": plain["split"]["law"]}})
    with pytest.raises(DataError, match="damaged"):
        Existence.from_dict({key: value for key, value in plain.items() if key != "clash"})
    with pytest.raises(DataError, match="damaged"):
        TargetTable.from_dict({"feedback": "graded", "items": 3, "support": [[1, 0, 0]], "target": [["a"]]})
