"""The checker: what is wrong with programs that are right only by luck."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Callable

from . import _declarations as c
from ._library import Callbacks, Handle, call, expect_ok, format_text, lib, member_type, source_callback
from .errors import BadArgument, from_here

__tracebackhide__ = from_here

TOOLS = tuple(lib.bh_check_tool_name(number).decode() for number in range(c.BH_CHECK_TOOLS))
"""The names of the tools."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """A finding of the checker.

    tool: "racecheck", "initcheck", "memcheck" or "synccheck"; rule: such as "racecheck.dst".
    severity: "note", "warning" or "error".
    message: what is wrong, in one line; mend: what would mend it, or None.
    text: everything for people, with both places and their source lines.
    """

    tool: str
    rule: str
    severity: str
    message: str
    mend: str | None
    text: str

    def __str__(self) -> str:
        return self.text


class Checker(Handle):
    """The observer behind Device(check=...) and Job.run(check=...)."""

    _kind = "checker"
    _free = "bh_check_close"

    def __init__(self, mode: int, tools: bool | list[str], source: Callable[[int, int, Any], str | None]) -> None:
        chosen = 0
        for tool in [] if isinstance(tools, bool) else tools:
            if tool not in TOOLS:
                raise BadArgument(f"there is no tool {tool!r}; there are {', '.join(TOOLS)}")
            chosen |= 1 << TOOLS.index(tool)
        self.found: list[Finding] = []
        self._callbacks = Callbacks()

        options = c.bh_check_options(mode=mode, tools=chosen)
        options.on_finding = self._callbacks.wrap(member_type(c.bh_check_options, "on_finding"),
                                                  lambda _, given: self._tell(given.contents))
        options.source = source_callback(self._callbacks, member_type(c.bh_check_options, "source"), source)
        pointer = ctypes.c_void_p()
        call(lib.bh_check_open, ctypes.byref(options), ctypes.byref(pointer))
        self._pointer = pointer

    @property
    def observer(self) -> Any:
        """What a device is given."""
        return lib.bh_check_observer(self.handle)

    def _tell(self, given: c.bh_check_finding) -> None:
        self.found.append(Finding(
            tool=lib.bh_check_tool_name(given.tool).decode(), rule=given.rule.decode(),
            severity=lib.bh_severity_name(given.severity).decode(), message=given.message.decode(errors="replace"),
            mend=given.mend.decode(errors="replace") if given.mend else None,
            text=format_text(lib.bh_check_format, self.handle, ctypes.byref(given))))

    def _raise_first(self) -> None:
        """Raises what a callback raised."""
        self._callbacks.raise_first()

    def end(self) -> list[Finding]:
        """Tells it that the program has ended."""
        expect_ok(lib.bh_check_end(self.handle))
        self._raise_first()
        return self.found
