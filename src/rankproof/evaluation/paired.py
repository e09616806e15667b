"""Paired tests: do two systems differ on the same queries by more than chance?

Three tests of the differences *d = a - b*, all two-sided:

- `randomisation_test` (Fisher 1935, Pitman 1937): if the systems were the same, the sign of each difference
  would be a fair coin. It tests the mean that is reported, and assumes nothing of its distribution.
- `paired_t_test` (Student 1908): the same mean, judged by the t distribution.
- `wilcoxon_test` (Wilcoxon 1945): the signed ranks of the differences, so sizes count only by their order.

With ``weights`` each test looks at the weighted differences ``w * d``, whose mean is 0 exactly when the
weighted mean difference is.

>>> result = randomisation_test([0.6, 0.8, 0.7, 0.9], [0.5, 0.6, 0.6, 0.7])
>>> result.p, result.exact, result.detail
(0.125, True, 'all 2^4 sign patterns of the 4 non-zero differences')
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, as_whole_number
from rankproof.evaluation.defaults import SAMPLES, SEED
from rankproof.evaluation.differences import Differences, paired_differences
from rankproof.evaluation.sign_flips import SignFlips, lattice_p, sign_flips
from rankproof.plain import html_fields, json_text, plain_fields

__all__ = [
    "Paired",
    "paired_t_test",
    "randomisation_of",
    "randomisation_test",
    "randomisation_with",
    "signed_rank_of",
    "t_of",
    "wilcoxon_test",
]

# Up to here the exact distribution of the signed ranks is built, ties included.
_MOST_RANKED = 50


@dataclass(frozen=True)
class Paired:
    """The outcome of one paired test.

    Attributes
    ----------
    test : "randomisation", "t" or "wilcoxon"
    statistic : float
        The mean difference, t, or the smaller rank sum; NaN when there is none.
    p : float
        Two-sided. 1 when there is nothing to test: no queries, or no difference on any.
    n : int
        How many queries were compared.
    exact : bool
        Whether ``p`` is exact under the null hypothesis of the test, neither sampled nor approximated.
    detail : str
        How ``p`` was obtained.
    direction : int
        1 when the statistic speaks for *a*, -1 for *b*, 0 for neither.
    p_error : float
        The Monte Carlo standard error of ``p``, or how far above the exact value it may lie when it is a
        proven upper bound; 0 when it is exact or nothing was sampled.
    """

    test: str
    statistic: float
    p: float
    n: int
    exact: bool
    detail: str
    direction: int = 0
    p_error: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, by the names of the attributes; NaN and infinity become None."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)


def randomisation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    seed: int = SEED,
    samples: int = SAMPLES,
) -> Paired:
    r"""Two-sided sign-flip test of the (weighted) mean of the paired differences.

    .. math:: p = P\Bigl(\bigl|\sum_i s_i w_i d_i\bigr| \ge \bigl|\sum_i w_i d_i\bigr|\Bigr),
       \qquad s_i = \pm 1 \text{ fair and independent.}

    Differences of 0 change no sum. With up to 40 others, all sign patterns are counted, by meeting in the
    middle: the sums of each half are listed in order, and pairs of them are counted in one sweep. When all
    differences are whole multiples of one unit (precision, success, reciprocal rank at a low cutoff), their
    sum has a distribution on a lattice that is built exactly for any number of queries. Otherwise ``samples``
    sign patterns are drawn and :math:`p = (b + 1)/(samples + 1)`, where *b* patterns were as extreme; the
    observed one is counted, so p is never 0 and the test keeps its level (Phipson & Smyth 2010).

    A sum that equals the observed one in exact arithmetic must count as being as extreme, but rounding may
    put it a hair below; sums are therefore compared with a slack of 1e-12 of the sum of the (weighted)
    values.
    """
    return randomisation_of(
        paired_differences(a, b, weights),
        seed=as_whole_number("seed", seed, 0),
        samples=as_whole_number("samples", samples, 1),
    )


def randomisation_of(d: Differences, *, seed: int, samples: int) -> Paired:
    """`randomisation_test` of differences already taken."""
    return randomisation_with(d, sign_flips(d, seed), samples=samples)


def randomisation_with(d: Differences, flips: SignFlips | None, *, samples: int) -> Paired:
    """The same, where the sign patterns may be asked for more afterwards."""
    if flips is None:
        # Every sign pattern is as extreme as a sum of 0.
        return Paired("randomisation", d.mean, 1.0, d.n, exact=True, detail="the sum of the differences is 0")
    counted = flips.exact()
    outcome = counted or flips.draw(samples)
    return Paired(
        "randomisation",
        d.mean,
        outcome.p,
        d.n,
        exact=counted is not None,
        detail=outcome.detail,
        direction=flips.direction,
        p_error=outcome.error,
    )


def paired_t_test(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Paired:
    r"""Student's paired t test: :math:`t = \bar d \sqrt n / s`, with n - 1 degrees of freedom.

    One query has no variance: p = 1. Equal differences on all queries have none either; t is then infinite
    and p = 0 when they are not 0 (the limit, as in scipy), and p = 1 when they are.
    """
    return t_of(paired_differences(a, b, weights))


def t_of(d: Differences) -> Paired:
    """`paired_t_test` of differences already taken."""
    terms = d.terms
    total = math.fsum(terms)
    direction = int(np.sign(total)) if abs(total) > math.fsum(d.term_rounding) else 0
    if d.n == 0 or not terms.any():
        return Paired(
            "t", 0.0 if d.n else math.nan, 1.0, d.n, exact=True, detail="no difference on any query"
        )
    if d.n == 1:
        detail = "one query has no variance to judge it by"
        return Paired("t", math.nan, 1.0, 1, exact=True, detail=detail, direction=direction)
    freedom = d.n - 1
    mean = total / d.n
    if np.ptp(terms) <= 2.0 * d.term_rounding.max():
        detail = "the same difference on all queries: no variance to judge it by"
        return Paired(
            "t", math.copysign(math.inf, mean), 0.0, d.n, exact=False, detail=detail, direction=direction
        )
    from scipy.special import stdtr

    t = mean / math.sqrt(math.fsum((terms - mean) ** 2) / freedom / d.n)
    p = min(1.0, 2.0 * float(stdtr(freedom, -abs(t))))
    return Paired(
        "t", t, p, d.n, exact=False, detail=f"t with {freedom} degrees of freedom", direction=direction
    )


def wilcoxon_test(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Paired:
    """Wilcoxon's signed-rank test; the statistic is the smaller of the two rank sums.

    Differences of 0 are left out before ranking (Wilcoxon's own rule, ``zero_method="wilcox"`` in scipy) and
    equal sizes, up to rounding, share the mean of their ranks. With up to 50 non-zero differences p is exact
    given the ranks, shared ranks included; above, the normal approximation with the correction for ties
    and no correction for continuity is used. Without ties both are scipy's defaults.
    """
    return signed_rank_of(paired_differences(a, b, weights))


def signed_rank_of(d: Differences) -> Paired:
    """`wilcoxon_test` of differences already taken."""
    nonzero = d.terms != 0.0
    terms, rounding = d.terms[nonzero], d.term_rounding[nonzero]
    m = terms.size
    if m == 0:
        statistic = 0.0 if d.n else math.nan
        return Paired("wilcoxon", statistic, 1.0, d.n, exact=True, detail="no difference on any query")
    ranks, shared = _ranks(np.abs(terms), rounding)
    plus, minus = float(ranks[terms > 0].sum()), float(ranks[terms < 0].sum())
    direction = int(np.sign(plus - minus))
    if m <= _MOST_RANKED:
        # Shared ranks are halves, so twice the ranks are whole.
        p = lattice_p(np.rint(2.0 * ranks).astype(np.int64), round(2.0 * abs(plus - minus)))
        detail = f"all 2^{m} sign patterns of the ranks of {m} non-zero differences"
    else:
        variance = (m * (m + 1.0) * (2.0 * m + 1.0) - float((shared**3 - shared).sum()) / 2.0) / 24.0
        z = (plus - minus) / 2.0 / math.sqrt(variance)
        p = math.erfc(abs(z) / math.sqrt(2.0))
        detail = f"normal approximation for the ranks of {m} non-zero differences"
    exact = m <= _MOST_RANKED
    return Paired("wilcoxon", min(plus, minus), p, d.n, exact=exact, detail=detail, direction=direction)


def _ranks(sizes: Float64s, rounding: Float64s) -> tuple[Float64s, Float64s]:
    """Ranks from 1, the mean rank for sizes equal up to rounding, and how many share each rank."""
    order = np.argsort(sizes, kind="stable")
    slack = rounding[order]
    apart = np.diff(sizes[order]) > 2.0 * np.maximum(slack[1:], slack[:-1])
    group = np.concatenate(([0], np.cumsum(apart)))
    shared = np.bincount(group).astype(np.float64)
    ends = np.cumsum(shared)
    ranks = np.empty(sizes.size)
    ranks[order] = (ends - (shared - 1.0) / 2.0)[group]
    return ranks, shared
