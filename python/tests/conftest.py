"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib
import pytest

import posekit

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def assets() -> Path:
    """Return the folder of third-party robots and motions; tests that need it are skipped without one."""
    folder = Path(os.environ.get("POSEKIT_ASSETS", ROOT.parent / "shared" / "assets"))
    if not folder.is_dir():
        pytest.skip("POSEKIT_ASSETS names no folder")
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
        pytest.skip("the command is not built: cargo build --package posekit-cli")
    return path
