"""Full waveform inversion of a Gaussian anomaly between sources above it and receivers below."""

import argparse
import pathlib

import numpy as np

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="finer nodes, more shots and iterations")
options = parser.parse_args()
spacing, count, iterations = (5.0, 20, 15) if options.full else (10.0, 5, 4)

# 800 m by 600 m of 2000 m/s, with 200 m/s more in the middle.
x, z = np.meshgrid(np.arange(0, 801, spacing), np.arange(0, 601, spacing), indexing="ij")
start = huygens.Model(np.full(x.shape, 2000.0, np.float32), spacing)
bump = np.exp(-((x - 400) ** 2 + (z - 300) ** 2) / 100.0**2)
true = start.with_velocity(2000 + 200 * bump)

receivers = huygens.line((20, 580), (780, 580), 39)
shots = [
    huygens.Shot(huygens.Source((at, 20), huygens.ricker(12)), receivers) for at in np.linspace(100, 700, count)
]
# Samples at fixed times, so that traces of different velocities are compared at the same ones.
survey = huygens.Survey(true, shots, duration=0.6, record=0.004, boundary={"top": "absorb"})
observed = huygens.shots(survey)


def tell(band: int, iteration: int, misfit: float, model: huygens.Model) -> None:
    print(f"band {band + 1}, iteration {iteration}: misfit {misfit:.3g}")


# Long waves first: they say on which side of the truth the model is.
found = huygens.invert(
    survey.through(start), observed, bands=[9.0, 18.0], iterations=iterations, least=1900.0, most=2400.0, each=tell
)


def apart(model: huygens.Model) -> float:
    return float(np.linalg.norm(model.velocity - true.velocity))


left = apart(found.model) / apart(start)
print(f"the model's error fell to {left:.2f} of what it was")
found.model.plot("Inverted: an anomaly of 200 m/s").save(options.folder / "fwi-gaussian.png")
