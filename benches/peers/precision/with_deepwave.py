"""A setting by `deepwave.scalar`, with the model on the device, and by `deepwave.time_dispersion` outside the time measured."""

import time

import deepwave
import numpy as np
import torch
from deepwave.time_dispersion import correct_receivers, correct_source

from precision import case as cases


class Runner:
    version = deepwave.__version__

    def __init__(self, case, device, _program):
        self.case, self.torch = case, torch.device("cuda" if device == "gpu" else "cpu")
        self.device = torch.cuda.get_device_name() if device == "gpu" else f"CPU, {torch.get_num_threads()} threads"

    def prepare(self, setting):
        case, h = self.case, setting.spacing
        steps = int(case.duration / setting.step) + 2
        t = setting.step * np.arange(steps)
        wavelet = torch.from_numpy(cases.wavelet(t))
        if setting.kind == "corrected":
            wavelet = correct_source(wavelet, setting.step)
        velocity = torch.from_numpy(case.velocity(h).astype(np.float32)).to(self.torch)
        at = lambda positions: torch.tensor([[case.index(p, h) for p in positions]]).to(self.torch)
        given = dict(
            source_amplitudes=wavelet.float()[None, None].to(self.torch), source_locations=at([case.source]),
            receiver_locations=at(case.receivers), accuracy=setting.order, pml_width=cases.CELLS, pml_freq=cases.PEAK,
            location_interpolation="none",
        )

        def run():
            begun = time.perf_counter()
            with torch.no_grad():
                out = deepwave.scalar(velocity, h, setting.step, **given)
            if self.torch.type == "cuda":
                torch.cuda.synchronize()
            seconds = time.perf_counter() - begun
            assert out.info.step_ratio == 1, out.info
            traces = out[-1][0].cpu()
            if setting.kind == "corrected":
                traces = correct_receivers(traces.double(), setting.step)
            return seconds, t, -traces.numpy() / h**case.dims

        return run
