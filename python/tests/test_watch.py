"""Traces, logs and profiles."""
from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Callable

import pytest

import bhemu
from conftest import SELF_JUMP, words

ADDI_T1 = 0x00130313


def start(device: bhemu.Device, core: str = "T0") -> bhemu.Tile:
    """A core that adds 1 three times."""
    tile = device.tile["1,2"]
    tile.l1.write(0x1000, words(ADDI_T1, ADDI_T1, ADDI_T1, SELF_JUMP))
    tile.start(core, 0x1000)
    return tile


def test_a_trace_is_json(device: bhemu.Device, tmp_path: Path) -> None:
    with device.trace(tmp_path / "a.json"):
        start(device)
        device.run_to_end()
    content = json.loads((tmp_path / "a.json").read_text())
    assert "traceEvents" in content and len(content["traceEvents"]) > 2


def test_a_trace_that_is_dropped_while_the_device_runs(tmp_path: Path) -> None:
    held: list[bhemu.Recording] = []

    def drop(_: bhemu.Diagnostic) -> None:
        held.clear()
        gc.collect()

    with bhemu.Device(policy="silicon", on_diagnostic=drop) as device:
        tile = device.tile["1,2"]
        held.append(device.trace(tmp_path / "a.json", tiles=[tile]))
        wild = words(0x400002B7, 0x0062A023)  # lui t0, 0x40000; sw t1, 0(t0)
        tile.l1.write(0x1000, words(*[ADDI_T1] * 20) + wild + words(*[ADDI_T1] * 100, SELF_JUMP))
        tile.start("T0", 0x1000)
        device.run(1000)
        device.run(1000)
    assert not held
    assert "traceEvents" in json.loads((tmp_path / "a.json").read_text())


def test_a_log_has_what_is_asked_for(device: bhemu.Device, tmp_path: Path) -> None:
    tile = start(device)
    tile.start("T1", 0x1000)
    with device.log(tmp_path / "t1.txt", tiles=[tile], cores=["T1"]):
        device.run(2)
    device.run_to_end()
    lines = (tmp_path / "t1.txt").read_text().splitlines()
    assert len([line for line in lines if "addi" in line]) == 2
    assert all("T1" in line for line in lines if "addi" in line)


def test_a_profile_counts(tmp_path: Path) -> None:
    with bhemu.Device(mode="timed") as device:
        with device.profile() as profile:
            start(device)
            result = device.run_to_end()
            with pytest.raises(bhemu.BadArgument, match="has not ended"):
                profile.text()
        assert profile.data["riscv_instructions"] == result.riscv_instructions == 3
        assert "T0" in profile.text()
        profile.write(tmp_path / "profile.html")
        assert "<html" in (tmp_path / "profile.html").read_text()[:200]
        with pytest.raises(bhemu.BadArgument, match="no form 'pdf'"):
            profile.text("pdf")
        profile.close()
        with pytest.raises(bhemu.BhemuError, match="the profile is closed"):
            profile.text()


def test_what_is_wrong_is_told(device: bhemu.Device, tmp_path: Path) -> None:
    with pytest.raises(bhemu.FileProblem, match="none/a.json"):
        device.trace(tmp_path / "none" / "a.json")
    with pytest.raises(bhemu.BadArgument, match="T9"):
        device.log(tmp_path / "log", cores=["T9"])
    device.run(1)


def test_a_recording_may_outlive_its_device(tmp_path: Path) -> None:
    device = bhemu.Device()
    with device.trace(tmp_path / "a.json"), device.profile():
        pass
    recording = device.trace(tmp_path / "b.json")
    start(device)
    device.run_to_end()
    device.close()
    recording.close()
    assert "traceEvents" in json.loads((tmp_path / "b.json").read_text())


def test_one_chip_of_a_system_is_traced(tmp_path: Path) -> None:
    with bhemu.System("x2") as system:
        for chip in system.chips:
            start(chip)
        with system.chips[1].trace(tmp_path / "chip.json"), system.chips[1].profile() as profile:
            assert system.run_to_end().riscv_instructions == 6
        assert profile.data["riscv_instructions"] == 3
    assert "traceEvents" in json.loads((tmp_path / "chip.json").read_text())


def test_instructions_are_stepped_through(device: bhemu.Device) -> None:
    tile = start(device)
    seen = []
    for _ in range(4):
        seen.append((tile.registers("T0")["pc"], tile.registers("T0")["t1"]))
        device.run(1)
    assert seen == [(0x1000, 0), (0x1004, 1), (0x1008, 2), (0x100C, 3)]
    assert tile.gprs("T1").shape == (64,) and not tile.gprs("T1").any()
    calls: list[Callable[[], object]] = [lambda: tile.registers("T9"), lambda: tile.gprs("B")]
    for call in calls:
        with pytest.raises(bhemu.BadArgument):
            call()
