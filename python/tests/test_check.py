"""The checker on devices."""
from __future__ import annotations

import pytest

import bhemu
from conftest import SELF_JUMP, words

READ = words(0x000202B7, 0x0002A303, 0x0062A223, SELF_JUMP)  # lui t0, 0x20; lw t1, 0(t0); sw t1, 4(t0)


def start(device: bhemu.Device, core: str, address: int, code: bytes) -> None:
    """A core that executes this."""
    device.tile["1,2"].l1.write(address, code)
    device.tile["1,2"].start(core, address)


def test_what_nobody_wrote_is_found() -> None:
    with bhemu.Device(check=["initcheck"]) as device:
        start(device, "T0", 0x1000, READ)
        device.run_to_end()
        (finding,) = device.end_check()
        assert (finding.tool, finding.rule) == ("initcheck", "initcheck.l1")
        assert "0x00001004" in finding.text and str(finding) == finding.text


def test_what_the_host_wrote_is_not() -> None:
    with bhemu.Device(check=True) as device:
        device.tile["1,2"].l1.set_word(0x20000, 7)
        start(device, "T0", 0x1000, READ)
        device.run_to_end()
        assert device.end_check() == device.findings == []


def test_two_cores_that_write_one_word_race() -> None:
    with bhemu.Device(check=["racecheck"], mode="timed") as device:
        for core, address in (("T0", 0x1000), ("T1", 0x2000)):
            start(device, core, address, words(0x000202B7, 0x0062A023, SELF_JUMP))
        device.run_to_end()
        assert [finding.rule for finding in device.end_check()] == ["racecheck.l1"]


def test_without_check_there_are_no_findings() -> None:
    with bhemu.Device() as device, pytest.raises(bhemu.BadArgument, match="without check="):
        device.findings  # pylint: disable=pointless-statement
