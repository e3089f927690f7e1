"""A job by Devito's examples, on the CPU: with_devito.py FOLDER. The gather goes to devito.npy there, in its own amplitudes."""

import os
import sys
from pathlib import Path

os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")

import devito
import numpy as np
from examples.seismic import AcquisitionGeometry, SeismicModel
from examples.seismic.acoustic import AcousticWaveSolver

import jobs
import report


def main(folder):
    job = jobs.read(folder)
    # In ms and km/s. Neither the first nor the last of its samples is a step.
    step, spacing = 1e3 * job.step, (job.spacing,) * len(job.nodes)
    model = SeismicModel(
        space_order=job.order, vp=np.load(folder / "velocity.npy") / np.float32(1e3), origin=(0.0,) * len(spacing),
        shape=job.nodes, spacing=spacing, nbl=job.cells, bcs="damp", dtype=np.float32, dt=step,
    )
    metres = lambda nodes: job.spacing * np.array(nodes, dtype=np.float64)
    sources, wavelet = metres(job.source_nodes()), np.load(folder / "wavelet.npy")
    geometry = AcquisitionGeometry(
        model, metres(job.receiver_nodes()), sources[:1], 0.0, step * (job.steps + 1), f0=1e-3 * job.peak, src_type="Ricker",
    )
    geometry.resample(step)
    source, solver = geometry.src, AcousticWaveSolver(model, geometry, space_order=job.order)
    source.data[:] = 0.0
    source.data[: job.steps, 0] = wavelet

    def steps(**options):
        """The gathers, one shot after another, and the seconds that Devito counts for its loops."""
        gathers, seconds = [], 0.0
        for at in sources:
            source.coordinates.data[0] = at
            record, _, summary = solver.forward(src=source, dt=step, **options)
            gathers.append(np.array(record.data[: job.steps]).T)
            seconds += sum(part.time for part in summary.values())
        return gathers, seconds

    np.save(folder / "devito.npy", steps()[0])
    report.written(device=f"CPU, {os.environ.get('OMP_NUM_THREADS', os.cpu_count())} threads", version=devito.__version__)
    # The sizes of its blocks, chosen by trial once.
    steps(autotune="aggressive")
    tried = solver.op_fwd(None)._state["autotuning"]
    blocks = tried[-1].get("tuned", {}) if tried else {}
    report.again(lambda: steps(**blocks)[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
