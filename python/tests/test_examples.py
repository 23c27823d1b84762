"""The notebooks of python/examples run, print what they show, and are small. `jupyter execute --inplace` runs them anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.ipynb"))


def printed(notebook: Any) -> list[str]:
    """Return what each cell of code prints."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [[output for output in cell.outputs if output.output_type == "stream"] for cell in cells]
    return ["".join(output.text for output in of) for of in outputs]


def pictures(notebook: Any) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_notebooks_print_and_draw_what_they_show(path: Path) -> None:
    shown = nbformat.read(path, as_version=4)
    nbformat.validate(shown)
    assert path.stat().st_size < 300_000
    run = nbformat.read(path, as_version=4)
    NotebookClient(
        run, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    assert printed(run) == printed(shown)
    assert pictures(run) == pictures(shown) >= 1
