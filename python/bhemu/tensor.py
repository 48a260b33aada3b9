"""Tensors: NumPy arrays to and from the forms that kernels read and write in memory."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _declarations as c
from ._library import expect_ok, lib
from .errors import BadArgument

Array = npt.NDArray[Any]

FORMATS = tuple(lib.bh_format_name(number).decode() for number in range(c.BH_FORMAT_COUNT))
"""The names of formats in memory."""

_HOST_TYPES = {
    np.dtype(lib.bh_host_type_name(number).decode()): number
    for number in range(c.BH_HOST_TYPE_COUNT)
    if number != c.BH_HOST_BFLOAT16
}
_LAYOUTS = {"rows": c.BH_ROWS, "tiles": c.BH_TILES}
_INTEGERS = {"int32": np.int32, "uint16": np.uint16, "int8": np.int8, "uint8": np.uint8}


def _format(name: str) -> int:
    number: int = lib.bh_format_by_name(name.encode())
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
    rows, columns = (1, array.shape[0]) if array.ndim == 1 else array.shape
    return c.bh_array(type=_HOST_TYPES[array.dtype], rows=rows, columns=columns, data=array.ctypes.data)


def default_type(format: str) -> np.dtype[Any]:
    """The type that an array gets unless another is asked for: float32, or the integers of the same size."""
    _format(format)
    return np.dtype(_INTEGERS.get(format, np.float32))


def size(shape: tuple[int, ...], format: str) -> int:
    """Bytes of a tensor of this shape in memory."""
    elements: int = int(np.prod(shape, dtype=np.int64))
    return elements * int(lib.bh_format_size(_format(format)))


def to_bytes(array: npt.ArrayLike, format: str, layout: str = "rows") -> bytes:
    """The bytes of a matrix, rows x columns, or of a vector, in a format of memory ("bf16", ...).

    layout: "rows", row-major; or "tiles": 32x32 elements, cut into four faces of 16x16, all row-major; rows and columns
    are then multiples of 32. Floating-point values are rounded to nearest, ties to even. Raises BadArgument where the
    types or the shape do not go with the format or the layout.
    """
    matrix = np.ascontiguousarray(array)
    if matrix.dtype == np.int64:  # what lists of integers become
        matrix = _narrowed(matrix, format)
    if matrix.ndim not in (1, 2):
        raise BadArgument(f"a tensor of {matrix.ndim} dimensions; there can be 1 or 2")
    buffer = ctypes.create_string_buffer(max(size(matrix.shape, format), 1))
    described = _describe(matrix)
    expect_ok(lib.bh_tensor_to_device(ctypes.byref(described), _format(format), _layout(layout), buffer))
    return buffer.raw[: size(matrix.shape, format)]


def _narrowed(matrix: Array, format: str) -> Array:
    wanted = default_type(format)
    narrow = matrix.astype(wanted)
    if wanted != np.float32 and not np.array_equal(narrow, matrix):
        raise BadArgument(f"an integer that is not within the range of {format}")
    return narrow


def from_bytes(data: bytes, shape: tuple[int, ...], format: str, layout: str = "rows",
               dtype: npt.DTypeLike | None = None) -> Array:
    """The reverse: an array of this shape, (rows, columns) or (elements,), of `dtype`, by default float32 or the
    format's own integers."""
    if len(shape) not in (1, 2):
        raise BadArgument(f"a tensor of {len(shape)} dimensions; there can be 1 or 2")
    if len(data) != size(shape, format):
        raise BadArgument(f"{len(data)} bytes; a tensor of shape {shape} in {format} has {size(shape, format)}")
    array: Array = np.zeros(shape, default_type(format) if dtype is None else dtype)
    described = _describe(array)
    expect_ok(lib.bh_tensor_from_device(data, _format(format), _layout(layout), ctypes.byref(described)))
    return array
