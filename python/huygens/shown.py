"""How results are shown: HTML of notebooks, pictures on axes of matplotlib, and the warning of dispersion."""

from __future__ import annotations

import base64
import html as escapes
from typing import Any, Callable

import numpy as np

from ._huygens import InputError


class DispersionWarning(UserWarning):
    """Waves that the grid or the time step disperses.

    Its remedies are searched for when it is shown: not if a filter ignores it, or has shown it at this line before.
    """

    def __init__(self, mistake: str, full: Callable[[], str | None] | None = None) -> None:
        super().__init__(mistake)
        self._full, self._is_filtered = full, full is None

    def __str__(self) -> str:
        # Python's warnings ask first for the text that filters compare, and again if it is shown.
        if not self._is_filtered:
            self._is_filtered = True
        elif self._full is not None:
            full, self._full = self._full, None
            try:
                self.args = (full() or self.args[0],)
            except ValueError:
                # A job that has become wrong stops its next run, not the one that this warning is about.
                pass
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return DispersionWarning, (str(self),)


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
        # A result of a job in a file may have no model to draw over.
        picture = None
    if picture is None:
        return text
    return f'{text}<img src="data:image/png;base64,{base64.b64encode(picture.png).decode()}">'


def onto(axes: Any, values: Any, extent: tuple[float, float, float, float], labels: tuple[str, str], title: str) -> Any:
    """Draws values [across][down] on axes of matplotlib; returns its AxesImage.

    The extent is that of the first and the last value: left, right, top and bottom; the picture has half a value more on
    each side. Colours are symmetric about 0 where values have both signs.
    """
    values = np.asarray(values).T
    left, right, top, bottom = extent
    down, across = (0.5 / max(count - 1, 1) for count in values.shape)
    across, down = across * (right - left) or 0.5, down * (bottom - top) or 0.5
    left, right, top, bottom = left - across, right + across, top - down, bottom + down
    is_signed = values.size and values.min() < 0 < values.max()
    most = float(np.abs(values).max()) if is_signed else None
    colours = {"cmap": "RdBu", "vmin": -most, "vmax": most} if most else {}
    image = axes.imshow(values, extent=(left, right, bottom, top), aspect="auto", **colours)
    axes.set(xlabel=labels[0], ylabel=labels[1], title=title)
    return image
