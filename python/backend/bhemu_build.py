"""Builds the package for pip: `pip install .` in the project's folder, also without a network.

Nothing but CMake's build is behind it: the files of build/python/bhemu, which are made first where they are not there
(BHEMU_BUILD names another build folder). A wheel has the library, so that using it takes no compiler.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
NAME = "bhemu"


def _version() -> str:
    found = re.search(r"project\(bhemu VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())
    if not found:
        raise SystemExit("CMakeLists.txt names no version")
    return found[1]


def _package() -> Path:
    """The folder of the built package."""
    build = Path(os.environ.get("BHEMU_BUILD", SOURCE / "build"))
    if build == SOURCE / "build":
        if not shutil.which("cmake"):
            raise SystemExit("bhemu: CMake is missing: scripts/bootstrap says what building takes")
        # pip hides the packages of the system from every Python below it: the one that makes the declarations needs them.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        subprocess.run([SOURCE / "scripts" / "build", "release", "python"], check=True, env=environment)
    package = build / "python" / NAME
    if not (package / "libbhemu.so").exists():
        raise SystemExit(f"bhemu: {package} is not built: `make` builds it, or says what is missing")
    return package


def _metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}",
        "Summary: An emulator of Tenstorrent's Blackhole chip", "Requires-Python: >=3.9", "Requires-Dist: numpy", ""])


def _tag() -> str:
    return "py3-none-" + re.sub(r"[.-]", "_", sysconfig.get_platform())


def _hooks() -> dict[str, str]:
    """The files of the wheel's .dist-info, but RECORD."""
    return {
        "METADATA": _metadata(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: bhemu\nRoot-Is-Purelib: false\nTag: {_tag()}\n",
        "entry_points.txt": "[pytest11]\nbhemu = bhemu.pytest_plugin\n",
    }


def _write(path: Path, files: dict[str, bytes]) -> None:
    info = f"{NAME}-{_version()}.dist-info"
    files = {**files, **{f"{info}/{name}": text.encode() for name, text in _hooks().items()}}
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
            wheel.writestr(name, data)
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """PEP 517: writes the wheel; returns its file's name."""
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    package = _package()
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    _write(Path(wheel_directory) / name, files)
    return name


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """PEP 660: a wheel that points to the build folder: `pip install -e .`"""
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    _write(Path(wheel_directory) / name, {f"{NAME}.pth": f"{_package().parent}\n".encode()})
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """PEP 517: an archive of the files that git knows."""
    base = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True, check=True).stdout
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in listed.decode().rstrip("\0").split("\0"):
            archive.add(SOURCE / file, f"{base}/{file}")
        info = Path(sdist_directory) / "PKG-INFO"
        info.write_text(_metadata())
        archive.add(info, f"{base}/PKG-INFO")
        info.unlink()
    return f"{base}.tar.gz"
