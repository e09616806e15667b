"""Pages that promise consistency state its premises, and prose avoids words that confused readers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("tutorial", "how-to", "explanation", "contributing")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "reference" / "glossary.md",
    *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
# Pages for contributors are about code and link to the glossary.
PROMISING = [page for page in PAGES if page.parent.name != "contributing" and page.name != "CONTRIBUTING.md"]
CONSISTENT = re.compile(r"\bconsistent\b(?! form)", re.IGNORECASE)
# A test shows that something holds where it was tried, which is no proof.
ODD = re.compile(
    r"one's own|\bflatters\b|\bmend(?:s|ed)?\b|\bwhoever\b|\bahead in the mean, mostly\b|\bproven equal\b"
    r"|\bproven against\b|\btest that proves\b|\bhowever much data there is\b",
    re.IGNORECASE,
)


def prose(page: Path) -> str:
    """The text of a page without its blocks of code, which show what programs print."""
    return " ".join(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL).split())


def place(page: Path) -> str:
    """The name of a page within the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PROMISING, ids=place)
def test_a_page_that_promises_consistency_says_what_it_presupposes(page: Path) -> None:
    """Unlimited data, and a model that can represent any scores."""
    text = prose(page)
    if CONSISTENT.search(text):
        assert "unlimited data" in text
        assert re.search(r"\bany scores\b", text)


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_prose_avoids_words_that_confused_readers(page: Path) -> None:
    assert ODD.findall(prose(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_nobody_says_that_lambdarank_levels_off(page: Path) -> None:
    """Its limit is not known, those of the losses beside it are proven."""
    parts = re.split(r"[.;](?=\s)", prose(page))
    assert [part for part in parts if re.search(r"\blevels? off\b", part) and "lambdarank" in part] == []


def test_the_first_page_says_what_is_not_known_and_who_was_measured() -> None:
    text = prose(ROOT / "README.md")
    assert "lambdarank is at 0.0011 with 100,000 queries; its limit is not known" in text
    measured = [line for line in (ROOT / "README.md").read_text().splitlines() if "3.7 million lines" in line]
    assert ["against trec_eval" in line for line in measured] == [True]


def test_the_pages_are_found() -> None:
    assert len(PAGES) > 25
    assert sum(CONSISTENT.search(prose(page)) is not None for page in PROMISING) > 12
