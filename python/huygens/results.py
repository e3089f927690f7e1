"""What runs give, with pictures and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _huygens
from ._huygens import InputError, Model
from .shown import Shown, onto


@dataclass(frozen=True)
class _Drawn:
    """The values of a result that are drawn over its model."""

    values: str
    quantity: str
    title: str


class _OverModel(Shown):
    """A result that has its model, and is drawn over it."""

    model: Model | None

    def plot(self, title: str | None = None, *, ax: Any = None) -> Any:
        """The picture of its values over its model, or on axes of matplotlib; of an image, that of the first condition."""
        if self.model is None:
            raise InputError("the result has no model; draw its arrays with huygens.plot(values, model)")
        drawn = _DRAWN[type(self).__name__]
        title = drawn.title if title is None else title
        return plot(getattr(self, drawn.values), self.model, title, drawn.quantity, ax=ax)


# By the names of the results.
_DRAWN = {
    "Gradient": _Drawn("gradient", "gradient", title="Gradient"),
    "Image": _Drawn("image", "image", title="Image"),
    "LeastSquaresImage": _Drawn("image", "reflectivity", title="dv/v"),
    "Located": _Drawn("map", "amplitude", title="The largest field"),
}


@dataclass(eq=False, repr=False)
class Gradient(_OverModel):
    """The misfit of modelled to observed traces, and its gradient.

    Attributes
    ----------
    misfit, misfits
        J, and that of each shot.
    gradient
        dJ/dv at each node, per m/s, or by the relative change of the squared slowness: float64, [x][z] or [y][x][z].
    illumination
        Of the nodes by the sources, float32, of the same shape.
    of_shots
        The gradient of each shot, if per_shot asks for it.
    unit
        "per m/s", or "per relative squared slowness".
    model
        The model that the gradient is of.
    wavelets, wavelet_interval
        The estimated wavelets, if gradient.wavelet asks for them: one, or one for each shot; and the seconds between their
        samples, the first at t = 0.
    """

    misfit: float
    misfits: list[float]
    gradient: np.ndarray
    illumination: np.ndarray
    of_shots: list[np.ndarray] = field(default_factory=list)
    unit: str = "per m/s"
    model: Model | None = None
    wavelets: list[np.ndarray] = field(default_factory=list)
    wavelet_interval: float = 0.0

    def __repr__(self) -> str:
        shots, shape = len(self.misfits), self.gradient.shape
        return f"Gradient(misfit {self.misfit:.6g} of {shots} shots, shape={shape}, {self.unit})"


@dataclass(eq=False, repr=False)
class Inverted(Shown):
    """What an inversion ends with.

    Attributes
    ----------
    model
        The model at the end.
    misfits
        J after each iteration of each band; the first is that of the band's start.
    wavelets, wavelet_interval
        As in `Gradient`.
    """

    model: Model
    misfits: list[list[float]]
    wavelets: list[np.ndarray] = field(default_factory=list)
    wavelet_interval: float = 0.0

    def plot(self, title: str = "Inverted model") -> Any:
        """The picture of the model."""
        return self.model.plot(title)

    def __repr__(self) -> str:
        bands = ", ".join(f"{of[0]:.4g} to {of[-1]:.4g}" for of in self.misfits)
        return f"Inverted({self.model!r}, misfits {bands})"


@dataclass(eq=False, repr=False)
class Image(_OverModel):
    """What a migration gives.

    Attributes
    ----------
    images
        An image, [x][z] or [y][x][z], by the name of its condition: float32, or float64 if float32 does not hold
        its values.
    illumination
        Of the nodes by the sources, of the same shape.
    model
        The model that was migrated through.
    """

    images: dict[str, np.ndarray]
    illumination: np.ndarray
    model: Model | None = None

    def __repr__(self) -> str:
        return f"Image({', '.join(self.images)}, shape={self.illumination.shape})"

    @property
    def image(self) -> np.ndarray:
        """The image of the first condition."""
        return next(iter(self.images.values()))


@dataclass(eq=False, repr=False)
class LeastSquaresImage(_OverModel):
    """What a least-squares migration ends with.

    Attributes
    ----------
    image
        The relative change of the velocity, dv/v, [x][z] or [y][x][z].
    residuals
        The part of the weighed traces that the image does not explain, root mean square, before the first
        iteration, where it is 1, and after each.
    model
        The model that was migrated through.
    """

    image: np.ndarray
    residuals: list[float]
    model: Model | None = None

    def __repr__(self) -> str:
        return f"LeastSquaresImage(shape={self.image.shape}, residual {self.residuals[-1]:.3g})"


@dataclass(eq=False, repr=False)
class Located(_OverModel):
    """Sources that were found.

    Attributes
    ----------
    sources
        Of each a dict of at (x, y and z, metres), time (seconds), extent, over_background and over_next.
    map
        The largest field at each node, [x][z] or [y][x][z].
    frequency
        The dominant frequency of the gather, Hz.
    model
        The model that the gather was sent back through.
    """

    sources: list[dict[str, Any]]
    map: np.ndarray
    frequency: float
    model: Model | None = None

    def __repr__(self) -> str:
        return f"Located({len(self.sources)} sources, map of shape={self.map.shape}, {self.frequency:.4g} Hz)"


def plot(values: Any, model: Model, title: str = "", quantity: str = "image", *, ax: Any = None) -> Any:
    """A picture of values on a model's nodes over the model; of a volume, of its middle plane.

    Parameters
    ----------
    values
        A wavefield, a gradient or an image, [x][z] or [y][x][z].
    quantity
        The quantity, for the colour bar: "image", "pressure" (a modelled wavefield, Pa), "amplitude" (a wavefield of
        recorded traces, without a unit), "gradient" or "reflectivity".
    ax
        Axes of matplotlib: the values alone are drawn there, and the AxesImage is returned.
    """
    if ax is not None:
        plane = np.asarray(values)
        plane = plane[len(plane) // 2] if plane.ndim == 3 else plane
        right, bottom = (h * (n - 1) for h, n in zip(model.spacing[:: len(model.spacing) - 1], plane.shape))
        return onto(ax, plane, (0.0, right, 0.0, bottom), ("x (m)", "z (m)"), title)
    return _huygens.section(values, model, title, quantity)


def to_xarray(values: Any, model: Model, name: str = "values", units: str = "") -> Any:
    """Values on a model's nodes with the positions of the nodes, metres from the first, as an xarray.DataArray.

    Parameters
    ----------
    values
        A gradient, an image or velocities, [x][z] or [y][x][z].
    name, units
        Of the values.
    """
    import xarray

    values = np.asanyarray(values)
    if values.shape != model.shape:
        raise InputError(f"the values have the shape {values.shape}, and the model has {model.shape}; give one for each node")
    dims = ("y", "x", "z")[3 - values.ndim :]
    # Spacing is of x and z, or of x, y and z.
    spacing = dict(zip(("x", "y", "z") if values.ndim == 3 else ("x", "z"), model.spacing))
    axes = {dim: (dim, np.arange(n) * spacing[dim], {"units": "m"}) for dim, n in zip(dims, values.shape)}
    return xarray.DataArray(values, dims=dims, coords=axes, name=name, attrs={"units": units} if units else {})
