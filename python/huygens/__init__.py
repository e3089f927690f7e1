"""Acoustic seismic waves on every GPU: modelling, migration, location and gradients.

Arrays of a model have the shape [x][z], of a volume [y][x][z]; gathers [receiver][time].
Lengths are metres, z points down; times are seconds, frequencies hertz, velocities m/s.

>>> import huygens
>>> import numpy as np
>>> model = huygens.Model(np.full((101, 61), 2000.0), spacing=10.0)
>>> shot = huygens.Shot(huygens.Source((500, 300), huygens.ricker(15)), huygens.line((0, 20), (1000, 20), 51))
>>> gather = huygens.shot(huygens.Survey(model, shot, duration=0.6))
>>> gather.traces.shape[0]
51
"""

from ._huygens import Engine, InputError, MissingFileError, Model, RunError, __version__, devices
from .acquisition import Shot, Source, Survey, gaussian, klauder, line, ormsby, ricker, samples
from .gather import Gather, Snapshots, read_gathers, write_gathers
from .results import Gradient, Image, Inverted, LeastSquaresImage, Located, plot, to_xarray
from .run import check, gradient, invert, locate, lsrtm, rtm, shot, shots, zero_offset
from .shown import DispersionWarning
from .stations import from_obspy

__all__ = [
    "DispersionWarning",
    "Engine",
    "Gather",
    "Gradient",
    "Image",
    "InputError",
    "Inverted",
    "LeastSquaresImage",
    "Located",
    "MissingFileError",
    "Model",
    "RunError",
    "Shot",
    "Snapshots",
    "Source",
    "Survey",
    "__version__",
    "check",
    "devices",
    "from_obspy",
    "gaussian",
    "gradient",
    "invert",
    "klauder",
    "line",
    "locate",
    "lsrtm",
    "ormsby",
    "plot",
    "read_gathers",
    "ricker",
    "rtm",
    "samples",
    "shot",
    "shots",
    "to_xarray",
    "write_gathers",
    "zero_offset",
]
