"""The pictures of a scene of laws: strips between two label vectors, or triangles between three.

A colour stands for a set of rankings. The first strip (triangle) shows the best ones, each other one those
that a loss ends at; where these are not best, it is marked. A cursor stands on the law that is looked at.
"""

from __future__ import annotations

from itertools import groupby

from rankproof.evaluation.tables import number
from rankproof.experiments.laws.grid import grid
from rankproof.experiments.laws.scene import LawScene
from rankproof.report.svg import FONT, Drawing, Markup, drawing, shortened, tag, text_width, tip

__all__ = ["BEST", "cost_texts", "law_chart"]

BEST = "best ranking"
RANKING_COLOURS = 8
STRIP, GAP = 24.0, 8.0
PANEL, PANEL_GAP, HEAD, EDGE = 142.0, 26.0, 40.0, 6.0
TALL = 3**0.5 / 2


def law_chart(scene: LawScene, width: float) -> Drawing:
    """The picture that fits the number of label vectors."""
    return _strips(scene, width) if len(scene.corners) == 2 else _triangles(scene, width)


def cost_texts(scene: LawScene) -> list[str]:
    """What each loss loses at most on this grid, in words."""
    most = [max(costs, default=0.0) for costs in scene.costs]
    return ["loses nothing" if worst == 0 else f"loses up to {number(worst)}" for worst in most]


def _rows(scene: LawScene) -> list[tuple[str, list[int], list[bool], str]]:
    """Name, rankings and faults of every strip, the best rankings first."""
    rows = [(BEST, list(scene.best), [False] * len(scene.best), "")]
    for name, reached, costs, cost_text in zip(
        scene.losses, scene.reached, scene.costs, cost_texts(scene), strict=True
    ):
        rows.append((name, list(reached), [value > 0 for value in costs], cost_text))
    return rows


def _colour(place: int) -> str:
    if place < 0:
        return "unknown"
    return f"r{place}" if place < RANKING_COLOURS else "rest"


def _tooltip(scene: LawScene, name: str, place: int, wrong: bool) -> str:
    ranking = "not computed" if place < 0 else scene.rankings[place]
    return f"{name}\n{ranking}" + ("\nnot a best ranking" if wrong else "")


def _strips(scene: LawScene, width: float) -> Drawing:
    rows = _rows(scene)
    # Longer names are cut.
    names = min(max(text_width(row[0], FONT) for row in rows), width / 3) + 10
    # In a narrow window the names stand above the strips.
    above = names + 250 > width
    left, line = (0.0, STRIP + 18) if above else (names, STRIP)
    notes = 0.0 if above else max(text_width(row[3], FONT) for row in rows) + 8
    right = width - notes
    step = (right - left) / (scene.steps + 1)
    parts: list[Markup] = []
    for place, (name, reached, faults, cost_text) in enumerate(rows):
        top = 2 + place * (line + GAP)
        head = f"{name}: {cost_text}" if above and cost_text else name
        room = width if above else left - 8
        parts.append(
            tag(
                "text",
                shortened(head, room, FONT),
                tip(head),
                x=0,
                y=top + (12 if above else STRIP / 2 + 4),
                class_="tick strong" if place == 0 else "tick",
            )
        )
        bar = top + line - STRIP
        at = 0
        for (ranking, wrong), run in groupby(zip(reached, faults, strict=True)):
            many = len(list(run))
            box = {"x": left + at * step, "width": many * step}
            tooltip = tip(_tooltip(scene, name, ranking, wrong))
            parts.append(tag("rect", tooltip, y=bar, height=STRIP, class_=f"law {_colour(ranking)}", **box))
            if wrong:
                parts.append(tag("rect", tooltip, y=bar + STRIP - 6, height=6, class_="fault", **box))
            at += many
        # One for each strip: a line through all would cross the names.
        parts.append(_cursor(scene, (left, right), (bar - 2, bar + STRIP + 2)))
        if cost_text and not above:
            style = "tick" if cost_text == "loses nothing" else "tick bad"
            parts.append(tag("text", cost_text, x=right + 8, y=top + STRIP / 2 + 4, class_=style))
    bottom = len(rows) * (line + GAP)
    for word, side, style in zip(scene.corners, (left, right), ("tick", "tick end"), strict=True):
        parts.append(_corner(f"always {word}", (right - left) / 2 - 4, (side, bottom + 10), style))
    return drawing(width, bottom + 16, f"{scene.metric}: laws over two label vectors", parts, "laws-strips")


def _corner(text: str, room: float, place: tuple[float, float], style: str) -> Markup:
    return tag("text", shortened(text, room, FONT), tip(text), x=place[0], y=place[1], class_=style)


def _cursor(scene: LawScene, sides: tuple[float, float], ends: tuple[float, float]) -> Markup:
    left, right = sides
    step = (right - left) / (scene.steps + 1)
    here = left + (scene.start + 0.5) * step
    low, high = str(left + step / 2), str(right - step / 2)
    return tag(
        "line", x1=here, x2=here, y1=ends[0], y2=ends[1], class_="cursor", data_low=low, data_high=high
    )


def _triangles(scene: LawScene, width: float) -> Drawing:
    rows = _rows(scene)
    columns = max(1, int((width - 2 * EDGE + PANEL_GAP) / (PANEL + PANEL_GAP)))
    tall = HEAD + PANEL * TALL + 22
    parts: list[Markup] = []
    for place, (name, reached, faults, cost_text) in enumerate(rows):
        x0 = EDGE + (place % columns) * (PANEL + PANEL_GAP)
        y0 = (place // columns) * (tall + 10)
        head = shortened(name, PANEL, FONT)
        parts.append(tag("text", head, tip(name), x=x0, y=y0 + 12, class_="tick strong"))
        style = "tick" if cost_text in ("", "loses nothing") else "tick bad"
        parts.append(tag("text", cost_text, x=x0, y=y0 + 28, class_=style))
        parts += _panel(scene, name, reached, faults, (x0, y0 + HEAD))
        bottom = y0 + HEAD + PANEL * TALL + 16
        half = PANEL / 2 - 12
        parts.append(_corner(scene.corners[0], half, (x0, bottom), "tick"))
        parts.append(_corner(scene.corners[1], half, (x0 + PANEL, bottom), "tick end"))
        parts.append(_corner(scene.corners[2], half, (x0 + PANEL / 2 + 12, y0 + HEAD + 6), "tick"))
    height = ((len(rows) - 1) // columns + 1) * (tall + 10)
    return drawing(width, height, f"{scene.metric}: laws over three label vectors", parts, "laws-triangles")


def _panel(
    scene: LawScene, name: str, reached: list[int], faults: list[bool], origin: tuple[float, float]
) -> list[Markup]:
    """One triangle: a hexagon per law, those of one colour in one path."""
    corners = _corners(origin)
    laws = grid(3, scene.steps)
    size = 1.04 * PANEL / scene.steps / 3**0.5
    outline = _hexagon(size)
    groups: dict[tuple[int, bool], list[str]] = {}
    for law, ranking, wrong in zip(laws, reached, faults, strict=True):
        x, y = _place(law, corners, scene.steps)
        groups.setdefault((ranking, wrong), []).append(f"M{x:.1f},{y - size:.1f}{outline}")
    parts = [
        tag(
            "path",
            tip(_tooltip(scene, name, ranking, wrong)),
            d="".join(hexagons),
            class_=f"law {_colour(ranking)}",
        )
        for (ranking, wrong), hexagons in groups.items()
    ]
    marks = [
        f"M{x:.1f},{y:.1f}h0"
        for law, wrong in zip(laws, faults, strict=True)
        if wrong
        for x, y in [_place(law, corners, scene.steps)]
    ]
    if marks:
        # Lines without length, of which the round ends are seen: dots.
        parts.append(tag("path", d="".join(marks), stroke_width=max(2.0, size * 0.66), class_="fault-dots"))
    x, y = _place(laws[scene.start], corners, scene.steps)
    listed = " ".join(f"{a:.2f},{b:.2f}" for a, b in corners)
    parts.append(tag("circle", cx=x, cy=y, r=5, class_="cursor", data_corners=listed))
    return parts


def _corners(origin: tuple[float, float]) -> list[tuple[float, float]]:
    x, y = origin
    return [(x, y + PANEL * TALL), (x + PANEL, y + PANEL * TALL), (x + PANEL / 2, y)]


def _place(law: tuple[int, ...], corners: list[tuple[float, float]], steps: int) -> tuple[float, float]:
    x = sum(w * corner[0] for w, corner in zip(law, corners, strict=True)) / steps
    y = sum(w * corner[1] for w, corner in zip(law, corners, strict=True)) / steps
    return x, y


def _hexagon(size: float) -> str:
    """The way round a hexagon from its top, relative to it; a little larger, so that no seam is seen."""
    side, half, down = f"{size:.1f}", f"{size * TALL:.1f}", f"{size / 2:.1f}"
    return f"l{half},{down}v{side}l-{half},{down}l-{half}-{down}v-{side}z"
