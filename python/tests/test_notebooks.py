"""The notebooks of python/notebooks: their code runs from top to bottom, and shows what they say."""

import json
import pathlib
import shutil

import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("backend"), pytest.mark.filterwarnings("ignore::UserWarning")]
NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"


def run(name):
    """Runs the cells of a notebook, and gives what it has at its end."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())
    scope = {}
    for cell in notebook["cells"]:
        assert not cell.get("outputs"), "outputs are not kept: they would go stale"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), scope)
    return scope


def test_each_notebook_is_tested():
    tests = pathlib.Path(__file__).read_text()
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        assert f'"{notebook.stem}"' in tests, notebook


def test_the_source_is_located():
    ended = run("locate")
    for found in (ended["located"], ended["worse"]):
        assert np.linalg.norm(np.subtract(found.sources[0]["at"], (6000, 0, 1000))) < 40
    slow, _, fast = (of["at"][2] for of in ended["found"].values())
    assert slow > 1030 and fast < 970, "too slow is too deep"


def test_the_reflector_is_imaged():
    ended = run("image")
    assert np.array_equal(ended["again"].image, ended["image"].image)
    slow, right, fast = ended["depths"].values()
    # Depths are those of nodes, 10 m apart.
    assert abs(right - 400) <= 20 and slow < right <= fast


def test_the_model_is_inverted():
    ended = run("invert")
    assert all(misfits[-1] < 0.5 * misfits[0] for misfits in ended["inverted"].misfits)


def test_the_ladder_is_climbed():
    if not shutil.which("huygens"):
        pytest.skip("NOT RUN: the command is not installed")
    ended = run("ladder")
    assert ended["rungs"]["CPU, one thread"] > 0


def test_the_inversion_of_deepwave_and_torch_is_that_of_huygens():
    for module in ("scipy", "matplotlib", "torch", "deepwave"):
        pytest.importorskip(module, reason=f"NOT RUN: {module} is not installed")
    import matplotlib

    matplotlib.use("agg")
    ended = run("fwi_from_deepwave")
    assert ended["apart"] < 0.02 and ended["models_apart"] < 0.01
    changes = float((ended["theirs"] - ended["start"]).norm() / ended["theirs"].norm())
    assert ended["models_apart"] < 0.2 * changes, "the test sees the changes"
    assert ended["our_losses"][-1] < 0.6 * ended["our_losses"][0]
    start, theirs, ours = (ended[of] for of in ("start", "their_second", "our_second"))
    apart = ended["apart_of"]
    assert apart(ours, theirs) < 0.01 < apart(start, theirs), "and those of the second attempt"
