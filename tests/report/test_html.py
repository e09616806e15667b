"""A report is one file, complete in itself, in which text is text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from rankproof.errors import ArgumentError
from rankproof.report.content import (
    Block,
    Facts,
    LawScenes,
    Link,
    MatrixGrid,
    Report,
    Section,
    VerdictBox,
)
from rankproof.report.html import check_report_path, render, write_report
from report.every_block import HOSTILE, SHOWN, every_block, two_corners


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text inside each."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the name is the parser's
        self._inside = ""

    def handle_data(self, data: str) -> None:
        (self.scripts if self._inside == "script" else self.texts).append(data)


def tags(text: str) -> list[str]:
    return [tag for tag, _ in Page(text).elements]


def test_hostile_text_makes_no_element_and_no_attribute() -> None:
    """The page has the very same elements and attribute names as with a harmless text of the same size."""
    harmless = re.sub("[<>&\"'`{}]", "x", HOSTILE)
    found, expected = Page(render(every_block(HOSTILE))), Page(render(every_block(harmless)))
    assert [(tag, list(a)) for tag, a in found.elements] == [(tag, list(a)) for tag, a in expected.elements]
    assert "img" not in [tag for tag, _ in found.elements]
    assert not [a for _, a in found.elements if any(name.startswith("on") for name in a)]


def test_hostile_text_is_shown_as_it_is() -> None:
    page = Page(render(every_block(HOSTILE)))
    plain = [text.strip() for text in page.texts]
    assert plain.count(SHOWN.strip()) >= 20
    labels = [attributes["aria-label"] for _, attributes in page.elements if "aria-label" in attributes]
    assert f"{SHOWN} and {SHOWN}: consistent" in labels


def test_hostile_text_in_data_for_the_script_is_whole() -> None:
    page = render(every_block(HOSTILE))
    stored = re.findall(r'<script type="application/json" class="([^"]+)">(.*?)</script>', page, re.DOTALL)
    assert [name for name, _ in stored] == ["matrix-data", "scene-data", "scene-data"]
    assert not [text for _, text in stored if "<" in text]
    matrix, first, _ = (json.loads(text) for _, text in stored)
    assert matrix[0][0]["head"] == SHOWN
    assert matrix[0][0]["rows"] == [[SHOWN, [SHOWN]]]
    assert first["corners"] == [f"A{SHOWN}", f"B{SHOWN}"]


def test_nothing_is_fetched() -> None:
    page = render(every_block())
    for tag, attributes in Page(page).elements:
        for name in ("src", "href", "action", "data", "poster"):
            # A link is followed by a click alone, to a file beside the page.
            beside = ("./",) if tag == "a" else ()
            assert (attributes.get(name) or "#").startswith(("#", "data:", *beside))
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|//[a-z]+\.[a-z]+", page)
    policy = [
        a["content"] for t, a in Page(page).elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert (policy[0] or "").startswith("default-src 'none';")


def test_every_kind_of_block_has_a_template_and_is_tried() -> None:
    kinds = {kind.kind for kind in get_args(Block)}
    text = (files("rankproof.report") / "templates" / "blocks.html").read_text(encoding="utf-8")
    shared = {"caption", "chart", "head", "picture", "rows"}
    assert set(re.findall(r"\{% macro (\w+)\(", text)) == kinds | shared
    assert {block.kind for section in every_block().sections for block in section.blocks} == kinds


def test_a_link_cannot_leave_its_folder_by_a_scheme() -> None:
    page = Page(render(Report("t", [Section("s", [Link("run", "javascript:alert(1)")])])))
    assert [a["href"] for tag, a in page.elements if tag == "a"] == ["./javascript%3Aalert%281%29"]


def test_evidence_is_prose_that_may_break_and_tables_that_may_not() -> None:
    lines = ["Say the labels of", "a query are", "    p    y(0)", "    1/2     1", "So it loses."]
    box = VerdictBox("inconsistent", "h", [], lines)
    page = render(Report("t", [Section("s", [box])]))
    assert "<p>Say the labels of a query are</p>" in page
    assert '<pre tabindex="0">p    y(0)\n1/2     1</pre>' in page
    assert "<p>So it loses.</p>" in page


def test_the_same_content_gives_the_same_bytes() -> None:
    assert render(every_block()) == render(every_block())


def test_sections_can_be_reached_from_the_contents() -> None:
    page = Page(render(every_block()))
    links = [a["href"] for tag, a in page.elements if tag == "a" and (a["href"] or "").startswith("#")]
    ids = [a["id"] for tag, a in page.elements if tag == "section"]
    assert links == [f"#{name}" for name in ids] == ["#section-1", "#section-2"]


def test_ids_are_unique() -> None:
    ids = [a["id"] for _, a in Page(render(every_block())).elements if "id" in a]
    assert len(ids) == len(set(ids))


def test_a_lone_section_needs_no_contents() -> None:
    assert "nav" not in tags(render(Report("t", [Section("s", [Facts([("a", "b")])])])))


def test_a_click_on_a_cell_has_something_to_show() -> None:
    page = render(every_block())
    block = next(b for s in every_block().sections for b in s.blocks if isinstance(b, MatrixGrid))
    cells = re.findall(r'data-row="(\d+)" data-column="(\d+)"', page)
    assert cells == [("0", "0"), ("0", "1")]
    data = json.loads(re.findall(r'class="matrix-data">(.*?)</script>', page, re.DOTALL)[0])
    assert [[cell["outcome"] for cell in row] for row in data] == [
        [cell.verdict.outcome for cell in row] for row in block.cells
    ]


def test_the_table_of_a_scene_has_values_and_what_is_lost() -> None:
    scene = two_corners("")
    page = render(Report("t", [Section("s", [LawScenes([scene])])]))
    (data,) = re.findall(r'class="scene-data">(.*?)</script>', page, re.DOTALL)
    plain = json.loads(data)
    assert plain["laws"] == [[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]]
    best, loss = plain["rows"]
    assert best["value"] == ["1.0000", "0.7500", "0.5000", "0.7500", "1.0000"]
    assert loss["lost"] == ["", "", "0.1250", "", ""]
    assert loss["value"][2] == "0.3750"  # 0.5 - 0.125
    worse = render(Report("t", [Section("s", [LawScenes([replace(scene, higher_is_better=False)])])]))
    assert '"0.6250"' in worse  # 0.5 + 0.125


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_report(every_block(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == render(every_block())
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_place_that_cannot_be_written_is_refused_early(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="is a folder"):
        check_report_path(tmp_path)
    with pytest.raises(ArgumentError, match="its folder does not exist"):
        check_report_path(tmp_path / "no" / "report.html")
    check_report_path(tmp_path / "report.html")
