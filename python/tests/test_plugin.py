"""The pytest plugin, in pytest runs of its own."""
from __future__ import annotations

from pathlib import Path

import pytest

CODE = """
    from conftest import words
    def test_one(device):
        device.tile["1,2"].l1.set_word(0x20000, 7)
    def test_other(device):
        assert device.tile["1,2"].l1.word(0x20000) == 0
    def test_wrong(device):
        tile = device.tile["1,2"]
        tile.l1.write(0x1000, words(0x500002b7, 0x0062a023, 0x6f))
        tile.start("T1", 0x1000)
        try:
            device.run(100)
        except Exception:
            pass
        assert False
    def test_hangs(device):
        tile = device.tile["1,2"]
        tile.l1.write(0x1000, words(0x000202b7, 0x0002a303, 0xfe030ee3))
        tile.start("T2", 0x1000)
        device.run(10)
        assert tile.l1.word(0x30000) == 1
"""


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with tests that use the plugin."""
    pytester.makeconftest("import struct\npytest_plugins = ['bhemu.pytest_plugin']\n"
                          "def words(*values):\n    return struct.pack(f'<{len(values)}I', *values)\n")
    pytester.makepyfile(CODE)
    return pytester


def test_failures_have_diagnostics(inner: pytest.Pytester) -> None:
    """Each test has a fresh device; what is wrong is in the report."""
    result = inner.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines([
        "*bhemu: diagnostics*",
        "error: UndefinedBehavior: tile (1,2) core T1*nothing is mapped there*",
        "*bhemu: where cores and threads are*",
        "*core T2 at 0x0000100*",
    ])


def test_failures_show_the_test_and_the_source(inner: pytest.Pytester, kernels: Path) -> None:
    """Not this package's own lines, and no diagnostic twice."""
    inner.makepyfile(test_hang=f"""
        def test_hang(device):
            device.tile["1,2"].run(T1="{kernels / "eltwise_add.trisc1.elf"}")
            device.tile["1,2"].l1.set_word(0x1610c, 1)
            device.tile["1,2"].l1.set_word(0x16110, 1)
            device.run_to_end()
        def test_address(device):
            device.tile["1,2"].l1.word(0x9000000)
    """)
    result = inner.runpytest_subprocess("-p", "no:cacheprovider", "test_hang.py")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([
        ">*device.run_to_end()",
        "E*Deadlock*thread T1 waits for Src*",
        "E*core T1 at 0x0000*",
        "E*(*math.S:*",
        "*test_hang.py:5: Deadlock",
        ">*l1.word(0x9000000)",
        "E*BadAddress*4 bytes at 0x9000000*",
    ])
    result.stdout.no_fnmatch_line("*device.py*")
    result.stdout.no_fnmatch_line("*where cores and threads are*")


def test_a_finding_fails_the_test(inner: pytest.Pytester) -> None:
    """With --bhemu-check."""
    inner.makepyfile(test_init="""
        from conftest import words
        def test_reads(device):
            tile = device.tile["1,2"]
            tile.l1.write(0x1000, words(0x000202b7, 0x0002a303, 0x0062a223, 0x6f))
            tile.start("T0", 0x1000)
            device.run_to_end()
    """)
    arguments = ("-p", "no:cacheprovider", "test_init.py")
    inner.runpytest_subprocess(*arguments).assert_outcomes(passed=1)
    result = inner.runpytest_subprocess(*arguments, "--bhemu-check")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*initcheck.l1*"])
    inner.runpytest_subprocess(*arguments, "--bhemu-check=memcheck").assert_outcomes(passed=1)
    result = inner.runpytest_subprocess(*arguments, "--bhemu-check=spell")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no tool 'spell'; there are racecheck*"])


def test_a_test_may_close_its_device(inner: pytest.Pytester) -> None:
    """Then there is nothing to check, and nothing to report."""
    inner.makepyfile(test_close="""
        def test_good(device):
            device.close()
        def test_bad(device):
            device.close()
            assert False
    """)
    result = inner.runpytest_subprocess("-p", "no:cacheprovider", "test_close.py", "--bhemu-check")
    result.assert_outcomes(passed=1, failed=1)


def test_each_test_has_a_trace(inner: pytest.Pytester) -> None:
    inner.makepyfile(test_run="""
        import pytest
        @pytest.mark.parametrize("cycles", [1, 2])
        def test_runs(device, cycles):
            device.run(cycles)
    """)
    result = inner.runpytest_subprocess("-p", "no:cacheprovider", "test_run.py", "--bhemu-trace=traces")
    result.assert_outcomes(passed=2)
    names = sorted(path.name for path in (inner.path / "traces").iterdir())
    assert names == ["test_run.py_test_runs_1_.json", "test_run.py_test_runs_2_.json"]


def test_traces_have_names_of_their_own(inner: pytest.Pytester) -> None:
    """Whatever characters the names of tests have, and however many."""
    inner.makepyfile(test_run="""
        import pytest
        @pytest.mark.parametrize("name", ["a/b", "a_b", "a b", "b", "x" * 300, "x" * 301, "\\u00e9"])
        def test_runs(device, name):
            device.run(1)
        @pytest.mark.parametrize("name", ["b"])
        def test_runs_a(device, name):
            device.run(1)
        def test_runs_b_(device):
            device.run(1)
        class Test:
            def test_runs(self, device):
                device.run(1)
    """)
    result = inner.runpytest_subprocess("-p", "no:cacheprovider", "test_run.py", "--bhemu-trace=traces")
    result.assert_outcomes(passed=10)
    names = sorted(path.name for path in (inner.path / "traces").iterdir())
    assert len(names) == 10
    assert {"test_run.py_test_runs_b_.json", "test_run.py_test_runs_a_b_.json"} < set(names)


def test_options_have_help(inner: pytest.Pytester) -> None:
    result = inner.runpytest_subprocess("--help")
    for option in ("mode", "engine", "policy", "check", "trace"):
        result.stdout.re_match_lines([rf"  --bhemu-{option}=.*"])
    result.stdout.fnmatch_lines(["*timed: clocks of devices count*", "*plain: one instruction at a time*", "*what stops a program*"])
