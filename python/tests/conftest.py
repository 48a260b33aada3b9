"""Where the build is, and programs that tests run."""
from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

pytest_plugins = ["pytester", "bhemu.pytest_plugin"]

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BHEMU_BUILD", SOURCE / "build"))
SELF_JUMP = 0x0000006F


def words(*values: int) -> bytes:
    """Instructions, or other words, as bytes."""
    return struct.pack(f"<{len(values)}I", *values)


@pytest.fixture
def kernels() -> Path:
    """The folder of the project's kernels. Tests that need it are skipped where they are not built."""
    folder = BUILD / "kernels"
    if not (folder / "built").exists():
        pytest.skip("the kernels are not built")
    return folder


@pytest.fixture
def source() -> Path:
    """The folder of the project."""
    return SOURCE
