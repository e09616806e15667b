"""Plasmode worlds: lists like those of a real data set, with labels from a law fitted to its labels."""

from __future__ import annotations

from rankproof.worlds.plasmode.drawn import DrawnData
from rankproof.worlds.plasmode.world import PlasmodeWorld

__all__ = ["DrawnData", "PlasmodeWorld"]
