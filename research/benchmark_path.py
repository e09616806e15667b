"""Lets a study import what it shares with the benchmarks: after ``import benchmark_path``, ``shared``."""

from __future__ import annotations

import sys
from pathlib import Path

__all__: list[str] = []

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
