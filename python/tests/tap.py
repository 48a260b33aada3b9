"""A pytest plugin that prints a line for each test, "ok N - name" or "not ok N - name", as the other tests do."""
from __future__ import annotations

import pytest


class Tap:
    """Counts tests as they end."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self, good: bool, name: str, why: str = "") -> None:
        """One line of a test that has ended."""
        self.count += 1
        print(f"\n{'' if good else 'not '}ok {self.count} - {name}{why}", flush=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Of each phase of a test: only the call, or a phase that did not pass, ends it."""
        if report.skipped:
            self.tell(False, report.nodeid, " # SKIP")
        elif report.failed or report.when == "call":
            self.tell(report.passed, report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    """Adds it."""
    config.pluginmanager.register(Tap())
