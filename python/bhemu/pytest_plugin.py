"""A pytest plugin: the fixture `device`, a fresh one for each test, and diagnostics in the reports of failures.

Options: --bhemu-mode=timed, --bhemu-engine=plain, --bhemu-policy=strict, and --bhemu-check, with which a finding of the
checker fails the test; --bhemu-trace=FOLDER, which gets a trace of each test.
"""
from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Generator

import pytest

from .check import TOOLS
from .device import Device
from .errors import BhemuError

_DEVICE = pytest.StashKey[Device]()
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+\.py::[A-Za-z0-9_]*[A-Za-z0-9](\[[A-Za-z0-9.-]+\])?")
_MOST = 150  # characters of a name of a file


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the device that tests get."""
    group = parser.getgroup("bhemu", "the emulator of Tenstorrent's Blackhole chip")
    group.addoption("--bhemu-mode", default="functional", choices=("functional", "timed"),
                    help="timed: clocks of devices count the cycles that silicon takes")
    group.addoption("--bhemu-engine", default="fast", choices=("fast", "plain"),
                    help="plain: one instruction at a time, with the same results")
    group.addoption("--bhemu-policy", default="default", choices=("default", "strict", "silicon"),
                    help="what stops a program: strict: everything, silicon: as little as possible")
    group.addoption("--bhemu-trace", default=None, metavar="FOLDER", type=os.path.abspath,
                    help="write a trace of each test, for ui.perfetto.dev")
    group.addoption("--bhemu-check", nargs="?", const="all", default=None, metavar="TOOL,...",
                    help="check programs; a finding fails the test (" + ", ".join(TOOLS) + ")")


def _tools(config: pytest.Config) -> bool | list[str]:
    chosen = config.getoption("--bhemu-check")
    return True if chosen == "all" else chosen.split(",") if chosen else False


def pytest_configure(config: pytest.Config) -> None:
    """Refuses tools that do not exist before any test runs."""
    tools = _tools(config)
    for tool in [] if isinstance(tools, bool) else tools:
        if tool not in TOOLS:
            raise pytest.UsageError(f"--bhemu-check: there is no tool {tool!r}; there are {', '.join(TOOLS)}")


def _file_name(test: str) -> str:
    """The name of a test as that of a file. Where other tests might get the same one, a hash makes it another."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", test)
    if _PLAIN.fullmatch(test) and len(name) <= _MOST:
        return name
    return f"{name[:_MOST]}-{hashlib.sha1(test.encode(errors='surrogateescape')).hexdigest()[:10]}"


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Generator[Device, None, None]:
    """A Device of its own for each test, made as the options --bhemu-... say."""
    option = request.config.getoption
    folder = option("--bhemu-trace")
    with Device(mode=option("--bhemu-mode"), engine=option("--bhemu-engine"), policy=option("--bhemu-policy"),
                check=_tools(request.config)) as made:
        request.node.stash[_DEVICE] = made
        if folder is None:
            yield made
            return
        os.makedirs(folder, exist_ok=True)
        with made.trace(os.path.join(folder, f"{_file_name(request.node.nodeid)}.json")):
            yield made


@pytest.hookimpl(trylast=True)  # type: ignore[misc]
def pytest_runtest_call(item: pytest.Item) -> None:
    """Behind a test that has passed: it fails if the checker has found something that is more than a note."""
    used = item.stash.get(_DEVICE, None)
    found = used.end_check() if used and not used.closed and _tools(item.config) else []
    if any(finding.severity != "note" for finding in found):
        pytest.fail("\n".join(str(finding) for finding in found), pytrace=False)


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Adds the diagnostics of the test's device, with source lines, to the report of its failure: those that the
    exception does not show."""
    outcome = yield
    report = outcome.get_result()
    used = item.stash.get(_DEVICE, None)
    if used is None or not report.failed or call.when != "call":
        return
    raised = str(call.excinfo.value) if call.excinfo else ""
    given = [diagnostic for diagnostic in used.diagnostics if str(diagnostic) not in raised]
    if given:
        report.sections.append(("bhemu: diagnostics", "\n".join(str(diagnostic) for diagnostic in given)))
    told = {diagnostic.text for diagnostic in used.diagnostics}
    try:
        waiting = [str(diagnostic) for diagnostic in used.report() if diagnostic.text not in told]
    except BhemuError:
        waiting = []
    if waiting:
        report.sections.append(("bhemu: where cores and threads are", "\n".join(waiting)))
