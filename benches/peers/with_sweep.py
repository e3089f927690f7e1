"""A job by SWEEP: with_sweep.py FOLDER cpu|gpu [own]. The gather goes to sweep.npy there, in huygens' amplitudes times the cell.

A density is given as impedance beside the velocity. VTI is the first-order system of Duveneck et al. (2008). On a GPU, SWEEP runs compiled kernels; on a CPU it
has none and runs PyTorch's operations. With `own`, it uses its default order in space and cells of layer, and writes sweep-own.npy.
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


class Program:
    """`traces(*parameters(velocity))` are the traces of each shot."""

    def __init__(self, job, folder, device, own=False):
        self.job = job
        load = lambda name: torch.from_numpy(turned(np.load(folder / name))).to(device)
        if job.vti:
            self.epsilon, self.delta = load("epsilon.npy"), load("delta.npy")
        if job.dense:
            self.density = load("density.npy")
        planes, volumes = ((AcousticVTI1st, AcousticVTI1st3D) if job.vti else (AcousticVRZ, AcousticVRZ3D) if job.dense else (Acoustic, Acoustic3D))
        equation = (planes if len(job.nodes) == 2 else volumes)(device=device, **({} if own else dict(spatial_order=job.order)))
        given = dict(receiver_type=["sV"]) if job.vti else {}
        given |= {} if own else dict(abcn=job.cells)
        shape = (job.nodes[-1], *job.nodes[:-1])
        self.propagator = PropTorch(equation, shape=shape, dh=job.spacing, dt=job.step, device=device, **given)
        # The last number of its positions is z.
        positions = lambda nodes: np.array([[*node[:-1][::-1], node[-1]] for node in nodes], dtype=np.int64)
        self.sources = positions(job.source_nodes())
        self.receivers = np.tile(positions(job.receiver_nodes()), (job.shots, 1, 1))
        # It adds samples to the field as they are: huygens adds (v dt)^2 times theirs over the cell. VTI has a rate of pressure.
        velocity, wavelet = np.load(folder / "velocity.npy"), np.load(folder / "wavelet.npy")
        wavelet = np.cumsum(wavelet) if job.vti else wavelet
        scales = [(float(velocity[tuple(node)]) * job.step) ** 2 for node in job.source_nodes()]
        self.wavelets = torch.from_numpy(np.outer(scales, wavelet).astype(np.float32)).to(device)

    def parameters(self, velocity):
        """z is its first axis."""
        velocity = velocity.movedim(-1, 0).contiguous()
        if self.job.vti:
            return [velocity, self.epsilon, self.delta, torch.ones_like(velocity)]
        return [velocity, velocity * self.density] if self.job.dense else [velocity]

    def traces(self, *parameters):
        gathers = self.propagator(self.wavelets, self.sources, self.receivers, models=list(parameters))
        # [shot][time][receiver][field]; its sample n is our field n + 1.
        gathers = gathers.reshape(self.job.shots, self.job.steps, self.job.receivers)
        return torch.nn.functional.pad(gathers[:, :-1], (0, 0, 1, 0)).transpose(1, 2)


def turned(values):
    return np.ascontiguousarray(np.moveaxis(values, -1, 0))


def main(folder, device, own=None):
    job = jobs.read(folder)
    device = torch.device("cuda" if device == "gpu" else "cpu")
    program = Program(job, folder, device, own is not None)
    parameters = program.parameters(torch.from_numpy(np.load(folder / "velocity.npy")).to(device))

    def steps():
        with torch.no_grad():
            traces = program.traces(*parameters)
        if device.type == "cuda":
            torch.cuda.synchronize()
        return traces

    np.save(folder / f"sweep{own and '-own' or ''}.npy", steps().cpu().numpy())
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    report.written(device=name, kernel=program.propagator.impl, version=getattr(sweep, "__version__", None))
    report.again(lambda: report.timed(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3], *[word for word in sys.argv[3:] if word == "own"])
