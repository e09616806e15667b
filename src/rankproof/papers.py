"""What the short names in claims stand for: the papers that the theory rests on."""

from __future__ import annotations

import re

__all__ = ["SOURCES", "sources_in"]

SOURCES = {
    "B11": "Buffoni, Calauzènes, Gallinari & Usunier, ICML 2011",
    "C12": "Calauzènes, Usunier & Gallinari, NIPS 2012",
    "C20": "Calauzènes & Usunier, NeurIPS 2020",
    "L12": "Lan, Guo, Cheng & Liu, NIPS 2012",
    "R11": "Ravikumar, Tewari & Yang, AISTATS 2011",
    "RAT13": "Ramaswamy, Agarwal & Tewari, NIPS 2013",
}


def sources_in(text: str) -> dict[str, str]:
    """The short names that occur in a text, with what they stand for.

    >>> sources_in("R11 Lemma 4; B11 section 5.1")
    {'B11': 'Buffoni, Calauzènes, Gallinari & Usunier, ICML 2011',
     'R11': 'Ravikumar, Tewari & Yang, AISTATS 2011'}
    """
    return {name: paper for name, paper in SOURCES.items() if re.search(rf"\b{name}\b", text)}
