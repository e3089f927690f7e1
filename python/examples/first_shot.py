"""A first shot: a wave in two layers of rock, and what the receivers at the surface hear of it."""

import argparse
import pathlib

import numpy as np

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="four times as many nodes along each axis")
options = parser.parse_args()

# 2 km by 1 km: 2000 m/s above 600 m of depth, 2800 m/s below. Arrays are [x][z].
spacing = 2.5 if options.full else 10.0
nodes = [round(length / spacing) + 1 for length in (2000, 1000)]
velocity = np.full(nodes, 2000.0, np.float32)
velocity[:, round(600 / spacing) :] = 2800.0
model = huygens.Model(velocity, spacing)

# One source in the middle, and a receiver every 20 m, all 20 m deep under an edge that absorbs.
source = huygens.Source((1000, 20), huygens.ricker(15))
receivers = huygens.line((0, 20), (2000, 20), 101)
survey = huygens.Survey(
    model, huygens.Shot(source, receivers), duration=1.2, snapshots=[0.5], boundary={"top": "absorb"}
)
gather = huygens.shot(survey)

# Above the source the reflection has gone down and up through 580 m of 2000 m/s. The wavelet's
# middle leaves at 0.1 s, 1.5 periods of 15 Hz.
late = gather.time > 0.3
heard = gather.time[late][np.abs(gather.traces[50, late]).argmax()]
expected = 0.1 + 2 * 580 / 2000
print(f"the reflection is loudest at {heard:.3f} s, and by its ray at {expected:.3f} s")

gather.plot("A direct wave and a reflection", gain=1.0).save(options.folder / "first-shot.png")
((at, field),) = gather.snapshots.items()
huygens.plot(field, model, f"After {at:.2f} s", "pressure").save(options.folder / "first-shot-wave.png")
