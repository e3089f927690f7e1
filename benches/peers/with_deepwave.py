"""A job by Deepwave: with_deepwave.py FOLDER cpu|gpu. The gather goes to deepwave.npy there, in huygens' amplitudes times the cell."""

import sys
from pathlib import Path

import deepwave
import numpy as np
import torch

import jobs
import report


class Program:
    """`traces(*parameters(velocity))` are the traces of each shot; `every` is the number of steps between the products of a gradient."""

    def __init__(self, job, folder, device, every=1):
        self.job = job
        load = lambda name: torch.from_numpy(np.load(folder / name)).to(device)
        wavelet = torch.from_numpy(np.load(folder / "wavelet.npy").astype(np.float32))
        amplitudes = wavelet.expand(job.shots, 1, -1).contiguous().to(device)
        sources = torch.tensor(job.source_nodes())[:, None].to(device)
        receivers = torch.tensor(job.receiver_nodes()).expand(job.shots, -1, -1).contiguous().to(device)
        self.given = dict(
            accuracy=job.order, pml_width=job.cells, pml_freq=job.peak, location_interpolation="none", model_gradient_sampling_interval=every,
        )
        at_sources = lambda values: torch.tensor([float(values[tuple(node)]) for node in job.source_nodes()], device=device)[:, None, None]
        if job.vti:
            # Its axis of symmetry is the first one. Of a density of 1.
            self.epsilon, self.delta = load("epsilon.npy"), load("delta.npy")
            sources, receivers = sources.roll(1, -1), receivers.roll(1, -1)
            rates = job.step * at_sources(load("velocity.npy")) ** 2 * amplitudes.cumsum(-1)
            self.given |= dict(source_amplitudes_pressure_rate=rates, source_locations_pressure_rate=sources, receiver_locations_p=receivers)
        elif job.dense:
            # It injects a rate of volume: the sum of b f, with b = 1/rho at the source.
            self.density = load("density.npy")
            rates = job.step * amplitudes.cumsum(-1) / at_sources(self.density)
            self.given |= dict(source_amplitudes_volume_rate=rates, source_locations_volume_rate=sources, receiver_locations_p=receivers)
        else:
            self.given |= dict(source_amplitudes=amplitudes, source_locations=sources, receiver_locations=receivers)

    def parameters(self, velocity):
        if self.job.dense:
            return [velocity, self.density]
        if not self.job.vti:
            return [velocity]
        along = velocity**2
        stiffnesses = [along * (1 + 2 * self.epsilon), along * (1 + 2 * self.delta).sqrt(), along]
        return [values.movedim(-1, 0).contiguous() for values in [*stiffnesses, torch.ones_like(along)]]

    def traces(self, *parameters):
        job = self.job
        run = deepwave.acoustic_vti if job.vti else deepwave.acoustic if job.dense else deepwave.scalar
        out = run(*parameters, job.spacing, job.step, **self.given)
        assert out.info.step_ratio == 1, out.info
        return out.receiver_amplitudes_p if job.vti or job.dense else -out[-1]


def main(folder, device):
    job = jobs.read(folder)
    device = torch.device("cuda" if device == "gpu" else "cpu")
    program = Program(job, folder, device)
    parameters = program.parameters(torch.from_numpy(np.load(folder / "velocity.npy")).to(device))

    def steps():
        with torch.no_grad():
            traces = program.traces(*parameters)
        if device.type == "cuda":
            torch.cuda.synchronize()
        return traces

    gathers = steps()
    np.save(folder / "deepwave.npy", gathers.cpu().numpy())
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    report.written(device=name, version=deepwave.__version__)
    report.again(lambda: report.timed(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
