"""The first call ever compiles kernels, for seconds. This spreads that over two processes.

While the command compiles what reads its files, a helper process compiles what evaluates them, on a tiny
example, and leaves the code in the cache for the command to pick up. Later calls find the cache filled and
start no helper.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable

__all__ = ["compile_ahead"]


def compile_ahead(metrics: Iterable[str], convention: str) -> Callable[[], None]:
    """Start the helper when nothing is compiled yet; call the result before evaluating, to wait for it."""
    from rankproof.kernels.cache import cache_folder, is_compiled

    # Without a cache the helper's work would be lost.
    if cache_folder("metrics.order") is None or is_compiled("metrics.order"):
        return lambda: None
    words = [sys.executable, "-m", "rankproof.cli.compile_ahead", convention, *metrics]
    helper = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    return lambda: _finish(helper)


def _finish(helper: subprocess.Popen[bytes]) -> None:
    try:
        helper.wait()
    except BaseException:
        helper.kill()
        raise


def _compile(convention: str, metrics: list[str]) -> None:
    """Evaluate a tiny example: whatever fails here will be reported by the command itself."""
    from rankproof.data.ranking import RankingData
    from rankproof.evaluation.evaluate import evaluate

    data = RankingData(labels=[1, 0, 0], offsets=[0, 3], doc_ids=["a", "b", "c"])  # type: ignore[arg-type]
    str(evaluate([2.0, 1.0, 1.0], data, metrics, convention=convention))


if __name__ == "__main__":
    _compile(sys.argv[1], sys.argv[2:])
