"""Waves through smooth anisotropic rock by huygens and by Deepwave's acoustic_vti, on the CPU: vti.py PROGRAM [SCALE].

Sources and receivers lie in isotropic rock, where both have the same pressure; between them epsilon is up to 0.17 times SCALE
(1 if not given) and delta 0.4 of it. Deepwave's system (Duveneck et al. 2008) and huygens' (Bube et al. 2016) have the same
phase velocities, and other amplitudes where rock varies. Prints the relative L2 difference of the gathers.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import deepwave
import numpy as np
import torch

SPACING, STEP, STEPS, PEAK = 10.0, 0.0005, 1800, 12.0  # m, s, -, Hz
CELLS = 40


def main(program, scale):
    x, z = np.meshgrid(np.arange(240), np.arange(180), indexing="ij")
    velocity = (1800 + 5 * z + 150 * np.sin(x / 17) * np.sin(z / 13)).astype(np.float32)
    epsilon = (0.12 + 0.05 * np.sin(x / 23) * np.sin(z / 19)) * smooth((z - 20) / 40) * smooth((140 - z) / 40)
    epsilon = (scale * epsilon).astype(np.float32)
    delta = np.float32(0.4) * epsilon
    a = (np.pi * PEAK * (np.arange(STEPS) * STEP - 1.2 / PEAK)) ** 2
    wavelet = (1 - 2 * a) * np.exp(-a)
    ours = by_huygens(program, dict(velocity=velocity, epsilon=epsilon, delta=delta, wavelet=wavelet))
    theirs = by_deepwave(velocity, epsilon, delta, wavelet)
    print(f"relative difference {np.linalg.norm(ours - theirs) / np.linalg.norm(theirs):.2e}")


def smooth(t):
    """From 0 to 1."""
    t = np.clip(t, 0, 1)
    return t**2 * (3 - 2 * t)


def by_huygens(program, arrays):
    with tempfile.TemporaryDirectory() as folder:
        for name, values in arrays.items():
            np.save(Path(folder) / f"{name}.npy", values)
        (Path(folder) / "job.toml").write_text(f"""
model = {{ velocity = "velocity.npy", epsilon = "epsilon.npy", delta = "delta.npy", spacing = {SPACING}, axes = "xz" }}
time = {{ duration = {STEPS * STEP}, step = {STEP} }}
operator = {{ kind = "taylor", order = 8 }}
boundary = {{ top = "absorb", sides = {{ kind = "cpml", cells = {CELLS} }} }}
receivers.line = {{ from = {{ x = 200.0, z = 1600.0 }}, to = {{ x = 2200.0, z = 1600.0 }}, count = 51 }}
output.gathers = ["npy"]
source = [{{ at = {{ x = 1200.0, z = 100.0 }}, wavelet = {{ kind = "file", path = "wavelet.npy", interval = {STEP} }} }}]
""")
        command = [program, "shot", "job.toml", "--out", "out", "--no-pictures", "--quiet", "--backend", "cpu"]
        subprocess.run(command, cwd=folder, check=True)
        return np.load(Path(folder) / "out" / "gather.npy")[:, :STEPS]


def by_deepwave(velocity, epsilon, delta, wavelet):
    """Its axis of symmetry is the first one; density 1."""
    velocity, epsilon, delta = (torch.from_numpy(values.T.copy()).double() for values in (velocity, epsilon, delta))
    along = velocity**2
    stiffnesses = along * (1 + 2 * epsilon), along * (1 + 2 * delta).sqrt(), along
    rates = STEP * along[10, 120] * torch.from_numpy(wavelet).cumsum(0)
    out = deepwave.acoustic_vti(
        *stiffnesses, torch.ones_like(along), SPACING, STEP, source_amplitudes_pressure_rate=rates[None, None],
        source_locations_pressure_rate=torch.tensor([[[10, 120]]]),
        receiver_locations_p=torch.tensor([[[160, 20 + 4 * i] for i in range(51)]]),
        accuracy=8, pml_width=CELLS, pml_freq=PEAK, location_interpolation="none",
    )
    return out.receiver_amplitudes_p[0].numpy() / SPACING**2


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
