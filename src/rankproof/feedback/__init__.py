"""What was observed about a query: grades, preferences or a ranking; and how likely each is."""

from __future__ import annotations

from rankproof.feedback.graded import Graded
from rankproof.feedback.kinds import Feedback, as_feedback
from rankproof.feedback.law import Law
from rankproof.feedback.permutations import Permutation
from rankproof.feedback.preferences import PreferenceGraph

__all__ = ["Feedback", "Graded", "Law", "Permutation", "PreferenceGraph", "as_feedback"]
