"""How many cases a test draws: as many as it names in the exhaustive run, an eighth of them in the quick."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

PROFILES = {"quick": 12, "exhaustive": 100}
LEAST = 10


def register_profiles() -> None:
    """Tell hypothesis of both sizes. No deadline, because a first call compiles a kernel."""
    for name, examples in PROFILES.items():
        slow = [HealthCheck.too_slow]
        settings.register_profile(
            name, max_examples=examples, deadline=None, suppress_health_check=slow, print_blob=True
        )


def is_exhaustive() -> bool:
    """Whether this is the exhaustive run."""
    return settings().max_examples >= PROFILES["exhaustive"]


def examples(exhaustive: int, parent: settings | None = None, *, quick: int | None = None) -> settings:
    """Settings with so many examples in the exhaustive run; in the quick one an eighth, but at least 10."""
    if quick is None or is_exhaustive():
        quick = max(LEAST, exhaustive * settings().max_examples // PROFILES["exhaustive"])
    return settings(parent, max_examples=min(exhaustive, quick))
