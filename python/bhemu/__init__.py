"""bhemu: an emulator of Tenstorrent's Blackhole chip.

    import bhemu

    with bhemu.Device() as device:
        tile = device.tile["1,2"]
        tile.l1.set_tensor(0x20000, array, "bf16")          # NumPy array to tiles of 32x32
        tile.run(B="brisc.elf", T0="unpack.elf", T1="math.elf", T2="pack.elf")
        print(device.run_to_end().cycles)
        sums = tile.l1.tensor(0x30000, (32, 32), "bf16")     # and back

What goes wrong is raised: Deadlock and Stopped have the diagnostic, with tile, core, pc, cause and source line.
"""
from ._declarations import VERSION as __version__
from . import tensor
from .check import TOOLS, Finding
from .device import DEFAULT_LIMIT, Device, Memory, RunResult, Snapshot, Tile
from .errors import (BadAddress, BadArgument, BadFile, BhemuError, Deadlock, Diagnostic, FileProblem, LostProcess,
                     OutOfMemory, Place, StillRunning, Stopped)
from .job import Job, JobResult
from .system import Chip, System, topology_names
from .tensor import FORMATS
from .watch import Profile, Recording

__all__ = [
    "BadAddress", "BadArgument", "BadFile", "BhemuError", "Chip", "DEFAULT_LIMIT", "Deadlock", "Device",
    "Diagnostic", "FORMATS", "FileProblem", "Finding", "Job", "JobResult", "LostProcess", "Memory", "OutOfMemory",
    "Place", "Profile", "Recording", "RunResult", "Snapshot", "StillRunning", "Stopped", "System", "TOOLS", "Tile",
    "tensor", "topology_names",
]
