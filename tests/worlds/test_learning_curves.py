"""What ``research/quality.py`` makes of finished runs: where they stop, differences and their errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from theory.benchmark_scripts import script


@pytest.fixture(scope="module")
def quality() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "research"))
        yield script("research/quality.py")


def curves(*stages: tuple[float, float]) -> dict[str, object]:
    return {"curves": {"nDCG@10": [list(stage) for stage in stages]}, "seconds": 2.0}


def test_the_number_of_trees_is_chosen_on_the_other_half(quality: ModuleType) -> None:
    """The first half is best at stage 2, where the second has .3; the second at 3, where the first has .4."""
    value, stages = quality.held_out(curves((0.1, 0.2), (0.6, 0.3), (0.4, 0.5)), "nDCG@10")
    assert value == pytest.approx((0.4 + 0.3) / 2)
    assert stages == pytest.approx(2.5)


def some_runs(quality: ModuleType) -> tuple[Any, dict[str, Any]]:
    """Two worlds with three replicates; b is ahead by 0, .1, .2 in one and by .1 in the other."""
    plan = quality.Plan({"w": "1", "v": "2"}, 3, 50, 25)
    ahead = {"w": (0.0, 0.1, 0.2), "v": (0.1, 0.1, 0.1)}
    found: dict[str, Any] = {}
    for world, differences in ahead.items():
        for r, difference in enumerate(differences):
            base = 0.3 + 0.05 * r
            for candidate, value in (("a", base), ("b", base + difference)):
                job = plan.job(world, 1000, r, candidate)
                found[quality.key(job)] = curves((value, value))
    return plan, found


def test_differences_are_paired_by_replicate(quality: ModuleType) -> None:
    """Variances of 0, .1, .2 and of .1, .1, .1 are .01 and 0: the error is sqrt((.01 + 0) / 3) / 2."""
    plan, found = some_runs(quality)
    first, second = quality.table(found, plan, 1000, ["a", "b", "not run"], "nDCG@10")
    assert first["ahead"] == 0
    assert first["mean"] == pytest.approx(0.35)
    assert second["ahead"] == pytest.approx(0.1)
    assert second["error"] == pytest.approx(np.sqrt(0.01 / 3) / 2)
    assert second["worlds"] == {"w": pytest.approx(0.45), "v": pytest.approx(0.45)}
    assert (second["trees"], second["seconds"]) == (25, 2)


def test_runs_on_another_world_of_the_same_data_do_not_count(quality: ModuleType) -> None:
    _, found = some_runs(quality)
    other = quality.Plan({"w": "other digest"}, 3, 50, 25)
    assert quality.table(found, other, 1000, ["a"], "nDCG@10") == []


def test_the_picture_has_every_candidate(quality: ModuleType, tmp_path: Path) -> None:
    plan, found = some_runs(quality)
    quality.plot(quality.table(found, plan, 1000, ["a", "b"], "nDCG@10"), tmp_path / "curves.svg")
    text = (tmp_path / "curves.svg").read_text()
    assert text.count("<!-- a -->") == text.count("<!-- b -->") == 1
