"""The declarations of the package are those of the C library's headers."""
from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bhemu
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


def import_with(library: Path, **environment: str) -> str:
    """What is said when the package is imported with this library."""
    ran = subprocess.run([sys.executable, "-c", "import bhemu; print(bhemu.__version__)"], capture_output=True, text=True,
                         check=False, env={**os.environ, "BHEMU_LIBRARY": str(library), **environment})
    return ran.stdout + ran.stderr


def test_a_library_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Not loadable, of another kind, or of another version: before anything is called with wrong declarations."""
    assert import_with(BUILD / "libbhemu.so") == f"{declarations.VERSION}\n"
    assert "no-library.so can not be loaded" in import_with(tmp_path / "no-library.so")
    assert re.search(r"ImportError: .*has no bh_\w+\(\)", import_with(Path("libc.so.6")))
    package = tmp_path / "bhemu"
    shutil.copytree(Path(bhemu.__file__).parent, package, ignore=shutil.ignore_patterns("*.so"))
    text = (package / "_declarations.py").read_text()
    (package / "_declarations.py").write_text(text.replace(f'VERSION = "{declarations.VERSION}"', 'VERSION = "0.0.9"'))
    said = import_with(BUILD / "libbhemu.so", PYTHONPATH=str(tmp_path))
    assert f"is of version {declarations.VERSION}, this package of version 0.0.9" in said


def test_every_function_is_declared() -> None:
    """All names that the library exports begin with bh_ and have a declaration."""
    library = BUILD / "libbhemu.so"
    printed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in printed.splitlines()}
    exported = {name for name in exported if not name.startswith(("_", "__odr_asan"))}
    assert exported - set(declarations.FUNCTIONS) == set()
    assert set(declarations.FUNCTIONS) - exported == set()
