"""Least-squares migration: reflectors with their strength, where migration alone has their places."""

import argparse
import pathlib

import numpy as np

import huygens

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", help="where pictures are written")
parser.add_argument("--full", action="store_true", help="finer nodes, shorter waves and more shots")
options = parser.parse_args()
spacing, frequency, count, iterations = (10.0, 14.0, 32, 10) if options.full else (20.0, 8.0, 8, 5)

# Five layers and a lens, 3.2 km by 1.6 km, and the smooth model that is known of them.
lens = huygens.Model.builtin("lens", spacing)
smooth = lens.smoothed(100.0)
receivers = huygens.line((0, spacing), (3200 - spacing, spacing), round(3200 / spacing))
shots = [
    huygens.Shot(huygens.Source((x, spacing), huygens.ricker(frequency)), receivers)
    for x in np.linspace(100, 3100, count)
]
survey = huygens.Survey(lens, shots, duration=2.0, record=0.004, boundary={"top": "absorb"})
gathers = huygens.shots(survey)  # of the field: huygens.read_gathers

# Both without the waves of the smooth model.
migrated = huygens.rtm(survey.through(smooth), gathers, direct="modelled", laplacian=False).image
found = huygens.lsrtm(survey.through(smooth), gathers, rtm={"direct": "modelled"}, iterations=iterations)
true = lens.velocity / smooth.velocity - 1

# In the middle half, away from the shots: how much of the true dv/v is there, after one factor for the migration.
part = np.s_[true.shape[0] // 4 : -true.shape[0] // 4, round(200 / spacing) :]


def left(image):
    """What an image leaves of the true dv/v, root mean square, as waves of this band see it."""
    return np.linalg.norm(image[part] - true[part]) / np.linalg.norm(true[part])


factor = (migrated[part] * true[part]).sum() / (migrated[part] ** 2).sum()
print(f"migration leaves {left(factor * migrated):.2f} of dv/v, least squares {left(found.image):.2f}")

for name, image, title in [
    ("lsrtm-migration", migrated, "Migration"),
    ("lsrtm", found.image, f"dv/v after {iterations} iterations of least squares"),
    ("lsrtm-true", true, "True dv/v"),
]:
    huygens.plot(image.astype(np.float32), smooth, title).save(options.folder / f"{name}.png")
