"""Gathers: the traces of a shot, with the positions of its sources and receivers."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from . import _huygens
from ._huygens import InputError
from .shown import Shown, onto


class Snapshots(dict[float, np.ndarray]):
    """Wavefields by their times, seconds: those of the steps nearest to the times that were asked for.

    `snapshots[time]` takes any time within half a step of one of them.
    """

    def __init__(self, fields: dict[float, np.ndarray], step: float) -> None:
        super().__init__(fields)
        self.step = step

    def __missing__(self, time: float) -> np.ndarray:
        nearest = min(self, key=lambda own: abs(own - time), default=np.inf)
        if abs(nearest - time) > 0.5001 * self.step:
            own = f"there are those of {', '.join(f'{of:.6g}' for of in self)} s" if self else "the survey has no snapshots="
            raise KeyError(f"no snapshot at {time:g} s; {own}")
        return self[nearest]

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshots, (dict(self), self.step)


@dataclass(eq=False)
class Gather(Shown):
    """The traces of a shot: `len`, indices, iteration and `numpy.asarray` are of its traces.

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
        Wavefields, [x][z] or [y][x][z], by their times in seconds, if the survey asked for them: `Snapshots`.
    start
        The time of the first sample, UTC, if it is known; `from_obspy` gives it. Files of gathers do not keep it.
    """

    traces: np.ndarray
    interval: float
    receivers: np.ndarray
    sources: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))
    record: int = 1
    snapshots: dict[float, np.ndarray] = field(default_factory=dict)
    start: datetime.datetime | None = None

    def __repr__(self) -> str:
        receivers, samples = self.traces.shape
        return f"Gather(record {self.record}, {receivers} receivers, {samples} samples {self.interval:g} s apart)"

    def __len__(self) -> int:
        return len(self.traces)

    def __getitem__(self, trace: Any) -> Any:
        return self.traces[trace]

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.traces)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.traces, dtype) if copy else np.asarray(self.traces, dtype)

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
        ax: Any = None,
    ) -> Any:
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
        ax
            Axes of matplotlib: the traces are drawn there as they are, and its AxesImage is returned.
        """
        title = f"Record {self.record}" if title is None else title
        if ax is not None:
            extent = (1.0, float(len(self)), 0.0, float(self.time[-1]))
            return onto(ax, self.traces, extent, ("receiver", "time (s)"), title)
        receivers, sources = _positions(self.receivers), _positions(self.sources)
        return _huygens.gather(self.traces, self.interval, receivers, sources, title, wiggles, gain, agc, clip)

    def to_xarray(self) -> Any:
        """The traces with their times, seconds, and positions, metres, as an xarray.DataArray.

        The coordinates source_x, source_y and source_z are those of its source, if it has one, and record is its number.
        """
        import xarray

        receivers, sources = _positions(self.receivers), _positions(self.sources)
        metres = {"units": "m"}
        return xarray.DataArray(
            self.traces,
            dims=("receiver", "time"),
            coords={
                "time": ("time", self.time, {"units": "s"}),
                **{name: ("receiver", receivers[:, axis], metres) for axis, name in enumerate("xyz")},
                **{f"source_{name}": of for name, of in zip("xyz", _one_or_all(sources, metres))},
                "record": self.record,
            },
            name="pressure",
        )


def _one_or_all(sources: np.ndarray, metres: dict[str, str]) -> list[Any]:
    """x, y and z of one source; those of several are attributes of no axis of the traces, and are left out."""
    if len(sources) != 1:
        return []
    return [((), float(of), metres) for of in sources[0]]


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
    if not isinstance(gathers, Iterable) or isinstance(gathers, str):
        raise InputError(f"gathers is a {type(gathers).__name__}; give a huygens.Gather, or a list of them")
    given = [
        (of.traces, of.interval, _positions(of.sources), _positions(of.receivers), of.record) for of in gathers
    ]
    _huygens.write_gathers(path, given, force)
