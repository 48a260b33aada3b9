"""The declarations of the package are those of the C library's headers."""
from __future__ import annotations

import ctypes
import subprocess

from bhemu import _declarations as declarations
from bhemu._library import lib
from conftest import BUILD


def test_layouts_are_those_of_the_compiler() -> None:
    """Sizes of structs, offsets of members, values of constants: as a program prints them that includes the headers."""
    printed = subprocess.run([BUILD / "python" / "python_layout"], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in printed.splitlines()]
    assert len(lines) > 500
    wrong = []
    for name, value in lines:
        here = declarations
        first, _, member = name.partition(".")
        if first in declarations.FUNCTIONS:
            found = int(hasattr(lib, first)) if first not in vars(declarations) else int(value)
        elif member:
            found = getattr(getattr(here, first), member).offset
        elif isinstance(getattr(here, first), int):
            found = getattr(here, first)
        else:
            found = ctypes.sizeof(getattr(here, first))
        if found != int(value):
            wrong.append((name, value, found))
    assert wrong == []


def test_every_function_is_declared() -> None:
    """All names that the library exports begin with bh_ and have a declaration."""
    library = BUILD / "libbhemu.so"
    printed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in printed.splitlines()}
    exported = {name for name in exported if not name.startswith(("_", "__odr_asan"))}
    assert exported - set(declarations.FUNCTIONS) == set()
    assert set(declarations.FUNCTIONS) - exported == set()
