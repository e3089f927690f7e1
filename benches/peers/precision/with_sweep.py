"""A setting by SWEEP's `Acoustic`, by its compiled kernels, on a GPU."""

import time

import numpy as np
import sweep
import torch
from sweep.equations import Acoustic, Acoustic3D
from sweep.propagator.torch import PropTorch

from precision import case as cases


class Runner:
    def __init__(self, case, device, _program):
        self.case, self.torch = case, torch.device("cuda" if device == "gpu" else "cpu")
        self.device = torch.cuda.get_device_name() if device == "gpu" else f"CPU, {torch.get_num_threads()} threads"
        self.version = getattr(sweep, "__version__", None)

    def prepare(self, setting):
        case, h = self.case, setting.spacing
        steps = int(case.duration / setting.step) + 2
        # z is its first axis, and the last number of its positions is z.
        velocity = np.moveaxis(case.velocity(h), -1, 0).astype(np.float32)
        models = [torch.from_numpy(np.ascontiguousarray(velocity)).to(self.torch)]
        equation = (Acoustic if case.dims == 2 else Acoustic3D)(spatial_order=setting.order, device=self.torch)
        propagator = PropTorch(equation, shape=velocity.shape, dh=h, dt=setting.step, abcn=cases.CELLS, device=self.torch)
        turned = lambda positions: np.array([[*p[:-1][::-1], p[-1]] for p in (case.index(q, h) for q in positions)], dtype=np.int64)
        sources, receivers = turned([case.source]), turned(case.receivers)[None]
        # It adds samples to the field as they are: huygens adds (v dt)^2 times theirs over the cell.
        t = setting.step * np.arange(steps)
        at = case.velocity(h)[case.index(case.source, h)]
        scaled = ((at * setting.step) ** 2 / h**case.dims * cases.wavelet(t)).astype(np.float32)

        def run():
            begun = time.perf_counter()
            with torch.no_grad():
                gathers = propagator(scaled, sources, receivers, models=models)
            if self.torch.type == "cuda":
                torch.cuda.synchronize()
            seconds = time.perf_counter() - begun
            # [shot][time][receiver][field]; its sample n is our field n + 1.
            traces = gathers.cpu().numpy().reshape(steps, len(case.receivers)).T
            return seconds, t + setting.step, traces

        return run
