"""A job by Deepwave: with_deepwave.py FOLDER cpu|gpu. The gather goes to deepwave.npy there, in its own amplitudes."""

import sys
from pathlib import Path

import deepwave
import numpy as np
import torch

import jobs
import report


def main(folder, device):
    job = jobs.read(folder)
    device = torch.device("cuda" if device == "gpu" else "cpu")
    velocity = torch.from_numpy(np.load(folder / "velocity.npy")).to(device)
    wavelet = torch.from_numpy(np.load(folder / "wavelet.npy").astype(np.float32))
    amplitudes = wavelet.expand(job.shots, 1, -1).to(device)
    sources = torch.tensor(job.source_nodes())[:, None].to(device)
    receivers = torch.tensor(job.receiver_nodes()).expand(job.shots, -1, -1).to(device)

    same = dict(accuracy=job.order, pml_width=job.cells, pml_freq=job.peak, location_interpolation="none")
    if job.dense:
        density = np.load(folder / "density.npy")
        # It injects a rate of volume: the sum of b f, with b = 1/rho at the source.
        at_sources = torch.tensor([float(density[tuple(node)]) for node in job.source_nodes()], device=device)
        rates = job.step * amplitudes.cumsum(-1) / at_sources[:, None, None]
        density = torch.from_numpy(density).to(device)

    if job.vti:
        epsilon, delta = (torch.from_numpy(np.load(folder / name)).to(device) for name in ("epsilon.npy", "delta.npy"))
        # Its axis of symmetry is the first one. Of a density of 1.
        along = velocity**2
        stiffnesses = [along * (1 + 2 * epsilon), along * (1 + 2 * delta).sqrt(), along]
        stiffnesses = [values.movedim(-1, 0).contiguous() for values in stiffnesses]
        sources, receivers = sources.roll(1, -1), receivers.roll(1, -1)

    def scalar():
        return deepwave.scalar(
            velocity, job.spacing, job.step, source_amplitudes=amplitudes, source_locations=sources,
            receiver_locations=receivers, **same,
        )

    def acoustic():
        return deepwave.acoustic(
            velocity, density, job.spacing, job.step, source_amplitudes_volume_rate=rates,
            source_locations_volume_rate=sources, receiver_locations_p=receivers, **same,
        )

    def acoustic_vti():
        return deepwave.acoustic_vti(
            *stiffnesses, torch.ones_like(stiffnesses[0]), job.spacing, job.step,
            source_amplitudes_pressure_rate=job.step * amplitudes.cumsum(-1), source_locations_pressure_rate=sources,
            receiver_locations_p=receivers, **same,
        )

    propagator = acoustic_vti if job.vti else acoustic if job.dense else scalar

    def steps():
        with torch.no_grad():
            out = propagator()
        assert out.info.step_ratio == 1, out.info
        if device.type == "cuda":
            torch.cuda.synchronize()
        return out[-1] if propagator is scalar else out.receiver_amplitudes_p

    gathers = steps()
    np.save(folder / "deepwave.npy", gathers.cpu().numpy())
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    report.written(device=name, version=deepwave.__version__)
    report.again(lambda: report.timed(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
