"""Reports in a real browser: they open, can be used, are readable, and show text as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from cli.small_letor import write_parts
from pages.chromium import chromium, complaints, look
from pages.contrast import FAINT
from rankproof.cli.main import main
from rankproof.evaluation.cutoffs import cutoff_means
from rankproof.evaluation.tables import Table
from rankproof.experiments.laws.of_matrix import matrix_scenes
from rankproof.report.content import DataTable, Report, Section
from rankproof.report.html import write_report
from rankproof.report.pages.certification import certification_report
from rankproof.report.pages.comparison import comparison_report
from rankproof.report.pages.run import run_report
from rankproof.runs.review import read_record
from rankproof.theory.matrix import certify_matrix
from report.every_block import HOSTILE, SHOWN, every_block

pytestmark = pytest.mark.browser

PAGES = ("blocks", "hostile", "run", "comparison", "certification")
# The pictures change at 760.
WIDTHS = (400, 760, 761, 1400)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, driver: Any) -> dict[str, Path]:
    """One page of each kind. The driver first: without one nothing needs to be made."""
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in PAGES}
    write_report(every_block(), found["blocks"])
    write_report(every_block(HOSTILE), found["hostile"])
    parts = write_parts(folder)
    words = ["fit", parts["train"], "--valid", parts["valid"], "--test", parts["test"], "--l2", "1,0.1", "-q"]
    main([*map(str, words), "-m", "nDCG@10", "--out", str(folder / "run"), "--json"])
    write_report(run_report(read_record(folder / "run"), "rankproof fit"), found["run"])
    random, data = np.random.default_rng(0), rp.read_letor(parts["test"])
    systems = {name: data.labels + random.normal(size=data.items) for name in ("one", "two", "three")}
    compared = rp.compare(systems, data, ["nDCG@10", "AP"])
    page = comparison_report(compared, systems, data, cutoffs=cutoff_means(systems, data))
    write_report(page, found["comparison"])
    matrix = certify_matrix(("softmax", "listnet", "RankNet"), ("nDCG", "PD"))
    scenes = list(matrix_scenes(matrix))
    write_report(certification_report(matrix, scenes), found["certification"])
    return found


def one(driver: Any, selector: str) -> Any:
    return driver.find_element("css selector", selector)


def every(driver: Any, selector: str) -> list[Any]:
    return driver.find_elements("css selector", selector)  # type: ignore[no-any-return]


def shown(elements: list[Any]) -> list[str]:
    return [element.text for element in elements]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_it_opens_without_complaint_and_nothing_sticks_out(
    driver: Any, pages: dict[str, Path], name: str, width: int
) -> None:
    look(driver, pages[name], width)
    assert complaints(driver) == []
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    wide, window = driver.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert window == width
    assert wide <= width
    sticking = driver.execute_script(
        """return Array.from(document.querySelectorAll("main *")).filter((e) => {
             const box = e.getBoundingClientRect();
             return box.width && box.right > innerWidth + 1 && !e.closest(".scroll, pre");
           }).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert sticking == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["run", "comparison", "certification"])
def test_words_in_pictures_keep_a_size_that_can_be_read(
    driver: Any, pages: dict[str, Path], name: str, width: int
) -> None:
    look(driver, pages[name], width)
    sizes = driver.execute_script(
        """return Array.from(document.querySelectorAll(".chart text"))
             .filter((e) => e.getClientRects().length)
             .map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"""
    )
    assert len(sizes) >= 6
    assert min(sizes) >= 9


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["blocks", "run", "certification"])
def test_text_stands_out_from_its_ground(driver: Any, pages: dict[str, Path], name: str, dark: bool) -> None:
    """A contrast of at least 4.5, what WCAG asks for."""
    look(driver, pages[name], dark=dark)
    for cell in every(driver, ".cell")[:1]:
        cell.click()
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(246, 247, 249)") != dark
    assert driver.execute_script(FAINT, 4.5) == []


def test_the_checks_can_fail(driver: Any, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><main style='width: 2000px'><p style='color: #999; background: #fff'>faint</p></main>"
        "<script>nothing.at.all()</script>"
    )
    look(driver, page, 400)
    assert any("nothing is not defined" in told for told in complaints(driver))
    assert driver.execute_script("return document.documentElement.scrollWidth") > 400
    assert [row[0] for row in driver.execute_script(FAINT, 4.5)] == ["faint"]


def test_hostile_text_is_text(driver: Any, pages: dict[str, Path]) -> None:
    look(driver, pages["hostile"])
    assert every(driver, "img") == []
    plain = driver.execute_script("return document.querySelector('h1').textContent")
    assert plain == SHOWN
    one(driver, ".cell").click()
    head = driver.execute_script("return document.querySelector('.cell-panel .verdict-head').textContent")
    assert head == SHOWN
    slider = one(driver, ".law-slider")
    slider.send_keys("\ue014")  # the arrow to the right
    ranking = driver.execute_script("return document.querySelector('.law-table .ranking').textContent")
    assert ranking == f"1 > 0{SHOWN}"
    assert every(driver, "img") == []
    assert complaints(driver) == []


def column(driver: Any, table: Any, place: int) -> list[str]:
    return driver.execute_script(  # type: ignore[no-any-return]
        "return Array.from(arguments[0].tBodies[0].rows).map((r) => r.cells[arguments[1]].textContent)",
        *(table, place),
    )


def test_a_click_on_a_head_sorts_numbers_as_numbers(driver: Any, tmp_path: Path) -> None:
    rows = [
        ["b10", "9", "[0.10, 0.30]"],
        ["b9", "nan", "[-0.50, 0.00]"],
        ["a", "100", ""],
        ["c", "-2.5", "<0.001"],
    ]
    table = Table(["name", "value", "interval"], rows)
    page = tmp_path / "table.html"
    write_report(Report("t", [Section("s", [DataTable(table)])]), page)
    look(driver, page)
    found = one(driver, "table.sortable")
    heads = every(driver, "table.sortable th button")
    heads[1].click()
    assert column(driver, found, 1) == ["100", "9", "-2.5", "nan"]
    heads[1].click()
    assert column(driver, found, 1) == ["-2.5", "9", "100", "nan"]
    heads[2].click()
    assert column(driver, found, 2) == ["[0.10, 0.30]", "<0.001", "[-0.50, 0.00]", ""]
    heads[0].click()
    assert column(driver, found, 0) == ["a", "b9", "b10", "c"]
    marks = [cell.get_attribute("aria-sort") for cell in every(driver, "table.sortable th")]
    assert marks == ["ascending", None, None]
    heads[0].click()
    assert column(driver, found, 0) == ["c", "b10", "b9", "a"]


def test_rows_can_be_searched(driver: Any, tmp_path: Path) -> None:
    rows = [[f"row {k}", str(k)] for k in range(20)]
    page = tmp_path / "table.html"
    write_report(Report("t", [Section("s", [DataTable(Table(["a", "b"], rows), "all", folded=True)])]), page)
    look(driver, page)
    assert not one(driver, "table").is_displayed()
    one(driver, "summary").click()
    one(driver, ".filter-rows").send_keys("ROW 1")
    visible = [row.text for row in every(driver, "tbody tr") if row.is_displayed()]
    assert len(visible) == 11  # 1 and 10 to 19


def test_pointing_at_a_bar_names_its_query(driver: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    look(driver, pages["run"])
    bar = one(driver, ".wide-window .bar.up")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", bar)
    expected = bar.find_element("css selector", "title").get_attribute("textContent")
    assert expected.startswith("query 3")
    tooltip = one(driver, "#tooltip")

    def pointed(_: Any) -> bool:
        # The end of the scrolling before hides it once.
        ActionChains(driver).move_to_element(bar).move_by_offset(0, 1).perform()
        return bool(tooltip.is_displayed())

    WebDriverWait(driver, 10).until(pointed)
    assert tooltip.get_attribute("textContent") == expected
    ActionChains(driver).move_to_element(one(driver, "h2")).perform()
    assert not tooltip.is_displayed()


def test_a_click_on_a_cell_shows_reason_and_witness(driver: Any, pages: dict[str, Path]) -> None:
    look(driver, pages["certification"])
    panel = one(driver, ".cell-panel")
    assert not panel.is_displayed()
    cells = {cell.get_attribute("aria-label"): cell for cell in every(driver, ".cell")}
    cells["listnet and nDCG: inconsistent"].click()
    assert "listnet is not consistent with nDCG." in panel.text
    assert "Suppose the labels of a query follow this law" in panel.text
    cells["softmax and nDCG: consistent"].send_keys("\n")
    assert "softmax:normalised-gain is consistent with nDCG." in panel.text
    assert "Say the labels" not in panel.text
    assert shown(every(driver, ".cell.chosen")) == ["yes"]


def test_what_is_cut_off_at_the_right_fades_and_names_stay_in_sight(
    driver: Any, pages: dict[str, Path]
) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    look(driver, pages["comparison"], 400)
    fading = "return arguments[0].classList.contains('more')"
    table = one(driver, "table.sortable")
    box = driver.execute_script("return arguments[0].closest('.scroll')", table)
    WebDriverWait(driver, 10).until(lambda _: driver.execute_script(fading, box))
    name = one(driver, "table.sortable td:first-child")
    place = "return arguments[0].getBoundingClientRect().x"
    before = driver.execute_script(place, name)
    driver.execute_script("arguments[0].scrollLeft = 10000", box)
    WebDriverWait(driver, 10).until(lambda _: not driver.execute_script(fading, box))
    assert driver.execute_script(place, name) == before
    look(driver, pages["comparison"], 1400)
    box = driver.execute_script("return document.querySelector('table.sortable').closest('.scroll')")
    WebDriverWait(driver, 10).until(lambda _: not driver.execute_script(fading, box))


def test_lines_are_named_beside_them_or_in_a_legend(driver: Any, pages: dict[str, Path]) -> None:
    """Three systems and the constant scorer: four lines."""
    for width, beside in ((1400, True), (400, False)):
        look(driver, pages["comparison"], width)
        names = [name.text for name in every(driver, ".chart .end-name") if name.is_displayed()]
        listed = [key.text for key in every(driver, ".legend .key") if key.is_displayed()]
        expected = ["one", "two", "three", "constant scorer"]
        assert (names, listed) == ((expected, []) if beside else ([], expected))


def test_the_slider_moves_the_law(driver: Any, pages: dict[str, Path]) -> None:
    look(driver, pages["blocks"])
    scene = every(driver, ".scene")[0]
    rows = scene.find_elements("css selector", ".law-table tbody tr")
    assert shown(rows) == ["best ranking 1 > 0x 0.5000", "Lx 0 > 1x 0.3750 0.1250"]
    assert "wrong" in rows[1].get_attribute("class")
    cursor = scene.find_element("css selector", ".wide-window .cursor")
    before = float(cursor.get_attribute("x1"))
    slider = scene.find_element("css selector", ".law-slider")
    slider.send_keys("\ue014")
    assert shown(rows) == ["best ranking 1 > 0x 0.7500", "Lx 1 > 0x 0.7500"]
    assert rows[1].get_attribute("class") == ""
    assert scene.find_element("css selector", ".law-words").text == "Ax with 0.25, Bx with 0.75"
    step = (float(cursor.get_attribute("data-high")) - float(cursor.get_attribute("data-low"))) / 4
    assert float(cursor.get_attribute("x1")) == pytest.approx(before + step, abs=0.01)
    slider.send_keys("\ue012" * 9)  # to the left
    assert scene.find_element("css selector", ".law-words").text == "Ax with 1.00, Bx with 0.00"


def test_another_scene_is_chosen_and_a_point_in_a_triangle_moves_its_law(
    driver: Any, pages: dict[str, Path]
) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.ui import Select

    look(driver, pages["blocks"])
    first, second = every(driver, ".scene")
    Select(one(driver, ".scene-choice")).select_by_index(1)
    assert (first.is_displayed(), second.is_displayed()) == (False, True)
    told = second.find_element("css selector", ".law-words")
    assert told.text == "Ax with 0.00, Bx with 0.00, Cx with 1.00"
    picture = second.find_element("css selector", ".wide-window svg")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", picture)
    x, y = driver.execute_script(
        """const svg = arguments[0], box = svg.getBoundingClientRect();
           const at = svg.querySelector("circle.cursor").dataset.corners.split(" ")[1].split(",").map(Number);
           const there = new DOMPoint(at[0] - 4, at[1] - 3).matrixTransform(svg.getScreenCTM());
           return [there.x - box.x - box.width / 2, there.y - box.y - box.height / 2]""",
        picture,
    )
    ActionChains(driver).move_to_element_with_offset(picture, int(x), int(y)).click().perform()
    assert told.text == "Ax with 0.00, Bx with 1.00, Cx with 0.00"
    # What one slider takes the other gives.
    sliders = second.find_elements("css selector", ".law-slider")
    sliders[1].send_keys("\ue014")
    assert told.text == "Ax with 0.00, Bx with 0.00, Cx with 1.00"
    assert [slider.get_attribute("value") for slider in sliders] == ["0", "1"]


def test_on_paper_all_is_open_and_nothing_asks_for_a_click(driver: Any, pages: dict[str, Path]) -> None:
    look(driver, pages["blocks"], dark=True)
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert all(
        driver.execute_script("return Array.from(document.querySelectorAll('details')).map((d) => d.open)")
    )
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert not any(
        driver.execute_script("return Array.from(document.querySelectorAll('details')).map((d) => d.open)")
    )
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not [element for element in every(driver, ".no-print, nav") if element.is_displayed()]
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    assert one(driver, ".wide-window svg").is_displayed()
    assert driver.execute_script(FAINT, 4.5) == []


@pytest.mark.parametrize("name", ["run", "comparison", "certification"])
def test_all_fits_on_the_width_of_a4(driver: Any, pages: dict[str, Path], name: str) -> None:
    look(driver, pages[name], 718)  # 210 mm at 96 dots an inch, less margins of 1 cm
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 718
    assert driver.print_page().startswith("JVBERi")  # %PDF in base 64


def test_the_command_is_copied_or_selected(driver: Any, pages: dict[str, Path]) -> None:
    """Where a page may not write to the clipboard the command is selected instead."""
    from selenium.webdriver.support.ui import WebDriverWait

    look(driver, pages["run"])
    button = one(driver, ".copy")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    done = WebDriverWait(driver, 10).until(lambda _: button.text if button.text != "Copy" else None)
    assert done in ("Copied", "Selected")
    if done == "Selected":
        assert driver.execute_script("return getSelection().toString()").startswith("rankproof fit ")
    assert complaints(driver) == []
