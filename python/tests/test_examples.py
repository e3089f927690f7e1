"""The programs of python/examples, in their small size: what they show is so."""

import os
import pathlib
import runpy
import sys

import pytest

pytestmark = pytest.mark.usefixtures("backend")
EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs an example, and gives what it has at its end and the sizes of its pictures."""
    # `cargo xtask figures` takes the pictures of the manual from there.
    folder = pathlib.Path(os.environ.get("HUYGENS_MANUAL", tmp_path)) / "python-examples"
    folder.mkdir(parents=True, exist_ok=True)

    def run(name, *pictures):
        monkeypatch.setattr(sys, "argv", [name, str(folder)])
        ended = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        for picture in pictures:
            assert (folder / f"{picture}.png").stat().st_size > 10_000, picture
        return ended

    return run


def test_each_example_is_tested():
    tests = pathlib.Path(__file__).read_text()
    for example in EXAMPLES.glob("*.py"):
        assert f'"{example.stem}"' in tests, example


def test_the_first_shot_is_reflected_at_its_time(run):
    ended = run("first_shot", "first-shot", "first-shot-wave")
    assert abs(ended["heard"] - ended["expected"]) < 0.01


def test_the_image_of_a_survey_is_strongest_at_an_interface(run):
    ended = run("survey_and_rtm", "survey", "rtm")
    assert abs(ended["strongest"] - ended["nearest"]) <= ended["spacing"]


@pytest.mark.parametrize("name, picture, most", [("fwi_gaussian", "fwi-gaussian", 0.6), ("fwi_salt", "fwi-salt", 0.95)])
def test_an_inversion_comes_nearer_to_the_model(run, name, picture, most):
    assert run(name, picture)["left"] < most


def test_scipy_comes_nearer_to_the_model(run):
    pytest.importorskip("scipy", reason="NOT RUN: scipy is not installed")
    ended = run("scipy_lbfgsb", "scipy")
    assert ended["result"].fun < 0.05 and ended["left"] < 0.7


def test_traces_are_those_of_deepwave_and_a_loss_of_torch_falls(run):
    pytest.importorskip("torch", reason="NOT RUN: torch is not installed")
    pytest.importorskip("deepwave", reason="NOT RUN: Deepwave is not installed")
    ended = run("from_deepwave", "from-deepwave")
    assert ended["apart"] < 0.01 and ended["losses"][-1] < 0.95 * ended["losses"][0]
