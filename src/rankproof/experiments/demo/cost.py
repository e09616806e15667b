"""What an inconsistent loss costs in the world of the demonstration, in a sentence with one number."""

from __future__ import annotations

from rankproof.experiments.demo.convergence import Curve, Scene

__all__ = ["PREMISES", "WORDS", "cost_in_words", "costly_curve"]

PREMISES = "unlimited data and a model that can represent any scores"
# The best known of the losses first, so that the number is not picked by its size.
_FIRST = "RankNet"
# The words that a newcomer meets in the demonstration.
WORDS = (
    (
        "consistent",
        (
            "A loss is consistent with a metric if minimising it leads to the best possible ranking by that "
            f"metric. This is a statement about the limit: it assumes {PREMISES}."
        ),
    ),
    ("law", "The probability of each combination of labels that the items of a query can have."),
    (
        "target",
        (
            "The number per item that a loss learns to predict, computed from the labels. A metric that has "
            "a consistent convex loss has such a target: sorting the items by its mean gives the best "
            "ranking."
        ),
    ),
    ("regret", "How much of the metric a ranking loses compared with the best possible ranking."),
)


def costly_curve(scene: Scene) -> Curve | None:
    """The loss to name: RankNet where it loses something in the limit, else the first one that does."""
    losing = [curve for curve in scene.curves if curve.limit]
    return next((curve for curve in losing if curve.name == _FIRST), losing[0] if losing else None)


def cost_in_words(scene: Scene) -> str:
    """What is lost for good, by which loss and under which premises, and which loss loses nothing."""
    curve = costly_curve(scene)
    if curve is None:
        return (
            f"With {PREMISES}, every loss tried here reaches the best possible {scene.metric} of "
            f"{scene.best:.4f}."
        )
    reaching = [other.name for other in scene.curves if other.consistent]
    kept = f" With the same data and model, {reaching[0]} loses nothing." if reaching else ""
    return (
        f"Train {curve.name} on these synthetic queries and report {scene.metric}: even with {PREMISES}, "
        f"the result stays {curve.limit:.4f} below the best possible {scene.metric} of {scene.best:.4f}, "
        f"because {curve.missed} of {len(scene.laws)} kinds of query are ranked wrong.{kept}"
    )
