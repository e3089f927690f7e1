"""Full waveform inversion of the built-in salt model, from the low frequencies to the high."""

import argparse
import pathlib

import numpy as np

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="finer nodes, more shots, bands and iterations")
options = parser.parse_args()
full, small = (20.0, 20, [3.0, 4.5, 6.0, 8.0], 12), (80.0, 4, [2.0, 3.0], 3)
spacing, count, bands, iterations = full if options.full else small

salt = huygens.Model.builtin("salt", spacing)
start = salt.smoothed(300.0)
width = spacing * (salt.shape[0] - 1)
receivers = huygens.line((0, spacing), (width, spacing), salt.shape[0] // 2)
shots = [
    huygens.Shot(huygens.Source((x, spacing), huygens.ricker(bands[-1] / 1.6)), receivers)
    for x in np.linspace(0.05 * width, 0.95 * width, count)
]
survey = huygens.Survey(salt, shots, duration=3.6, record=0.008, boundary={"top": "absorb"})
observed = huygens.shots(survey)

# The gradient is largest at the sources: there the model stays.
found = huygens.invert(
    survey.through(start).with_tables(gradient={"around_sources": 200.0}), observed,
    bands=bands, iterations=iterations, least=1400.0, most=5000.0,
)  # fmt: skip
for limit, misfits in zip(bands, found.misfits):
    print(f"up to {limit} Hz the misfit fell to {misfits[-1] / misfits[0]:.2f}")


def apart(model: huygens.Model) -> float:
    return float(np.linalg.norm(model.velocity - salt.velocity))


left = apart(found.model) / apart(start)
print(f"the model's error fell to {left:.2f} of what it was")
found.model.plot("The salt, inverted").save(options.folder / "fwi-salt.png")
