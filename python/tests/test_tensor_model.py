"""Tensors in all formats beside a model of each format, which is written in fractions and knows nothing of the library."""
from __future__ import annotations

from fractions import Fraction
from typing import Callable

import numpy as np
import pytest

import bhemu
from bhemu import tensor

FLOATS = {"fp32": (8, 23, 4), "tf32": (8, 10, 4), "bf16": (8, 7, 2), "fp16": (5, 10, 2), "fp8": (5, 2, 1), "e4m3": (4, 3, 1)}
BLOCKS = {"bfp8": (8, 8), "bfp4": (4, 8), "bfp2": (2, 8), "bfp8a": (8, 5), "bfp4a": (4, 5), "bfp2a": (2, 5)}  # with the sign


def to_even(value: Fraction) -> int:
    """The nearest whole number, of two the even one."""
    return round(value)


def exponent_of(value: Fraction) -> int:
    """The power of two in [value / 2, value]."""
    power = value.numerator.bit_length() - value.denominator.bit_length()
    return power if Fraction(2) ** power <= value else power - 1


def encoded(value: float, exponent: int, mantissa: int, finite: bool) -> int:
    """The code of a number with so many bits of exponent and mantissa."""
    sign = int(np.signbit(value)) << (exponent + mantissa)
    most = (1 << exponent + mantissa) - 1 if finite else ((1 << exponent) - 1) << mantissa  # the largest, or infinity
    if np.isinf(value):
        return sign | most
    magnitude = abs(Fraction(value))
    if magnitude == 0:
        return sign
    bias = (1 << exponent - 1) - 1
    power = max(exponent_of(magnitude), 1 - bias)
    units = to_even(magnitude / Fraction(2) ** (power - mantissa))  # 2^mantissa and more, of denormals less
    code = (power + bias << mantissa) + units - (1 << mantissa)
    return sign | min(code, most)


def decoded(code: int, exponent: int, mantissa: int, finite: bool) -> float:
    """The number of a code."""
    sign = -1.0 if code >> exponent + mantissa else 1.0
    power, fraction = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
    if power == (1 << exponent) - 1 and not finite:
        return sign * (np.inf if fraction == 0 else np.nan)
    whole = fraction + (1 << mantissa) if power else fraction
    bias = (1 << exponent - 1) - 1
    return sign * float(whole * Fraction(2) ** (max(power, 1) - bias - mantissa))


def in_tiles(matrix: tensor.Array) -> tensor.Array:
    """The elements in the order of tiles, faces, rows."""
    tiles = [matrix[y:y + 32, x:x + 32] for y in range(0, matrix.shape[0], 32) for x in range(0, matrix.shape[1], 32)]
    return np.concatenate([tile[y:y + 16, x:x + 16].ravel() for tile in tiles for y in (0, 16) for x in (0, 16)])


def samples(smallest: int, largest: int) -> tensor.Array:
    """32 x 64 numbers of all magnitudes between these powers of two and a bit beyond, halves between neighbours among
    them."""
    random = np.random.default_rng(7)
    matrix = np.ldexp(random.integers(1 << 12, 1 << 13, (32, 64)) / (1 << 12), random.integers(smallest, largest, (32, 64)))
    matrix *= random.choice([-1, 1], matrix.shape)
    matrix[0, :8] = [0, -0.0, np.inf, -np.inf, 1, -1, 1.5, 2**-126]
    return matrix


@pytest.mark.parametrize("layout", ["rows", "tiles"])
@pytest.mark.parametrize("format", FLOATS)
def test_floats(format: str, layout: str) -> None:
    exponent, mantissa, size = FLOATS[format]
    finite, below = format == "e4m3", 13 if format == "tf32" else 0
    bias = (1 << exponent - 1) - 1
    matrix = samples(-bias - mantissa - 2, bias + 3)
    codes = np.frombuffer(tensor.to_bytes(matrix, format, layout), f"<u{size}")
    order = matrix.ravel() if layout == "rows" else in_tiles(matrix)
    assert codes.tolist() == [encoded(value, exponent, mantissa, finite) << below for value in order]
    again = tensor.from_bytes(codes.tobytes(), matrix.shape, format, layout, np.float64)
    back = again.ravel() if layout == "rows" else in_tiles(again)
    assert back.tolist() == [decoded(int(code) >> below, exponent, mantissa, finite) for code in codes]


@pytest.mark.parametrize("format", ["fp8", "e4m3", "fp16", "bf16"])
def test_every_code_is_decoded(format: str) -> None:
    exponent, mantissa, size = FLOATS[format]
    codes = np.arange(1 << 8 * size, dtype=f"<u{size}")
    numbers = tensor.from_bytes(codes.tobytes(), codes.shape, format, "rows", np.float64)
    expected = [decoded(int(code), exponent, mantissa, format == "e4m3") for code in codes]
    assert np.array_equal(numbers, expected, equal_nan=True)
    assert np.array_equal(np.signbit(numbers), codes >> (8 * size - 1) == 1)


@pytest.mark.parametrize("format", ["int32", "uint32", "int16", "uint16", "int8", "uint8"])
@pytest.mark.parametrize("layout", ["rows", "tiles"])
def test_integers(format: str, layout: str) -> None:
    dtype = np.dtype(format)
    limits = np.iinfo(dtype)
    matrix = np.random.default_rng(3).integers(limits.min, limits.max, (64, 32), dtype, endpoint=True)
    matrix[0, :2] = limits.min, limits.max
    order = matrix.ravel() if layout == "rows" else in_tiles(matrix)
    data = b"".join((int(value) % (1 << limits.bits)).to_bytes(limits.bits // 8, "little") for value in order)
    assert tensor.to_bytes(matrix, format, layout) == data
    assert np.array_equal(tensor.from_bytes(data, matrix.shape, format, layout), matrix)


def shared(values: list[float], bits: int, exponent: int) -> tuple[int, list[int]]:
    """The exponent that 16 numbers share, and their codes."""
    bias, most = (1 << exponent - 1) - 1, (1 << bits - 1) - 1
    powers = [exponent_of(abs(Fraction(value))) + bias for value in values if value]
    power = min(max([0, *powers]), (1 << exponent) - 1)
    unit = Fraction(2) ** (power - bias - (bits - 2))
    magnitudes = [min(to_even(abs(Fraction(value)) / unit), most) for value in values]
    return power, [size | (most + 1 if size and value < 0 else 0) for size, value in zip(magnitudes, values)]


@pytest.mark.parametrize("format", BLOCKS)
def test_block_formats(format: str) -> None:
    """A tile is the 64 exponents of its groups of 16, and then the codes, the first in the low bits of a byte."""
    bits, exponent = BLOCKS[format]
    bias = (1 << exponent - 1) - 1
    matrix = samples(-4, 5)
    matrix *= np.ldexp(1.0, np.random.default_rng(5).integers(5 - bias, bias - 4, matrix.shape[0]))[:, None]
    matrix[0, :8] = [0, -0.0, 1, -1, 0.5, -0.25, 3, -2]
    matrix[1, :16] = 0
    data, order = tensor.to_bytes(matrix, format, "tiles"), in_tiles(matrix).tolist()
    expected, values = b"", []
    for tile in range(0, len(order), 1024):
        groups = [shared(order[tile + at:tile + at + 16], bits, exponent) for at in range(0, 1024, 16)]
        codes = [code for _, group in groups for code in group]
        expected += bytes(power for power, _ in groups)
        expected += sum(code << bits * place for place, code in enumerate(codes)).to_bytes(1024 * bits // 8, "little")
        for power, group in groups:
            unit = Fraction(2) ** (power - bias - (bits - 2))
            values += [float((code & (1 << bits - 1) - 1) * unit) * (-1 if code >> bits - 1 else 1) for code in group]
    assert data == expected
    assert in_tiles(tensor.from_bytes(data, matrix.shape, format, "tiles", np.float64)).tolist() == values


def test_the_models_have_all_formats() -> None:
    assert {*FLOATS, *BLOCKS, "int32", "uint32", "int16", "uint16", "int8", "uint8"} == set(bhemu.FORMATS)


def test_matrices_lie_one_behind_the_other() -> None:
    batch = np.arange(2 * 3 * 32 * 64, dtype=np.float32).reshape(2, 3, 32, 64) % 256
    data = tensor.to_bytes(batch, "bf16", "tiles")
    assert data == b"".join(tensor.to_bytes(matrix, "bf16", "tiles") for matrix in batch.reshape(6, 32, 64))
    assert np.array_equal(tensor.from_bytes(data, batch.shape, "bf16", "tiles"), batch)
    with pytest.raises(bhemu.BadArgument, match="multiples of 32"):
        tensor.to_bytes(np.zeros((2, 16, 32)), "bf16", "tiles")


def test_integers_have_to_fit() -> None:
    """Whole numbers in arrays of any type."""
    make: list[Callable[[tensor.Array], tensor.Array]] = [
        lambda array: array.astype(np.float64), lambda array: array.astype(np.uint64), lambda array: array.astype(np.int32)]
    whole = np.arange(100).reshape(10, 10)
    for convert in make:
        assert tensor.to_bytes(convert(whole), "uint8") == bytes(range(100))
    for wrong, number in ((np.array([0.5]), "0.5"), (np.array([-1.0]), "-1.0"), (np.array([256], np.uint64), "256"),
                          (np.array([np.nan]), "nan"), (np.array([300], np.int32), "300")):
        with pytest.raises(bhemu.BadArgument, match=f"^{number} is not a whole number within the range of uint8"):
            tensor.to_bytes(wrong, "uint8")
