"""A setting by Devito's examples, on the CPU; the seconds are those that Devito counts for its loops, with blocks that it has tried."""

import os

os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")

import devito
import numpy as np
from examples.seismic import AcquisitionGeometry, SeismicModel
from examples.seismic.acoustic import AcousticWaveSolver

from precision import case as cases

WRITTEN = {}


class Runner:
    version = devito.__version__

    def __init__(self, case, _device, _program):
        self.case = case
        self.device = f"CPU, {os.environ.get('OMP_NUM_THREADS', os.cpu_count())} threads"

    def prepare(self, setting):
        case, h = self.case, setting.spacing
        # Its code holds the spacing as a number: lengths are in cells, so that one code serves every spacing. Times are in ms.
        step = 1e3 * setting.step
        model = SeismicModel(
            space_order=setting.order, vp=(1e-3 / h * case.velocity(h)).astype(np.float32), origin=(0.0,) * case.dims,
            shape=case.nodes(h), spacing=(1.0,) * case.dims, nbl=cases.CELLS, bcs="damp", dtype=np.float32, dt=step,
        )
        steps = int(case.duration / setting.step) + 2
        at = lambda positions: np.array(positions) / h
        geometry = AcquisitionGeometry(
            model, at(case.receivers), at([case.source]), 0.0, step * (steps + 1), f0=1e-3 * cases.PEAK, src_type="Ricker"
        )
        geometry.resample(step)
        source = geometry.src
        t = setting.step * np.arange(steps)
        source.data[:] = 0.0
        source.data[:steps, 0] = h**2 * cases.wavelet(t)
        solver = AcousticWaveSolver(model, geometry, space_order=setting.order, kernel=setting.kind or "OT2")
        # The code depends on these alone. To write it takes seconds, and so does a trial of blocks: once each.
        key = case.dims, setting.order, setting.kind
        u = devito.TimeFunction(name="u", grid=model.grid, time_order=2, space_order=setting.order)
        record = geometry.rec
        given = dict(src=source, rec=record, u=u, vp=model.vp, damp=model.damp, dt=step, time_M=steps - 1)
        if key not in WRITTEN:
            operator = solver.op_fwd(None)
            operator.apply(**given, autotune="basic")
            tried = operator._state["autotuning"]
            WRITTEN[key] = operator, tried[-1].get("tuned", {}) if tried else {}
        operator, blocks = WRITTEN[key]

        def run():
            u.data[:] = 0.0
            record.data[:] = 0.0
            summary = operator.apply(**given, **blocks)
            traces = np.array(record.data[:steps]).T / h**case.dims
            return sum(part.time for part in summary.values()), t, traces

        return run
