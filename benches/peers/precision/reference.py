"""The waves in a medium that varies, in f64, by Fourier derivatives in space and fourth order in time: neither huygens nor a peer.

The box is periodic, and so large that no image of the source arrives in the part of a trace that counts. `python -m precision.reference` in
benches/peers prints its own error where the medium is homogeneous and the exact wave known.
"""

import dataclasses

import numpy as np
import torch

from precision import case as cases

SPACING, STEP = 10.0, 1e-3


def compute(case, spacing=SPACING, step=STEP):
    """Times, and the traces of the receivers."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    nodes = tuple(round(length / spacing) for length in case.periodic)
    squared = torch.from_numpy(case.velocity(spacing, nodes) ** 2).to(device)
    waves = [2 * np.pi * torch.fft.fftfreq(n, spacing, dtype=torch.float64) for n in nodes[:-1]]
    waves.append(2 * np.pi * torch.fft.rfftfreq(nodes[-1], spacing, dtype=torch.float64))
    minus = -sum(k**2 for k in torch.meshgrid(*waves, indexing="ij")).to(device)
    laplacian = lambda p: torch.fft.irfftn(minus * torch.fft.rfftn(p), s=nodes)

    source = case.index(case.source, spacing)
    receivers = tuple(torch.tensor(axis, device=device) for axis in zip(*[case.index(r, spacing) for r in case.receivers]))
    delta = 1.0 / spacing**case.dims
    now, before = torch.zeros(nodes, dtype=torch.float64, device=device), torch.zeros(nodes, dtype=torch.float64, device=device)
    record = []
    for n in range(int(case.duration / step) + 20):
        record.append(now[receivers].cpu())
        # p_tt, and p_tttt = v^2 lap p_tt + v^2 s_tt delta.
        second = laplacian(now)
        second[source] += delta * cases.wavelet(n * step)
        second *= squared
        fourth = laplacian(second)
        fourth[source] += delta * cases.wavelet_second(n * step)
        fourth *= squared
        now, before = 2 * now - before + step**2 * second + step**4 / 12 * fourth, now
    traces = torch.stack(record, 1).numpy()
    return step * np.arange(traces.shape[1]), traces


if __name__ == "__main__":
    for name in ("plane", "volume"):
        case = dataclasses.replace(cases.CASES[name], periodic=cases.CASES[f"{name}-body"].periodic)
        print(name, case.error(*compute(case)), flush=True)
