"""The job, the model and the survey of the tests."""

import numpy as np

import huygens

JOB = """
[model]
velocity = "builtin:homogeneous"
nodes = { x = 41, z = 31 }
spacing = 10.0
[time]
duration = 0.2
[[source]]
at = { x = 100.0, z = 50.0 }
wavelet = { kind = "ricker", peak_hz = 15.0 }
[receivers]
points = [{ x = 200.0, z = 50.0 }]
"""


def velocities():
    velocity = np.full((81, 61), 2000.0, np.float32)
    velocity[:, 35:] = 2600.0
    return velocity


def model():
    return huygens.Model(velocities(), 10.0)


def survey(of=None, count=1, **keys):
    receivers = huygens.line((20, 20), (780, 20), 39)
    sources = [huygens.Source((x, 30), huygens.ricker(12)) for x in np.linspace(200, 600, count)]
    shots = [huygens.Shot(source, receivers) for source in sources]
    return huygens.Survey(of or model(), shots, duration=0.6, **keys)
