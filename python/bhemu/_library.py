"""Loads the C library, and turns its statuses into exceptions."""
from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import os
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence, TypeVar

from . import _declarations as c
from .errors import BadArgument, BhemuError, error_of_status, from_here

__tracebackhide__ = from_here
T = TypeVar("T")
H = TypeVar("H", bound="Handle")


def _find() -> str:
    """The file of the library: $BHEMU_LIBRARY, the one in this package, or that of the system."""
    chosen = os.environ.get("BHEMU_LIBRARY")
    if chosen:
        return chosen
    own = Path(__file__).with_name("libbhemu.so")
    found = str(own) if own.exists() else ctypes.util.find_library("bhemu")
    if not found:
        raise ImportError("libbhemu.so is neither in this package nor installed; $BHEMU_LIBRARY names one")
    return found


def _load() -> ctypes.CDLL:
    path = _find()
    try:
        library = ctypes.CDLL(path)
    except OSError as raised:
        raise ImportError(f"{path} can not be loaded: {raised}; it needs libelf, libdw, libyaml, libzstd and libpng "
                          "(Debian: libelf1 libdw1 libyaml-0-2 libzstd1 libpng16-16)") from None
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}(): it is of another version than this package") from None
        function.restype, function.argtypes = result, arguments
    version = library.bh_version().decode()
    if version != c.VERSION:
        raise ImportError(f"{path} is of version {version}, this package of version {c.VERSION}")
    return library


lib: Any = _load()


def expect_ok(status: int, error: c.bh_error | None = None, what: str = "") -> None:
    """Raises the exception of a status, with the text of the error, or of the status and of what was asked for, unless
    it is BH_OK."""
    if status != c.BH_OK:
        text = error.text.decode(errors="replace") if error is not None else ""
        raise error_of_status(status)(text or lib.bh_status_name(status).decode() + (what and f": {what}"))


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last argument is a struct bh_error, and raises what it reports."""
    error = c.bh_error()
    expect_ok(function(*arguments, ctypes.byref(error)), error)


def by_name(function: Callable[..., int], name: str, what: str, *more: Any) -> int:
    """The value of an enumeration that a function of the library knows by its name."""
    value = ctypes.c_int()
    if function(text_bytes(name), ctypes.byref(value), *more) != c.BH_OK:
        raise error_of_status(c.BH_ERROR_ARGUMENT)(f"there is no {what} {name!r}")
    return value.value


def number(value: int, what: str, last: int = (1 << 64) - 1, first: int = 0) -> int:
    """The same number: ctypes would cut it to the bits that there are. Raises BadArgument, with the name of the argument,
    where it is not within these bounds."""
    if not first <= value <= last:
        raise error_of_status(c.BH_ERROR_ARGUMENT)(f"{what}: {value}; there can be {first} to {last}")
    return value


def core_number(name: str) -> int:
    """The number of a core by its name: "B", "T0", "T1", "T2", "NC", "E0", "E1", "DRISC"."""
    for number in range(c.BH_CORE_KINDS):
        if lib.bh_core_name(number).decode() == name:
            return number
    raise error_of_status(c.BH_ERROR_ARGUMENT)(f"there is no core {name!r}; there are B, T0, T1, T2, NC, E0, E1, DRISC")


def format_text(function: Callable[..., int], *arguments: Any) -> str:
    """The text of a function that writes as snprintf() does: (..., buffer, size)."""
    size = 1000
    while True:
        buffer = ctypes.create_string_buffer(size)
        wanted = function(*arguments, buffer, size)
        if wanted < size:
            return buffer.value.decode(errors="replace")
        size = wanted + 1


def member_type(struct: Any, name: str) -> Any:
    """The ctypes type of a member of a struct."""
    return next(member[1] for member in struct._fields_ if member[0] == name)


class Callbacks:
    """Callbacks of the library into Python: keeps them alive, and the first exception that one of them raised."""

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self.raised: BaseException | None = None

    def wrap(self, kind: Any, function: Callable[..., Any], result: Any = None) -> Any:
        """The function as a callback of a ctypes type. Where it raises, the library gets `result`."""

        def guarded(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as raised:  # pylint: disable=broad-except
                self.raised = self.raised or raised
                return result

        callback = kind(guarded)
        self._kept.append(callback)
        return callback

    def raise_first(self) -> None:
        """Raises the exception of a callback in the thread that called the library."""
        raised, self.raised = self.raised, None
        if raised:
            raise raised


def source_callback(callbacks: Callbacks, kind: Any, source: Callable[[int, int, Any], str | None]) -> Any:
    """A function that says where in the source a place of a tile is, as a callback that fills in a buffer."""

    def tell(_: Any, x: int, y: int, place: Any, buffer: int, size: int) -> bool:
        text = (source(x, y, place) or "").encode()[: size - 1]
        ctypes.memmove(buffer, text + b"\0", len(text) + 1)
        return bool(text)

    return callbacks.wrap(kind, tell, False)


def interruptible(function: Callable[[], T], flag: ctypes.c_int) -> T:
    """Calls a function that may take long so that ^C ends it: the library looks at the flag now and then.

    Python handles signals between instructions of its main thread only; so that thread waits while another one calls.
    """
    if threading.current_thread() is not threading.main_thread():
        return function()
    results: list[T] = []
    errors: list[BaseException] = []
    done = threading.Event()
    begun = threading.Lock()  # taken by the one who comes first: the thread, or an interrupt before it runs

    def work() -> None:
        if not begun.acquire(blocking=False):
            return
        try:
            results.append(function())
        except BaseException as raised:  # pylint: disable=broad-except
            errors.append(raised)
        finally:
            done.set()

    interrupt: BaseException | None = None
    try:
        threading.Thread(target=work, name="bhemu", daemon=True).start()
    except BaseException as raised:  # pylint: disable=broad-except
        if begun.acquire(blocking=False):
            raise
        flag.value, interrupt = 1, raised
    while not done.is_set():
        try:
            done.wait()
        except BaseException as raised:  # pylint: disable=broad-except
            flag.value, interrupt = 1, raised
    flag.value = 0
    if interrupt:
        raise interrupt
    if errors:
        raise errors[0]
    return results[0]


_taking = threading.Lock()


class Handle:
    """An object of the library, which is freed when it is closed, at the end of its with statement, or when nobody has it
    any more."""

    _free: str  # the function that frees it
    _pointer: Any = None
    _running = False
    _kind = "object"

    @property
    def handle(self) -> Any:
        """The pointer of the C library. Raises BhemuError after close(), and while it runs."""
        if self._pointer is None:
            raise BhemuError(f"the {self._kind} is closed")
        if self._running:
            raise BhemuError(f"the {self._kind} is running: until that returns, callbacks and other threads can not use it")
        return self._pointer

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._pointer is None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[Any]:
        """The pointer, which nobody else gets meanwhile."""
        with _taking:
            pointer = self.handle
            self._running = True
        try:
            yield pointer
        finally:
            self._running = False

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees it. Any later use is an error; closing again is not."""
        if self._pointer is not None:
            pointer, self._pointer = self.handle, None
            getattr(lib, self._free)(pointer)

    def __del__(self) -> None:
        if not self._running:
            self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {self._kind} can not be copied or pickled: it would be freed twice")


def text_bytes(text: str) -> bytes:
    """A text as C has it, which ends at a NUL. Raises BadArgument for one that has a NUL itself."""
    return _without_nul(text.encode())


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """The same of a path."""
    return _without_nul(os.fsencode(path))


def _without_nul(content: bytes) -> bytes:
    if 0 in content:
        raise BadArgument(f"there is a NUL in {content!r}")
    return content


def names(texts: Sequence[str]) -> Any:
    """An array of C strings."""
    return (ctypes.c_char_p * len(texts))(*(text_bytes(text) for text in texts))
