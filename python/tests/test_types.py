"""The types of the package, as mypy reads them."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="NOT RUN: mypy is not installed")
EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run_module(*words, folder):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_and_the_package_are_strict(tmp_path):
    strict = ("mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"))
    run_module(*strict, "-p", "huygens", folder=tmp_path)
    run_module(*strict, "--scripts-are-modules", *map(str, EXAMPLES.glob("*.py")), folder=tmp_path)


def test_the_stub_is_that_of_the_module(tmp_path):
    run_module("mypy.stubtest", "huygens._huygens", "--ignore-missing-stub", "--ignore-disjoint-bases", folder=tmp_path)
