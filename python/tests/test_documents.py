"""What docs/python.md shows: its Python is run from top to bottom, and prints what it says; types are right."""
from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import BUILD


def test_the_page_prints_what_it_shows(kernels: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of Python, and behind it, where it prints, a block of text."""
    monkeypatch.chdir(source)
    text = (source / "docs" / "python.md").read_text()
    blocks = re.findall(r"```(python|text)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, object] = {}
    printed = io.StringIO()
    for kind, block in blocks:
        if kind == "text":
            assert printed.getvalue() == block
            printed = io.StringIO()
            continue
        assert printed.getvalue() == ""
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
    assert printed.getvalue() == ""


def test_the_example_draws_a_picture(kernels: Path, source: Path, tmp_path: Path) -> None:
    """python/examples/matmul_picture.py"""
    picture = tmp_path / "product.png"
    ran = subprocess.run([sys.executable, source / "python/examples/matmul_picture.py", picture], check=True,
                         capture_output=True, text=True, cwd=source, env={**os.environ, "BHEMU_BUILD": str(BUILD)})
    assert "the largest difference is 0" in ran.stdout
    assert picture.read_bytes().startswith(b"\x89PNG\r\n") and len(picture.read_bytes()) > 1000


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="types are the same in all builds")
def test_types_are_right(source: Path) -> None:
    """mypy --strict of the package and its tests, where it is installed."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed (Debian: mypy)")
    package = BUILD / "python"
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, package / "bhemu",
                          source / "python" / "tests"],
                         check=False, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(package)})
    assert ran.returncode == 0, ran.stdout
