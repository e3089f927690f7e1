"""Least-squares migration by huygens and by Deepwave's Born propagator: lsrtm.py HUYGENS [SHOTS] [ITERATIONS].

Both fit the same Born traces of builtin:lens, smoothed over 100 m, by the same iterations of conjugate gradients on dv/v
with the same weights of the unknowns and the traces, on the CPU. Deepwave makes the traces. It continues the dv of the
outermost nodes into its layers; huygens does not. So its dv is 0 at these nodes. Prints seconds of an iteration, the
residuals and how far the images are apart, as JSON.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import deepwave
import numpy as np
import torch

# Of names that change, and of edges that are left out below.
warnings.filterwarnings("ignore", module=".*")
SPACING, STEP, STEPS, PEAK, CELLS = 12.5, 0.002, 900, 12.0, 20
NODES = (256, 128)

JOB = """
[model]
velocity = "smooth.npy"
axes = "xz"
spacing = {spacing}
[time]
duration = {duration}
step = {step}
record = {step}
[boundary]
top = "absorb"
sides = {{ kind = "cpml", cells = {cells} }}
[survey]
wavelet = {{ kind = "ricker", peak_hz = {peak} }}
line = {{ first = {{ x = {first}, z = 25.0 }}, increment = {{ x = {apart} }}, count = {count} }}
[receivers]
line = {{ from = {{ x = 0.0, z = 25.0 }}, to = {{ x = {last}, z = 25.0 }}, count = {receivers} }}
[rtm]
gathers = "born.npy"
direct = "kept"
interval = {step}
[lsrtm]
iterations = {iterations}
"""


def fade(at, length):
    return np.where(at >= length, 1.0, np.sin(0.5 * np.pi * np.maximum(at, 0.0) / length) ** 2)


class Born:
    """W F on dv/v, and its transpose, by Deepwave."""

    def __init__(self, velocity, places):
        self.velocity = torch.from_numpy(velocity)
        t = np.arange(STEPS) * STEP - 1.5 / PEAK
        a = (np.pi * PEAK * t) ** 2
        wavelet = torch.from_numpy(((1 - 2 * a) * np.exp(-a)).astype(np.float32))
        count = len(places)
        self.given = dict(
            accuracy=8,
            pml_width=CELLS,
            pml_freq=PEAK,
            location_interpolation="none",
            source_amplitudes=wavelet.expand(count, 1, -1).contiguous(),
            source_locations=torch.tensor([[[x, 2]] for x in places]),
            receiver_locations=torch.tensor([[i, 2] for i in range(NODES[0])]).expand(count, -1, -1).contiguous(),
        )
        self.inside = torch.zeros(velocity.shape)
        self.inside[1:-1, 1:-1] = 1.0
        t = np.arange(STEPS) * STEP
        self.gain = torch.from_numpy((fade(STEPS * STEP - t, 1 / PEAK) ** 2).astype(np.float32))

    def traces(self, image):
        traces = deepwave.scalar_born(self.velocity, SPACING, STEP, dv=self.velocity * self.inside * image, **self.given)[-1]
        return -traces / SPACING**2

    def with_transpose(self, image):
        """W F m, and a function that gives F' W' d."""
        image = image.clone().requires_grad_()
        there = self.traces(image) * self.gain
        return there.detach(), lambda data: torch.autograd.grad(there, image, data)[0]


def solved(born, data, weights, iterations):
    """Conjugate gradients, as huygens does them; the image, the residuals and the seconds of an iteration."""
    weights = torch.from_numpy(weights.astype(np.float32))
    _, back = born.with_transpose(torch.zeros_like(weights))
    s = weights * back(data)
    u, p, cost = torch.zeros_like(s), s.clone(), (data.double() ** 2).sum().item()
    residuals, seconds, all = [1.0], [], cost
    for _ in range(iterations):
        began = time.perf_counter()
        there, back = born.with_transpose(weights * p)
        steep = (s.double() ** 2).sum().item()
        step = steep / (there.double() ** 2).sum().item()
        u += step * p
        s -= step * weights * back(there)
        p = s + (s.double() ** 2).sum().item() / steep * p
        cost -= step * steep
        residuals.append((max(cost, 0) / all) ** 0.5)
        seconds.append(time.perf_counter() - began)
    return (weights * u).numpy(), residuals, seconds


def main(program, count=8, iterations=10):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def huygens(*words):
            began = time.perf_counter()
            subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)
            return time.perf_counter() - began

        huygens("model", "build", "lens", "--spacing", str(SPACING), "--out", "true.npy")
        huygens("model", "convert", "true.npy", "smooth.npy", "--axes", "xz", "--file-spacing", str(SPACING), "--smooth", "100")
        true, smooth = np.load(folder / "true.npy"), np.load(folder / "smooth.npy")
        exact = torch.from_numpy((true / smooth - 1).astype(np.float32))
        apart = (NODES[0] - 1) // count
        places = [apart // 2 + apart * i for i in range(count)]
        born = Born(smooth, places)
        with torch.no_grad():
            data = born.traces(exact)
        np.save(folder / "born.npy", data.numpy())
        job = dict(
            spacing=SPACING, step=STEP, duration=(STEPS - 1) * STEP, cells=CELLS, peak=PEAK, first=places[0] * SPACING,
            apart=apart * SPACING, count=count, last=(NODES[0] - 1) * SPACING, receivers=NODES[0], iterations=iterations,
        )
        (folder / "job.toml").write_text(JOB.format(**job))
        run = ["job.toml", "--backend", "cpu", "--no-pictures", "--force", "--out"]
        huygens("rtm", *run, "rtm")
        lit = np.load(folder / "rtm/illumination.npy").astype(float)
        weights = (lit / lit.mean() + 0.01) ** -0.5
        whole = huygens("lsrtm", *run, "whole")
        first = huygens("lsrtm", *run, "first", "--set", "lsrtm.iterations=1")
        ours = np.load(folder / "whole/image.npy")
        record = json.loads((folder / "whole/run.json").read_text())
        theirs, residuals, seconds = solved(born, data * born.gain, weights, iterations)
        inner = np.s_[4:-4, 8:-4]
        told = {
            "shots": count,
            "iterations": iterations,
            "huygens, an iteration (s)": (whole - first) / (iterations - 1),
            "deepwave, an iteration (s)": float(np.median(seconds)),
            "huygens, residual": record["residuals"][-1],
            "deepwave, residual": residuals[-1],
            "images apart": float(np.linalg.norm(theirs[inner] - ours[inner]) / np.linalg.norm(ours[inner])),
        }
        print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], *[int(word) for word in sys.argv[2:]])
