"""Why a metric has no target: a few laws that no u can serve together.

**Argument.** Say u standardises a metric, and under a law p every best ranking has item 0 above item 1.
Then E_p[u_0] > E_p[u_1], or else some ranking that sorts by E_p[u] were not a best one. Take laws of this
kind whose mixture m does not change when the two items are exchanged. Then E_m[u_0] > E_m[u_1]. But the
metric treats all items alike, so under the exchanged laws every best ranking has item 1 above item 0, and
E_m[u_0] < E_m[u_1]. So there is no u. By Calauzènes & Usunier (NeurIPS 2020) no convex loss on scores is
then consistent with the metric under every law of the labels.

`ABSENCES` holds such laws: whole-number masses on the labels of items 0, 1, 2, ... (0 for an item that is not
relevant, 1 for one that is; for pairwise metrics 0, 1, 2 are grades).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.metrics.ap import AP
from rankproof.metrics.base import Metric
from rankproof.metrics.bpref import Bpref
from rankproof.metrics.err import ERR
from rankproof.metrics.mean_ndcg import MeanNDCG
from rankproof.metrics.pd import PD
from rankproof.metrics.rprec import Rprec
from rankproof.metrics.rr import RR
from rankproof.metrics.success import Success
from rankproof.metrics.tau import Tau
from rankproof.metrics.wpdl import WPDL
from rankproof.metrics.zero_one import ZeroOne

__all__ = ["Absence", "absence_of"]

Masses = dict[tuple[Any, ...], int]


@dataclass(frozen=True)
class Absence:
    """Laws that no target can serve together, and who first showed that there is none.

    Attributes
    ----------
    parts : tuple of dict
        For each law the mass of every label vector. All parts together add up to a measure that stays the
        same when items 0 and 1 are exchanged.
    reference : str
        Where it is shown, or the reason in a few words.
    """

    parts: tuple[Masses, ...]
    reference: str

    def laws(self) -> list[tuple[Fraction, dict[tuple[Any, ...], Fraction]]]:
        """Each law as probabilities, with its share in the mixture."""
        every = sum(sum(part.values()) for part in self.parts)
        laws = []
        for part in self.parts:
            mass = sum(part.values())
            law = {labels: Fraction(own, mass) for labels, own in part.items()}
            laws.append((Fraction(mass, every), law))
        return laws

    def __str__(self) -> str:
        listed = " and ".join(
            " + ".join(f"{p} {_word(labels)}" for labels, p in law.items()) for _, law in self.laws()
        )
        shares = ", ".join(str(share) for share, _ in self.laws())
        return (
            f"under each of the laws {listed} every best ranking has item 0 above item 1, yet their mixture "
            f"in shares {shares} stays the same when the two are exchanged, so E[u_0] would be larger and "
            f"smaller than E[u_1] ({self.reference})"
        )


def _word(labels: tuple[Any, ...]) -> str:
    word = "".join(map(str, labels))
    return word if len(word) == len(labels) else f"({', '.join(map(str, labels))})"


_AP: tuple[Masses, ...] = (
    {(0, 0, 1): 1, (0, 1, 0): 2, (1, 0, 1): 3},
    {(0, 1, 1): 3, (1, 0, 0): 2, (1, 1, 0): 2},
)
_CASCADE: tuple[Masses, ...] = (
    {(0, 0, 1): 2, (0, 1, 1): 3, (1, 0, 0): 2},
    {(0, 1, 0): 2, (1, 0, 1): 3, (1, 1, 0): 1},
)
_TOP_R: tuple[Masses, ...] = (
    {(1, 0, 0): 7},
    {(0, 0, 1): 9, (0, 1, 0): 9, (1, 0, 1): 3},
    {(0, 1, 1): 3, (1, 0, 0): 2, (1, 1, 0): 3},
)
_MEAN_NDCG: tuple[Masses, ...] = (
    {(1, 0, 1): 1},
    {(0, 0, 1): 4, (0, 1, 1): 16, (1, 0, 0): 12},
    {(0, 1, 0): 12, (1, 0, 1): 15, (1, 1, 0): 3},
)
_PAIRS: tuple[Masses, ...] = (
    {(1, 0, 2): 35},
    {(0, 2, 1): 36, (1, 0, 2): 45},
    {(0, 2, 1): 64, (2, 1, 0): 80},
    {(0, 1, 2): 80, (1, 2, 0): 80, (2, 0, 1): 100},
)
_ZERO_ONE: tuple[Masses, ...] = (
    {(2, 1, 0): 3},
    {(0, 2, 1): 4, (1, 2, 0): 4, (2, 0, 1): 6},
    {(0, 2, 1): 2, (1, 2, 0): 2, (2, 1, 0): 3},
)
_SUCCESS: tuple[Masses, ...] = (
    {(0, 0, 1, 0): 2, (1, 0, 0, 0): 2},
    {(0, 0, 1, 0): 2, (0, 1, 1, 0): 4, (1, 0, 0, 0): 1},
    {(0, 0, 0, 1): 4, (0, 1, 0, 0): 3, (1, 0, 1, 0): 4, (1, 1, 0, 0): 1},
)


def absence_of(metric: Metric) -> Absence | None:
    """The laws that show that ``metric`` has no target, in its own labels; None when none are known.

    >>> absence_of(AP()).laws()[0]
    (Fraction(6, 13), {(0, 0, 1): Fraction(1, 6), (0, 1, 0): Fraction(1, 3), (1, 0, 1): Fraction(1, 2)})
    """
    if isinstance(metric, (PD, Tau)) or (isinstance(metric, WPDL) and metric.weight == "one"):
        return Absence(_PAIRS, "C12 Corollary 4, on graphs")
    if isinstance(metric, ZeroOne):
        return Absence(_ZERO_ONE, "for which B11 section 5.4 asks for a condition")
    if isinstance(metric, MeanNDCG):
        return _of_mean_ndcg(metric)
    if isinstance(metric, (AP, RR, ERR, Success)) and metric.cutoff == 1:
        return None
    if isinstance(metric, ERR):
        return _relabelled(Absence(_CASCADE, "B11 Th. 3; C12 Corollary 4"), 0, metric.max_grade)
    if isinstance(metric, AP):
        return _relevant(Absence(_AP, "B11 Th. 3; C12 Corollary 4"), metric.rel)
    if isinstance(metric, RR):
        return _relevant(Absence(_CASCADE, "RR is ERR with readers who stop at a relevant item"), metric.rel)
    if isinstance(metric, (Rprec, Bpref)):
        return _relevant(Absence(_TOP_R, "how deep the metric looks depends on the labels"), metric.rel)
    if isinstance(metric, Success) and metric.cutoff is not None:
        why = "what an item adds to the top depends on the others there"
        return _relevant(Absence(_success(metric.cutoff), why), metric.rel)
    return None


def _relabelled(absence: Absence, no: float, yes: float) -> Absence:
    values = (no, yes)
    parts = ({tuple(values[y] for y in labels): m for labels, m in part.items()} for part in absence.parts)
    return Absence(tuple(parts), absence.reference)


def _relevant(absence: Absence, rel: float) -> Absence:
    return _relabelled(absence, 0 if rel > 0 else rel - 1, rel)


def _of_mean_ndcg(metric: MeanNDCG) -> Absence | None:
    why = "the weights of ranks 1, 2, 3 differ in ratio between one and two relevant items"
    if isinstance(metric.discount, tuple):
        return None
    if isinstance(metric.gain, str):
        return Absence(_MEAN_NDCG, why)
    paid = [grade for grade, worth in enumerate(metric.gain) if worth > 0]
    # The normaliser cancels the gain of the relevant grade, but not a gain of grade 0.
    return _relabelled(Absence(_MEAN_NDCG, why), 0, paid[0]) if paid and metric.gain[0] == 0 else None


def _success(cutoff: int) -> tuple[Masses, ...]:
    """Places beyond 2 go to items that are so often the only relevant one that all must be shown."""
    more = cutoff - 2
    parts = []
    for part in _SUCCESS:
        wide: Masses = {(*labels, *(0 for _ in range(more))): mass for labels, mass in part.items()}
        for k in range(more):
            only = (0, 0, 0, 0, *(int(j == k) for j in range(more)))
            wide[only] = sum(part.values()) + 1
        parts.append(wide)
    return tuple(parts)
