"""Recorded traces as they are given: gathers, arrays of any package, or lists of them."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._huygens import InputError
from .acquisition import Shot, Source, is_trace, seconds
from .gather import Gather, _positions, read_gathers

_SECONDS = {None: 1.0, "s": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3}
_TIME, _RECEIVER = ("time", "t"), ("receiver", "trace", "channel")


def traces(what: str, given: Any, interval: float | None, survey: Any) -> tuple[Any, float | None]:
    """Arrays of gathers, and the seconds between their samples if they are known.

    Warns if the positions of gathers are not those of the survey.
    """
    interval = None if interval is None else seconds("sample_interval", interval)
    if isinstance(given, (str, os.PathLike)):
        given = read_gathers(given)
    given = _from_package(what, given)
    if isinstance(given, Gather):
        given = [given]
    elif given is None or _is_array(given):
        return _unlabelled(what, given, interval)
    elif not isinstance(given, Sequence):
        try:
            given = list(given)
        except TypeError:
            return given, interval
    # Traces of ObsPy without a Stream are those of one gather.
    given = [_as_gather(what, given)] if given and all(map(is_trace, given)) else [_from_package(what, of) for of in given]
    if given and all(isinstance(of, Gather) for of in given):
        _check_places(given, survey)
        each = [(of.traces, of.interval) for of in given]
    elif given and all(_is_array(of) for of in given):
        each = [_unlabelled(what, of, None) for of in given]
    else:
        return given, interval
    intervals = {of for _, of in each if of is not None}
    if interval is None and len(intervals) > 1:
        raise InputError(f"gathers have the intervals {sorted(intervals)} s; give them one")
    return [of for of, _ in each], intervals.pop() if interval is None and intervals else interval


def _from_package(what: str, given: Any) -> Any:
    """A tensor of torch as an array, and a Stream or a Trace of ObsPy as a gather without positions."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
        if str(given.dtype) in ("torch.bfloat16", "torch.float16"):
            raise InputError(f"{what} is of {given.dtype}; give float32 or float64, such as {what}.float()")
        return given.numpy()
    if is_trace(given):
        return _as_gather(what, [given])
    if isinstance(getattr(given, "traces", None), list) and all(map(is_trace, given.traces)):
        return _as_gather(what, list(given))
    return given


def _as_gather(what: str, each: Sequence[Any]) -> Gather:
    """A gather of the traces of ObsPy, without positions."""
    kinds = sorted({(len(of.data), float(of.stats.delta)) for of in each})
    if len(kinds) != 1:
        said = " and ".join(f"{samples} samples {delta:g} s apart" for samples, delta in kinds) or "no traces"
        raise InputError(f"{what} has {said}; give traces of one length and one rate, such as after trim and resample")
    return Gather(np.stack([of.data for of in each]), kinds[0][1], np.zeros((len(each), 3)))


def _is_array(given: Any) -> bool:
    return hasattr(given, "__array__")


def _unlabelled(what: str, given: Any, interval: float | None) -> tuple[Any, float | None]:
    """An array whose axes may have names, in the order of gathers, and the interval of its times."""
    dims, coords = getattr(given, "dims", None), getattr(given, "coords", None)
    if dims is None or coords is None or list(dims) == [f"dim_{axis}" for axis in range(len(dims))]:
        return given, interval
    time = [of for of in dims if str(of).lower() in _TIME]
    receiver = [of for of in dims if str(of).lower() in _RECEIVER]
    if len(dims) == 2 and len(time) == 1:
        receiver = [of for of in dims if of not in time]
    if len(time) != 1 or len(receiver) != 1 or len(dims) > 3:
        raise InputError(
            f"{what} has the axes {' and '.join(map(str, dims))}; name them receiver and time, and shot before them, "
            "with .rename, or give its .values, [receiver][time] or [shot][receiver][time]"
        )
    shot = [of for of in dims if of not in time + receiver]
    of_times = _interval(what, coords[time[0]]) if time[0] in coords else None
    return given.transpose(*shot, *receiver, *time), of_times if interval is None else interval


def _interval(what: str, times: Any) -> float | None:
    """The seconds between evenly spaced times from 0 on."""
    at = np.asarray(times)
    unit = times.attrs.get("units")
    if at.dtype.kind not in "fiu" or unit not in _SECONDS:
        raise InputError(f"the times of {what} are in {unit or at.dtype}; give seconds, as numbers")
    if len(at) < 2:
        return None
    at = at.astype(float) * _SECONDS[unit]
    interval = (at[-1] - at[0]) / (len(at) - 1)
    if not (interval > 0 and np.abs(at - interval * np.arange(len(at))).max() < 0.01 * interval):
        raise InputError(
            f"the times of {what} are not evenly spaced from 0 s on, but from {at[0]:g} to {at[-1]:g} s; resample them, "
            "or drop them with .drop_vars and give sample_interval"
        )
    # Without the rounding of the times.
    return float(f"{interval:.12g}")


def _check_places(gathers: Sequence[Gather], survey: Any) -> None:
    for number, (gather, shot) in enumerate(zip(gathers, getattr(survey, "shots", [])), start=1):
        apart = _apart(gather, shot)
        if apart > 1.0:
            message = f"gather {number}: its positions are up to {apart:.0f} m from those of shot {number}, which are taken"
            _warn(message)


def _warn(message: str) -> None:
    """Warns at the line that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"].startswith("huygens."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


def _apart(gather: Gather, shot: Shot) -> float:
    """The largest distance of a gather's positions, where it has them, from those of a shot, metres."""
    sources = [shot.sources] if isinstance(shot.sources, Source) else list(shot.sources)
    pairs = [(gather.receivers, shot.receivers), (gather.sources, [source.at for source in sources])]
    most = 0.0
    for own, taken in pairs:
        own, taken = _positions(own), _positions(taken)
        if own.shape == taken.shape and own.any():
            most = max(most, float(np.linalg.norm(own - taken, axis=1).max()))
    return most
