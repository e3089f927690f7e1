"""What each program runs of a case: order, spacing, step, each near the best pair of spacing and step.

A spacing is chosen for the error of the operator in space, and a step so that the error in time is about as large, by the dispersion
relation of the scheme. What a run costs is guessed beforehand, and dear runs are left out.
"""

from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from precision.case import CELLS, PEAK, SPEED

SPACINGS = [30.0, 20.0, 15.0, 12.0, 10.0, 7.5, 6.0, 5.0, 4.0, 3.75, 3.0]
WORST, BEST = 0.15, 7e-4  # errors to draw

# 10^9 nodes a second at order 8: guesses, only to leave out what takes too long.
RATES = {
    ("huygens", "gpu"): 120, ("deepwave", "gpu"): 40, ("sweep", "gpu"): 40, ("k-wave", "gpu"): 0.8,
    ("huygens", "cpu"): 4.0, ("deepwave", "cpu"): 1.3, ("devito", "cpu"): 2.5, ("sweep", "cpu"): 0.05, ("k-wave", "cpu"): 0.006,
}
LAUNCH = {"gpu": 1e-5, "cpu": 2e-5}  # s a step
MOST = {("deepwave", "cpu"): 5.0, ("k-wave", "gpu"): 13.0, ("k-wave", "cpu"): 50.0, "gpu": 2.0, "cpu": 2.6}  # s a run


@dataclass(frozen=True)
class Setting:
    program: str
    label: str  # one line of the chart
    order: int  # in space; points of explicit time evolution; 0 of Fourier derivatives
    spacing: float  # m
    step: float  # s; 0: the program's own
    kind: str = ""  # what the program's runner knows

    def cost(self, case, device):
        """s, guessed."""
        step = self.step or 0.3 * self.spacing / case.fastest
        nodes = np.prod([n + 2.0 * CELLS for n in case.nodes(self.spacing)])
        return case.duration / step * (nodes * (0.5 + max(self.order, 4) / 16.0) / RATES[self.program, device] / 1e9 + LAUNCH[device])


def weights(order):
    half = order // 2
    c = [2 * (-1) ** (j + 1) * factorial(half) ** 2 / (j**2 * factorial(half - j) * factorial(half + j)) for j in range(1, half + 1)]
    return np.array([-2 * sum(c), *c])


def limit(order, case, spacing):
    """The largest stable step."""
    c = weights(order)
    largest = -c[0] + 2 * sum(abs(c[1:]))
    return 2.0 * spacing / (case.fastest * (case.dims * largest) ** 0.5)


def spectrum():
    """Angular frequencies, and the share of each in the energy."""
    f = np.linspace(0.1, 3.5, 400) * PEAK
    s = ((f / PEAK) ** 2 * np.exp(-((f / PEAK) ** 2))) ** 2
    return 2 * np.pi * f, s / s.sum()


def of_phase(w, share, lead, case):
    """The relative L2 of a wave whose phase velocity is off by `lead`, all along its path."""
    return float(np.sqrt(np.sum(share * np.abs(np.exp(1j * w * lead * case.distances.mean() / SPEED) - 1.0) ** 2)))


def in_space(order, case, spacing):
    w, share = spectrum()
    kh = w / SPEED * spacing
    c = weights(order)
    symbol = -(c[0] + 2 * sum(c[j] * np.cos(j * kh) for j in range(1, len(c))))
    seen = kh < np.pi
    lead = np.where(seen, 0.5 * (symbol / np.where(seen, kh, 1.0) ** 2 - 1.0), -0.3)
    return of_phase(w, share, lead, case)


def in_time(step, case, order=2):
    w, share = spectrum()
    return of_phase(w, share, (w * step) ** 2 / 24 if order == 2 else (w * step) ** 4 / 1440, case)


def balanced(order, case, spacing, most, order_in_time=2):
    """The step whose error equals that in space."""
    aim = in_space(order, case, spacing)
    step = most
    while in_time(step, case, order_in_time) > aim and step > 1e-5:
        step *= 0.93
    return step


def spacings(order, case):
    return [h for h in SPACINGS if BEST < in_space(order, case, h) < WORST]


def even(step):
    """To a whole number of 0.1 us, rounded down."""
    return int(step * 1e7) / 1e7


def of_huygens(case):
    for order in (4, 8, 12, 16):
        for h in spacings(order, case):
            yield Setting("huygens", f"order {order}, corrected", order, h, even(0.9 * limit(order, case, h)), "corrected")
    for h in spacings(16, case):
        # Its coefficients are the largest of all: 0.75 of the limit of order 16 is stable.
        yield Setting("huygens", "windowed sinc, corrected", 16, h, even(0.75 * limit(16, case, h)), "sinc")
    for points in (37, 73):
        for h in spacings(8, case):
            yield Setting("huygens", f"time evolution, {points}", points, h, 0.0, "ete")
    yield from kept("huygens", [8], case, 0.9)


def kept(program, orders, case, share):
    """With the error in time: a step as large as allowed, or as good as the spacing."""
    for order in orders:
        for h in spacings(order, case):
            step = balanced(order, case, h, share * limit(order, case, h))
            yield Setting(program, f"order {order}", order, h, even(step))


# Of the limit h / (v sqrt(dims)). Deepwave takes steps between beyond about 0.6.
COURANT = 0.58


def of_deepwave(case):
    for order in (4, 6, 8):
        for h in spacings(order, case):
            step = even(COURANT * h / (case.fastest * case.dims**0.5))
            yield Setting("deepwave", f"order {order}, corrected", order, h, step, "corrected")
    most = lambda order, h: COURANT * h / (case.fastest * case.dims**0.5) / limit(order, case, h)
    for order in (4, 8):
        for h in spacings(order, case):
            yield from (s for s in kept("deepwave", [order], case, most(order, h)) if s.spacing == h)


def of_sweep(case):
    yield from kept("sweep", [4, 6, 8], case, 0.9)


def of_devito(case):
    yield from kept("devito", [4, 8, 12, 16], case, 0.9)
    for order in (8, 12, 16):
        for h in spacings(order, case):
            step = balanced(order, case, h, 0.9 * limit(order, case, h), 4)
            yield Setting("devito", f"order {order}, OT4", order, h, even(step), "OT4")


def of_kwave(case):
    """Its steps are exact where the velocity is the fastest of the model."""
    for h in (20.0, 15.0):
        for courant in (0.3, 0.15) if case.dims == 3 and case.faster else (0.15, 0.075) if case.faster else (0.6, 0.3):
            yield Setting("k-wave", "k-space", 0, h, even(courant * h / case.fastest))


PROGRAMS = {"huygens": of_huygens, "deepwave": of_deepwave, "sweep": of_sweep, "devito": of_devito, "k-wave": of_kwave}


def of(program, case, device):
    """Cheap ones first."""
    found = [s for s in PROGRAMS[program](case) if s.cost(case, device) <= MOST.get((program, device), MOST[device])]
    return sorted(found, key=lambda s: s.cost(case, device))
