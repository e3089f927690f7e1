"""The media, positions and exact waves of the study of work and precision.

Sources and receivers lie on the nodes of every spacing, and so far from the edges that nothing from there arrives in the part of a
trace that counts: it ends `WINDOW` after the direct wave. So an error is that of the step, not that of a layer.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

SPEED = 1500.0  # m/s at the edges, and everywhere in a homogeneous medium
PEAK = 15.0  # Hz of a Ricker wavelet: 100 m
DELAY = 1.5 / PEAK
CELLS = 20  # of the absorbing layer outside
FINE = 5e-4  # s between samples of the exact waves
FOLDER = "HUYGENS_REFERENCES"  # names the folder in which they are kept


def wavelet(t):
    a = (np.pi * PEAK * (t - DELAY)) ** 2
    return (1.0 - 2.0 * a) * np.exp(-a)


def wavelet_integral(t):
    return (t - DELAY) * np.exp(-((np.pi * PEAK * (t - DELAY)) ** 2))


def wavelet_second(t):
    """Its second derivative."""
    b = (np.pi * PEAK) ** 2
    a = b * (t - DELAY) ** 2
    return b * (-6.0 + 24.0 * a - 8.0 * a**2) * np.exp(-a)


@dataclass(frozen=True)
class Case:
    name: str
    size: tuple  # m, [x][z] or [y][x][z]
    source: tuple  # m
    receivers: tuple  # m, each
    window: float  # s after the direct wave through SPEED
    body: tuple = ()  # centre of the fast body, m
    radius: float = 0.0  # m
    faster: float = 0.0  # m/s in the body
    periodic: tuple = ()  # m of the periodic box of the reference

    @property
    def dims(self):
        return len(self.size)

    @property
    def distances(self):
        return np.linalg.norm(np.array(self.receivers) - np.array(self.source), axis=1)

    @property
    def ends(self):
        """s, of each trace."""
        return self.distances / SPEED + self.window

    @property
    def duration(self):
        return float(self.ends.max())

    @property
    def fastest(self):
        """m/s, at most."""
        return SPEED + 1.3 * self.faster

    def nodes(self, spacing):
        return tuple(round(length / spacing) + 1 for length in self.size)

    def index(self, position, spacing):
        return tuple(round(x / spacing) for x in position)

    def velocity(self, spacing, nodes=None):
        """m/s. A body with ripples of 400 and 300 m, smooth, so that every grid samples the same medium."""
        nodes = nodes or self.nodes(spacing)
        if not self.faster:
            return np.full(nodes, SPEED)
        axes = np.meshgrid(*[spacing * np.arange(n) for n in nodes], indexing="ij", sparse=True)
        squared = sum(((x - c) / self.radius) ** 2 for x, c in zip(axes, self.body))
        ripples = np.sin(2 * np.pi * axes[-2] / 400.0) * np.sin(2 * np.pi * axes[-1] / 300.0)
        return SPEED + self.faster * np.exp(-(squared**2)) * (1.0 + 0.3 * ripples)

    @cached_property
    def _exact(self):
        kept = Path(os.environ.get(FOLDER, ".")) / f"{self.name}.npy"
        if not kept.exists():
            np.save(kept, self.exact())
        values = np.load(kept)
        t = FINE * np.arange(values.shape[1])
        return [CubicSpline(t, trace) for trace in values]

    def exact(self):
        """The exact trace of each receiver, a sample each FINE, [receiver][time]."""
        t = np.arange(0.0, self.duration + 0.01, FINE)
        if self.faster:
            from precision import reference

            made, traces = reference.compute(self)
            return np.array([CubicSpline(made, trace)(t) for trace in traces])
        green = plane if self.dims == 2 else volume
        return np.array([green(t, r) for r in self.distances])

    def error(self, t, traces):
        """Relative L2, of all receivers together; `t` is the time of each sample, s."""
        off = energy = 0.0
        for trace, exact, end in zip(traces, self._exact, self.ends):
            inside = (t >= 0.0) & (t <= end)
            right = exact(t[inside])
            off += float(np.sum((trace[inside] - right) ** 2))
            energy += float(np.sum(right**2))
        error = (off / energy) ** 0.5
        return error if np.isfinite(error) else float("inf")


def plane(t, r):
    """The 2-D Green's function 1/(2 pi) / sqrt(t^2 - (r/v)^2) after the wavelet, with t' = (r/v) cosh u: the trapezoidal rule converges
    exponentially, for the integrand is smooth and even in u."""
    arrival = r / SPEED
    most = np.arccosh(max(2.0, (t[-1] + 1.0) / arrival))
    u = np.linspace(0.0, most, 4001)
    weights = np.full(u.size, u[1])
    weights[0] *= 0.5
    late = arrival * np.cosh(u)
    return np.array([np.dot(weights, wavelet(now - late)) for now in t]) / (2.0 * np.pi)


def volume(t, r):
    return wavelet(t - r / SPEED) / (4.0 * np.pi * r)


_PLANE = dict(
    size=(6600.0, 6600.0), source=(900.0, 1800.0), receivers=tuple((5700.0, 1800.0 + 300.0 * i) for i in range(13)), window=0.3
)
_VOLUME = dict(
    size=(1200.0, 1800.0, 1800.0), source=(600.0, 300.0, 540.0),
    receivers=tuple((600.0, 1500.0, 540.0 + 60.0 * i) for i in range(16)), window=0.2,
)
CASES = {
    case.name: case
    for case in [
        Case("plane", **_PLANE),
        Case("plane-body", **_PLANE, body=(3300.0, 3300.0), radius=900.0, faster=900.0, periodic=(10800.0, 9000.0)),
        Case("volume", **_VOLUME),
        Case("volume-body", **_VOLUME, body=(600.0, 900.0, 900.0), radius=300.0, faster=600.0, periodic=(1320.0, 2880.0, 2520.0)),
    ]
}
