"""Long experiments that lose nothing when interrupted: every finished job is a line of a file.

A job is a plain dict; its result is computed once and kept as ``{"job": ..., "result": ...}``, one JSON
object a line. Jobs that the file has are not run again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

__all__ = ["Job", "key", "read", "run"]

Job = dict[str, Any]


def key(job: Job) -> str:
    """A job as text: the same for equal jobs."""
    return json.dumps(job, sort_keys=True)


def read(cache: Path | None) -> dict[str, Any]:
    """The results that the file has, by `key`; a last line that was cut off is left out."""
    found: dict[str, Any] = {}
    if cache is None or not cache.exists():
        return found
    for line in cache.read_text().splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[key(row["job"])] = row["result"]
    return found


def run(
    jobs: Iterable[Job], work: Callable[[Job], Any], cache: Path | None, *, processes: int = 1
) -> dict[str, Any]:
    """The results of all jobs by `key`: read from the file, the others computed in their order."""
    jobs = list(jobs)
    found = read(cache)
    left = [job for job in jobs if key(job) not in found]
    print(f"{len(jobs)} runs, {len(jobs) - len(left)} of them known", file=sys.stderr)
    if cache is not None:
        cache.parent.mkdir(parents=True, exist_ok=True)

    def keep(job: Job, result: Any) -> None:
        found[key(job)] = result
        if cache is not None:
            cut_off = cache.exists() and not cache.read_bytes().endswith(b"\n") and cache.stat().st_size
            with cache.open("a") as out:
                out.write(("\n" if cut_off else "") + json.dumps({"job": job, "result": result}) + "\n")

    if processes == 1:
        for job in left:
            keep(job, work(job))
    elif left:
        with ProcessPoolExecutor(processes) as pool:
            waiting = {pool.submit(work, job): job for job in left}
            for done in as_completed(waiting):
                keep(waiting[done], done.result())
    return {key(job): found[key(job)] for job in jobs}
