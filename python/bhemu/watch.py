"""Traces, logs and profiles of what a device does while they are open (docs/trace.md, docs/profile.md)."""
from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any, Sequence

from . import _declarations as c
from ._library import Callbacks, Handle, call, expect_ok, lib, member_type, names, number, path_bytes, source_callback
from .errors import BadArgument, BhemuError, from_here

if TYPE_CHECKING:
    from .device import Device, Tile

__tracebackhide__ = from_here
_PROFILE_FORMATS = {"text": c.BH_PROFILE_TEXT, "json": c.BH_PROFILE_JSON, "html": c.BH_PROFILE_HTML,
                    "folded": c.BH_PROFILE_FOLDED}


class Recording(Handle):
    """A trace or a log that is being written: until close(), or the end of its with statement."""

    _kind = "recording"

    def __init__(self, device: Device, kind: str, path: str | os.PathLike[str] | None, tiles: Sequence[Tile],
                 cores: Sequence[str], units: Sequence[str], first: int, last: int) -> None:
        self._device, self._name = device, kind
        self._callbacks = Callbacks()
        options = getattr(c, f"bh_{kind}_options")()
        self._kept = (c.bh_tile * max(len(tiles), 1))(*(c.bh_tile(x=tile.x, y=tile.y) for tile in tiles))
        self._names = names(cores), names(units)
        options.tiles, options.tile_count = self._kept, len(tiles)
        options.cores, options.core_count = self._names[0], len(cores)
        options.units, options.unit_count = self._names[1], len(units)
        setattr(options, "from", number(first, "first"))
        options.to = number(last, "last")
        if kind != "log":
            options.mode = device.mode
            options.source = source_callback(self._callbacks, member_type(type(options), "source"), device._source_at)
        pointer = ctypes.c_void_p()
        call(getattr(lib, f"bh_{kind}_open"), *(() if path is None else (path_bytes(path),)), ctypes.byref(options),
             ctypes.byref(pointer))
        self._pointer = pointer
        try:
            expect_ok(lib.bh_device_add_observer(device.handle, self._observer))
        except BaseException:
            self._end()
            raise

    @property
    def _observer(self) -> Any:
        return getattr(lib, f"bh_{self._name}_observer")(self._pointer)

    def _stop(self) -> None:
        """The device goes on without it."""
        if not self._device.closed:
            if self._name == "trace":
                lib.bh_trace_reach(self._pointer, self._device.clock)
            lib.bh_device_remove_observer(self._device.handle, self._observer)

    def _end(self) -> None:
        pointer, self._pointer = self._pointer, None
        call(getattr(lib, f"bh_{self._name}_close"), pointer)

    def close(self) -> None:
        """Ends it, and completes its file. Raises FileProblem if not all of it could be written."""
        if self._pointer is not None:
            self._stop()
            self._end()
            self._callbacks.raise_first()

    def __del__(self) -> None:
        try:
            super().__del__()
        except BhemuError:  # in a callback of the device, which needs it until it has run
            self._device._left.append(self)


class Profile(Recording):
    """Where the time goes. The profile ends with its with statement, or with end(); after that it can be read.

    In timed mode numbers of cycles are modelled cycles of silicon, else steps of the emulated clock.
    """

    _kind = "profile"

    def __init__(self, device: Device, tiles: Sequence[Tile], cores: Sequence[str], units: Sequence[str], first: int,
                 last: int) -> None:
        super().__init__(device, "profile", None, tiles, cores, units, first, last)
        self._ended = False
        lib.bh_profile_begin(self._pointer, device.clock)

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Nothing more is counted."""
        if not self._ended:
            clock = self._device.clock
            self._stop()
            self._ended = True
            call(lib.bh_profile_end, self.handle, clock)
            self._callbacks.raise_first()

    def _ready(self, format: str) -> int:
        if not self._ended:
            raise BadArgument("the profile has not ended")
        if format not in _PROFILE_FORMATS:
            raise BadArgument(f"there is no form {format!r} of a profile; there are {', '.join(_PROFILE_FORMATS)}")
        return _PROFILE_FORMATS[format]

    def text(self, format: str = "text") -> str:
        """The profile as "text" for a terminal, "json", a "html" page, or "folded" stacks for flame graphs."""
        number = self._ready(format)
        given = lib.bh_profile_text(self.handle, number, None)
        if not given:
            expect_ok(c.BH_ERROR_MEMORY)
        try:
            return ctypes.string_at(given).decode(errors="replace")
        finally:
            _free(given)

    @property
    def data(self) -> Any:
        """All of it, as parsed JSON; docs/profile.md has its form."""
        return json.loads(self.text("json"))

    def write(self, path: str | os.PathLike[str], format: str = "html") -> None:
        """Writes it to a new file, in a form of text()."""
        number = self._ready(format)
        call(lib.bh_profile_write, self.handle, number, path_bytes(path))

    def _end(self) -> None:
        pointer, self._pointer = self._pointer, None
        lib.bh_profile_close(pointer)

    def close(self) -> None:
        """Frees it."""
        if self._pointer is not None:
            if not self._ended:
                self._stop()
            self._end()


_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None
