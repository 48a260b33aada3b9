#!/usr/bin/env python3
"""Multiplies two matrices on one tile, and draws the product.

    PYTHONPATH=build/python python/examples/matmul_picture.py [product.png]

Needs the kernels (`make`). Without Matplotlib or the like: a PNG takes few lines.
"""
# %% Two matrices of 128x128, whose product is a pattern.
import os
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

import bhemu
from bhemu import tensor

KERNELS = Path(os.environ.get("BHEMU_BUILD", Path(__file__).resolve().parents[2] / "build")) / "kernels"
SIZE, TILE = 128, 32

step = np.arange(SIZE)
left = np.where((step[:, None] * step[None, :]) % 7 < 3, 1.0, -0.5).astype(np.float32)
right = np.where((step[:, None] + 2 * step[None, :]) % 11 < 5, 0.5, -1.0).astype(np.float32)

# %% The kernel's arguments are words in L1 (kernels/runtime/arguments.h). B starts the other cores.
with bhemu.Device(mode="timed") as device:
    tile = device.tile["1,2"]
    tile.l1.set_tensor(0x30000, left, "bf16")
    tile.l1.set_tensor(0x40000, right, "bf16")
    for word, value in enumerate((0x30000, 0x40000, 0x50000, SIZE // TILE, SIZE // TILE, SIZE // TILE, 4)):
        tile.l1.set_word(0x16100 + 4 * word, value)
    for core, name in (("T0", "trisc0"), ("T1", "trisc1"), ("T2", "trisc2"), ("NC", "ncrisc")):
        tile.load(core, KERNELS / f"matmul128.{name}.elf")
    tile.run(B=KERNELS / "matmul128.brisc.elf")
    result = device.run_to_end()
    product = tile.l1.tensor(0x50000, (SIZE, SIZE), "bf16")

# %% The same with NumPy, in float32, rounded to what bf16 can hold.
expected = tensor.from_bytes(tensor.to_bytes(left @ right, "bf16"), (SIZE, SIZE), "bf16")
print(f"{result.cycles} cycles, {result.tensix_instructions} Tensix instructions")
print(f"the largest difference is {np.abs(product - expected).max():g}")

# %% A picture: blue is low, white is in the middle, red is high.
scaled = (product - product.min()) / (product.max() - product.min())
colours = np.stack([np.clip(2 * scaled, 0, 1), 1 - np.abs(2 * scaled - 1), np.clip(2 - 2 * scaled, 0, 1)], axis=-1)
pixels = np.kron((255 * colours).astype(np.uint8), np.ones((4, 4, 1), np.uint8))


def chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
rows = b"".join(b"\0" + row.tobytes() for row in pixels)
path = Path(sys.argv[1] if len(sys.argv) > 1 else "product.png")
path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
print(f"{path} shows it")
