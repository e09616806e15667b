"""What the tests of TREC files share: comparing readers with the slow parser, files cut into tiny parts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import strategies as st

from data.slow_trec import BadLineError, Lists, slow_parse
from rankproof import threads as pool
from rankproof.data.trec import packed_ids
from rankproof.data.trec import parse as trec_parse
from rankproof.data.trec.read import Qrels, Run, read_qrels, read_run
from rankproof.errors import FileFormatError

READ = {"run": read_run, "qrels": read_qrels}
# All bits, the two top ones, the two bottom ones (all in one slot), none: every id collides with every other.
MASKS = (2**64 - 1, 3 << 62, 3, 0)


@contextlib.contextmanager
def tiny_parts(mask: int = 2**64 - 1) -> Iterator[None]:
    """Files and queries are cut wherever they can be, and ids keep only some bits of their hashes."""
    with (
        mock.patch.object(trec_parse, "_LEAST_PART", 4),
        mock.patch.object(pool, "_ITEMS_WORTH_A_THREAD", 1),
        mock.patch.object(packed_ids, "_ALL_BITS", mask),
    ):
        yield


def lists_of(table: Run | Qrels) -> Lists:
    """What was read, as the slow parser gives it."""
    values = table.scores if isinstance(table, Run) else table.grades
    pairs = list(zip(table.doc_ids.tolist(), values.tolist(), strict=True))
    edges = table.offsets.tolist()
    return {q: pairs[a:b] for q, a, b in zip(table.query_ids.tolist(), edges[:-1], edges[1:], strict=True)}


def outcome(content: bytes, kind: str) -> Lists | BadLineError:
    """What the slow parser reads, or its error."""
    try:
        return slow_parse(content, kind)
    except BadLineError as bad:
        return bad


def check(path: Path, content: bytes, kind: str, threads: int) -> None:
    """The reader and the slow parser give the same lists in the same order, or name the same line."""
    path.write_bytes(content)
    expected = outcome(content, kind)
    if isinstance(expected, BadLineError):
        with pytest.raises(FileFormatError) as caught:
            READ[kind](path, threads=threads)
        assert caught.value.line == expected.line
        if expected.before is not None:
            assert f"on line {expected.before} and again on line {expected.line};" in str(caught.value)
        return
    found = lists_of(READ[kind](path, threads=threads))
    # repr tells 0.0 from -0.0, and the list of pairs has an order.
    assert repr(list(found.items())) == repr(list(expected.items()))


# Short ids that meet often, and long ones that differ beyond their first words.
ids = st.text(st.sampled_from("ab0é漢🙂-"), min_size=1, max_size=3) | st.sampled_from(
    ["doc00000", "doc000001", "doc0000011111111", "doc00000111111112", "漢字漢字漢字"]
)
