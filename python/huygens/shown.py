"""How results are shown: HTML of notebooks and pictures on axes of matplotlib."""

from __future__ import annotations

import base64
import html as escapes
from typing import Any

import numpy as np

from ._huygens import InputError


class Shown:
    """A result that notebooks show with its picture."""

    def _repr_html_(self) -> str:
        return html(self)


def html(result: Any) -> str:
    """The text of a result and its picture, if it has one."""
    text = f"<p>{escapes.escape(repr(result))}</p>"
    try:
        picture = result.plot()
    except InputError:
        # It has no model.
        picture = None
    if picture is None:
        return text
    return f'{text}<img src="data:image/png;base64,{base64.b64encode(picture.png).decode()}">'


def onto(axes: Any, values: Any, extent: tuple[float, float, float, float], labels: tuple[str, str], title: str) -> Any:
    """Draws values [across][down] on axes of matplotlib; returns its AxesImage.

    The extent is that of the first and the last value: left, right, top and bottom. Colours are symmetric about 0 where
    values have both signs.
    """
    values = np.asarray(values).T
    left, right, top, bottom = extent
    is_signed = values.size and values.min() < 0 < values.max()
    most = float(np.abs(values).max()) if is_signed else None
    colours = {"cmap": "RdBu", "vmin": -most, "vmax": most} if most else {}
    image = axes.imshow(values, extent=(left, right, bottom, top), aspect="auto", **colours)
    axes.set(xlabel=labels[0], ylabel=labels[1], title=title)
    return image
