"""A Blackhole chip: its tiles, their memories and cores, and running them."""
from __future__ import annotations

import ctypes
import dataclasses
import io
import json
import os
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from . import _declarations as c
from . import tensor
from ._library import (Callbacks, Handle, by_name, call, core_number, expect_ok, format_text, interruptible, lib,
                       member_type, number, path_bytes, source_callback, text_bytes)
from .check import Checker, Finding
from .errors import BadAddress, BadArgument, Deadlock, Diagnostic, Place, StillRunning, Stopped, from_here
from .watch import Profile, Recording

__tracebackhide__ = from_here

DEFAULT_LIMIT = 1_000_000_000
"""Cycles that a program may take where nothing else is said."""

UNINTERRUPTED = 2000
"""Cycles that pass without a look at whether somebody wants them to end."""

MOST_THREADS = 64
"""Threads of the host that run tiles or chips."""

_POLICIES = {"default": c.BH_POLICY_DEFAULT, "strict": c.BH_POLICY_STRICT, "silicon": c.BH_POLICY_SILICON}
_REASONS = {
    c.BH_RAN_CYCLES: "cycles",
    c.BH_RAN_IDLE: "idle",
    c.BH_RAN_STOPPED: "stopped",
    c.BH_RAN_DEADLOCK: "deadlock",
    c.BH_RAN_INTERRUPTED: "interrupted",
}
_DRAM_CHANNELS, _CHANNEL_BYTES = 8, 1 << 32
_L1_BYTES, _DRISC_L1_BYTES = 0x180000, 0x20000
_TENSIX_X, _TENSIX_Y = (*range(1, 8), *range(10, 17)), range(2, 12)
_ETHERNET_X, _ETHERNET_Y = range(20, 32), 25
_DRAM_X, _DRAM_Y = (17, 18), range(12, 24)
_DRISC_L1 = 0x2000000000
_SOURCE_BYTES = 1000


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a run did.

    reason: "cycles", those asked for have passed; or "idle", nothing can run any more.
    cycles: those that passed; in timed mode modelled cycles of silicon, else steps that are no measure of time.
    riscv_instructions, tensix_instructions: executed, by all tiles.
    """

    reason: str
    cycles: int
    riscv_instructions: int
    tensix_instructions: int


def run_result(result: c.bh_run_result) -> RunResult:
    """The same of the C library's struct."""
    return RunResult(_REASONS[result.reason], result.cycles, result.riscv_instructions, result.tensix_instructions)


def diagnostic_of(given: c.bh_diagnostic, find: Callable[[c.bh_place], str | None]) -> Diagnostic:
    """The same of the C library's struct. find: says where in the source a place is."""
    text = given.text.decode(errors="replace")
    own = c.bh_place(agent=given.agent, index=given.index, pc=given.pc)
    source = find(own)
    lines = [given.text[given.lines[i]:].partition(b"\n")[0].decode(errors="replace") for i in range(given.places_count)]
    places = tuple(Place(lib.bh_agent_name(place.agent).decode(), _core_of(place), place.pc, line, find(place))
                   for place, line in zip(given.places, lines))
    return Diagnostic(
        category=lib.bh_category_name(given.category).decode(),
        stops=given.action == c.BH_STOP,
        chip=given.chip,
        tile=(given.tile_x, given.tile_y),
        agent=lib.bh_agent_name(given.agent).decode(),
        name=_core_of(own),
        pc=given.pc,
        instruction=given.instruction,
        cycle=given.cycle,
        text=text,
        source=source,
        places=places,
        message=_with_sources(format_text(lib.bh_diagnostic_format, ctypes.byref(given)), own, source, places),
    )


def _core_of(place: c.bh_place) -> str:
    """The name of a core, or of a thread's core; else ""."""
    core = {c.BH_AGENT_CORE: place.index, c.BH_AGENT_THREAD: c.BH_CORE_T0 + place.index}.get(place.agent)
    return "" if core is None else str(lib.bh_core_name(core).decode())


def _with_sources(message: str, own: c.bh_place, source: str | None, places: Sequence[Place]) -> str:
    """A diagnostic with source lines below the lines that they are about."""
    sources = {place.text: place.source for place in places if place.source}
    shown = []
    for number, line in enumerate(message.split("\n")):
        shown.append(line)
        if number == 0 and source:
            agent = lib.bh_agent_name(own.agent).decode()
            shown.append(f"  {agent} {_core_of(own)} at 0x{own.pc:08x}: {source}")
        if line.strip() in sources:
            shown.append(f"    {sources[line.strip()]}")
    return "\n".join(shown)


def source_text(function: Callable[..., bool], *arguments: Any) -> str | None:
    """What a function says of a place in the source; None: nothing."""
    buffer = ctypes.create_string_buffer(_SOURCE_BYTES)
    return buffer.value.decode(errors="replace") if function(*arguments, buffer, _SOURCE_BYTES) else None


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    """Parts of so many bytes, with sizes that the library takes; one at least."""
    most = 1 << 30
    for first in range(0, max(size, 1), most):
        yield first, min(size - first, most)


class Memory:
    """Memory of a tile, or of a channel of DRAM. Addresses and sizes are in bytes; addresses are those that the NoC uses.

    memory[a:b] are the bytes from address a up to b; memory[a:b] = data writes as many bytes, of bytes or of an array;
    memory[a] is one byte. Without a the range begins at 0, without b it ends where the memory does.
    len(memory) is its size: 0x180000 of L1, 1 << 32 of a channel of DRAM.
    set_tensor() and tensor() convert NumPy arrays to and from the formats that kernels use.
    """

    def __init__(self, device: Device, x: int, y: int, size: int, base: int = 0) -> None:
        self._device, self._x, self._y, self._size, self._base = device, x, y, size, base

    def __len__(self) -> int:
        return self._size

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes from an address on. Raises BadAddress where they are not mapped."""
        what = self._check(address, size)
        if size > self._size:
            raise BadAddress(f"so much memory is not there: {what}")
        buffer = bytearray(size)
        for first, piece in _pieces(size):
            part = (ctypes.c_char * piece).from_buffer(buffer, first)
            at = self._base + address + first
            expect_ok(lib.bh_read(self._device.handle, self._x, self._y, at, part, piece), None, what)
        return bytes(buffer)

    def write(self, address: int, data: bytes | bytearray | memoryview | npt.NDArray[Any]) -> None:
        """Writes bytes, or the bytes of an array, from an address on: all of them, or none."""
        content = data.tobytes() if isinstance(data, np.ndarray) else bytes(data)
        what = self._check(address, len(content))
        if len(content) > self._size:
            raise BadAddress(f"so much memory is not there: {what}")
        at = self._base + address
        expect_ok(lib.bh_write(self._device.handle, self._x, self._y, at, content, len(content)), None, what)

    def _check(self, address: int, size: int) -> str:
        """Describes an access; refuses what is no address."""
        where = f"0x{address:x}" if address >= 0 else f"{address}"
        what = f"{size} byte{'' if size == 1 else 's'} at {where} of tile {self._x},{self._y}"
        if not 0 <= address < (1 << 64) - self._base or not 0 <= size < 1 << 64:
            raise BadAddress(f"there is no such address: {what}")
        return what

    def _range(self, key: slice) -> tuple[int, int]:
        first = 0 if key.start is None else key.start
        end = self._size if key.stop is None else key.stop
        if key.step not in (None, 1) or not 0 <= first <= end:
            raise BadArgument(f"[{key.start}:{key.stop}] is no range of addresses; [first:end] is, with first <= end")
        return first, end - first

    def __getitem__(self, key: int | slice) -> Any:
        return self.read(*self._range(key)) if isinstance(key, slice) else self.read(key, 1)[0]

    def __setitem__(self, key: int | slice, value: Any) -> None:
        if not isinstance(key, slice):
            self.write(key, bytes([value]))
            return
        first, size = self._range(key)
        content = value.tobytes() if isinstance(value, np.ndarray) else bytes(value)
        if len(content) != size:
            raise BadArgument(f"{len(content)} bytes for a range of {size}")
        self.write(first, content)

    def word(self, address: int) -> int:
        """The word of 32 bits at an address."""
        return int.from_bytes(self.read(address, 4), "little")

    def set_word(self, address: int, value: int) -> None:
        """Writes a word of 32 bits; of negative numbers the two's complement."""
        self.write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def array(self, address: int, shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.uint32) -> tensor.Array:
        """A copy of what is there, row by row, as an array of this shape and NumPy type, by default words of 32 bits."""
        wanted = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * wanted.itemsize
        return np.frombuffer(self.read(address, size), wanted).reshape(shape).copy()

    def tensor(self, address: int, shape: tuple[int, ...], format: str, layout: str = "tiles",
               dtype: npt.DTypeLike | None = None) -> tensor.Array:
        """The tensor that lies at an address, as an array of this shape: (rows, columns), (elements,), or with more
        dimensions before these.

        format, layout: as of set_tensor(). dtype: of the array; default float32, of integer formats the integers of that
        name. bhemu.tensor.from_bytes() is the same for bytes.
        """
        return tensor.from_bytes(self.read(address, tensor.size(shape, format, layout)), shape, format, layout, dtype)

    def set_tensor(self, address: int, array: npt.ArrayLike, format: str, layout: str = "tiles") -> None:
        """Writes an array to an address in a format of kernels. bhemu.tensor.to_bytes() is the same for bytes.

        format: one of bhemu.FORMATS: "fp32", "tf32", "bf16", "fp16", "fp8" (e5m2), "e4m3"; "int32", "uint32", "int16",
            "uint16", "int8", "uint8"; or a block format, "bfp8", "bfp4", "bfp2", "bfp8a", "bfp4a", "bfp2a".
        layout: "tiles": 32x32 elements of four faces of 16x16, so that rows and columns are multiples of 32 (2048 bytes
            each in BF16); or "rows": row by row, not of block formats.
        Floating-point values are rounded to nearest, ties to even; integers have to fit.
        """
        self.write(address, tensor.to_bytes(array, format, layout))


class Tile:
    """A Tensix, Ethernet or DRAM tile, named by its translated coordinates: device.tile["1,2"] or device.tile[1, 2].

    Tensix tiles have x from 1 to 7 and from 10 to 16, y from 2 to 11; Ethernet tiles x from 20 to 31, y 25; DRAM tiles
    x 17 or 18, y from 12 to 23.
    l1: its Memory, of which L1 is at 0 to 0x17FFFF, and registers are at 0xFFB10000 and above. Of a DRAM tile it is what
        the core there sees, L1 at 0 to 0x1FFFF; device.dram() has the channel that the tile shows.
    """

    def __init__(self, device: Device, x: int, y: int) -> None:
        self.device, self.x, self.y = device, x, y
        dram = x in _DRAM_X
        self.l1 = Memory(device, x, y, _DRISC_L1_BYTES if dram else _L1_BYTES, _DRISC_L1 if dram else 0)

    def __repr__(self) -> str:
        return f"<tile {self.x},{self.y}>"

    def load(self, core: str, path: str | os.PathLike[str]) -> int:
        """Loads an ELF for a core, "B", "T0", "T1", "T2", "NC", or "E0", "E1" of an Ethernet tile, "DRISC" of a DRAM tile,
        without starting it. Returns its entry point. Raises BadFile or BadAddress, which say why; nothing is written then."""
        entry = ctypes.c_uint32()
        call(lib.bh_load_elf, self.device.handle, self.x, self.y, core_number(core), path_bytes(path),
             ctypes.byref(entry))
        self.device.add_sources(Path(path).parent)
        return entry.value

    def start(self, core: str, pc: int = 0) -> None:
        """Takes a core, named as of load(), out of reset at the address pc."""
        expect_ok(lib.bh_core_start(self.device.handle, self.x, self.y, core_number(core), number(pc, "pc", 0xFFFFFFFF)))

    def stop(self, core: str) -> None:
        """Puts a core into reset."""
        expect_ok(lib.bh_core_stop(self.device.handle, self.x, self.y, core_number(core)))

    def run(self, **programs: str | os.PathLike[str]) -> None:
        """Loads an ELF for each core that is named, B="a.elf", T0="b.elf", and starts them at their entry points. Nothing
        runs before device.run() or device.run_to_end(). What the programs read has to be in memory by then: their
        inputs, and their arguments, where they look for them (those of the project's kernels are words at 0x16100)."""
        entries = {core: self.load(core, path) for core, path in programs.items()}
        for core, entry in entries.items():
            self.start(core, entry)

    def reset(self) -> None:
        """All cores are in reset, and everything but L1 is as at the beginning; an error is forgotten."""
        expect_ok(lib.bh_tile_reset(self.device.handle, self.x, self.y))

    @property
    def stopped(self) -> bool:
        """Whether an error has stopped the tile."""
        return bool(lib.bh_tile_stopped(self.device.handle, self.x, self.y))

    def _dump(self, request: str, form: int) -> bytes:
        callbacks, parts = Callbacks(), []
        write = callbacks.wrap(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t),
                               lambda _, data, size: parts.append(ctypes.string_at(data, size)))
        tiles = (c.bh_tile * 1)(c.bh_tile(x=self.x, y=self.y))
        dump = c.bh_dump(request=text_bytes(request), form=form, tiles=tiles, tile_count=1)
        dump.source = source_callback(callbacks, member_type(c.bh_dump, "source"), self.device._source_at)
        call(lib.bh_dump, self.device.handle, ctypes.byref(dump), write, None)
        callbacks.raise_first()
        return b"".join(parts)

    def dump(self, request: str = "all") -> str:
        """State of the tile as text, such as "dst 0 16 bf16", "gprs", "config", "cores"; docs/dump.md has all."""
        return self._dump(request, c.BH_DUMP_TEXT).decode()

    def state(self, request: str = "all") -> Any:
        """The same as parsed JSON; docs/dump.md has its form."""
        return json.loads(self._dump(request, c.BH_DUMP_JSON))

    def array(self, request: str) -> tensor.Array:
        """Rows or tiles of "dst", "srca", "srcb", "lregs" or "l1" as an array: tile.array("dst 0 64 fp32")."""
        array: tensor.Array = np.load(io.BytesIO(self._dump(request, c.BH_DUMP_NPY)))
        return array

    def registers(self, core: str) -> dict[str, int]:
        """The registers of a core: "pc", and the integer registers by their names, "ra", "sp", "t0" and so on."""
        found = self.state(f"cores {core}")["tiles"][0]["cores"]
        if core not in found:
            raise BadArgument(f"tile {self.x},{self.y} has no core {core!r}")
        return {"pc": found[core]["pc"], **found[core]["x"]}

    def gprs(self, thread: str) -> npt.NDArray[np.uint32]:
        """The 64 GPRs of the scalar unit that belong to a thread of the coprocessor, "T0", "T1" or "T2"."""
        found = self.state("gprs")["tiles"][0]["gprs"]
        if thread not in found:
            raise BadArgument(f"there is no thread {thread!r}; there are {', '.join(found)}")
        return np.array(list(found[thread].values()), np.uint32)


class _Tiles:
    """device.tile."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getitem__(self, key: str | tuple[int, int]) -> Tile:
        try:
            x, y = (int(part) for part in key.replace("-", ",").split(",")) if isinstance(key, str) else key
        except ValueError:
            raise BadArgument(f"{key!r} names no tile; \"1,2\" does") from None
        tensix, ethernet, dram = (x in _TENSIX_X and y in _TENSIX_Y, x in _ETHERNET_X and y == _ETHERNET_Y,
                                  x in _DRAM_X and y in _DRAM_Y)
        if not (tensix or ethernet or dram) or not self._has(x, y):
            raise BadArgument(f"there is no Tensix, Ethernet or DRAM tile at {x},{y}")
        return Tile(self._device, x, y)

    def _has(self, x: int, y: int) -> bool:
        data = ctypes.c_uint32()
        return bool(lib.bh_read(self._device.handle, x, y, 0, ctypes.byref(data), 4) == c.BH_OK)

    def __iter__(self) -> Iterator[Tile]:
        """All Tensix tiles that are there."""
        for x in _TENSIX_X:
            if self._has(x, _TENSIX_Y[0]):
                yield from (Tile(self._device, x, y) for y in _TENSIX_Y)


class Snapshot(Handle):
    """The state of a device at a moment, in memory: device.snapshot(), device.restore()."""

    _kind = "snapshot"
    _free = "bh_snapshot_free"

    def __init__(self, device: Device) -> None:
        pointer = ctypes.c_void_p()
        expect_ok(lib.bh_snapshot_take(device.handle, ctypes.byref(pointer)))
        self._pointer = pointer

    @property
    def clock(self) -> int:
        """The device's clock when it was taken."""
        return int(lib.bh_snapshot_clock(self.handle))

    @property
    def size(self) -> int:
        """Bytes of the host's memory that it takes."""
        return int(lib.bh_snapshot_size(self.handle))


class Device(Handle):
    """A chip, all cores in reset, all memory zero. Close it, or use it in a with statement. Any number can be there at
    once, each used by one thread at a time.

    tile: its tiles, tile["1,2"]; to iterate over it gives all Tensix tiles that the board has.
    diagnostics: all that were given so far.

    board: "full" (140 Tensix tiles), "p100a" or "p150a".
    mode: "functional", or "timed": clocks count the cycles that silicon takes.
    policy: what stops a program: "default", "strict" (everything) or "silicon" (as little as possible).
    engine: "fast", or "plain": one instruction at a time, with the same bits.
    threads: of the host, which run tiles; results do not depend on it.
    jitter: not 0: delays of cores, threads and requests where hardware promises no order; the same number, the same run.
    on_error: "stop" the device, or "report": only the tile that is wrong stops.
    check: True, or a list of tools ("racecheck", "initcheck", "memcheck", "synccheck"): device.findings has what they
        find of programs that are right only by luck.
    on_print: is called with each line that kernels print, "1-2 T1: text".
    on_diagnostic: is called with each Diagnostic when it is given; all are in device.diagnostics, too.

    Both are called while the device runs, and can not use it. What they raise, the run raises.
    """

    _kind = "device"
    _free = "bh_device_destroy"

    def __init__(self, *, board: str = "full", mode: str = "functional", policy: str = "default",
                 engine: str = "fast", threads: int = 1, jitter: int = 0, on_error: str = "stop",
                 check: bool | list[str] = False, on_print: Callable[[str], None] | None = None,
                 on_diagnostic: Callable[[Diagnostic], None] | None = None) -> None:
        self._prepare(on_diagnostic)
        config = self._config(board, mode, policy, engine, threads, jitter, on_error)
        pointer = ctypes.c_void_p()
        expect_ok(lib.bh_device_create(ctypes.byref(config), ctypes.byref(pointer)))
        self._pointer = pointer
        self._accompany(config.mode, check, on_print)

    def _prepare(self, on_diagnostic: Callable[[Diagnostic], None] | None) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.tile = _Tiles(self)
        self._callbacks = Callbacks()
        self._interrupted = ctypes.c_int(0)
        self._on_diagnostic_given = on_diagnostic
        self._folders: list[str] = []
        self._symbols: ctypes.c_void_p | None = None
        self._checker: Checker | None = None
        self._print: ctypes.c_void_p | None = None
        self._left: list[Recording] = []  # that nobody has any more since the device ran

    def _config(self, board: str, mode: str, policy: str, engine: str, threads: int, jitter: int,
               on_error: str) -> c.bh_device_config:
        """The C library's struct of these options, with this device's callbacks."""
        if policy not in _POLICIES:
            raise BadArgument(f"there is no policy {policy!r}; there are {', '.join(_POLICIES)}")
        config = c.bh_device_config(
            policy=_POLICIES[policy], board=by_name(lib.bh_board_by_name, board, "board", None),
            engine=by_name(lib.bh_engine_by_name, engine, "engine"), mode=by_name(lib.bh_mode_by_name, mode, "mode"),
            on_error=by_name(lib.bh_on_error_by_name, on_error, "way on_error"),
            threads=number(threads, "threads", MOST_THREADS), jitter=number(jitter, "jitter"),
            interrupted=ctypes.pointer(self._interrupted))
        kind = member_type(c.bh_device_config, "on_diagnostic")
        config.on_diagnostic = self._callbacks.wrap(kind, lambda _, given: self._diagnose(given.contents))
        return config

    def _accompany(self, mode: int, tools: bool | list[str], on_print: Callable[[str], None] | None) -> None:
        """Adds the checker and the callback of prints."""
        self.mode = mode
        if tools:
            self._checker = Checker(mode, tools, self._source_at)
            expect_ok(lib.bh_device_add_observer(self.handle, self._checker.observer))
        if on_print:
            tell = on_print
            kind = member_type(c.bh_print_options, "on_line")
            options = c.bh_print_options(on_line=self._callbacks.wrap(
                kind, lambda _, line: tell(format_text(lib.bh_print_format, line))))
            self._print = ctypes.c_void_p()
            expect_ok(lib.bh_print_open(self.handle, ctypes.byref(options), ctypes.byref(self._print)))
            expect_ok(lib.bh_print_add_all(self._print, 0, 0))

    def close(self) -> None:
        """Frees the device. Any later use is an error; closing again is not."""
        if self._pointer is not None:
            self.handle  # pylint: disable=pointless-statement
            self._end_prints()
        super().close()
        self._release()

    def _end_prints(self) -> None:
        """Before the device is destroyed."""
        if self._print is not None:
            lib.bh_print_close(self._print)
            self._print = None

    def _release(self) -> None:
        """What the device used: after it was destroyed."""
        if getattr(self, "_symbols", None) is not None:
            lib.bh_symbols_close(self._symbols)
            self._symbols = None
        if getattr(self, "_checker", None) is not None:
            assert self._checker
            self._checker.close()
            self._checker = None

    # Where in the source a place is.

    def add_sources(self, folder: str | os.PathLike[str]) -> None:
        """Looks for the ELFs of programs in a folder, too: for source lines in diagnostics. Folders of programs that
        load() loads are known."""
        name = os.path.abspath(folder)
        if name not in self._folders:
            self._folders.append(name)
            if self._symbols is not None:
                lib.bh_symbols_close(self._symbols)
                self._symbols = None

    def _source_at(self, x: int, y: int, place: Any) -> str | None:
        """Where in the source a place of a tile is (a struct bh_place), for other parts of this package."""
        if self._symbols is None and self._folders:
            symbols = ctypes.c_void_p()
            # Others may have gone since; a "/" behind a name keeps it apart from the ":".
            folders = [name.replace(":", "\\:") + "/" for name in self._folders if os.access(name, os.R_OK | os.X_OK)]
            if lib.bh_symbols_open(path_bytes(":".join(folders)), ctypes.byref(symbols), None) == c.BH_OK:
                self._symbols = symbols
        if self._symbols is None or self._pointer is None:
            return None
        return source_text(lib.bh_symbols_source, self._symbols, self._pointer, x, y, place)

    def _source_on(self, chip: int, x: int, y: int, place: c.bh_place) -> str | None:
        return self._source_at(x, y, ctypes.byref(place))

    def _diagnose(self, given: c.bh_diagnostic) -> None:
        diagnostic = diagnostic_of(
            given, lambda place: self._source_on(given.chip, given.tile_x, given.tile_y, place))
        self.diagnostics.append(diagnostic)
        if self._on_diagnostic_given:
            self._on_diagnostic_given(diagnostic)

    # Running.

    @property
    def clock(self) -> int:
        """Cycles since the device was created."""
        return int(lib.bh_clock(self.handle))

    def _raise_first(self) -> None:
        """Raises what a callback raised."""
        while self._left:
            self._left.pop().close()
        self._callbacks.raise_first()
        if self._checker:
            self._checker._raise_first()

    def run(self, cycles: int) -> RunResult:
        """Runs for at most so many cycles; ^C ends it. Raises Deadlock or Stopped, with the diagnostic, if the program
        is stopped. Until it returns, the device is used by nobody else, callbacks included: that raises BhemuError."""
        if not 0 <= cycles < 1 << 64:
            raise BadArgument(f"{cycles} cycles")
        before, result = len(self.diagnostics), c.bh_run_result()
        with self._alone() as pointer:

            def run() -> int:
                return int(lib.bh_run(pointer, cycles, ctypes.byref(result)))

            status = run() if cycles <= UNINTERRUPTED else interruptible(run, self._interrupted)
        self._raise_first()
        if status == c.BH_ERROR_STOPPED:
            stopping = [given for given in self.diagnostics[before:] if given.stops] or [
                given for given in self.diagnostics if given.stops]
            kind = Deadlock if result.reason == c.BH_RAN_DEADLOCK else Stopped
            raise kind(_REASONS[result.reason], stopping[-1] if stopping else None)
        expect_ok(status)
        return run_result(result)

    def run_to_end(self, limit: int = DEFAULT_LIMIT) -> RunResult:
        """Runs until nothing can run any more: all cores are in reset, or jump to themselves. Raises StillRunning, with
        a diagnostic that says where everything is, after `limit` cycles; else as run()."""
        result = self.run(limit)
        if result.reason == "idle":
            return result
        given = self.report()
        raise StillRunning(f"it runs still after {limit} cycles", given[0] if given else None)

    def report(self) -> list[Diagnostic]:
        """Where the cores and threads of running tiles are, and what they wait for."""
        before = len(self.diagnostics)
        with self._alone() as pointer:
            lib.bh_report(pointer)
        self._raise_first()
        return self.diagnostics[before:]

    # What it does meanwhile. Tiles that are watched run slower, with the same results.

    def trace(self, path: str | os.PathLike[str], *, tiles: Sequence[Tile] = (), cores: Sequence[str] = (),
              units: Sequence[str] = (), first: int = 0, last: int = 0) -> Recording:
        """Writes what cores, threads and units do to a JSON file for ui.perfetto.dev: with device.trace("a.json"): ...

        tiles: only these; none: all. cores ("B", "T0", ...), units ("matrix", "pack", ...): only their instructions.
        first, last: clocks of the device, both included; last 0: without an end.
        """
        return Recording(self, "trace", path, tiles, cores, units, first, last)

    def log(self, path: str | os.PathLike[str], *, tiles: Sequence[Tile] = (), cores: Sequence[str] = (),
            units: Sequence[str] = (), first: int = 0, last: int = 0) -> Recording:
        """Writes a line for each instruction, with what it has changed, to a file; arguments as of trace()."""
        return Recording(self, "log", path, tiles, cores, units, first, last)

    def profile(self, *, tiles: Sequence[Tile] = (), cores: Sequence[str] = (), units: Sequence[str] = (),
                first: int = 0, last: int = 0) -> Profile:
        """Counts where the time goes: with device.profile() as profile: ..., then profile.text() and profile.data.
        Arguments as of trace()."""
        return Profile(self, tiles, cores, units, first, last)

    def reset(self) -> None:
        """Everything as at the beginning, but the clock."""
        expect_ok(lib.bh_device_reset(self.handle))

    # Memory, snapshots, findings.

    def dram(self, channel: int) -> Memory:
        """The 4 GiB of a channel of DRAM, 0 to 7. Tensors that kernels read interleaved over the channels have their ith
        tile in channel i % 8, (i // 8) times the bytes of a tile behind the tensor's address; a Job writes and reads
        them as a whole ("dram")."""
        if not 0 <= channel < _DRAM_CHANNELS:
            raise BadArgument(f"there is no DRAM channel {channel}; there are 0 to {_DRAM_CHANNELS - 1}")
        return Memory(self, 17 + channel // 4, 12 + 3 * (channel % 4), _CHANNEL_BYTES)

    def snapshot(self) -> Snapshot:
        """The state as it is now."""
        return Snapshot(self)

    def _refuse_check(self) -> None:
        if self._checker:
            raise BadArgument("the device was made with check=, which needs the whole run: a snapshot does not say who has "
                              "written what, and in which order")

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot, of this device or of one like it. Raises BadArgument if it was made with check=: a
        snapshot does not say what the checker has to know."""
        self._refuse_check()
        call(lib.bh_snapshot_restore, self.handle, snapshot.handle)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a snapshot to a file."""
        call(lib.bh_save, self.handle, path_bytes(path))

    def load_snapshot(self, path: str | os.PathLike[str]) -> None:
        """Goes on from a snapshot in a file. Raises BadFile if it is of another board, mode or version; BadArgument as
        restore()."""
        self._refuse_check()
        call(lib.bh_restore, self.handle, path_bytes(path))

    @property
    def findings(self) -> list[Finding]:
        """What the checker has found so far, the same places once."""
        if not self._checker:
            raise BadArgument("the device was made without check=")
        return self._checker.found

    def end_check(self) -> list[Finding]:
        """The program has ended: also finds what is left undone, such as a barrier that is missing. Returns all
        findings."""
        if not self._checker:
            raise BadArgument("the device was made without check=")
        return self._checker.end()
