"""Tensors in all formats and layouts."""
from __future__ import annotations

import numpy as np
import pytest

import bhemu
from bhemu import tensor


def faces(matrix: tensor.Array) -> tensor.Array:
    """The order of a 32x32 tile in memory: four faces of 16x16."""
    return np.concatenate([matrix[y:y + 16, x:x + 16].ravel() for y in (0, 16) for x in (0, 16)])


@pytest.mark.parametrize("format", bhemu.FORMATS)
@pytest.mark.parametrize("layout", ["rows", "tiles"])
def test_small_integers_survive_every_format(format: str, layout: str) -> None:
    dtype = tensor.default_type(format)
    low = 0 if format.startswith("u") else -100
    matrix = np.random.default_rng(2).integers(low, 100, (64, 96)).astype(dtype)
    data = tensor.to_bytes(matrix, format, layout)
    assert len(data) == tensor.size(matrix.shape, format)
    again = tensor.from_bytes(data, matrix.shape, format, layout)
    assert again.dtype == dtype and np.array_equal(again, matrix)


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
    with pytest.raises(bhemu.BadArgument, match="not within the range of uint8"):
        tensor.to_bytes([256], "uint8")


def test_what_does_not_go_together_is_refused() -> None:
    matrix = np.zeros((32, 32), np.float32)
    for call in (lambda: tensor.to_bytes(matrix, "fp4"), lambda: tensor.to_bytes(matrix, "bf16", "columns"),
                 lambda: tensor.to_bytes(matrix[:31], "bf16", "tiles"),
                 lambda: tensor.to_bytes(np.zeros((2, 2, 2)), "fp32"),
                 lambda: tensor.to_bytes(np.zeros(3, complex), "fp32"), lambda: tensor.from_bytes(b"123", (1,), "fp32")):
        with pytest.raises(bhemu.BadArgument):
            call()
