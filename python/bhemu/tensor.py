"""Tensors: NumPy arrays to and from the forms that kernels read and write in memory."""
from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _declarations as c
from ._library import lib, text_bytes
from .errors import BadArgument, from_here

__tracebackhide__ = from_here

Array = npt.NDArray[Any]

FORMATS = tuple(lib.bh_format_name(number).decode() for number in range(c.BH_FORMAT_COUNT))
"""The names of formats in memory."""

_HOST_TYPES = {
    np.dtype(lib.bh_host_type_name(number).decode()): number
    for number in range(c.BH_HOST_TYPE_COUNT)
    if number != c.BH_HOST_BFLOAT16
}
_LAYOUTS = {"rows": c.BH_ROWS, "tiles": c.BH_TILES}
_INTEGERS = {"int32": np.int32, "uint32": np.uint32, "int16": np.int16, "uint16": np.uint16, "int8": np.int8,
             "uint8": np.uint8}


def _format(name: str) -> int:
    number: int = lib.bh_format_by_name(text_bytes(name))
    if number == c.BH_FORMAT_COUNT:
        raise BadArgument(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return number


def _layout(name: str) -> int:
    if name not in _LAYOUTS:
        raise BadArgument(f"there is no layout {name!r}; there are rows, tiles")
    return _LAYOUTS[name]


def _describe(array: Array) -> c.bh_array:
    if array.dtype not in _HOST_TYPES:
        raise BadArgument(f"an array of {array.dtype}; there can be {', '.join(str(dtype) for dtype in _HOST_TYPES)}")
    rows, columns = _matrix(array.shape)
    return c.bh_array(type=_HOST_TYPES[array.dtype], rows=rows, columns=columns, data=array.ctypes.data)


def default_type(format: str) -> np.dtype[Any]:
    """The type that an array gets unless another is asked for: float32, or the integers of the same size."""
    _format(format)
    return np.dtype(_INTEGERS.get(format, np.float32))


def size(shape: tuple[int, ...], format: str, layout: str = "rows") -> int:
    """Bytes of a tensor of this shape in memory. Raises BadArgument where it can not be in this format and layout."""
    rows, columns = _matrix(shape)
    number, order = _format(format), _layout(layout)
    if layout == "tiles" and len(shape) > 2 and shape[-2] % 32:
        rows = shape[-2]  # which can not be cut, though all of them together may be
    taken = int(lib.bh_tensor_size(number, order, rows, columns))
    if rows and columns and not taken:
        if layout == "rows" and not lib.bh_format_size(number):
            raise BadArgument(f"a tensor in {format} is in layout \"tiles\"")
        raise BadArgument(f"a tensor of shape {shape} can not be cut into tiles: rows and columns are multiples of 32")
    return taken


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns. Matrices of more dimensions lie one behind the other, which are more rows."""
    if not shape or min(shape) < 0:
        raise BadArgument(f"a tensor of shape {shape}; there can be (elements,), (rows, columns), and more dimensions before")
    return math.prod(shape[:-1]), shape[-1]


def to_bytes(array: npt.ArrayLike, format: str, layout: str = "rows") -> bytes:
    """The bytes of a matrix, rows x columns, of a vector, or of several matrices one behind the other (more dimensions
    before rows and columns), in a format of memory.

    format: "fp32", "tf32", "bf16", "fp16", "fp8" (e5m2), "e4m3", "int32", "uint32", "int16", "uint16", "int8", "uint8";
    or a block format, "bfp8", "bfp4", "bfp2", or with exponents of five bits "bfp8a", "bfp4a", "bfp2a": of these each
    tile of 32x32 elements is 64 exponents, which 16 elements of a row share, and then the elements (1088, 576 or 320
    bytes). bhemu.FORMATS has all of them.
    layout: "rows", row-major; or "tiles": 32x32 elements, cut into four faces of 16x16, all row-major; rows and columns
    are then multiples of 32. Block formats are in tiles only.

    Floating-point values are rounded to nearest, ties to even; in block formats they share the exponent of the largest,
    and become at most the largest magnitude. Of integer formats the values are whole numbers within their range, in an
    array of any type. An array of integers that is as wide as the format is taken as its bits (not of int64 and uint64:
    lists become these). Raises BadArgument where the values, the types or the shape do not go with the format or the layout.
    """
    matrix = np.asarray(array, order="C")
    wanted = default_type(format)
    as_bits = matrix.dtype.kind in "iu" and matrix.dtype.itemsize == wanted.itemsize
    if matrix.dtype in (np.int64, np.uint64, np.bool_) or (wanted.kind in "iu" and not as_bits):
        matrix = _narrowed(matrix, format)
    taken = size(matrix.shape, format, layout)
    buffer = ctypes.create_string_buffer(max(taken, 1))
    described = _describe(matrix)
    if lib.bh_tensor_to_device(ctypes.byref(described), _format(format), _layout(layout), buffer) != c.BH_OK:
        raise BadArgument(f"an array of {matrix.dtype} can not become {format}")
    return buffer.raw[:taken]


def _doubles(matrix: Array) -> Array:
    """Whole numbers as float64. Of those that have more bits, the last one says whether there were any behind it, so
    that rounding to fewer bits comes to the same as rounding the number itself."""
    doubles: Array = matrix.astype(np.float64)
    if matrix.dtype.itemsize < 8:
        return doubles
    behind = matrix & matrix.dtype.type(0xFFF)
    return np.where(np.abs(doubles) < 2.0**53, doubles, (matrix - behind).astype(np.float64) + 2048.0 * (behind != 0))


def _narrowed(matrix: Array, format: str) -> Array:
    wanted = default_type(format)
    if matrix.dtype.kind not in "iufb":
        raise BadArgument(f"an array of {matrix.dtype} can not become {format}")
    if wanted == np.float32:
        return _doubles(matrix)
    with np.errstate(invalid="ignore"):
        narrow = matrix.astype(wanted)
    if not np.array_equal(narrow, matrix):
        wrong = matrix[narrow != matrix].ravel()[0]
        raise BadArgument(f"{wrong} is not a whole number within the range of {format}")
    return narrow


def from_bytes(data: bytes, shape: tuple[int, ...], format: str, layout: str = "rows",
               dtype: npt.DTypeLike | None = None) -> Array:
    """The reverse of to_bytes(): an array of this shape, of `dtype`, by default float32 or the format's own integers."""
    taken = size(shape, format, layout)
    if len(data) != taken:
        raise BadArgument(f"{len(data)} bytes; a tensor of shape {shape} in {format} has {taken}")
    array: Array = np.zeros(shape, default_type(format) if dtype is None else dtype)
    described = _describe(array)
    if lib.bh_tensor_from_device(data, _format(format), _layout(layout), ctypes.byref(described)) != c.BH_OK:
        raise BadArgument(f"{format} can not become an array of {array.dtype}")
    return array
