"""pip install . in an environment of its own, without a network."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import BUILD


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="python3 -m venv leaks")
def test_pip_installs_offline(source: Path, tmp_path: Path) -> None:
    """The wheel has the library; the plugin is found without being named."""
    place = tmp_path / "with a space"
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", place], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("python3 has no venv (Debian: python3-venv)")
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "BHEMU_BUILD": str(BUILD)}
    for name in ("PYTHONPATH", "BHEMU_LIBRARY"):
        environment.pop(name, None)
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", source], env=environment, check=True, capture_output=True)
    (tmp_path / "test_it.py").write_text("def test_it(device):\n    assert device.clock == 0\n")
    ran = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"], env=environment,
                         cwd=tmp_path, check=False, capture_output=True, text=True)
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr
    where = subprocess.run([python, "-c", "import bhemu; print(bhemu.__file__)"], env=environment, cwd=tmp_path,
                           check=True, capture_output=True, text=True).stdout
    assert where.startswith(str(place))


def test_the_build_sees_the_packages_of_the_system(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip hides them by PYTHONPATH; the Python that makes the declarations needs pycparser."""
    spec = importlib.util.spec_from_file_location("backend", source / "python" / "backend" / "bhemu_build.py")
    assert spec and spec.loader
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    ran: list[dict[str, str]] = []
    monkeypatch.setattr(backend.subprocess, "run", lambda *_, env, **__: ran.append(env))
    monkeypatch.setattr(backend.shutil, "which", lambda _: "/usr/bin/cmake")
    monkeypatch.setenv("PYTHONPATH", "/hides/the/system")
    monkeypatch.delenv("BHEMU_BUILD", raising=False)
    try:
        backend._package()  # pylint: disable=protected-access
    except SystemExit:
        pass  # the clone's own build folder is not built
    assert [name for name in ran[0] if name.startswith("PYTHON")] == [] and ran[0]["PATH"] == os.environ["PATH"]
