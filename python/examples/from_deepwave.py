"""Moving from Deepwave: the same shots by deepwave.scalar and by huygens, and the same training loop."""

import argparse
import pathlib

import deepwave
import numpy as np
import torch

import huygens
from huygens.torch import propagate

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="a larger model, more shots and steps of the optimiser")
options = parser.parse_args()
nx, nz, shots, epochs = (301, 151, 16, 30) if options.full else (81, 51, 2, 4)

# What a script for Deepwave has: velocities [x][z], places as indices of nodes, amplitudes of each step.
dx, dt, steps, peak, pml = 10.0, 0.001, 600, 12.0, 20
true = torch.full((nx, nz), 2000.0)
true[:, nz // 2 :] = 2500.0
sources = torch.tensor([[[x, 4]] for x in np.linspace(10, nx - 11, shots).round().astype(int)])
receivers = torch.tensor([[x, 4] for x in range(0, nx, 2)]).expand(shots, -1, -1).contiguous()
wavelet = deepwave.wavelets.ricker(peak, steps, dt, 1.5 / peak)
there = deepwave.scalar(
    true, dx, dt, source_amplitudes=wavelet.expand(shots, 1, -1).contiguous(), source_locations=sources,
    receiver_locations=receivers, accuracy=8, pml_width=pml, pml_freq=peak,
)[-1]  # fmt: skip

# The same for huygens: places are metres, and all of it is one survey.
survey = huygens.Survey(
    huygens.Model(true.numpy(), dx),
    [
        huygens.Shot(huygens.Source(dx * at[0].numpy(), huygens.samples(wavelet.numpy(), dt)), dx * to.numpy())
        for at, to in zip(sources, receivers)
    ],
    duration=(steps - 1) * dt,
    step=dt,
    boundary={"top": "absorb", "sides": {"kind": "cpml", "cells": pml}},
)
here = propagate(true, survey)
# Deepwave injects -v^2 dt^2 s into a node; huygens has a source of s(t) delta(x), over the cell's area.
apart = float((here + there / dx**2).norm() / here.norm())
print(f"traces are {100 * apart:.2f} % apart")

# Training is as with Deepwave: any loss of PyTorch, any optimiser.
velocity = torch.tensor(huygens.Model(true.numpy(), dx).smoothed(150.0).velocity, requires_grad=True)
optimiser = torch.optim.Adam([velocity], lr=40.0)
losses = []
for epoch in range(epochs):
    optimiser.zero_grad()
    loss = torch.nn.functional.mse_loss(propagate(velocity, survey), here)
    loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
    optimiser.step()
    losses.append(loss.item())
print("losses:", *(f"{loss / losses[0]:.3f}" for loss in losses))
huygens.Model(velocity.detach().numpy(), dx).plot("Trained in PyTorch").save(options.folder / "from-deepwave.png")
