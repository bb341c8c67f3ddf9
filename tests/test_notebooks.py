"""The notebooks: clean in git, and they run from top to bottom as a newcomer would run them."""

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from engine import kernel

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

# The tests' own agents count in the fingerprint of compiled code; a notebook that knows them finds what was compiled,
# and has to find their modules, too: what was compiled for them stands in the same indexes.
PRELUDE = """
import sys
from engine.kernel import include_source
sys.path.append({root!r})
for path in {sources!r}:
    include_source(path)
"""


def test_there_are_three_and_the_readme_names_them():
    assert [path.stem for path in NOTEBOOKS] == ["benchmark_your_own_bot", "play_and_look", "tune_task_1"]
    readme = (FOLDER / "README.md").read_text()
    assert all(f"({path.name})" in readme for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_holds_no_outputs(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    nbformat.validate(content)
    for cell in content["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    sources = sorted(str(source) for source in kernel._sources)
    prelude = nbformat.v4.new_code_cell(PRELUDE.format(root=str(FOLDER.parent), sources=sources))
    notebook.cells = [prelude, *notebook.cells]
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == (0 if path.stem == "play_and_look" else 1)
