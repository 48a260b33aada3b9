"""Jobs: programs, inputs, outputs and what to expect, from a YAML file or a dict (docs/jobs.md)."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from . import _declarations as c
from . import tensor
from ._library import (Callbacks, Handle, by_name, call, expect_ok, format_text, interruptible, lib, member_type,
                       number, path_bytes, text_bytes)
from .check import Checker, Finding
from .device import MOST_THREADS, RunResult, diagnostic_of, run_result, source_text
from .errors import BadArgument, BhemuError, Deadlock, Diagnostic, Stopped, from_here

__tracebackhide__ = from_here
_POLICIES = {None: -1, "default": c.BH_POLICY_DEFAULT, "strict": c.BH_POLICY_STRICT, "silicon": c.BH_POLICY_SILICON}


@dataclasses.dataclass(frozen=True)
class JobResult:
    """What became of a job.

    run: how it ended, with its cycles.
    compared, differ: of its outputs, those that were compared with what is expected, and those that differ.
    mismatch: describes the first output that differs, else "".
    digest: the same number for the same outputs.
    outputs: the arrays of output files, by their names in the job.
    diagnostics: warnings; findings: those of the checker; printed: lines that kernels printed.
    """

    run: RunResult
    compared: int
    differ: int
    mismatch: str
    digest: int
    outputs: dict[str, tensor.Array]
    diagnostics: list[Diagnostic]
    findings: list[Finding]
    printed: list[str]


class Job(Handle):
    """A job, from the path of a YAML file or from a dict of the same form.

    folder: of a dict, where the files are that it names; default: the working directory. A dict may also have arrays
        (or lists) themselves, as the "file" of an input and the "expect" of an output.
    Raises BadFile, whose message names the file, the line and the key, where the job makes no sense. `bhemu schema job`
    prints all keys; docs/jobs.md explains them. With two arrays a and b of 64 x 64 elements:

        Job({"tiles": [{
            "at": [1, 2],                                        # the tile
            "programs": [{"core": "T0", "elf": "unpack.elf"}, {"core": "T1", "elf": "math.elf"},
                         {"core": "T2", "elf": "pack.elf"}],     # all are started, unless "start" names some
            "words": [{"address": 0x16100, "values": [0x30000, 0x40000, 0x50000, 2, 2, 1, 0]}],  # before they start
            "inputs": [{"file": a, "address": 0x30000, "format": "bf16", "layout": "tiles"},
                       {"file": b, "address": 0x40000, "format": "bf16", "layout": "tiles"}],
            "outputs": [{"file": "sum.npy", "address": 0x50000, "shape": [64, 64], "format": "bf16", "layout": "tiles",
                         "expect": a + b}],                      # without "file" it is only compared
        }]}).run()
    """

    _kind = "job"
    _free = "bh_job_free"
    _folder: tempfile.TemporaryDirectory[str] | None = None  # of the arrays of a dict
    _files = 0

    def __init__(self, job: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str] = ".") -> None:
        pointer = ctypes.c_void_p()
        if isinstance(job, Mapping):
            text = _yaml(json.dumps(self._file(job), indent=1, default=_plain))
            path = os.path.join(os.path.abspath(folder), "job")
            call(lib.bh_job_parse, text_bytes(text), path_bytes(path), ctypes.byref(pointer))
        else:
            call(lib.bh_job_load, path_bytes(job), ctypes.byref(pointer))
        self._pointer = pointer

    def _file(self, part: Any) -> Any:
        """The same with a file's path in place of each array that a job has as a file."""
        if isinstance(part, Mapping):
            return {key: self._path(np.asarray(value)) if key in ("file", "expect") and _is_array(value) else
                    self._file(value) for key, value in part.items()}
        return [self._file(item) for item in part] if isinstance(part, (list, tuple)) else part

    def _path(self, array: tensor.Array) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="bhemu-")
        self._files += 1
        path = os.path.join(self._folder.name, f"array{self._files}.npy")
        np.save(path, np.ascontiguousarray(array))
        return path

    def close(self) -> None:
        """Frees it, and removes the files of its arrays."""
        super().close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def run(self, *, mode: str = "functional", policy: str | None = None, engine: str = "fast", threads: int = 1,
            limit: int = 0, jitter: int = 0, check: bool | list[str] = False,
            output_folder: str | os.PathLike[str] | None = None,
            on_print: Callable[[str], None] | None = None) -> JobResult:
        """Runs the job on a device of its own; ^C ends it.

        Options are as those of Device; policy None and limit 0 are the job's own. Output files are written to
        output_folder, or where their paths lead from there, if one is given. Else no file is left, and files outside of
        the folder of outputs raise BadArgument. Raises Deadlock or Stopped, with the diagnostic, if the program is
        stopped, and what is wrong with files. An output that differs raises nothing: see JobResult.differ.
        """
        with tempfile.TemporaryDirectory(prefix="bhemu-") as scratch:
            folder, names = Path(scratch if output_folder is None else output_folder), self._outputs()
            if output_folder is None:
                _make_room(folder, names)
            running = _Running(self, check, on_print, by_name(lib.bh_mode_by_name, mode, "mode"))
            try:
                return running.run(policy, by_name(lib.bh_engine_by_name, engine, "engine"), threads, limit, jitter,
                                   folder, names)
            finally:
                running.close()

    def _outputs(self) -> list[str]:
        """The names of output files."""
        found: list[str] = []
        while (name := lib.bh_job_output_file(self.handle, len(found))) is not None:
            found.append(os.fsdecode(name))
        return found


class _Running:
    """A job that runs: its callbacks, and what they collected."""

    def __init__(self, job: Job, tools: bool | list[str], on_print: Callable[[str], None] | None, mode: int) -> None:
        self.job, self.pointer, self.on_print, self.mode = job, job.handle, on_print, mode
        self.callbacks = Callbacks()
        self.interrupted = ctypes.c_int(0)
        self.diagnostics: list[Diagnostic] = []
        self.printed: list[str] = []
        self.checker: Checker | None = None
        if tools:
            self.checker = Checker(mode, tools, lambda x, y, place: self.source(0, x, y, place))
            call(lib.bh_job_own, job.handle, 0, self.checker.handle)

    def close(self) -> None:
        if self.checker:
            self.checker.close()

    def source(self, chip: int, x: int, y: int, place: Any) -> str | None:
        return source_text(lib.bh_job_source, self.pointer, chip, x, y, place)

    def diagnose(self, given: c.bh_diagnostic) -> None:
        self.diagnostics.append(diagnostic_of(
            given, lambda place: self.source(given.chip, given.tile_x, given.tile_y, ctypes.byref(place))))

    def print_line(self, line: Any) -> None:
        text = format_text(lib.bh_print_format, line)
        self.printed.append(text)
        if self.on_print:
            self.on_print(text)

    def options(self, policy: str | None, engine: int, threads: int, limit: int, jitter: int,
                folder: Path) -> c.bh_job_options:
        if policy not in _POLICIES:
            raise BadArgument(f"there is no policy {policy!r}; there are default, strict, silicon")
        options = c.bh_job_options(policy=_POLICIES[policy], limit=number(limit, "limit"),
                                   output_folder=path_bytes(folder), threads=number(threads, "threads", MOST_THREADS),
                                   jitter=number(jitter, "jitter"), engine=engine, mode=self.mode,
                                   interrupted=ctypes.pointer(self.interrupted))
        options.on_diagnostic = self.callbacks.wrap(member_type(c.bh_job_options, "on_diagnostic"),
                                                    lambda _, given: self.diagnose(given.contents))
        options.on_print = self.callbacks.wrap(member_type(c.bh_job_options, "on_print"),
                                               lambda _, line: self.print_line(line))
        if self.checker:
            self.observers = (ctypes.POINTER(c.bh_observer) * 1)(self.checker.observer)
            options.observers, options.observer_count = self.observers, 1
        return options

    def run(self, policy: str | None, engine: int, threads: int, limit: int, jitter: int, folder: Path,
            names: list[str]) -> JobResult:
        options = self.options(policy, engine, threads, limit, jitter, folder)
        result, error = c.bh_job_result(), c.bh_error()
        with self.job._alone() as pointer:
            status = interruptible(
                lambda: int(lib.bh_job_run(pointer, ctypes.byref(options), ctypes.byref(result), ctypes.byref(error))),
                self.interrupted)
        self.callbacks.raise_first()
        if self.checker:
            self.checker._raise_first()
        if status == c.BH_ERROR_STOPPED:
            stopping = [given for given in self.diagnostics if given.stops or given.category == "Deadlock"]
            kind = Deadlock if stopping and stopping[-1].category == "Deadlock" else Stopped
            raise kind(error.text.decode(errors="replace"), stopping[-1] if stopping else None)
        expect_ok(status, error)
        findings = self.checker.end() if self.checker else []
        return JobResult(
            run=run_result(result.run), compared=result.outputs_compared, differ=result.outputs_differ,
            mismatch=result.mismatch.text.decode(errors="replace"), digest=result.digest,
            outputs={name: np.load(folder / name) for name in names}, diagnostics=self.diagnostics, findings=findings,
            printed=self.printed)


def _make_room(scratch: Path, names: list[str]) -> None:
    """Makes the folders of output files, none of which may be outside of this one."""
    for name in names:
        if os.path.isabs(name) or os.path.normpath(name).split(os.sep)[0] == os.pardir:
            raise BadArgument(f"output {name} is outside of the folder of outputs: it is written where an output_folder "
                              "is given")
        os.makedirs((scratch / name).parent, exist_ok=True)


_ESCAPES = re.compile(r"\\u(d[89ab]..)\\u(d[c-f]..)|\\.")


def _yaml(text: str) -> str:
    """JSON as YAML, which has one escape for a character that JSON writes as a pair of surrogates."""
    def pair(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0]
        return f"\\U{0x10000 + ((int(found[1], 16) & 0x3FF) << 10) + (int(found[2], 16) & 0x3FF):08x}"

    return _ESCAPES.sub(pair, text)


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, list, tuple))


def _plain(value: Any) -> Any:
    """Numbers of NumPy and paths, which JSON does not know."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise BhemuError(f"a job can not have a {type(value).__name__}")
