"""Every snippet of docs/python.md and of the docstrings is executed, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shutil
from pathlib import Path

import pytest

import posekit
import posekit.lerobot
import posekit.robot

# What Ray says of a busy machine, among what a snippet prints.
RAYLET = re.compile(r"^\S*\(raylet\).*\n", re.MULTILINE)
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/python.md", pytest.param("docs/scale.md", marks=pytest.mark.ray)])
def test_snippets_print_what_the_page_says(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    shutil.copy(root / "testdata" / "clips" / "walk.bvh", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed, count = "", 0
    for kind, text in BLOCK.findall((root / page).read_text()):
        if kind == "python":
            assert printed == "", f"{page}: what the snippet before prints is not on the page"
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, page, "exec"), names)
            printed, count = RAYLET.sub("", out.getvalue()), count + 1
        else:
            assert printed == text
            printed = ""
    assert printed == ""
    assert count >= 1


def test_the_snippet_of_the_readme_prints_joint_values(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ((_, text),) = BLOCK.findall((root / "README.md").read_text())
    exec(compile(text, "README.md", "exec"), {})
    status, *values = capsys.readouterr().out.replace("[", " ").replace("]", " ").split()
    assert status == "REACHED"
    assert len([float(value) for value in values]) == 6
    assert (tmp_path / "arm.png").stat().st_size > 5000


@pytest.mark.parametrize("module", [posekit.robot, posekit.lerobot])
def test_examples_of_docstrings(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_thing_is_documented() -> None:
    for name in posekit.__all__:
        thing = getattr(posekit, name)
        if callable(thing):
            assert (thing.__doc__ or "").strip(), name
    for kind in (posekit.Robot, posekit.Servo, posekit.Clip, posekit.Chain):
        for name in dir(kind):
            if not name.startswith("_"):
                assert (getattr(kind, name).__doc__ or "").strip(), f"{kind.__name__}.{name}"
