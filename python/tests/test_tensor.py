"""Tensors in all formats and layouts."""
from __future__ import annotations

from typing import Callable

import numpy as np
import pytest

import bhemu
from bhemu import tensor


def faces(matrix: tensor.Array) -> tensor.Array:
    """The order of a 32x32 tile in memory: four faces of 16x16."""
    return np.concatenate([matrix[y:y + 16, x:x + 16].ravel() for y in (0, 16) for x in (0, 16)])


BLOCKS = {"bfp8": 1088, "bfp4": 576, "bfp2": 320, "bfp8a": 1088, "bfp4a": 576, "bfp2a": 320}


@pytest.mark.parametrize("format", bhemu.FORMATS)
@pytest.mark.parametrize("layout", ["rows", "tiles"])
def test_small_integers_survive_every_format(format: str, layout: str) -> None:
    if format in BLOCKS and layout == "rows":
        with pytest.raises(bhemu.BadArgument, match="is in layout \"tiles\""):
            tensor.to_bytes(np.zeros((32, 32)), format, layout)
        return
    dtype = tensor.default_type(format)
    most = {"fp8": 8, "e4m3": 16, "bfp8": 64, "bfp8a": 64, "bfp4": 4, "bfp4a": 4, "bfp2": 1, "bfp2a": 1}.get(format, 100)
    matrix = np.random.default_rng(2).integers(0 if format.startswith("u") else -most, most, (64, 96)).astype(dtype)
    data = tensor.to_bytes(matrix, format, layout)
    assert len(data) == tensor.size(matrix.shape, format, layout)
    again = tensor.from_bytes(data, matrix.shape, format, layout)
    assert again.dtype == dtype and np.array_equal(again, matrix)


@pytest.mark.parametrize("format", BLOCKS)
def test_tiles_of_block_formats_are_read_as_the_chip_does(format: str, device: bhemu.Device) -> None:
    """A dump of L1 converts with the unpackers' functions."""
    matrix = np.random.default_rng(4).normal(size=(64, 64)).astype(np.float32)
    tile = device.tile["1,2"]
    tile.l1.set_tensor(0x20000, matrix, format)
    assert tensor.size(matrix.shape, format, "tiles") == 4 * BLOCKS[format]
    here = tile.l1.tensor(0x20000, (64, 64), format)
    there = tile.array(f"l1 0x20000 4 tiles {format}")
    assert np.array_equal(here, there.reshape(2, 2, 32, 32).swapaxes(1, 2).reshape(64, 64))
    assert 0 < np.abs(here - matrix).max() <= {"8": 0.04, "4": 0.5, "2": 2}[format[3]]


def test_tiles_are_cut_into_faces() -> None:
    matrix = np.arange(64 * 64, dtype=np.int32).reshape(64, 64)
    data = np.frombuffer(tensor.to_bytes(matrix, "int32", "tiles"), np.int32)
    expected = [faces(matrix[y:y + 32, x:x + 32]) for y in (0, 32) for x in (0, 32)]
    assert np.array_equal(data, np.concatenate(expected))


def test_bf16_is_rounded_to_nearest_even() -> None:
    values = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-16, -1 - 2**-8], np.float32)
    data = np.frombuffer(tensor.to_bytes(values, "bf16"), np.uint16)
    assert data.tolist() == [0x3F80, 0x3F80, 0x3F82, 0x3F81, 0xBF80]


def test_lists_are_arrays() -> None:
    assert tensor.to_bytes([1, 2, 3], "uint8") == bytes([1, 2, 3])
    assert tensor.to_bytes([[0.5]], "fp32") == np.float32(0.5).tobytes()
    with pytest.raises(bhemu.BadArgument, match="256 is not a whole number within the range of uint8"):
        tensor.to_bytes([256], "uint8")


def test_whole_numbers_are_rounded_once() -> None:
    """Not to float32 before: that makes a tie of what is a little more than one."""
    for shift in (24, 25, 40, 53, 62):
        tie, last = (1 << shift) + (1 << shift - 8), 1 << shift - 7
        for more, wanted in ((-1, 0), (0, 0), (1, last)):
            numbers = [tie + more, -tie - more]
            rounded = [(1 << shift) + wanted, -(1 << shift) - wanted]
            assert tensor.to_bytes(numbers, "bf16") == tensor.to_bytes(np.array(rounded, np.float64), "bf16")
        assert tensor.to_bytes(np.array([tie + 1], np.uint64), "bf16") == tensor.to_bytes([float((1 << shift) + last)], "bf16")


def test_what_does_not_go_together_is_refused() -> None:
    matrix = np.zeros((32, 32), np.float32)
    calls: list[Callable[[], object]] = [
        lambda: tensor.to_bytes(matrix, "fp4"), lambda: tensor.to_bytes(matrix, "bf16", "columns"),
        lambda: tensor.to_bytes(matrix[:31], "bf16", "tiles"), lambda: tensor.to_bytes(np.float32(1), "fp32"),
        lambda: tensor.to_bytes(np.zeros(3, complex), "fp32"), lambda: tensor.from_bytes(b"123", (1,), "fp32")]
    for call in calls:
        with pytest.raises(bhemu.BadArgument):
            call()
