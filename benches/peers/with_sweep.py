"""A job by SWEEP: with_sweep.py FOLDER cpu|gpu [own]. The gather goes to sweep.npy there, in huygens' amplitudes times the cell.

Of a density its equation has velocity and impedance, of VTI the first-order system of Duveneck et al. (2008). On a GPU it runs its compiled kernels;
on a CPU PyTorch's, which are so slow that measure.py leaves them out. With `own` it keeps its own order in space and cells of layer.
"""

import sys
from pathlib import Path

import numpy as np
import sweep
import torch
from sweep.equations import Acoustic, Acoustic3D, AcousticVRZ, AcousticVRZ3D, AcousticVTI1st, AcousticVTI1st3D
from sweep.propagator.torch import PropTorch

import jobs
import report


def main(folder, device, own=None):
    job = jobs.read(folder)
    device = torch.device("cuda" if device == "gpu" else "cpu")
    volume = len(job.nodes) == 3
    # z is its first axis, and the last number of its positions is z.
    turned = lambda name: np.ascontiguousarray(np.moveaxis(np.load(folder / name), -1, 0))
    velocity = turned("velocity.npy")
    if job.vti:
        models = [velocity, turned("epsilon.npy"), turned("delta.npy"), np.ones_like(velocity)]
        Equation = AcousticVTI1st3D if volume else AcousticVTI1st
    elif job.dense:
        models = [velocity, velocity * turned("density.npy")]
        Equation = AcousticVRZ3D if volume else AcousticVRZ
    else:
        models, Equation = [velocity], Acoustic3D if volume else Acoustic
    models = [torch.from_numpy(values).to(device) for values in models]
    positions = lambda nodes: np.array([[*node[:-1][::-1], node[-1]] for node in nodes], dtype=np.int64)
    sources = positions(job.source_nodes())
    receivers = np.tile(positions(job.receiver_nodes()), (job.shots, 1, 1))
    # It adds samples to the field as they are: huygens adds (v dt)^2 times theirs over the cell.
    scale = (float(np.load(folder / "velocity.npy")[tuple(job.source_nodes()[0])]) * job.step) ** 2
    wavelet = (scale * np.load(folder / "wavelet.npy")).astype(np.float32)
    equation = Equation(device=device, **({} if own else dict(spatial_order=job.order)))
    given = dict(receiver_type=["sV"]) if job.vti else {}
    given |= {} if own else dict(abcn=job.cells)
    propagator = PropTorch(equation, shape=velocity.shape, dh=job.spacing, dt=job.step, device=device, **given)

    def steps():
        with torch.no_grad():
            gathers = propagator(wavelet, sources, receivers, models=models)
        if device.type == "cuda":
            torch.cuda.synchronize()
        return gathers

    # [shot][time][receiver][field]; its sample n is our field n + 1.
    gathers = steps().cpu().numpy().reshape(job.shots, job.steps, job.receivers)
    np.save(folder / f"sweep{own and '-own' or ''}.npy", np.pad(gathers[:, :-1], ((0, 0), (1, 0), (0, 0))).transpose(0, 2, 1))
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    report.written(device=name, kernel=propagator.impl, version=getattr(sweep, "__version__", None))
    report.again(lambda: report.timed(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3], *[word for word in sys.argv[3:] if word == "own"])
