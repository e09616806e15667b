"""One test over many cases: quicker to collect and to run than one for each, naming every case that fails.

Where the cases cost time, a quick run takes some of them and the exhaustive run (`pytest -m exhaustive`) all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

from drawn import is_exhaustive

TestFunction = Callable[..., None]
# Of the cases of one class, a quick run takes the first and then every fifth.
STEP = 5


def every_case(
    names: str | Sequence[str],
    cases: Iterable[Any],
    *,
    ids: Callable[[Any], str] = repr,
    thin: bool = False,
) -> Callable[[TestFunction], TestFunction]:
    """As `pytest.mark.parametrize`, but all cases are one test; fixtures are made once for all of them.

    With ``thin`` a quick run takes the cases of `thinned`.
    """
    words = [names] if isinstance(names, str) else list(names)
    every = list(cases)
    chosen = thinned(every) if thin and not is_exhaustive() else every
    assert chosen, f"no case of {', '.join(words)}"

    def decorate(test: TestFunction) -> TestFunction:
        @wraps(test)
        def over_all(**fixtures: Any) -> None:
            failures = []
            for case in chosen:
                values = [case] if isinstance(names, str) else case
                try:
                    test(**fixtures, **dict(zip(words, values, strict=True)))
                except Exception as failure:
                    failure.add_note(f"with {', '.join(words)} = {ids(case)}")
                    failures.append(failure)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(chosen)} cases fail", failures)

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in words]
        over_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        if thin:
            over_all.has_more_cases = True  # type: ignore[attr-defined]
        return over_all

    return decorate


def thinned(cases: Sequence[Any]) -> list[Any]:
    """The first case of each class (of numbers and texts: of each value) and then every fifth of it."""
    counted: dict[Any, int] = {}
    chosen = []
    for case in cases:
        kind = _kind(case)
        counted[kind] = counted.get(kind, -1) + 1
        if counted[kind] % STEP == 0:
            chosen.append(case)
    return chosen


def _kind(case: Any) -> Any:
    if isinstance(case, tuple):
        return tuple(map(_kind, case))
    return case if isinstance(case, str | int | float | bytes | None) else type(case)


def few_cases(test: TestFunction) -> TestFunction:
    """Of a parametrised test a quick run takes the first case and then every third."""
    test.has_few_cases = True  # type: ignore[attr-defined]
    return test


def exhaustive(*values: Any) -> list[Any]:
    """Parameters that only the exhaustive run takes."""
    return [pytest.param(*_as_tuple(value), marks=pytest.mark.exhaustive) for value in values]


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
