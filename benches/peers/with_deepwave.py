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

    def steps():
        with torch.no_grad():
            out = deepwave.scalar(
                velocity, job.spacing, job.step, accuracy=job.order, pml_width=job.cells, pml_freq=job.peak,
                source_amplitudes=amplitudes, source_locations=sources, receiver_locations=receivers,
                location_interpolation="none",
            )
        assert out.info.step_ratio == 1, out.info
        if device.type == "cuda":
            torch.cuda.synchronize()
        return out[-1]

    gathers = steps()
    np.save(folder / "deepwave.npy", gathers.cpu().numpy())
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    report.written(device=name, version=deepwave.__version__)
    report.again(lambda: report.timed(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
