"""The gradient beside that of an independent code with the same discretisation."""

import numpy as np
import pytest

import huygens

SPACING, STEP, STEPS, PEAK, CELLS = 10.0, 0.001, 700, 12.0, 40


def medium(anomaly):
    x, z = np.meshgrid(np.arange(91), np.arange(71), indexing="ij")
    layers = 1800 + 6.0 * z + 120 * np.sin(x / 9.0)
    bump = np.exp(-((x - 45) ** 2 + (z - 35) ** 2) / 60.0)
    return (layers + anomaly * bump).astype(np.float32)


def test_the_gradient_is_that_of_deepwave_and_torch():
    torch = pytest.importorskip("torch", reason="NOT RUN: torch is not installed")
    deepwave = pytest.importorskip("deepwave", reason="NOT RUN: Deepwave is not installed")
    start, true = medium(0), medium(250)
    receivers = np.array([(8 + 3 * i, 8) for i in range(26)])
    sources = [(20, 10), (70, 10)]

    survey = huygens.Survey(
        huygens.Model(true, SPACING),
        [
            huygens.Shot(huygens.Source((SPACING * x, SPACING * z), huygens.ricker(PEAK)), SPACING * receivers)
            for x, z in sources
        ],
        (STEPS - 1) * STEP,
        step=STEP,
        boundary={"top": "absorb", "sides": {"kind": "cpml", "cells": CELLS}},
        gradient={"interval": STEP},
    )
    observed = np.stack([of.traces for of in huygens.shots(survey, engine="cpu")])
    ours = huygens.gradient(survey.through(huygens.Model(start, SPACING)), observed, engine="cpu")

    t = np.arange(STEPS) * STEP - 1.5 / PEAK
    a = (np.pi * PEAK * t) ** 2
    wavelet = torch.from_numpy((1 - 2 * a) * np.exp(-a))
    velocity = torch.from_numpy(start.astype(np.float64)).requires_grad_()
    traces = deepwave.scalar(
        velocity, SPACING, STEP, accuracy=8, pml_width=CELLS, pml_freq=PEAK, location_interpolation="none",
        source_amplitudes=wavelet.expand(len(sources), 1, -1).contiguous(),
        source_locations=torch.tensor([[at] for at in sources]),
        receiver_locations=torch.from_numpy(receivers).expand(len(sources), -1, -1).contiguous(),
    )[-1]  # fmt: skip
    residuals = -traces / SPACING**2 - torch.from_numpy(observed.astype(np.float64))
    misfit = 0.5 * STEP * (residuals**2).sum()
    misfit.backward()

    assert ours.misfit == pytest.approx(misfit.item(), rel=0.01)
    # Deepwave's includes what the velocities at the edges do in the layers that continue them.
    inner = np.s_[4:-4, 4:-4]
    theirs = velocity.grad.numpy()[inner]
    apart = np.linalg.norm(ours.gradient[inner] - theirs) / np.linalg.norm(theirs)
    assert apart < 0.01, apart
    # Tests the test: another order in space is seen.
    other = survey.with_tables(operator={"kind": "taylor", "order": 4}).through(huygens.Model(start, SPACING))
    coarse = huygens.gradient(other, observed, engine="cpu").gradient[inner]
    assert np.linalg.norm(coarse - theirs) / np.linalg.norm(theirs) > 0.01
