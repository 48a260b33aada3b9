"""Several chips whose Ethernet tiles are linked (docs/systems.md)."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable

from . import _declarations as c
from ._library import Handle, call, expect_ok, interruptible, lib, number, path_bytes, text_bytes
from .device import DEFAULT_LIMIT, MOST_THREADS, Device, RunResult, run_result
from .errors import BadArgument, BhemuError, Deadlock, Diagnostic, StillRunning, Stopped, from_here

__tracebackhide__ = from_here
_CHANNELS = 12  # of Ethernet, that a chip has
_LINKS = {c.BH_LINK_NONE: "none", c.BH_LINK_DOWN: "down", c.BH_LINK_TRAINING: "training", c.BH_LINK_UP: "up"}


def topology_names() -> list[str]:
    """The topologies that have a name: "x2", "galaxy" and so on."""
    found: list[str] = []
    while (name := lib.bh_topology_name(len(found))) is not None:
        found.append(name.decode())
    return found


class _AllChips(Device):
    """Has the callbacks of all chips of a system."""

    def __init__(self, system: System) -> None:  # pylint: disable=super-init-not-called
        self._prepare(system._diagnose)
        self.system = system

    def _source_on(self, chip: int, x: int, y: int, place: c.bh_place) -> str | None:
        chips = self.system.chips
        return chips[chip]._source_on(chip, x, y, place) if chip < len(chips) else None


class Chip(Device):
    """A chip of a system: a device whose time only its system lets pass."""

    def __init__(self, system: System, number: int) -> None:  # pylint: disable=super-init-not-called
        self._prepare(None)
        self.system, self.number = system, number
        self._pointer = lib.bh_system_chip(system.handle, number)

    @property
    def handle(self) -> Any:
        """As that of a device, and not while the system runs."""
        if self._pointer is not None:
            self.system.handle  # pylint: disable=pointless-statement
        return super().handle

    def close(self) -> None:
        """Chips are closed with their system."""
        if self._pointer is not None:
            raise BadArgument("a chip of a system is closed by System.close()")

    def __del__(self) -> None:
        pass

    def report(self) -> list[Diagnostic]:
        """As that of a device."""
        before = len(self.diagnostics)
        with self.system._alone():
            lib.bh_report(self._pointer)
        self.system._raise_first()
        return self.diagnostics[before:]

    def run(self, cycles: int) -> RunResult:
        """Refused: the system runs its chips."""
        raise BadArgument("a chip of a system is run by System.run()")

    def run_to_end(self, limit: int = DEFAULT_LIMIT) -> RunResult:
        """Refused: the system runs its chips."""
        return self.run(limit)


class System(Handle):
    """Chips that are linked: the name of a topology, or the path of a file of one.

    latency: of each link, in cycles; 0: 480. Other options are as those of Device.
    chips: a Device for each; their tiles, memories, dumps and findings are used as those of any device.
    """

    _kind = "system"
    _free = "bh_system_destroy"
    chips: tuple[Chip, ...] = ()

    def __init__(self, topology: str | os.PathLike[str], *, latency: int = 0, threads: int = 1,
                 mode: str = "functional", policy: str = "default", engine: str = "fast",
                 on_error: str = "stop", check: bool | list[str] = False,
                 on_print: Callable[[str], None] | None = None) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._first = _AllChips(self)
        device = self._first._config("full", mode, policy, engine, 0, 0, on_error)
        config = c.bh_system_config(device=device, threads=number(threads, "threads", MOST_THREADS),
                                    latency=number(latency, "latency", 100_000))
        chosen = ctypes.POINTER(c.bh_topology)()
        if isinstance(topology, str) and topology in topology_names():
            expect_ok(lib.bh_topology_by_name(text_bytes(topology), ctypes.byref(chosen)))
        else:
            call(lib.bh_topology_load, path_bytes(topology), ctypes.byref(chosen))
        pointer = ctypes.c_void_p()
        try:
            call(lib.bh_system_create, chosen, ctypes.byref(config), ctypes.byref(pointer))
        finally:
            lib.bh_topology_destroy(chosen)
        self._pointer = pointer
        self.chips = tuple(Chip(self, number) for number in range(lib.bh_system_chip_count(pointer)))
        for chip in self.chips:
            chip._accompany(device.mode, check, on_print)

    def close(self) -> None:
        """Frees all chips. Any later use is an error; closing again is not."""
        if self._pointer is not None:
            self.handle  # pylint: disable=pointless-statement
            for chip in self.chips:
                chip._end_prints()
                chip._pointer = None
        super().close()
        for chip in self.chips:
            chip._release()

    def _diagnose(self, given: Diagnostic) -> None:
        self.diagnostics.append(given)
        if given.chip < len(self.chips):
            self.chips[given.chip].diagnostics.append(given)

    def _raise_first(self) -> None:
        """Raises what a callback raised."""
        for device in (self._first, *self.chips):
            device._raise_first()

    @property
    def clock(self) -> int:
        """The clock of all chips."""
        return int(lib.bh_system_clock(self.handle))

    def run(self, cycles: int) -> RunResult:
        """Runs all chips for at most so many cycles; as Device.run()."""
        if not 0 <= cycles < 1 << 64:
            raise BadArgument(f"{cycles} cycles")
        before, result = len(self.diagnostics), c.bh_run_result()
        with self._alone() as pointer:
            status = interruptible(lambda: int(lib.bh_system_run(pointer, cycles, ctypes.byref(result))),
                                   self._first._interrupted)
        self._raise_first()
        if status == c.BH_ERROR_STOPPED:
            stopping = [given for given in self.diagnostics[before:] if given.stops]
            kind = Deadlock if result.reason == c.BH_RAN_DEADLOCK else Stopped
            raise kind("a chip is stopped", stopping[-1] if stopping else None)
        expect_ok(status)
        return run_result(result)

    def run_to_end(self, limit: int = DEFAULT_LIMIT) -> RunResult:
        """Runs until nothing can run on any chip, and nothing is on its way; as Device.run_to_end()."""
        result = self.run(limit)
        if result.reason == "idle":
            return result
        given = [diagnostic for chip in self.chips for diagnostic in chip.report()]
        raise StillRunning(f"it runs still after {limit} cycles", given[0] if given else None)

    def _end(self, chip: int, channel: int) -> Any:
        if not 0 <= chip < len(self.chips):
            raise BhemuError(f"there is no chip {chip}; there are {len(self.chips)}")
        return c.bh_link_end(chip=chip, channel=number(channel, "channel", _CHANNELS - 1))

    def link(self, chip: int, channel: int) -> str:
        """What the Ethernet tile (20 + channel, 25) of a chip sees of its link: "none", "down", "training", "up"."""
        return _LINKS[lib.bh_system_link(self.handle, self._end(chip, channel))]

    def plug(self, chip: int, channel: int, inside: bool) -> None:
        """Pulls the cable of a link out, or plugs it in again."""
        expect_ok(lib.bh_system_plug(self.handle, self._end(chip, channel), inside))
