"""A survey and its migration: the shots of a line show where rock changes, through a smooth model."""

import argparse
import pathlib

import numpy as np

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="finer nodes, shorter waves and more shots")
options = parser.parse_args()
spacing, frequency, count = (10.0, 10.0, 40) if options.full else (20.0, 5.0, 6)

# 4 km by 2 km of flat layers, with sources and receivers at the surface, under an edge that absorbs.
layers = huygens.Model.builtin("layers", spacing, [round(4000 / spacing) + 1, round(2000 / spacing) + 1])
receivers = huygens.line((0, spacing), (4000, spacing), 101)
shots = [
    huygens.Shot(huygens.Source((x, spacing), huygens.ricker(frequency)), receivers)
    for x in np.linspace(400, 3600, count)
]
survey = huygens.Survey(layers, shots, duration=2.0, record=0.004, boundary={"top": "absorb"})
gathers = huygens.shots(survey)  # of the field: huygens.read_gathers

# Only a smooth model is known when a field survey is migrated. Direct waves, which reflect nowhere,
# are modelled through the rock at the source and taken away.
smooth = layers.smoothed(150.0)
found = huygens.rtm(survey.through(smooth), gathers, direct="modelled")

# Far below the sources, the image is strongest at an interface.
below = round(600 / spacing)
energy = (found.image[below:-below, below:] ** 2).sum(axis=0)
strongest = spacing * (below + energy.argmax())
interfaces = spacing * (np.flatnonzero(np.diff(layers.velocity[0])) + 0.5)
nearest = interfaces[np.abs(interfaces - strongest).argmin()]
print(f"the image is strongest at {strongest:.0f} m of depth, and an interface is at {nearest:.0f} m")

gathers[count // 2].plot("One shot of the survey", gain=1.0).save(options.folder / "survey.png")
huygens.plot(found.image, smooth, f"The image of {count} shots").save(options.folder / "rtm.png")
