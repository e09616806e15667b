"""The pieces everything stands on: registry, claims, errors, arrays, threads."""

from __future__ import annotations

import inspect
import pickle
import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof import errors
from rankproof.arrays import offsets_from_qid, query_of_item
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError, DataError, FileFormatError, UnknownNameError
from rankproof.registry import Registry
from rankproof.threads import chunks_by_items, run, using


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"^ *([│├└─ ]*)(\w+)(?: \((\w+)\))?", errors.__doc__ or "", re.MULTILINE)
    named = {name for _, name, _ in drawn if name in errors.__all__}
    assert named == set(errors.__all__)
    for name in errors.__all__:
        cls = getattr(errors, name)
        assert issubclass(cls, (errors.RankproofError, UserWarning))
        assert inspect.getdoc(cls)


def test_a_file_error_survives_pickling() -> None:
    error = FileFormatError("a.txt", 3, "no.")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - what process pools do
    assert (str(again), again.line, again.path) == (str(error), 3, "a.txt")
    assert str(FileFormatError("a.txt", None, "no.")) == "a.txt: no."


def test_a_registry_gives_a_name_once_and_looks_up_without_case() -> None:
    registry: Registry[int] = Registry("thing")
    registry.add("Alpha", 1, aliases=("first",))
    registry.add("beta", 2)
    assert (registry["ALPHA"], registry["First"], list(registry), len(registry)) == (
        1,
        1,
        ["Alpha", "beta"],
        2,
    )
    assert ("alpha" in registry, "gamma" in registry, 7 in registry) == (True, False, False)
    assert registry.aliases("Alpha") == ("first",)
    for taken in ("alpha", "FIRST"):
        with pytest.raises(ArgumentError, match="is taken by 'Alpha'"):
            registry.add(taken, 3)
    with pytest.raises(
        UnknownNameError, match=r"Unknown thing 'betta'\. Did you mean 'beta'\? Known: Alpha, beta\."
    ):
        registry["betta"]
    with pytest.raises(UnknownNameError, match="Unknown thing 7"):
        registry[7]  # type: ignore[index]


def test_a_claim_needs_a_reference_and_a_name_of_its_own() -> None:
    with pytest.raises(ArgumentError, match="needs a reference"):
        Claim("convex", value=True, reference="")
    claim = Claim("convex", value=True, reference="by definition", note="for all margins")
    with pytest.raises(ArgumentError, match="stated twice"):
        Claims(claim, claim)
    claims = Claims(claim)
    assert (claims.value("convex"), claims.value("smooth", "?"), len(claims), list(claims)) == (
        True,
        "?",
        1,
        ["convex"],
    )
    assert eval(repr(claim)) == claim  # noqa: S307


@given(st.lists(st.integers(0, 4), max_size=8))
def test_offsets_and_query_of_item_are_inverse(sizes: list[int]) -> None:
    qid = np.repeat(np.arange(len(sizes)), sizes)
    offsets = offsets_from_qid(qid)
    np.testing.assert_array_equal(np.diff(offsets), [n for n in sizes if n])
    kept = np.flatnonzero(sizes)
    np.testing.assert_array_equal(kept[query_of_item(offsets)] if qid.size else qid, qid)


def test_offsets_need_queries_that_stand_together() -> None:
    with pytest.raises(DataError, match="query 1 comes back at item 2"):
        offsets_from_qid([1, 2, 1])
    with pytest.raises(ArgumentError, match="one-dimensional"):
        offsets_from_qid([[1], [2]])


@given(st.lists(st.integers(0, 60_000), min_size=1, max_size=30), st.integers(1, 8))
def test_chunks_cover_every_query_once_in_order(sizes: list[int], threads: int) -> None:
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    with using(threads):
        chunks = chunks_by_items(offsets)
    assert [q for low, high in chunks for q in range(low, high)] == list(range(len(sizes)))
    assert len(chunks) <= 4 * threads


def test_chunks_of_no_queries_are_none() -> None:
    with using(4):
        assert chunks_by_items(np.array([0])) == []


def test_work_runs_on_threads_and_comes_back_in_order() -> None:
    seen: set[int] = set()
    gate = threading.Barrier(2, timeout=30)

    def work(low: int, high: int) -> int:
        seen.add(threading.get_ident())
        gate.wait()  # passes only when two threads are at work at once
        return low * 10 + high

    with using(2):
        assert run(work, [(0, 1), (1, 2)]) == [1, 12]
    assert len(seen) == 2
