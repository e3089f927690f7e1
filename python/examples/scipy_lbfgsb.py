"""Another optimiser: SciPy's L-BFGS-B minimises the misfit, with the gradient of huygens."""

import argparse
import pathlib

import numpy as np
from scipy.optimize import minimize

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="finer nodes, more shots and iterations")
options = parser.parse_args()
spacing, count, iterations = (5.0, 20, 30) if options.full else (10.0, 4, 8)

# A Gaussian anomaly of 200 m/s between sources above and receivers below.
x, z = np.meshgrid(np.arange(0, 801, spacing), np.arange(0, 601, spacing), indexing="ij")
start = huygens.Model(np.full(x.shape, 2000.0, np.float32), spacing)
true = start.with_velocity(2000 + 200 * np.exp(-((x - 400) ** 2 + (z - 300) ** 2) / 100.0**2))
receivers = huygens.line((20, 580), (780, 580), 39)
shots = [
    huygens.Shot(huygens.Source((at, 20), huygens.ricker(10)), receivers) for at in np.linspace(100, 700, count)
]
# One step and one interval for all velocities, so that their traces have the same samples.
survey = huygens.Survey(true, shots, duration=0.6, step=spacing / 10_000, record=0.002, boundary={"top": "absorb"})
observed = huygens.shots(survey)


def model_of(u: np.ndarray) -> huygens.Model:
    """Unknowns u around 1, for which an optimiser's tolerances are made."""
    return start.with_velocity(start.velocity + 200 * u.reshape(start.shape))


def misfit(u: np.ndarray) -> tuple[float, np.ndarray]:
    found = huygens.gradient(survey.through(model_of(u)), observed, around_sources=60.0)
    return found.misfit, 200 * found.gradient.ravel()


still = np.zeros(x.size)
first = misfit(still)[0]
result = minimize(
    lambda u: tuple(of / first for of in misfit(u)), still,
    jac=True, method="L-BFGS-B", bounds=[(-0.5, 2.0)] * x.size, options={"maxiter": iterations},
)  # fmt: skip
inverted = model_of(result.x)


def apart(model: huygens.Model) -> float:
    return float(np.linalg.norm(model.velocity - true.velocity))


left = apart(inverted) / apart(start)
print(f"in {result.nit} iterations the misfit fell to {result.fun:.1g} of what it was, the model's error to {left:.2f}")
inverted.plot("Inverted with SciPy").save(options.folder / "scipy.png")
