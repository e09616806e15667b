"""What every test, doctest and page shares: which of them may skip, and the two sizes of the suite.

A test skips where the machine lacks what it needs: torch or a browser, which are markers, or the real data
sets. ``RANKPROOF_WITHOUT`` names those of the markers that count as lacking although they may be there.
``RANKPROOF_MAY_SKIP`` names the needs for which tests may skip (``"torch browser data"``, or ``""``); a
session in which another one skipped fails.

``pytest`` leaves out what is marked ``exhaustive``. ``pytest -m exhaustive`` runs that, and every test on
drawn cases once more with all the cases it names.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from both_ends import FromBothEnds, place_in_queue
from drawn import is_exhaustive, register_profiles
from pages.chromium import browser_path

TESTS = Path(__file__).parent / "tests"
NO_DATA = "real data sets are not at"
NEEDS = ("torch", "browser")
# Of a test with few cases a quick run takes every third.
FEW = 3
MAY_SKIP = os.environ.get("RANKPROOF_MAY_SKIP")
USES_TORCH = re.compile(r"\b(torch|NeuralRanker)\b")
# Files all of whose tests have a marker.
MARKED = {
    name: re.compile(rf"^pytestmark = .*\bmark\.{name}\b", re.MULTILINE) for name in ("torch", "exhaustive")
}


# Collection makes a million objects and hardly any garbage: looking for it took a fifth of the time.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Look for garbage again, but not among what was collected: it stays until the end."""
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many cases are drawn."""
    register_profiles()
    everything = re.search(r"(?<!not )\bexhaustive\b", config.option.markexpr) is not None
    settings.load_profile("exhaustive" if everything else "quick")


def _has_more_cases(test: object) -> bool:
    # hypothesis gives its tests an attribute of its name.
    return any(hasattr(test, name) for name in ("hypothesis", "has_more_cases", "has_few_cases"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FromBothEnds | None:
    """Share the files out so that hardly a kernel is compiled by two workers."""
    return FromBothEnds(config, log) if config.option.dist == "loadfile" else None


# What may skip ------------------------------------------------------------------------------------


@cache
def reason_to_skip(marker: str) -> str:
    """Why tests with a marker cannot run here; empty when they can."""
    if marker in os.environ.get("RANKPROOF_WITHOUT", "").split():
        return f"RANKPROOF_WITHOUT says that there is no {marker}"
    if marker == "torch" and not _is_installed("torch"):
        return "torch is not installed: pip install 'rankproof[torch]'"
    if marker == "browser" and (browser_path() is None or shutil.which("chromedriver") is None):
        return "there is no Chromium with its chromedriver on this machine"
    return ""


def _is_installed(name: str) -> bool:
    try:
        spec = find_spec(name)
    except ValueError:  # sys.modules holds None: imports of it are refused
        return False
    # A folder that happens to have the name is found too, but has no origin.
    return spec is not None and spec.origin is not None


class UnimportedTests(pytest.Item):
    """Stands for the tests of a file that is not imported."""

    def runtest(self) -> None:
        """Nothing: its marker skips it."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands, for the summary."""
        return self.path, 0, self.name


class UnimportedModule(pytest.Module):
    """A test file whose every test has a marker that keeps it from running here."""

    marker: str

    def collect(self) -> Iterator[pytest.Item]:
        """One item in the place of its tests."""
        item = UnimportedTests.from_parent(self, name="all_tests")
        item.add_marker(self.marker)
        yield item


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Do not import a file if all its tests need torch, and there is none, or wait for the exhaustive run."""
    text = module_path.read_text(encoding="utf-8")
    for marker, left_out in (("torch", reason_to_skip("torch")), ("exhaustive", not is_exhaustive())):
        if left_out and MARKED[marker].search(text):
            module: UnimportedModule = UnimportedModule.from_parent(parent, path=module_path)
            module.marker = marker
            return module
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests in pages, and in the files of the package that have any."""
    collectors = yield
    if any(isinstance(each, DoctestModule) for each in collectors) and (
        TESTS in file_path.parents or ">>>" not in file_path.read_text(encoding="utf-8")
    ):
        return [collector for collector in collectors if not isinstance(collector, DoctestModule)]
    return collectors


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in order; add the markers that follow from what they are; skip what cannot run here."""
    items.sort(key=lambda item: place_in_queue(item.nodeid.split("::")[0]))
    cases: Counter[str] = Counter()
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            if any(USES_TORCH.search(example.source) for example in item.dtest.examples):
                item.add_marker("torch")
        elif is_exhaustive() and _has_more_cases(getattr(item, "obj", None)):
            item.add_marker("exhaustive")
        elif hasattr(getattr(item, "obj", None), "has_few_cases"):
            name = item.nodeid.split("[")[0]
            if cases[name] % FEW:
                item.add_marker("exhaustive")
            cases[name] += 1
        for marker in NEEDS:
            if item.get_closest_marker(marker) and reason_to_skip(marker):
                item.add_marker(pytest.mark.skip(reason=reason_to_skip(marker)))
                item.user_properties.append(("needs", marker))


# A strict session ---------------------------------------------------------------------------------

_skipped_without_leave: list[str] = []


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    # Expected failures are reported as skipped as well.
    if MAY_SKIP is None or not report.skipped or hasattr(report, "wasxfail"):
        return
    why = str(report.longrepr[-1] if isinstance(report.longrepr, tuple | list) else report.longrepr)
    needs = "data" if NO_DATA in why else dict(getattr(report, "user_properties", ())).get("needs")
    if needs not in MAY_SKIP.split():
        _skipped_without_leave.append(f"{report.nodeid}: {why}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that skipped; the main process hears of those of every worker."""
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that skipped as a whole."""
    _note_skip(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a session in which a test skipped that may not."""
    if _skipped_without_leave and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what skipped without leave."""
    if _skipped_without_leave:
        terminalreporter.section(f"ERROR: skipped, and not for want of {MAY_SKIP or 'anything'}", red=True)
        for line in sorted(set(_skipped_without_leave)):
            terminalreporter.write_line(line)
