"""The JSON Schemas that `bhemu schema` prints allow what bhemu reads, and refuse what it refuses."""
from __future__ import annotations

import copy
import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

import bhemu
from conftest import BUILD

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed (Debian: python3-jsonschema)")
yaml = pytest.importorskip("yaml", reason="yaml is not installed (Debian: python3-yaml)")

VALUES = [-1, 0, 3, 7, 16, 1 << 20, 1 << 33, 1 << 64, 1.5, -0.5, "B", "bf16", "tiles", [], [1], [1, 2], [1, 2, 3], {}, {"at": 1}]
# How bhemu says of a value or key that it may not be there.
REFUSED = ("is not allowed; it has to be", "is no key here", "is missing; it has to be", "has no value; it has to be",
           "it has to be a mapping")


def schema(of: str) -> Any:
    """What the command prints, checked to be a schema."""
    ran = subprocess.run([BUILD / "bhemu", "schema", of], check=True, capture_output=True, text=True)
    made = json.loads(ran.stdout)
    validator = jsonschema.Draft7Validator
    validator.check_schema(made)
    return validator(made)


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values within one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*before, key)
        yield from places(item, (*before, key))


def change(job: Any, generator: random.Random) -> None:
    """Removes, adds or replaces something somewhere."""
    path = generator.choice(list(places(job)))
    parent = job
    for key in path[:-1]:
        parent = parent[key]
    what = generator.randrange(4)
    if what == 0:
        del parent[path[-1]]
    elif what == 1 and isinstance(parent, dict):
        parent[generator.choice(["adress", "layout", "by_row", "noc", "cores"])] = generator.choice(VALUES)
    else:
        parent[path[-1]] = generator.choice(VALUES)


def is_text_key(path: tuple[Any, ...]) -> bool:
    """Whether bhemu takes any scalar there as a text."""
    return path[-1] in ("description", "system", "file", "expect", "elf")


def refusal(job: Any, folder: Path) -> str | None:
    """What bhemu says of a job whose values or keys are not allowed."""
    path = folder / "job.yaml"
    path.write_text(yaml.safe_dump(job))
    try:
        bhemu.Job(path).close()
    except bhemu.BhemuError as error:
        said = str(error)
        is_rule = ": tiles is missing" in said  # unless there are chips: no rule about one value
        return said if any(text in said for text in REFUSED) and not is_rule else None
    return None


def files_of(source: Path) -> dict[str, Any]:
    """The YAML files of the project's jobs by their names."""
    return {path.name: yaml.safe_load(path.read_text()) for path in sorted((source / "kernels" / "jobs").glob("*.yaml"))}


def is_system(content: Any) -> bool:
    """Whether a file describes a system, not a job."""
    return isinstance(content.get("chips"), int)


def test_all_files_of_the_project_are_valid(source: Path) -> None:
    job, system = schema("job"), schema("system")
    files = files_of(source)
    assert len(files) >= 20 and any(is_system(content) for content in files.values())
    for name, content in files.items():
        errors = [error.message for error in (system if is_system(content) else job).iter_errors(content)]
        assert errors == [], name


def test_pages_show_valid_files(source: Path, tmp_path: Path) -> None:
    """Blocks of YAML in documents: whole files, or parts of jobs. What names no file that is missing, bhemu reads, too."""
    job, system, count = schema("job"), schema("system"), 0
    for page in ("jobs", "systems"):
        for block in re.findall(r"^```yaml\n(.*?)^```", (source / "docs" / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE):
            content = yaml.safe_load(block)
            if isinstance(content, list):
                content = {"tiles": content}
            if not is_system(content) and "chips" not in content:
                content.setdefault("tiles", [{"at": [1, 2]}])
            errors = [error.message for error in (system if is_system(content) else job).iter_errors(content)]
            assert errors == [], block
            assert is_system(content) or refusal(content, tmp_path) is None, block
            count += 1
    assert count >= 7


def test_systems_are_valid_or_not() -> None:
    validator = schema("system")
    assert not list(validator.iter_errors({"chips": 2, "board": "p150a", "links": [[0, 8, 1, 8]]}))
    assert list(validator.iter_errors({"chips": 2, "boards": "p150a"}))
    assert list(validator.iter_errors({"chips": 2, "links": [[0, 8, 1]]}))
    assert list(validator.iter_errors({"links": []}))


def test_changed_jobs_are_refused_by_both_or_neither(source: Path, tmp_path: Path) -> None:
    validator = schema("job")
    generator = random.Random(7)
    small = [job for job in files_of(source).values() if not is_system(job) and len(list(places(job))) < 200]
    refused = allowed = 0
    for _ in range(800):
        job = copy.deepcopy(generator.choice(small))
        change(job, generator)
        if not job or any(is_text_key(path) and not isinstance(at(job, path), (str, list, dict)) for path in places(job)):
            continue
        errors = [error.message for error in validator.iter_errors(job)]
        said = refusal(job, tmp_path)
        assert bool(errors) == (said is not None), (errors, said, (tmp_path / "job.yaml").read_text())
        refused += bool(errors)
        allowed += not errors
    assert refused > 200 and allowed > 60


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path."""
    for key in path:
        value = value[key]
    return value
