"""Jobs from files and from dicts."""
from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bhemu
from conftest import SELF_JUMP, words


def adding(kernels: Path) -> dict[str, Any]:
    """A job that adds two arrays of 64x64."""
    return {
        "tiles": [{
            "at": [1, 2],
            "programs": [{"core": f"T{number}", "elf": kernels / f"eltwise_add.trisc{number}.elf"}
                         for number in range(3)],
            "words": [{"address": 0x16100, "values": [0x30000, 0x40000, 0x50000, 2, 2, 1, 0]}],
            "inputs": [{"file": "a.npy", "address": 0x30000, "format": "bf16", "layout": "tiles"},
                       {"file": "b.npy", "address": 0x40000, "format": "bf16", "layout": "tiles"}],
            "outputs": [{"file": "sum.npy", "address": 0x50000, "shape": [64, 64], "format": "bf16", "layout": "tiles"}],
        }]
    }


def put_inputs(folder: Path) -> tuple[Any, Any]:
    """Two arrays, and their files."""
    generator = np.random.default_rng(3)
    a, b = (generator.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(2))
    np.save(folder / "a.npy", a)
    np.save(folder / "b.npy", b)
    return a, b


@pytest.mark.parametrize("mode", ["functional", "timed"])
def test_the_projects_jobs_run(mode: str, kernels: Path, source: Path) -> None:
    for name in ("matmul32_hifi4", "eltwise_add", "credits", "link_copy"):
        with_job = bhemu.Job(source / f"kernels/jobs/{name}.yaml")
        result = with_job.run(mode=mode)
        assert (result.run.reason, result.compared > 0, result.differ) == ("idle", True, 0), result.mismatch
        assert result.digest == with_job.run(mode=mode, engine="plain").digest


def test_a_dict_is_a_job(kernels: Path, tmp_path: Path) -> None:
    a, b = put_inputs(tmp_path)
    result = bhemu.Job(adding(kernels), tmp_path).run(check=True)
    assert list(result.outputs) == ["sum.npy"] and np.array_equal(result.outputs["sum.npy"], a + b)
    assert result.findings == [] and result.diagnostics == []
    assert not (tmp_path / "sum.npy").exists()
    result = bhemu.Job(adding(kernels), tmp_path).run(output_folder=tmp_path)
    assert list(result.outputs) == ["sum.npy"] and (tmp_path / "sum.npy").exists()


def test_outputs_are_found_where_they_are(kernels: Path, tmp_path: Path) -> None:
    """In folders, which need not be there; and outside of the folder of outputs only where one is given."""
    a, b = put_inputs(tmp_path)
    (tmp_path / "out").mkdir()
    job = adding(kernels)
    output = job["tiles"][0]["outputs"][0]
    for name in ("deep/down/sum.npy", "sum", "./up/../sum.npy"):
        output["file"] = name
        outputs = bhemu.Job(job, tmp_path).run().outputs
        assert list(outputs) == [name] and np.array_equal(outputs[name], a + b)
    for name in ("../beside.npy", "deep/../../beside.npy", str(tmp_path / "whole.npy")):
        output["file"] = name
        with pytest.raises(bhemu.BadArgument, match=f"output {name} is outside"):
            bhemu.Job(job, tmp_path).run()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy", "out"]
    for name, path in (("../beside.npy", "beside.npy"), (str(tmp_path / "whole.npy"), "whole.npy")):
        output["file"] = name
        outputs = bhemu.Job(job, tmp_path).run(output_folder=tmp_path / "out").outputs
        assert list(outputs) == [name] and np.array_equal(outputs[name], np.load(tmp_path / path))


def test_a_dict_may_have_arrays(kernels: Path, tmp_path: Path) -> None:
    """In place of their files, which go with the job."""
    generator = np.random.default_rng(3)
    a, b = (generator.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(2))
    dictionary = adding(kernels)
    tile = dictionary["tiles"][0]
    tile["inputs"][0]["file"], tile["inputs"][1]["file"], tile["outputs"][0]["expect"] = a, b, a + b
    job = bhemu.Job(dictionary, tmp_path)
    result = job.run()
    assert (result.compared, result.differ) == (1, 0), result.mismatch
    assert np.array_equal(result.outputs["sum.npy"], a + b) and list(tmp_path.iterdir()) == []
    tile["outputs"][0]["expect"] = a
    assert bhemu.Job(dictionary, tmp_path).run().differ == 1
    job.close()
    with pytest.raises(bhemu.BhemuError, match="the job is closed"):
        job.run()


def test_an_output_that_differs_is_described(kernels: Path, tmp_path: Path) -> None:
    a, b = put_inputs(tmp_path)
    expected = a + b
    expected[3, 5] += 1
    np.save(tmp_path / "expected.npy", expected)
    job = adding(kernels)
    job["tiles"][0]["outputs"][0]["expect"] = "expected.npy"
    result = bhemu.Job(job, tmp_path).run()
    assert (result.compared, result.differ) == (1, 1)
    assert "1 of 4096" in result.mismatch and "3" in result.mismatch


def test_jobs_that_make_no_sense_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(bhemu.BadFile, match=r"job:\d+: core: 'T9' is not allowed"):
        bhemu.Job({"tiles": [{"at": [1, 2], "programs": [{"core": "T9", "elf": "a.elf"}]}]})
    with pytest.raises(bhemu.BadFile, match=r"job:2: 'tile' is no key here"):
        bhemu.Job({"tile": []})
    with pytest.raises(bhemu.FileProblem, match="none.yaml"):
        bhemu.Job(tmp_path / "none.yaml")
    with pytest.raises(bhemu.BhemuError, match="a job can not have a set"):
        bhemu.Job({"tiles": {1}})
    (tmp_path / "job.yaml").write_text("tiles:\n  - at: [1, 2]\n    program: []\n")
    with pytest.raises(bhemu.BadFile, match="job.yaml:3: "):
        bhemu.Job(tmp_path / "job.yaml")
    with pytest.raises(bhemu.FileProblem, match="none.npy"):
        bhemu.Job({"tiles": [{"at": [1, 2], "inputs": [
            {"file": "none.npy", "address": 0x20000, "format": "bf16"}]}]}, tmp_path).run()


def test_programs_that_stop_raise(kernels: Path, source: Path) -> None:
    with pytest.raises(bhemu.Stopped, match="wild_store.c:7") as raised:
        bhemu.Job(source / "kernels/broken/wild_store.yaml").run()
    given = raised.value.diagnostic
    assert given is not None and given.source is not None
    assert (given.name, given.category) == ("T1", "UndefinedBehavior") and "wild_store.c:7" in given.source
    with pytest.raises(bhemu.Deadlock, match="nobody writes it"):
        bhemu.Job(source / "kernels/broken/forgotten_flag.yaml").run()


def test_prints_are_kept(kernels: Path, source: Path) -> None:
    heard: list[str] = []
    result = bhemu.Job(source / "kernels/jobs/hello.yaml").run(on_print=heard.append)
    assert len(result.printed) >= 10 and heard == result.printed
    assert any(line.startswith("2-2 NC: ") for line in heard)


def test_an_interrupt_ends_a_job(tmp_path: Path) -> None:
    elf = tmp_path / "loop.elf"
    elf.write_bytes(_elf(0x1000, words(0x00130313, 0xFFDFF06F, SELF_JUMP)))
    job = bhemu.Job({"limit": 10**15, "tiles": [{"at": [1, 2], "programs": [{"core": "T0", "elf": elf}]}]})
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        job.run()


def _elf(address: int, code: bytes) -> bytes:
    """An executable with one segment."""
    from struct import pack

    header = b"\x7fELF\x01\x01\x01" + bytes(9) + pack("<HHIIIIIHHHHHH", 2, 243, 1, address, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    return header + pack("<8I", 1, 84, address, address, len(code), len(code), 5, 4) + code


def test_findings_of_the_checker(tmp_path: Path) -> None:
    """A program that reads what nobody wrote, and one that does not."""
    program = tmp_path / "read.elf"
    program.write_bytes(_elf(0x1000, words(0x000202B7, 0x0002A303, 0x0062A223, SELF_JUMP)))
    tile: dict[str, Any] = {"at": [1, 2], "programs": [{"core": "T0", "elf": program}]}
    (finding,) = bhemu.Job({"tiles": [tile]}).run(check=["initcheck"]).findings
    assert finding.rule == "initcheck.l1"
    tile["words"] = [{"address": 0x20000, "values": [7]}]
    assert bhemu.Job({"tiles": [tile]}).run(check=["initcheck"]).findings == []
    with pytest.raises(bhemu.BadArgument, match="no tool 'spell'"):
        bhemu.Job({"tiles": [tile]}).run(check=["spell"])


@pytest.mark.parametrize("text", ["\U0001F600", "\\\U0001F600\\", "\\ud83d\\ude00", "\"\U0010FFFF\u20ac\""])
def test_texts_may_have_any_character(text: str, tmp_path: Path) -> None:
    name = text.replace("\\", "-").replace("\"", "-") + ".npy"
    np.save(tmp_path / name, np.ones((32, 32), np.float32))
    place: dict[str, object] = {"file": name, "address": 0x20000, "format": "fp32", "layout": "rows"}
    tile = {"at": [1, 2], "inputs": [place], "outputs": [place | {"shape": [32, 32]}]}
    (found,) = bhemu.Job({"description": text, "tiles": [tile]}, tmp_path).run().outputs.items()
    assert found[0] == name and found[1].sum() == 1024
