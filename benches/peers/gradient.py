"""Gradients by huygens, by Deepwave and on a GPU by SWEEP, in turns in one process: gradient.py cpu|gpu [SHOTS ...].

The traces of builtin:salt are compared with those of the smoothed model, of 64 shots or as many as are given. Both have
the same nodes, steps, order in space, layers, sources and receivers, and multiply the waves every so many steps:
huygens as few as the band allows, Deepwave each step and, if it fits, as few, SWEEP each step, from the edges that it saves. Prints seconds, medians of rounds after a
first that does not count, as JSON.
"""

import json
import statistics
import sys
import time
from importlib.util import find_spec

import deepwave
import numpy as np
import torch

import huygens

SPACING, STEP, STEPS, PEAK, CELLS, RECEIVERS = 20.0, 0.002, 2000, 5.0, 20, 337
ROUNDS = 5


def surveys(count):
    true = huygens.Model.builtin("salt", SPACING)
    start = true.smoothed(400.0)
    nx = true.shape[0]
    sources = np.linspace(10, nx - 11, count).round().astype(int)
    receivers = np.column_stack([np.arange(RECEIVERS) * 2 * SPACING, np.full(RECEIVERS, 2 * SPACING)])
    shots = [
        huygens.Shot(huygens.Source((x * SPACING, 4 * SPACING), huygens.ricker(PEAK)), receivers) for x in sources
    ]
    survey = huygens.Survey(
        true, shots, (STEPS - 1) * STEP, step=STEP, boundary={"top": "absorb", "sides": {"kind": "cpml", "cells": CELLS}}
    )
    return survey, start, sources


def with_deepwave(start, sources, observed, device, every):
    velocity = torch.tensor(start.velocity, device=device)
    t = np.arange(STEPS) * STEP - 1.5 / PEAK
    a = (np.pi * PEAK * t) ** 2
    wavelet = torch.from_numpy(((1 - 2 * a) * np.exp(-a)).astype(np.float32))
    count = len(sources)
    amplitudes = wavelet.expand(count, 1, -1).contiguous().to(device)
    at = torch.tensor([[[x, 4]] for x in sources]).to(device)
    receivers = torch.tensor([[2 * i, 2] for i in range(RECEIVERS)]).expand(count, -1, -1).contiguous().to(device)
    observed = torch.from_numpy(observed).to(device)

    def model(v):
        traces = deepwave.scalar(
            v, SPACING, STEP, accuracy=8, pml_width=CELLS, pml_freq=PEAK, source_amplitudes=amplitudes,
            source_locations=at, receiver_locations=receivers, location_interpolation="none",
            model_gradient_sampling_interval=every,
        )[-1]
        return -traces / SPACING**2

    def modelling():
        with torch.no_grad():
            return model(velocity).cpu().numpy()

    def gradient():
        v = velocity.clone().requires_grad_()
        loss = 0.5 * STEP * ((model(v) - observed) ** 2).sum()
        loss.backward()
        return loss.item(), v.grad.cpu().numpy()

    return modelling, gradient


def with_sweep(start, sources, observed, device):
    from sweep.equations import Acoustic
    from sweep.propagator.torch import PropTorch

    # z is its first axis; positions are (x, z). Its sample n is our field n + 1, and it adds samples as they are.
    velocity = torch.tensor(np.ascontiguousarray(start.velocity.T), device=device)
    t = np.arange(STEPS) * STEP - 1.5 / PEAK
    a = (np.pi * PEAK * t) ** 2
    wavelet = torch.from_numpy((1 - 2 * a) * np.exp(-a)).to(device)
    at = np.array([[x, 4] for x in sources], dtype=np.int64)
    receivers = np.tile(np.array([[2 * i, 2] for i in range(RECEIVERS)], dtype=np.int64), (len(sources), 1, 1))
    solver = PropTorch(Acoustic(spatial_order=8, device=device), shape=velocity.shape, dh=SPACING, dt=STEP, abcn=CELLS, device=device)
    observed = torch.from_numpy(observed).to(device)

    def model(v):
        scale = (velocity[4, int(sources[0])] * STEP / SPACING) ** 2
        traces = solver((scale * wavelet).float(), at, receivers, models=[v]).reshape(len(sources), STEPS, -1)
        return torch.nn.functional.pad(traces[:, :-1], (0, 0, 1, 0)).transpose(1, 2)

    def modelling():
        with torch.no_grad():
            return model(velocity).cpu().numpy()

    def gradient():
        v = velocity.clone().requires_grad_()
        loss = 0.5 * STEP * ((model(v) - observed) ** 2).sum()
        loss.backward()
        return loss.item(), v.grad.cpu().numpy().T

    return modelling, gradient


def timed(run):
    began = time.perf_counter()
    found = run()
    return time.perf_counter() - began, found


def main(on, counts):
    device = torch.device("cuda" if on == "gpu" else "cpu")
    engine = huygens.Engine("vulkan" if on == "gpu" else "cpu")
    for count in counts:
        survey, start, sources = surveys(count)
        observed = np.stack([of.traces for of in huygens.shots(survey, engine=engine)])
        guess = survey.through(start)
        every = max(1, round(huygens.check(guess)["imaging_interval"] / STEP))
        runs = {
            "huygens modelling": lambda: huygens.shots(guess, engine=engine),
            "huygens gradient": lambda: huygens.gradient(guess, observed, engine=engine),
        }
        for name, sampling in (("", 1), (f", every {every} steps", every)):
            bytes_kept = 2 * 4 * count * STEPS / sampling * np.prod([n + 2 * CELLS for n in start.shape])
            if device.type == "cuda" and bytes_kept > 0.7 * torch.cuda.get_device_properties(0).total_memory:
                print(f"Deepwave{name}: {bytes_kept / 1e9:.0f} GB of wavefields do not fit", file=sys.stderr)
                continue
            modelling, gradient = with_deepwave(start, sources, observed, device, sampling)
            runs["deepwave modelling"] = modelling
            runs[f"deepwave gradient{name}"] = gradient
        if device.type == "cuda" and find_spec("sweep"):
            runs["sweep modelling"], runs["sweep gradient"] = with_sweep(start, sources, observed, device)
        seconds, found = {name: [] for name in runs}, {}
        for number in range(ROUNDS + 1):
            for name, run in runs.items():
                took, found[name] = timed(run)
                if number:
                    seconds[name].append(took)
        ours = found["huygens gradient"]
        told = {"engine": repr(engine), "shots": count, "every": every}
        told["seconds"] = {name: round(statistics.median(of), 5) for name, of in seconds.items()}
        told["gradient / modelling"] = told["seconds"]["huygens gradient"] / told["seconds"]["huygens modelling"]
        inner = np.s_[4:-4, 8:-4]
        for name, of in found.items():
            if name.startswith(("deepwave gradient", "sweep gradient")):
                misfit, gradient = of
                told[name + " / huygens"] = told["seconds"][name] / told["seconds"]["huygens gradient"]
                told[name + " apart"] = float(
                    np.linalg.norm(gradient[inner] - ours.gradient[inner]) / np.linalg.norm(ours.gradient[inner])
                )
                told[name + " misfit apart"] = misfit / ours.misfit - 1
        print(json.dumps(told, indent=1), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], [int(word) for word in sys.argv[2:]] or [64])
