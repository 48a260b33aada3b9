"""Systems of several chips."""
from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

import bhemu
from conftest import SELF_JUMP, words


def test_all_named_topologies_can_be_made() -> None:
    assert {"x2", "x4", "x32", "galaxy"} <= set(bhemu.topology_names())
    with bhemu.System("x4") as system:
        assert len(system.chips) == 4
        assert "up" in [system.link(0, channel) for channel in range(12)]


def test_chips_run_together() -> None:
    with bhemu.System("x2", threads=2) as system:
        for chip in system.chips:
            tile = chip.tile["1,2"]
            tile.l1.write(0x1000, words(0x000202B7, 0x00700313, 0x0062A023, SELF_JUMP))
            tile.start("T0", 0x1000)
        result = system.run_to_end()
        assert result.riscv_instructions == 6
        assert [chip.tile["1,2"].l1.word(0x20000) for chip in system.chips] == [7, 7]
        assert system.clock == system.chips[0].clock == system.chips[1].clock
        with pytest.raises(bhemu.BadArgument, match="is run by System.run"):
            system.chips[0].run(1)


def test_diagnostics_name_the_chip() -> None:
    with bhemu.System("x2") as system:
        tile = system.chips[1].tile["1,2"]
        tile.l1.write(0x1000, words(0x500002B7, 0x0062A023, SELF_JUMP))
        tile.start("T1", 0x1000)
        with pytest.raises(bhemu.Stopped, match="nothing is mapped there") as raised:
            system.run(10000)
        assert raised.value.diagnostic is not None and raised.value.diagnostic.chip == 1


def test_diagnostics_have_source_lines(source: Path, kernels: Path) -> None:
    with bhemu.System("x2") as system:
        tile = system.chips[1].tile["1,2"]
        tile.l1.write(0x16100, words(0x30000, 0x40000, 0x50000, 2, 2, 1, 0))
        tile.run(T1=kernels / "wild_store.trisc1.elf")
        with pytest.raises(bhemu.Stopped, match="wild_store.c:7") as raised:
            system.run(10**7)
        given = raised.value.diagnostic
        assert given is not None and given.chip == 1
        assert system.chips[1].diagnostics == [given] and system.chips[0].diagnostics == []


def test_programs_that_do_not_end_are_reported() -> None:
    with bhemu.System("x2") as system:
        tile = system.chips[1].tile["2,3"]
        tile.l1.write(0x1000, words(0x00130313, 0xFFDFF06F))
        tile.start("T0", 0x1000)
        with pytest.raises(bhemu.StillRunning, match="core T0 at 0x0000100") as raised:
            system.run_to_end(1000)
        assert raised.value.diagnostic is not None and raised.value.diagnostic.tile == (2, 3)


def test_callbacks_of_chips_may_raise(kernels: Path) -> None:
    def refuse(line: str) -> None:
        raise ZeroDivisionError(line)

    with bhemu.System("x2", on_print=refuse) as system:
        tile = system.chips[1].tile["2,2"]
        tile.l1.write(0x16100, words(2, 0, 0, 0, 0, 0))
        for core, name in (("T0", "trisc0"), ("T1", "trisc1"), ("T2", "trisc2"), ("NC", "ncrisc")):
            tile.load(core, kernels / f"hello.{name}.elf")
        tile.run(B=kernels / "hello.brisc.elf")
        with pytest.raises(ZeroDivisionError, match="2-2 "):
            system.run(10**7)


def test_chips_belong_to_their_system() -> None:
    with bhemu.System("x2") as system:
        with pytest.raises(bhemu.BadArgument, match="closed by System.close"):
            system.chips[0].close()
        assert system.chips[0].clock == 0


def test_cables_can_be_pulled() -> None:
    with bhemu.System("x2") as system:
        chip, channel = next((0, channel) for channel in range(12) if system.link(0, channel) == "up")
        system.plug(chip, channel, False)
        assert system.link(chip, channel) == "down"
        system.plug(chip, channel, True)
        assert system.link(chip, channel) in ("training", "up")


def test_topologies_come_from_files_and_are_checked(tmp_path: Path) -> None:
    with pytest.raises(bhemu.BhemuError, match="none.yaml"):
        bhemu.System(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("chip: 3\n")
    with pytest.raises(bhemu.BadFile, match="bad.yaml:1"):
        bhemu.System(tmp_path / "bad.yaml")


def test_a_closed_system_is_not_used() -> None:
    system = bhemu.System("x2")
    chip = system.chips[0]
    system.close()
    uses: list[Callable[[], object]] = [lambda: system.run(1), lambda: chip.clock, lambda: chip.tile["1,2"]]
    for use in uses:
        with pytest.raises(bhemu.BhemuError, match="is closed"):
            use()
