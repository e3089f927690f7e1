"""Gathers: the traces of a shot, with the positions of its sources and receivers."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np

from . import _huygens


@dataclass(eq=False)
class Gather:
    """The traces of a shot.

    Parameters
    ----------
    traces
        Pressure, [receiver][time], float32, the first sample at t = 0.
    interval
        Seconds between samples.
    receivers, sources
        [position][axis], x, y and z, metres; x and z do.
    record
        Number of the shot, from 1.
    snapshots
        Wavefields, [x][z] or [y][x][z], by their times in seconds, if the survey asked for them.
    """

    traces: np.ndarray
    interval: float
    receivers: np.ndarray
    sources: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))
    record: int = 1
    snapshots: dict[float, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        receivers, samples = self.traces.shape
        return f"Gather(record {self.record}, {receivers} receivers, {samples} samples {self.interval:g} s apart)"

    @property
    def time(self) -> np.ndarray:
        """The time of each sample, seconds."""
        return np.arange(self.traces.shape[1]) * self.interval

    def plot(
        self,
        title: str | None = None,
        *,
        wiggles: bool = False,
        gain: float = 0.0,
        agc: float | None = None,
        clip: float | None = None,
    ) -> _huygens.Picture:
        """A picture in shades of grey.

        Parameters
        ----------
        title
            By default the record's number.
        wiggles
            Whether it has wiggles instead.
        gain
            Samples are multiplied by this power of their time.
        agc
            They are divided by the root mean square of so many seconds around them.
        clip
            A percentile of their sizes, beyond which they are cut off.
        """
        title = f"Record {self.record}" if title is None else title
        receivers, sources = _positions(self.receivers), _positions(self.sources)
        return _huygens.gather(self.traces, self.interval, receivers, sources, title, wiggles, gain, agc, clip)

    def to_xarray(self) -> Any:
        """The traces with their times, seconds, and positions, metres, as an xarray.DataArray."""
        import xarray

        receivers = _positions(self.receivers)
        return xarray.DataArray(
            self.traces,
            dims=("receiver", "time"),
            coords={
                "time": ("time", self.time, {"units": "s"}),
                **{
                    name: ("receiver", receivers[:, axis], {"units": "m"})
                    for axis, name in enumerate(("x", "y", "z"))
                },
            },
            name="pressure",
        )


def _positions(rows: Any) -> np.ndarray:
    """Rows of x, y and z."""
    if np.ma.is_masked(rows):
        raise _huygens.InputError("positions have masked values; leave their traces out")
    rows = np.atleast_2d(np.asarray(rows, float))
    if rows.shape[1] == 2:
        rows = np.column_stack([rows[:, 0], np.zeros(len(rows)), rows[:, 1]])
    return np.ascontiguousarray(rows)


def read_gathers(
    path: str | os.PathLike[str], *, kill: Sequence[int | str] = (), **headers: Any
) -> list[Gather]:
    """The gathers of a .sgy, .su, .npz or .h5, their first samples at the shot.

    Parameters
    ----------
    path
        The file.
    kill
        Traces that are left out: numbers counted through the file from 1, and "dead" for those so marked.
    **headers
        What its headers lack: unit ("m" or "ft"), coordinate_scalar, elevation_scalar, lengths=True, interval and
        start, seconds, and records, the numbers of those wanted.
    """
    kill = [str(of) for of in kill]
    return [Gather(**of) for of in _huygens.read_gathers(path, kill=kill, **headers)]


def write_gathers(path: str | os.PathLike[str], gathers: Gather | Sequence[Gather], *, force: bool = False) -> None:
    """Writes gathers as .sgy, .su, .npz, .h5 or, of one, .npy with a .csv of its receivers beside it."""
    gathers = [gathers] if isinstance(gathers, Gather) else gathers
    given = [
        (of.traces, of.interval, _positions(of.sources), _positions(of.receivers), of.record) for of in gathers
    ]
    _huygens.write_gathers(path, given, force)
