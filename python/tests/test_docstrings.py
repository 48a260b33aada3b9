"""What somebody writes who has read help(bhemu) and nothing else."""
from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

import bhemu


def run_sum(device: bhemu.Device, kernels: Path, format: str = "bf16") -> bool:
    """Adds two tensors on a tile; says whether the sum is right."""
    tile = device.tile["1,2"]
    a = np.arange(64 * 64).reshape(64, 64) % 9
    b = a.T.astype(np.float64)
    tile.l1.set_tensor(0x30000, a, format)
    tile.l1.set_tensor(0x40000, b, format)
    tile.l1[0x16100:0x1611c] = np.array([0x30000, 0x40000, 0x50000, 2, 2, 1, 0], np.uint32)
    tile.run(**{f"T{n}": kernels / f"eltwise_add.trisc{n}.elf" for n in range(3)})
    assert device.run_to_end().reason == "idle"
    return np.array_equal(tile.l1.tensor(0x50000, (64, 64), format), a + b)


def test_a_kernel(kernels: Path) -> None:
    with bhemu.Device() as device:
        assert run_sum(device, kernels)
        assert {"pc", "ra", "sp"} <= set(device.tile["1,2"].registers("T1"))


def test_two_devices_at_once(kernels: Path) -> None:
    right: dict[str, bool] = {}

    def work(mode: str) -> None:
        with bhemu.Device(mode=mode) as device:
            right[mode] = run_sum(device, kernels)

    threads = [threading.Thread(target=work, args=(mode,)) for mode in ("functional", "timed")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == {"functional": True, "timed": True}


@pytest.mark.parametrize("format", bhemu.FORMATS)
def test_ones_in_every_format(format: str, device: bhemu.Device) -> None:
    device.tile[1, 2].l1.set_tensor(0x20000, np.ones((32, 32)), format)
    assert (device.tile[1, 2].l1.tensor(0x20000, (32, 32), format) == 1).all()


def test_ranges_of_memory(device: bhemu.Device) -> None:
    memory = device.tile["1,2"].l1
    memory[:4] = b"abcd"
    assert memory[:4] == b"abcd" and memory[2] == ord("c") and len(memory[0x17fff0:]) == 16
    for wrong in (slice(8, 4), slice(-4, None), slice(0, 8, 2)):
        with pytest.raises(bhemu.BadArgument, match="no range of addresses"):
            memory[wrong]
    with pytest.raises(bhemu.BadAddress, match="1 byte at -1 of tile 1,2"):
        memory[-1]
    with pytest.raises(bhemu.BadAddress, match="4 bytes at 0x9000000 of tile 1,2"):
        memory.word(0x9000000)


def test_a_deadlock_has_places(device: bhemu.Device, kernels: Path) -> None:
    tile = device.tile["1,2"]
    tile.run(T1=kernels / "eltwise_add.trisc1.elf")
    tile.l1[0x16100:0x1611c] = np.array([0x30000, 0x40000, 0x50000, 2, 2, 1, 0], np.uint32)
    with pytest.raises(bhemu.Deadlock, match="math.S:") as raised:
        device.run_to_end()
    given = raised.value.diagnostic
    assert given is not None
    assert [(place.agent, place.name) for place in given.places] == [("core", "T1"), ("thread", "T1")]
    assert given.places[1].text.startswith("thread T1 holds ELWADD") and "math.S:" in (given.places[1].source or "")


def test_a_job_of_arrays_and_lists(kernels: Path) -> None:
    ones = np.ones((64, 64), np.float32)
    tensors = {"format": "bf16", "layout": "tiles"}
    with bhemu.Job({"tiles": [{
        "at": (1, 2),
        "programs": [{"core": f"T{n}", "elf": kernels / f"eltwise_add.trisc{n}.elf"} for n in range(3)],
        "words": [{"address": 0x16100, "values": [0x30000, 0x40000, 0x50000, 2, 2, 1, 0]}],
        "inputs": [{"file": ones, "address": 0x30000, **tensors}, {"file": ones.tolist(), "address": 0x40000, **tensors}],
        "outputs": [{"file": "sum.npy", "address": 0x50000, "shape": [64, 64], "expect": 2 * ones, **tensors}],
    }]}) as job:
        result = job.run()
    assert (result.compared, result.differ) == (1, 0) and result.outputs["sum.npy"].shape == (64, 64)
    assert job.closed


def test_a_profile_and_a_trace(kernels: Path, tmp_path: Path) -> None:
    with bhemu.Device(mode="timed") as device:
        with device.profile() as profile, device.trace(tmp_path / "sum.json"):
            assert run_sum(device, kernels)
        assert profile.data["tensix_instructions"] == 256
        assert json.loads((tmp_path / "sum.json").read_text())["traceEvents"]


def test_help_names_what_the_package_has() -> None:
    """Every public class and function has a docstring, and so has each of its public methods."""
    for name in bhemu.__all__:
        thing = getattr(bhemu, name)
        if isinstance(thing, type):
            members = [member for kind in thing.__mro__ if kind.__module__.startswith("bhemu")
                       for key, member in vars(kind).items() if not key.startswith("_") and
                       (callable(member) or isinstance(member, property))]
            for member in [thing, *members]:
                assert member.__doc__, (name, member)
        elif callable(thing):
            assert thing.__doc__, name
