"""The order in which files of tests run, and the cases that a quick run leaves out."""

from __future__ import annotations

import pytest

from architecture.layout import TESTS
from both_ends import COMPILE_LEAST, COMPILE_MOST, place_in_queue
from drawn import is_exhaustive
from every_case import few_cases

CASES = 7


def test_what_compiles_most_stands_first_and_what_compiles_least_last() -> None:
    paths = [
        "tests/losses/test_pairwise.py",
        "tests/fit/test_linear.py",
        "docs/how-to/torch.md",
        "tests/theory/test_noise.py",
        "tests/architecture/test_layers.py",
    ]
    assert sorted(paths, key=place_in_queue) == paths
    assert place_in_queue("tests/theory/test_search.py") == place_in_queue("tests/cli/test_fit.py") == 0
    assert all((TESTS / folder).is_dir() for folder in (*COMPILE_MOST, *COMPILE_LEAST))


@few_cases
@pytest.mark.parametrize("case", range(CASES))
def test_of_few_cases_a_quick_run_takes_every_third(case: int, request: pytest.FixtureRequest) -> None:
    name = request.node.nodeid.split("[")[0]
    chosen = {item.nodeid for item in request.session.items if item.nodeid.startswith(f"{name}[")}
    expected = range(0, CASES, 1 if is_exhaustive() else 3)
    assert case in expected
    assert chosen <= {f"{name}[{k}]" for k in expected}
