"""The first call ever compiles kernels, for seconds. This spreads that over two processes.

While the command compiles what reads its files, a helper process compiles what evaluates them, on a tiny
example, and leaves the code in the cache for the command to pick up. Later calls find the cache filled and
start no helper. Where no helper can be started, the command compiles everything by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

__all__ = ["compile_ahead", "compile_fit_ahead"]


def compile_ahead(metrics: Iterable[str], convention: str) -> Callable[[], None]:
    """Start the helper when nothing is compiled yet; call the result before evaluating, to wait for it."""
    return _started("metrics.order", "evaluate", convention, *metrics)


def compile_fit_ahead() -> Callable[[], None]:
    """The same for a command that will write, read and train on a LETOR file later on."""
    return _started("text.letor", "fit")


def _started(module: str, *words: str) -> Callable[[], None]:
    from rankproof.kernels.cache import cache_folder, is_compiled

    # Without a cache the helper's work would be lost.
    if cache_folder(module) is None or is_compiled(module):
        return lambda: None
    import subprocess

    command = [sys.executable, "-m", "rankproof.cli.compile_ahead", *words]
    try:
        helper = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    except Exception:  # no name of the interpreter, no more processes: it would only have saved time
        return lambda: None
    return lambda: _finish(helper)


def _finish(helper: subprocess.Popen[bytes]) -> None:
    try:
        helper.wait()
    except BaseException:
        helper.kill()
        raise


def _evaluate(convention: str, *metrics: str) -> None:
    """Evaluate a tiny example: whatever fails here will be reported by the command itself."""
    from rankproof.data.ranking import RankingData
    from rankproof.evaluation.evaluate import evaluate

    data = RankingData(labels=[1, 0, 0], offsets=[0, 3], doc_ids=["a", "b", "c"])  # type: ignore[arg-type]
    str(evaluate([2.0, 1.0, 1.0], data, metrics, convention=convention))


def _fit() -> None:
    """Train on the sample of the demonstration, by the command it uses, and forget the result."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from rankproof.cli.main import command_line
    from rankproof.data.letor.read import write_letor
    from rankproof.data.samples import diabetes_wards

    with TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("train.txt", "test.txt")]
        for part, path in zip(diabetes_wards(0), paths, strict=True):
            write_letor(part, path)
        words = [
            "fit",
            paths[0],
            "--test",
            paths[1],
            "--metric",
            "nDCG@10",
            "--out",
            str(Path(folder, "run")),
        ]
        command_line.main(args=words, prog_name="rankproof", standalone_mode=False)


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        _fit()
    else:
        _evaluate(*sys.argv[2:])
