"""HUYGENS_BACKEND names the backend under test; the CPU by default."""

import os

import pytest

from huygens import run

BACKEND = os.environ.get("HUYGENS_BACKEND", "cpu")


@pytest.fixture
def backend(monkeypatch):
    """Engines of no name are those of the backend under test."""
    monkeypatch.setitem(run._engines, "auto", run._engine(BACKEND))
