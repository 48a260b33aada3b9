"""What goes wrong: exceptions, and the diagnostics of programs."""
from __future__ import annotations

import dataclasses
from typing import Any

from . import _declarations as c


class BhemuError(Exception):
    """Any error of this package."""


def from_here(excinfo: Any) -> bool:
    """As __tracebackhide__ of a module of this package: pytest shows the line of the test that an error is about, and
    not where this package has found it. Other exceptions show all."""
    return excinfo is not None and isinstance(excinfo.value, BhemuError)


class BadArgument(BhemuError, ValueError):
    """A tile, a core, a name or a number that does not exist."""


class OutOfMemory(BhemuError, MemoryError):
    """The host has no memory."""


class BadAddress(BhemuError, ValueError):
    """An address that is not mapped, or not for this kind of access; nothing was transferred."""


class BadFile(BhemuError, ValueError):
    """A file or a text that is malformed; the message names the file and, of texts, the line."""


class FileProblem(BhemuError, OSError):
    """The host's file system refused."""


class LostProcess(BhemuError):
    """Another process, which has other chips of the system, has ended or stopped."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a core or a thread is that a deadlock names.

    agent: "core" or "thread"; name: "B", "T0", ..., of a thread that of its core.
    pc: of the RISC-V instruction, or of the one that pushed the Tensix instruction at the thread's wait gate.
    text: what it waits for, one line. source: as that of a Diagnostic.
    """

    agent: str
    name: str
    pc: int
    text: str
    source: str | None


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """What is wrong with a program, and where.

    category: "UndefinedBehavior", "UnpredictableValue", "NonContractual", "Unsupported", "Hazard", "Deadlock",
        "BadInput" or "InternalError".
    stops: whether it stopped the tile; else it is a warning.
    tile: (x, y), as in device.tile[x, y]; chip: the number of the chip, 0 unless it is one of a system.
    agent: "core", "thread", "host" and so on; name: "B", "T0", ... of a core or of a thread's core, else "". A deadlock is
        of the tile: name is "", and places says where its cores and threads are.
    pc: of the RISC-V instruction, or of the one that pushed the Tensix instruction.
    instruction: its word, 0 where there is none.
    cycle: of the tile's clock.
    text: the cause, what was expected, what to do. Of a deadlock several lines.
    source: where in the source it is, "function (file:line)", or None where no program says.
    places: of a deadlock, a Place for each core and thread that waits, else empty.
    message: all of this for people, as the command shows it, with source lines.
    """

    category: str
    stops: bool
    chip: int
    tile: tuple[int, int]
    agent: str
    name: str
    pc: int
    instruction: int
    cycle: int
    text: str
    source: str | None
    places: tuple[Place, ...]
    message: str

    def __str__(self) -> str:
        return self.message


class Stopped(BhemuError):
    """A diagnostic stopped the program.

    diagnostic: the last one that stopped a tile; None where the library gave none.
    """

    def __init__(self, text: str = "stopped", diagnostic: Diagnostic | None = None) -> None:
        super().__init__(str(diagnostic) if diagnostic else text)
        self.diagnostic = diagnostic


class Deadlock(Stopped):
    """Everything that runs waits for events that can not happen; the diagnostic says who waits for whom."""


class StillRunning(Stopped):
    """The program has not ended within the limit of cycles; the diagnostic says where everything is."""


_STATUS: dict[int, type[BhemuError]] = {
    c.BH_ERROR_ARGUMENT: BadArgument,
    c.BH_ERROR_MEMORY: OutOfMemory,
    c.BH_ERROR_ADDRESS: BadAddress,
    c.BH_ERROR_FORMAT: BadFile,
    c.BH_ERROR_IO: FileProblem,
    c.BH_ERROR_STOPPED: Stopped,
    c.BH_ERROR_LOST: LostProcess,
}


def error_of_status(status: int) -> type[BhemuError]:
    """The class of a status of the library other than BH_OK."""
    return _STATUS.get(status, BhemuError)
