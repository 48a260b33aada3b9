"""Devices: memory, programs, state, snapshots, and what goes wrong."""
from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

import bhemu
from conftest import SELF_JUMP, words

LUI_T0_10000, LUI_T0_20000, LW_T1, ADDI_T1, SW_T1 = 0x000102B7, 0x000202B7, 0x0002A303, 0x00130313, 0x0062A023
COUNT_FOR_EVER = words(0x00130313, 0xFFDFF06F)


def test_memory_keeps_what_is_written(device: bhemu.Device) -> None:
    l1 = device.tile["1,2"].l1
    assert len(l1) == 1536 * 1024
    assert l1[0x20000:0x20010] == bytes(16)
    l1[0x20000:0x20004] = b"abcd"
    l1[0x20001] = 0x7A
    assert l1[0x20000:0x20004] == b"azcd" and l1[0x20003] == ord("d")
    l1.set_word(0x20010, -2)
    assert l1.word(0x20010) == 0xFFFFFFFE
    numbers = np.arange(12, dtype=np.int16).reshape(3, 4)
    l1.write(0x30000, numbers)
    assert np.array_equal(l1.array(0x30000, (3, 4), np.int16), numbers)
    l1[0x30000:0x30018] = numbers[::-1]
    assert np.array_equal(l1.array(0x30000, (3, 4), np.int16), numbers[::-1])
    assert device.tile[2, 2].l1[0x20000] == 0


def test_channels_of_dram_are_apart(device: bhemu.Device) -> None:
    for channel in range(8):
        device.dram(channel)[0:4] = bytes([channel] * 4)
    assert [device.dram(channel)[3] for channel in range(8)] == list(range(8))
    with pytest.raises(bhemu.BadArgument, match="0 to 7"):
        device.dram(8)


def test_no_more_is_read_than_there_is(device: bhemu.Device) -> None:
    l1 = device.tile["1,2"].l1
    for size in ((1 << 32) + 4, 1 << 64, len(l1) + 1):
        with pytest.raises(bhemu.BadAddress):
            l1.read(0, size)
    with pytest.raises(bhemu.BadAddress, match="so much memory is not there"):
        l1.write(0, bytes(len(l1) + 1))


def test_texts_with_a_nul_are_refused(device: bhemu.Device, tmp_path: Path) -> None:
    acts: list[Callable[[], object]] = [lambda: device.save(f"{tmp_path}/a\0b"), lambda: bhemu.Device(board="p150a\0"),
                                        lambda: bhemu.Job(str(tmp_path / "a.yaml\0b")),
                                        lambda: device.trace(f"{tmp_path}/a\0b")]
    for act in acts:
        with pytest.raises(bhemu.BadArgument, match="there is a NUL in"):
            act()
    assert not list(tmp_path.iterdir())


def test_handles_are_not_copied(device: bhemu.Device) -> None:
    acts: list[Callable[[object], object]] = [copy.copy, copy.deepcopy, pickle.dumps]
    for one in (device, device.snapshot()):
        for act in acts:
            with pytest.raises(TypeError, match="can not be copied or pickled"):
                act(one)
    device.run(1)


def test_bad_addresses_and_ranges_are_refused(device: bhemu.Device) -> None:
    l1 = device.tile["1,2"].l1
    with pytest.raises(bhemu.BadAddress):
        l1.read(0x50000000, 4)
    with pytest.raises(bhemu.BadAddress):
        l1.write(0x17FFFE, b"1234")
    for key in (slice(-4, None), slice(8, 4), slice(0, 8, 2)):
        with pytest.raises(bhemu.BadArgument):
            l1[key]  # pylint: disable=pointless-statement
    with pytest.raises(bhemu.BadArgument, match="3 bytes for a range of 4"):
        l1[0:4] = b"abc"


def test_tiles_have_names(device: bhemu.Device) -> None:
    assert repr(device.tile["1,2"]) == repr(device.tile["1-2"]) == repr(device.tile[1, 2]) == "<tile 1,2>"
    assert len(list(device.tile)) == 140
    assert len(device.tile[20, 25].l1) > 0
    for name in ("8,2", "1,12", "0,0", "a,b", "1", "32,25"):
        with pytest.raises(bhemu.BadArgument):
            device.tile[name]  # pylint: disable=pointless-statement
    with bhemu.Device(board="p100a") as small:
        assert len(list(small.tile)) == 120


def test_the_core_of_a_dram_tile_runs(device: bhemu.Device) -> None:
    tile = device.tile[18, 23]
    assert len(tile.l1) == 0x20000
    tile.l1.write(0x3260, words(LUI_T0_10000, LW_T1, ADDI_T1, SW_T1, SELF_JUMP))
    tile.l1.set_word(0x10000, 41)
    tile.start("DRISC", 0x3260)
    assert device.run_to_end().reason == "idle"
    assert tile.l1.word(0x10000) == 42
    assert device.dram(7).word(0x10000) == 0
    tile.stop("DRISC")
    assert tile.l1.word(0xFFB121B0) & 0x800
    for name in ("17,11", "17,24"):
        with pytest.raises(bhemu.BadArgument):
            device.tile[name]  # pylint: disable=pointless-statement


def test_a_program_of_words_runs(device: bhemu.Device) -> None:
    tile = device.tile["1,2"]
    tile.l1.write(0x1000, words(LUI_T0_20000, LW_T1, ADDI_T1, SW_T1, SELF_JUMP))
    tile.l1.set_word(0x20000, 41)
    tile.start("T0", 0x1000)
    result = device.run_to_end()
    assert tile.l1.word(0x20000) == 42
    assert (result.reason, result.riscv_instructions, result.tensix_instructions) == ("idle", 4, 0)
    assert device.clock == result.cycles
    assert tile.state("cores")["tiles"][0]["cores"]["T0"]["x"]["t1"] == 42
    assert "t1       0x0000002a" in tile.dump("cores")


def test_a_kernel_adds_tiles(device: bhemu.Device, kernels: Path) -> None:
    generator = np.random.default_rng(1)
    a, b = (generator.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(2))
    tile = device.tile["3,4"]
    tile.l1.set_tensor(0x30000, a, "bf16")
    tile.l1.set_tensor(0x40000, b, "bf16")
    tile.l1.write(0x16100, words(0x30000, 0x40000, 0x50000, 2, 2, 1, 0))  # kernels/runtime/arguments.h
    tile.run(**{f"T{number}": kernels / f"eltwise_add.trisc{number}.elf" for number in range(3)})
    assert device.run_to_end().tensix_instructions > 0
    assert np.array_equal(tile.l1.tensor(0x50000, (64, 64), "bf16"), a + b)
    assert tile.array("dst 0 16 bf16").shape == (16, 16)


def test_errors_are_exceptions_with_their_fields(device: bhemu.Device, source: Path) -> None:
    tile = device.tile["1,2"]
    tile.l1.write(0x1000, words(0x500002B7, 0x0062A023, SELF_JUMP))  # sw to 0x50000000
    tile.start("T1", 0x1000)
    with pytest.raises(bhemu.Stopped, match="nothing is mapped there") as raised:
        device.run(1000)
    given = raised.value.diagnostic
    assert given is not None and given is device.diagnostics[-1]
    assert (given.category, given.stops, given.tile, given.agent, given.name) == (
        "UndefinedBehavior", True, (1, 2), "core", "T1")
    assert (given.pc, given.instruction, given.chip, given.source) == (0x1004, 0x0062A023, 0, None)
    assert tile.stopped
    with pytest.raises(bhemu.Stopped, match="nothing is mapped there"):
        device.run(1)
    tile.reset()
    assert not tile.stopped


def test_deadlocks_say_who_waits(device: bhemu.Device) -> None:
    tile = device.tile["1,2"]
    tile.l1.write(0x1000, words(LUI_T0_20000, LW_T1, 0xFE030EE3))  # until the word is not 0
    tile.start("T2", 0x1000)
    with pytest.raises(bhemu.Deadlock, match="polls 0x00020000 in L1"):
        device.run_to_end()


def test_programs_that_do_not_end_are_reported(device: bhemu.Device) -> None:
    device.tile["1,2"].l1.write(0x1000, COUNT_FOR_EVER)
    device.tile["1,2"].start("T0", 0x1000)
    assert device.run(1000).reason == "cycles"
    with pytest.raises(bhemu.StillRunning, match="core T0 at 0x0000100"):
        device.run_to_end(1000)
    assert device.clock == 2000


def test_bad_names_are_refused() -> None:
    for options in ({"board": "p1000"}, {"mode": "slow"}, {"policy": "lax"}, {"engine": "steam"}, {"threads": 65},
                    {"on_error": "cry"}, {"check": ["spellcheck"]}):
        with pytest.raises(bhemu.BadArgument):
            bhemu.Device(**options)  # type: ignore[arg-type]
    with bhemu.Device() as device:
        with pytest.raises(bhemu.BadArgument, match="there is no core 'T3'"):
            device.tile["1,2"].start("T3")
        with pytest.raises(bhemu.BadArgument, match="no dump of 'dsd'"):
            device.tile["1,2"].dump("dsd")


def test_bad_numbers_are_refused(tmp_path: Path) -> None:
    """And not cut to the bits that the library has for them."""
    job = bhemu.Job({"tiles": [{"at": [1, 2]}]})
    with bhemu.Device() as device:
        uses: list[tuple[str, Callable[[int], object]]] = [
            ("jitter", lambda number: bhemu.Device(jitter=number)),
            ("threads", lambda number: bhemu.Device(threads=number)),
            ("threads", lambda number: bhemu.System("x2", threads=number)),
            ("latency", lambda number: bhemu.System("x2", latency=number)),
            ("channel", lambda number: bhemu.System("x2").link(0, number)),
            ("threads", lambda number: job.run(threads=number)),
            ("jitter", lambda number: job.run(jitter=number)),
            ("limit", lambda number: job.run(limit=number)),
            ("pc", lambda number: device.tile["1,2"].start("T0", number)),
            ("first", lambda number: device.trace(tmp_path / "trace", first=number)),
            ("last", lambda number: device.profile(last=number))]
        for name, use in uses:
            for wrong in (-1, 1 << 64, *([1000] if name == "threads" else [1 << 32] if name == "pc" else [])):
                with pytest.raises(bhemu.BadArgument, match=f"^{name}: {wrong}; there can be 0 to "):
                    use(wrong)


def test_bad_programs_are_refused(device: bhemu.Device, tmp_path: Path) -> None:
    (tmp_path / "bad.elf").write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(bhemu.BadFile, match="bad.elf"):
        device.tile["1,2"].load("T0", tmp_path / "bad.elf")
    with pytest.raises(bhemu.FileProblem, match="No such file"):
        device.tile["1,2"].load("T0", tmp_path / "none.elf")


def test_what_is_closed_is_not_used() -> None:
    device = bhemu.Device()
    tile, snapshot = device.tile["1,2"], device.snapshot()
    device.close()
    device.close()
    uses: list[Callable[[], object]] = [lambda: device.clock, lambda: tile.l1[0], lambda: device.run(1), device.snapshot,
                                        lambda: device.tile["1,2"], tile.dump, lambda: device.restore(snapshot)]
    for use in uses:
        with pytest.raises(bhemu.BhemuError, match="the device is closed"):
            use()
    snapshot.close()
    with pytest.raises(bhemu.BhemuError, match="the snapshot is closed"):
        snapshot.size  # pylint: disable=pointless-statement


def _mapped() -> int:
    return sum(1 for _ in open("/proc/self/maps", encoding="ascii"))


def test_devices_that_nobody_has_are_freed(tmp_path: Path) -> None:
    bhemu.Device().close()
    gc.collect()
    before = _mapped()
    for number in range(20):
        device = bhemu.Device(check=True, on_print=print)
        device.tile["1,2"].l1[0] = 1
        device.trace(tmp_path / f"{number}.json")
        bhemu.System("x2", check=True).chips[1].snapshot()
    del device
    gc.collect()
    assert _mapped() < before + 20  # each has several mappings


@pytest.mark.parametrize("name", ["a:b", "a\\:b\\", "\u00e9 :"])
def test_programs_may_be_in_any_folder(name: str, device: bhemu.Device, kernels: Path, tmp_path: Path) -> None:
    """Also where another one has gone meanwhile."""
    for folder in (tmp_path / name, tmp_path / "gone"):
        folder.mkdir()
        program = shutil.copy(kernels / "wild_store.trisc1.elf", folder)
        device.tile["1,2"].load("T1", program)
    shutil.rmtree(tmp_path / "gone")
    device.tile["1,2"].l1.write(0x16100, words(0x30000, 0x40000, 0x50000, 2, 2, 1, 0))
    device.tile["1,2"].run(T1=tmp_path / name / "wild_store.trisc1.elf")
    with pytest.raises(bhemu.Stopped, match="wild_store.c:7"):
        device.run_to_end()


def test_snapshots_go_back(device: bhemu.Device, tmp_path: Path) -> None:
    tile = device.tile["1,2"]
    tile.l1.write(0x1000, COUNT_FOR_EVER)
    tile.start("T0", 0x1000)
    device.run(1001)
    snapshot, dump = device.snapshot(), tile.dump("cores")
    device.save(tmp_path / "at.snapshot")
    device.run(555)
    after = tile.dump("cores")
    assert after != dump
    device.restore(snapshot)
    assert (device.clock, snapshot.clock, tile.dump("cores")) == (1001, 1001, dump)
    with bhemu.Device() as other:
        other.load_snapshot(tmp_path / "at.snapshot")
        other.run(555)
        assert other.tile["1,2"].dump("cores") == after
    with bhemu.Device(mode="timed") as timed, pytest.raises(bhemu.BadFile):
        timed.load_snapshot(tmp_path / "at.snapshot")
    with bhemu.Device(check=["initcheck"]) as checked:
        uses: list[Callable[[], object]] = [lambda: checked.restore(snapshot),
                                            lambda: checked.load_snapshot(tmp_path / "at.snapshot")]
        for use in uses:
            with pytest.raises(bhemu.BadArgument, match="check=, which needs the whole run"):
                use()
        checked.snapshot().close()
        assert checked.clock == 0


def test_timed_mode_counts_cycles_of_silicon() -> None:
    cycles = {}
    for mode in ("functional", "timed"):
        with bhemu.Device(mode=mode) as device:
            tile = device.tile["1,2"]
            tile.l1.write(0x1000, words(*[0x02834333] * 64, SELF_JUMP))  # div t1, t1, s0: none of them takes one cycle
            tile.start("T0", 0x1000)
            cycles[mode] = device.run_to_end().cycles
    assert cycles["functional"] == 64 and cycles["timed"] > 128


def test_an_interrupt_ends_a_long_run(device: bhemu.Device) -> None:
    device.tile["1,2"].l1.write(0x1000, COUNT_FOR_EVER)
    device.tile["1,2"].start("T0", 0x1000)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        device.run(10**15)
    assert time.monotonic() - began < 30
    assert device.run(100).cycles == 100  # and it can go on


def test_callbacks_may_raise() -> None:
    def refuse(_: bhemu.Diagnostic) -> None:
        raise ZeroDivisionError("from the callback")

    with bhemu.Device(on_diagnostic=refuse) as device:
        device.tile["1,2"].l1.write(0x1000, words(0x500002B7, 0x0062A023, SELF_JUMP))
        device.tile["1,2"].start("T1", 0x1000)
        with pytest.raises(ZeroDivisionError, match="from the callback"):
            device.run(1000)


def test_each_thread_has_a_device() -> None:
    """Two at a time; both are as if alone."""
    results: dict[int, tuple[int, str]] = {}

    def work(number: int) -> None:
        with bhemu.Device() as device:
            tile = device.tile["1,2"]
            tile.l1.write(0x1000, COUNT_FOR_EVER)
            tile.start("T0", 0x1000)
            for _ in range(20):
                device.run(1000 + number)
            results[number] = (device.clock, tile.dump("cores"))

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1, 1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    parallel = dict(results)
    for number in (0, 1, 2):
        work(number)
    assert parallel == results
    assert [results[number][0] for number in (0, 1, 2)] == [20000, 20020, 20040]


def test_a_device_that_runs_is_not_used() -> None:
    """Neither by callbacks, which would recurse, nor by other threads."""
    refused: list[str] = []

    def use(_: bhemu.Diagnostic) -> None:
        calls: list[Callable[[], object]] = [lambda: device.run(1), lambda: tile.l1.word(0), tile.dump, device.snapshot,
                                             device.close, device.report]
        for call in calls:
            with pytest.raises(bhemu.BhemuError, match="the device is running") as raised:
                call()
            refused.append(str(raised.value))

    with bhemu.Device(on_diagnostic=use) as device:
        tile = device.tile["1,2"]
        tile.l1.write(0x1000, words(0x500002B7, 0x0062A023, SELF_JUMP))
        tile.start("T1", 0x1000)
        with pytest.raises(bhemu.Stopped):
            device.run(1000)
        assert len(refused) == 6
        device.reset()
        tile.l1.write(0x1000, COUNT_FOR_EVER)
        tile.start("T0", 0x1000)
        errors: list[BaseException] = []

        def run() -> None:
            try:
                device.run(10**15)
            except KeyboardInterrupt as raised:
                errors.append(raised)

        other = threading.Timer(0.2, lambda: errors.append(_error_of(device.close)))
        stop = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        other.start()
        stop.start()
        run()
        assert ["is running" in str(error) for error in errors] == [True, False]
        assert not device.closed and device.clock > 0


def _error_of(call: Callable[[], object]) -> BaseException:
    try:
        call()
    except bhemu.BhemuError as raised:
        return raised
    return AssertionError("nothing was raised")
