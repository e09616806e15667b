"""Each target against its definition: visible arithmetic, then the kernel against the definition."""

from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof as rp
from drawn import examples
from every_case import every_case
from properties.strategies import OPTIONS
from rankproof.arrays import offsets_from_qid
from rankproof.errors import ArgumentError, DataError, ParseError, UnknownNameError
from rankproof.feedback import Law, Permutation, PreferenceGraph
from rankproof.metrics import METRICS
from rankproof.targets import (
    TARGETS,
    Balance,
    FShare,
    GainTarget,
    NormalisedGain,
    PairShare,
    PairWeight,
    PositionalTarget,
    RankGrade,
    Relevance,
    RelevanceShare,
    Satisfaction,
    Target,
    UserTarget,
    target,
    target_for,
)

MORE = {"bound": (1, 2, 3.5)}


def variants(cls: type[Target]) -> list[Target]:
    """The target with defaults, then with every other value of one parameter."""
    found = [cls()]
    for field in fields(cls):
        values = cls.choices.get(field.name) or MORE.get(field.name) or OPTIONS[field.name]
        found += [cls(**{field.name: value}) for value in values if value != field.default]
    return found


EVERY = [made for name in TARGETS for made in variants(TARGETS[name])]


# Definitions ---------------------------------------------------------------------------------------


def test_gain_is_the_worth_of_the_grade() -> None:
    assert GainTarget().of_labels([0, 1, 2, 4, -3]) == [0, 1, 3, 15, 0]
    assert GainTarget(gain="linear").of_labels([0, Fraction(1, 2), -1]) == [0, Fraction(1, 2), 0]
    assert GainTarget(gain=[0, 1, 10]).of_labels([2, 1, 0]) == [10, 1, 0]


def test_normalised_gain_divides_by_the_best_dcg() -> None:
    # DCG of (2, 1, 0): 3 + 1 / log2(3).
    z = 3 + 1 / math.log2(3)
    assert NormalisedGain().of_labels([1, 0, 2]) == [1 / z, 0, 3 / z]
    assert NormalisedGain(cutoff=1).of_labels([1, 0, 2]) == [1 / 3, 0, 1]
    # The discount 1/k gives 2 + 1/2 for the linear gains of (2, 1, 0).
    linear = NormalisedGain(gain="linear", discount="reciprocal")
    assert linear.of_labels([1, 0, 2]) == [1 / 2.5, 0, 2 / 2.5]
    assert NormalisedGain().of_labels([0, -1, 0]) == [0, 0, 0]
    assert NormalisedGain(discount=[0.0]).of_labels([1, 0]) == [0, 0]


def test_the_example_of_r11() -> None:
    """Section 3.2.1: labels (5, 4) with 0.3 and (1, 3) with 0.7; the two targets sort the two items apart."""
    law = Law({(5, 4): "0.3", (1, 3): "0.7"})
    assert law.expect(lambda y: GainTarget().of_labels(y)) == (10, Fraction(47, 5))
    first, second = law.expect(lambda y: NormalisedGain().of_labels(y))
    assert first == pytest.approx(0.32157, abs=5e-6)
    assert second == pytest.approx(0.75333, abs=5e-6)
    # By hand: 0.3 x 31 / (31 + 15 / log2 3) + 0.7 x 1 / (7 + 1 / log2 3).
    w = 1 / math.log2(3)
    assert first == pytest.approx(0.3 * 31 / (31 + 15 * w) + 0.7 * 1 / (7 + w), abs=1e-15)
    assert second == pytest.approx(0.3 * 15 / (31 + 15 * w) + 0.7 * 7 / (7 + w), abs=1e-15)


def test_r11_trains_with_three_normalisers() -> None:
    labels = [2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    weight = [1 / math.log2(k + 1) for k in range(1, 13)]
    best = [3 * weight[0], 3 * weight[0] + weight[1] + weight[2]]
    assert NormalisedGain(cutoff=1).of_labels(labels)[0] == pytest.approx(3 / best[0], abs=1e-15)
    for cutoff in (10, None):
        assert NormalisedGain(cutoff=cutoff).of_labels(labels)[0] == pytest.approx(3 / best[1], abs=1e-15)
    crowd = [1] * 12
    assert NormalisedGain(cutoff=10).of_labels(crowd)[0] == pytest.approx(1 / sum(weight[:10]), abs=1e-15)
    assert NormalisedGain().of_labels(crowd)[0] == pytest.approx(1 / sum(weight), abs=1e-15)


def test_relevance_and_its_shares() -> None:
    labels = [2, 0, 1, 0, 0]
    assert Relevance().of_labels(labels) == [1, 0, 1, 0, 0]
    assert Relevance(rel=2).of_labels(labels) == [1, 0, 0, 0, 0]
    half, sixth = Fraction(1, 2), Fraction(1, 6)
    assert RelevanceShare().of_labels(labels) == [half, 0, half, 0, 0]
    assert PairShare().of_labels(labels) == [sixth, 0, sixth, 0, 0]  # 2 relevant x 3 others
    # beta^2 R + K = 4 x 2 + 3, and 1/4 x 2 + 5 without a cutoff.
    assert FShare(beta=2, cutoff=3).of_labels(labels)[0] == Fraction(1, 11)
    assert FShare(beta=0.5).of_labels(labels)[0] == Fraction(2, 11)
    for share in (Relevance(), RelevanceShare(), PairShare(), FShare(cutoff=2)):
        assert share.of_labels([0, 0]) == [0, 0]
    assert PairShare().of_labels([1, 1]) == [0, 0]


def test_pair_weight_is_what_differences_weigh() -> None:
    assert PairWeight().of_labels([2, -1, Fraction(1, 2)]) == [2, -1, Fraction(1, 2)]
    assert PairWeight(weight="gain").of_labels([3, 0, -1]) == [8, 1, Fraction(1, 2)]
    # Pairs of (2, 1, 0) weigh (4 - 2) + (4 - 1) + (2 - 1) = 6.
    assert PairWeight(weight="gain", normalize=True).of_labels([2, 1, 0]) == [
        Fraction(4, 6),
        Fraction(2, 6),
        Fraction(1, 6),
    ]
    assert PairWeight(normalize=True).of_labels([1, 1]) == [0, 0]


def test_balance_counts_preferences_won_and_lost() -> None:
    assert Balance().of_labels([2, 0, 0, 1]) == [4 + 3, 4 - 2, 4 - 2, 4 + 1]
    # Five of the six pairs have a preference.
    assert Balance(normalize="pairs").of_labels([2, 0, 0, 1])[0] == 4 + Fraction(3, 5)
    assert Balance(normalize="root").of_labels([2, 0, 0, 1])[0] == 4 + 3 / math.sqrt(6 * 5)
    assert Balance(normalize="root").of_labels([2, 1, 0]) == [3 + Fraction(2, 3), 3, 3 - Fraction(2, 3)]
    assert Balance().of_labels([1, 1]) == [2, 2]
    graph = PreferenceGraph({(0, 1): 3, (0, 2): 1, (1, 2): 2}, 4)
    assert Balance(bound=3).of_feedback(graph) == [12 + 4, 12 - 1, 12 - 3, 12]
    assert Balance(normalize="pairs").of_feedback(graph) == [
        4 + Fraction(4, 6),
        4 - Fraction(1, 6),
        4 - Fraction(3, 6),
        4,
    ]
    assert Balance().of_feedback(Permutation((1, 3, 2))) == [5, 1, 3]
    with pytest.raises(DataError, match=r"weights up to bound=1, got 3 on 0→1"):
        Balance().of_feedback(graph)


def test_satisfaction_is_the_stop_of_err() -> None:
    assert Satisfaction().of_labels([4, 0, 1, -1]) == [Fraction(15, 16), 0, Fraction(1, 16), 0]
    assert Satisfaction(max_grade=1).of_labels([1]) == [Fraction(1, 2)]
    assert Satisfaction(max_grade=3.5).of_labels([1]) == [2.0**-3.5]


def test_rank_grade_of_a_permutation() -> None:
    for ranks in ((1, 2, 3), (3, 1, 2), (2, 4, 1, 3)):
        n = len(ranks)
        assert RankGrade().of_feedback(Permutation(ranks)) == [n - rank + 1 for rank in ranks]
    assert RankGrade().of_labels([5, 5, 1]) == [3, 3, 1]


@pytest.mark.parametrize(
    "name", ["P@2", "R@2", "F@1", "AUC", "RBP", "DCG", "nDCG@2", "WPDL(weight=gain)", "ERR@1"]
)
def test_a_positional_metric_tells_its_target(name: str) -> None:
    """The general form against the target of its own: the same up to a factor and a number per query."""
    metric = rp.metric(name)
    general, own = PositionalTarget(metric=metric), target_for(metric)
    factors = []
    for labels in ([2, 0, 1, 0], [0, 1, 0, 1], [1, 2, 2, 0], [3, 1, 0, 1]):
        wide = np.array([float(u) for u in general.of_labels(labels)])
        narrow = np.array([float(u) for u in own.of_labels(labels)])
        narrow -= narrow.min()
        assert wide.min() == 0
        worth = narrow > 0
        assert wide[~worth] == pytest.approx(0, abs=1e-15)
        factors += (wide[worth] / narrow[worth]).tolist()
        got = general.values(labels, [0, 4])
        # Values above 1, from logarithms that libraries round differently in the last digits.
        assert got == pytest.approx(wide, rel=1e-14, abs=1e-15)
    assert factors == pytest.approx([factors[0]] * len(factors), rel=1e-12)


def test_positional_needs_the_claim() -> None:
    with pytest.raises(ArgumentError, match="needs a metric with the claim positional, got AP"):
        PositionalTarget(metric="AP")
    assert PositionalTarget(metric="P@1").of_labels([]) == []
    assert PositionalTarget(metric="P@1").values([0, 0, 1.0], [0, 2, 3]).tolist() == [0, 0, 0]


def test_a_target_of_ones_own() -> None:
    own = UserTarget(function=lambda y: [2 * grade for grade in y], metric="DCG(gain=linear)", why="doubled")
    assert own.values([1, 0, 2], [0, 2, 3]).tolist() == [2, 0, 4]
    claim = own.standardizes(rp.metric("DCG(gain=linear)"))
    assert claim is not None
    assert (claim.value, claim.reference) == (True, "doubled")
    assert own.standardizes(rp.metric("DCG")) is None
    with pytest.raises(ArgumentError, match="but not why"):
        UserTarget(function=len, metric="DCG")
    with pytest.raises(DataError, match="one number per item, got 1 for 2 labels"):
        UserTarget(function=lambda _: [1]).of_labels([0, 1])
    with pytest.raises(DataError, match="must be finite, got nan at item 0"):
        UserTarget(function=lambda _: [math.nan]).of_labels([0])
    with pytest.raises(DataError, match="must give numbers, got 'a' at item 0"):
        UserTarget(function=lambda _: ["a"]).of_labels([0])


# Kernels against definitions -----------------------------------------------------------------------

POOLS = (
    (0.0, 1.0),
    (0.0, 1.0, 2.0, 3.0),
    (-2.0, -1.0, 0.0, 1.0),
    (0.0, 0.5, 1.0, 2.5),
    (0.0, 2.0, 63.0, 64.0, 70.5),
    (-30.5, 1.0, 300.0),
)


def fits(made: Target, labels: list[float]) -> bool:
    try:
        made.check(np.array(labels))
    except DataError:
        return False
    return True


@pytest.mark.parametrize("made", EVERY, ids=str)
@examples(40)
@given(data=st.data())
def test_the_kernel_follows_the_definition(made: Target, data: st.DataObject) -> None:
    pool = data.draw(st.sampled_from([pool for pool in POOLS if fits(made, list(pool))]))
    queries = data.draw(st.lists(st.lists(st.sampled_from(pool), max_size=8), max_size=4))
    offsets = np.concatenate(([0], np.cumsum([len(q) for q in queries]))).astype(np.int64)
    got = made.values([y for q in queries for y in q], offsets)
    want = [float(u) for q in queries for u in made.of_labels([int(y) if y == int(y) else y for y in q])]
    assert got.size == len(want)
    assert got == pytest.approx(want, rel=1e-12, abs=1e-300)
    if made.nonnegative:
        assert (got >= 0).all()


@every_case("made", EVERY, ids=str)
def test_any_number_of_threads_gives_the_same_bits(made: Target) -> None:
    rng = np.random.default_rng(7)
    sizes = rng.integers(0, 40, 4000)
    labels = rng.integers(0, 3, sizes.sum()).astype(float)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    one = made.values(labels, offsets, threads=1)
    assert (one == made.values(labels, offsets, threads=3)).all()


@every_case("made", [made for made in EVERY if fits(made, [0.0, 1.0, 2.0])], ids=str, thin=True)
def test_real_labels(made: Target, shared_data: Path) -> None:
    data = rp.read_letor(shared_data / "mq2008" / "S1.txt.xz")
    got = made.values(data.labels, data.offsets)
    want: list[float] = []
    for a, b in zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
        want += [float(u) for u in made.of_labels([int(y) for y in data.labels[a:b]])]
    assert got == pytest.approx(want, rel=1e-12, abs=1e-300)


def test_a_long_query() -> None:
    n = 300_000
    labels = np.arange(n) % 5.0
    balance = Balance().values(labels, [0, n])
    # Grade 4 is above 4/5 of the items and below none; grade 0 the other way round.
    assert balance[4] == n + 4 * n / 5
    assert balance[0] == n - 4 * n / 5
    assert PairShare(rel=4).values(labels, [0, n])[4] == 1 / (n / 5 * (4 * n / 5))
    # Every pair of the five equal groups: (n/5)^2 times the sum 1 + 2 + 3 + 4 + 1 + 2 + 3 + 1 + 2 + 1.
    assert PairWeight(normalize=True).values(labels, [0, n])[1] == pytest.approx(
        1 / (20 * (n / 5) ** 2), rel=1e-12
    )


def test_labels_outside_the_domain_are_refused() -> None:
    with pytest.raises(DataError, match=r"without a judgment \(NaN\), the first at item 1"):
        Relevance().values([1, math.nan], [0, 2])
    with pytest.raises(DataError, match=r"label 3 has no entry in the gain table of 3 grades"):
        GainTarget(gain=[0, 1, 2]).values([3.0], [0, 1])
    with pytest.raises(DataError, match=r"label 5 is above max_grade=4"):
        Satisfaction().values([5.0], [0, 1])
    with pytest.raises(DataError, match=r"too large for weight=gain"):
        PairWeight(weight="gain").values([2000.0], [0, 1])
    with pytest.raises(ArgumentError, match="offsets must start at 0"):
        Relevance().values([1.0], [0, 2])
    with pytest.raises(ArgumentError, match="kind graded, got preferences"):
        Relevance().of_feedback({(0, 1): 1})


# Strings -------------------------------------------------------------------------------------------


@every_case("made", EVERY, ids=str)
def test_the_printed_form_parses_back(made: Target) -> None:
    assert target(str(made)) == made
    assert hash(target(str(made))) == hash(made)
    assert repr(made) == str(made)
    assert target(made) is made


def test_strings() -> None:
    assert str(NormalisedGain(cutoff=10, gain="linear")) == "normalised-gain(gain=linear)@10"
    assert target("Normalised-Gain @ 5") == NormalisedGain(cutoff=5)
    assert target("relevance", rel=2) == target(Relevance(), rel=2) == Relevance(rel=2)
    assert target("positional:P(rel=2)@3") == PositionalTarget(metric=rp.metric("P(rel=2)@3"))
    assert str(target("positional:P(rel=2)@3")) == "positional:P(rel=2)@3"


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("gian", UnknownNameError, "Unknown target 'gian'. Did you mean 'gain'?"),
        ("gain(", ParseError, "Cannot read the target"),
        ("gain(gain)", ParseError, "parameters are written name=value"),
        ("gain@5", ArgumentError, "gain has no cutoff."),
        ("normalised-gain@x", ParseError, "Cannot read the cutoff 'x'"),
        ("normalised-gain(cutoff=3)@3", ParseError, "is given twice"),
        ("relevance(rle=2)", ArgumentError, "has no parameter 'rle'. Did you mean 'rel'?"),
        ("rank-grade(rel=2)", ArgumentError, "It has none."),
        (
            "normalised-gain@0",
            ArgumentError,
            "Argument cutoff of normalised-gain must be an int >= 1, got 0.",
        ),
        ("balance(normalize=half)", ArgumentError, "must be one of none, pairs, root, got 'half'"),
        (
            "balance(bound=0)",
            ArgumentError,
            "Argument bound of balance must be a finite number of at least 1, got 0",
        ),
        ("positional:AP", ArgumentError, "needs a metric with the claim positional"),
        (7, ArgumentError, "A target is a string such as 'gain'"),
    ],
)
def test_what_does_not_parse_says_why(spec: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        target(spec)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_targets_and_metrics_share_no_name() -> None:
    names = {name.casefold() for name in (*TARGETS, "positional", "user")}
    metrics = {key.casefold() for name in METRICS for key in (name, *METRICS.aliases(name))}
    assert not names & metrics


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_says_what_it_is(name: str) -> None:
    cls = TARGETS[name]
    assert cls.summary
    assert cls.definition
    assert cls.reference
    assert "**Definition.**" in (cls.__doc__ or "")
    assert set(cls.feedback_kinds) <= {"graded", "preferences", "permutation"}


def test_queries_are_read_one_by_one() -> None:
    offsets = offsets_from_qid([7, 7, 9, 9, 9])
    assert RelevanceShare().values([1, 1, 0, 1, 0], offsets).tolist() == [0.5, 0.5, 0, 1, 0]
