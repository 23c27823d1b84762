"""What tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import matplotlib
import pytest

import posekit

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]


def lacking(what: str) -> NoReturn:
    """Skip a test for lack of something; with `CI=true` it fails, because a server must have it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; with CI=true no test is skipped", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session", name="lacking")
def _lacking() -> Callable[[str], NoReturn]:
    """Return the function for tests that lack something in themselves."""
    return lacking


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need third-party robots and motions."""
    for item in items:
        if "assets" in getattr(item, "fixturenames", ()):
            item.add_marker("assets")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def assets() -> Path:
    """Return the folder of third-party robots and motions."""
    folder = Path(os.environ.get("POSEKIT_ASSETS", ROOT.parent / "shared" / "assets"))
    if not folder.is_dir():
        lacking(f"no assets at {folder}; set POSEKIT_ASSETS")
    return folder


@pytest.fixture(scope="session")
def arm() -> posekit.Robot:
    """Return a six-axis arm."""
    return posekit.Robot.from_urdf(posekit.ARM6)


@pytest.fixture(scope="session")
def panda(assets: Path) -> posekit.Robot:
    """Return a seven-axis arm."""
    return posekit.Robot.from_urdf(assets / "urdf" / "panda_arm_hand.urdf", tip="panda_hand")


@pytest.fixture(scope="session")
def command() -> Path:
    """Return the command, as the tests of the workspace have built it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = target / "debug" / ("posekit.exe" if os.name == "nt" else "posekit")
    if not path.is_file():
        lacking("the command is not built: cargo build --package posekit-cli")
    return path
