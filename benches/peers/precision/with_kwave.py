"""A setting by k-Wave's solver in Python: NumPy on a CPU (one thread but in its FFT), CuPy on a GPU. Its program in C++ is a download apart."""

import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import numpy as np

from precision import case as cases

# Its __init__ downloads the programs in C++, which are not used here.
found = find_spec("kwave")
sys.modules["kwave"] = ModuleType("kwave")
sys.modules["kwave"].__version__ = version("k-wave-python")
sys.modules["kwave"].__path__ = list(found.submodule_search_locations)

from kwave.solvers.kspace_solver import Simulation


class Runner:
    def __init__(self, case, device, _program):
        self.case, self.on = case, device
        self.version = version("k-wave-python")
        self.device = "CPU, NumPy"
        if device == "gpu":
            import cupy

            self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def prepare(self, setting):
        case, h, step = self.case, setting.spacing, setting.step
        steps = int(case.duration / step) + 2
        pad = lambda field, **how: np.pad(field, cases.CELLS, **how)
        nodes = tuple(n + 2 * cases.CELLS for n in case.nodes(h))
        speed = pad(case.velocity(h), mode="edge")
        mask = lambda positions: sum(one(case.index(p, h), nodes) for p in positions)
        # It adds 2 dt / (dims c h) of its signal to each of its densities, whose sum grows by the integral of ours over the cell, half a step on.
        at = case.velocity(h)[case.index(case.source, h)]
        signal = cases.wavelet_integral(step * (np.arange(steps) + 0.5)) * at * h / 2.0 / h**case.dims
        grid = SimpleNamespace(N=nodes, spacing=(h,) * case.dims, Nt=steps, dt=step)
        medium = SimpleNamespace(sound_speed=speed, density=1.0)
        source = SimpleNamespace(p_mask=mask([case.source]), p=signal[None], p_mode="additive")
        sensor = SimpleNamespace(mask=mask(case.receivers), record=("p",))

        def run():
            simulation = Simulation(
                grid, medium, source, sensor, device=self.on, pml_size=(cases.CELLS,) * case.dims, pml_alpha=(2.0,) * case.dims,
                quiet=True, dtype=np.float32,
            )
            simulation.setup()
            begun = time.perf_counter()
            traces = simulation.run()["p"]
            # Its record of step n is our field n + 1. Receivers come in the order of the nodes, which is that of the case.
            return time.perf_counter() - begun, step * (np.arange(steps) + 1), traces

        return run


def one(index, nodes):
    field = np.zeros(nodes, dtype=bool)
    field[tuple(i + cases.CELLS for i in index)] = True
    return field
