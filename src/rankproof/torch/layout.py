"""How the queries of a batch lie in tensors: flat with offsets, or padded rows with a mask.

A loss that is made of sums over the items of a query is written once, with `total`, `peak` and `spread`, and
runs on either layout. Losses that compare items with each other need rows; `buckets` brings flat queries of
about equal length together in rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankproof.torch.pairs import wide

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["BatchLayout", "Bucket", "Flat", "Padded", "buckets"]

# Up to this many cells, one padded block costs less than several that fit better.
_SMALL = 1 << 15


class BatchLayout(Protocol):
    """Sums and peaks per query, and back to the items."""

    sizes: Tensor
    # The query of every item, or None for rows.
    query: Tensor | None

    def keep(self, x: Tensor) -> Tensor:
        """The numbers of items as they are; 0 where no item is."""

    def total(self, x: Tensor) -> Tensor:
        """The sum over the items of every query."""

    def peak(self, x: Tensor) -> Tensor:
        """The largest number of every query; 0 for a query without items. Has no gradient."""

    def first(self, x: Tensor) -> Tensor:
        """The number of the first item of every query; 0 for a query without items. Has no gradient."""

    def spread(self, values: Tensor) -> Tensor:
        """A number per query, at each of its items."""


class Flat:
    """Items of all queries one after the other; query q owns ``offsets[q]:offsets[q + 1]``."""

    def __init__(self, offsets: Tensor, items: int) -> None:
        import torch

        self.offsets, self.sizes = offsets, offsets.diff()
        numbers = torch.arange(self.sizes.shape[0], device=offsets.device)
        self.query: Tensor | None = numbers.repeat_interleave(self.sizes, output_size=items)

    def keep(self, x: Tensor) -> Tensor:
        return x

    def total(self, x: Tensor) -> Tensor:
        # One item after the other is added: in float32 a long query would lose half of the digits.
        kind = wide(x)
        sums = x.new_zeros(self.sizes.shape[0], dtype=kind).index_add(0, self._query, x.to(kind))
        return sums.to(x.dtype)

    def peak(self, x: Tensor) -> Tensor:
        low = x.new_full((self.sizes.shape[0],), -float("inf"))
        peaks = low.scatter_reduce(0, self._query, x.detach(), "amax")
        return peaks.where(self.sizes > 0, peaks.new_zeros(()))

    def first(self, x: Tensor) -> Tensor:
        firsts = x.detach()[self.offsets[:-1].clamp(max=x.shape[0] - 1)]
        return firsts.where(self.sizes > 0, firsts.new_zeros(()))

    def spread(self, values: Tensor) -> Tensor:
        return values.index_select(0, self._query)

    @property
    def _query(self) -> Any:
        return self.query


class Padded:
    """A row per query; ``mask`` is True where an item is."""

    query: Tensor | None = None

    def __init__(self, mask: Tensor) -> None:
        self.mask, self.sizes = mask, mask.sum(1)

    def keep(self, x: Tensor) -> Tensor:
        return x.where(self.mask, x.new_zeros(()))

    def total(self, x: Tensor) -> Tensor:
        return self.keep(x).sum(1)

    def peak(self, x: Tensor) -> Tensor:
        if x.shape[1] == 0:
            return x.new_zeros(x.shape[0])
        peaks = x.detach().masked_fill(~self.mask, -float("inf")).amax(1)
        return peaks.where(self.sizes > 0, peaks.new_zeros(()))

    def first(self, x: Tensor) -> Tensor:
        at = self.mask.to(x.dtype).argmax(1, keepdim=True)
        return self.keep(x.detach()).gather(1, at).squeeze(1)

    def spread(self, values: Tensor) -> Tensor:
        return values.unsqueeze(1)


class Bucket(NamedTuple):
    """Some flat queries as rows: which queries, where each cell's item lies, and where an item is."""

    queries: Tensor
    places: Tensor
    mask: Tensor


def buckets(offsets: Tensor) -> Iterator[Bucket]:
    """Rows for flat queries: one block when little is wasted on padding, else one per power of two."""
    import torch

    starts, sizes = offsets[:-1], offsets.diff()
    lengths = sizes.tolist()
    filled = [q for q, n in enumerate(lengths) if n > 0]
    if not filled:
        return
    longest = max(lengths)
    if len(filled) * longest <= max(2 * sum(lengths), _SMALL):
        groups = [filled]
    else:
        by_class: dict[int, list[int]] = {}
        for q in filled:
            by_class.setdefault((lengths[q] - 1).bit_length(), []).append(q)
        groups = [by_class[k] for k in sorted(by_class)]
    for group in groups:
        queries = torch.tensor(group, device=offsets.device)
        width = max(lengths[q] for q in group)
        column = torch.arange(width, device=offsets.device)
        mask = column < sizes[queries].unsqueeze(1)
        places = starts[queries].unsqueeze(1) + column
        yield Bucket(queries, places.where(mask, places.new_zeros(())), mask)
