"""Sources, receivers, shots and surveys."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from ._huygens import InputError, Job, Model
from .shown import Shown


def ricker(peak_hz: float, delay: float | None = None) -> dict[str, Any]:
    """A Ricker wavelet.

    Parameters
    ----------
    peak_hz
        The frequency of most amplitude, Hz.
    delay
        When its middle is, seconds; by default 1.5 periods.
    """
    return _wavelet("ricker", peak_hz=peak_hz, delay=delay)


def gaussian(peak_hz: float, derivative: int = 0, delay: float | None = None) -> dict[str, Any]:
    """A Gaussian or a derivative of it.

    Parameters
    ----------
    peak_hz
        The frequency of most amplitude, Hz; without a derivative, that at which it falls to 1/e.
    derivative
        Order of the derivative, 0 to 10.
    delay
        When its middle is, seconds.
    """
    return _wavelet("gaussian", peak_hz=peak_hz, derivative=derivative, delay=delay)


def ormsby(corners_hz: Sequence[float], delay: float | None = None) -> dict[str, Any]:
    """A wavelet whose spectrum is a trapezium.

    Parameters
    ----------
    corners_hz
        Its four corners, Hz, which rise.
    delay
        When its middle is, seconds.
    """
    return _wavelet("ormsby", corners_hz=list(corners_hz), delay=delay)


def klauder(from_hz: float, to_hz: float, length: float, delay: float | None = None) -> dict[str, Any]:
    """A linear sweep correlated with itself.

    Parameters
    ----------
    from_hz, to_hz
        The frequencies between which it sweeps, Hz.
    length
        Its length, seconds.
    delay
        When its middle is, seconds.
    """
    return _wavelet("klauder", from_hz=from_hz, to_hz=to_hz, length=length, delay=delay)


def samples(values: Any, interval: float) -> tuple[np.ndarray, float]:
    """A wavelet of samples.

    Parameters
    ----------
    values
        s(t), [time], the first at t = 0; zero after the last.
    interval
        Seconds between them.
    """
    return _array("wavelet", values), seconds("interval", interval)


def seconds(name: str, given: Any) -> float:
    """An argument of seconds."""
    if isinstance(given, (bool, str)) or not hasattr(given, "__float__"):
        raise InputError(f"{name} is {given!r}; give seconds")
    return float(given)


def _wavelet(kind: str, **keys: Any) -> dict[str, Any]:
    return {"kind": kind, **{key: value for key, value in keys.items() if value is not None}}


# Tensors whose gradient is computed, if they are given to `huygens.torch.propagate` instead.
_WITH_GRADIENT = {"wavelet", "amplitude", "density"}


def _refuse_gradient(name: str, given: Any) -> None:
    if getattr(given, "requires_grad", False):
        remedy = f"give it to huygens.torch.propagate as {name}=, or " if name in _WITH_GRADIENT else ""
        raise InputError(f"{name} requires a gradient, which a survey does not give; {remedy}give {name}.detach()")


def _array(name: str, given: Any) -> np.ndarray:
    """What NumPy makes of an argument."""
    _refuse_gradient(name, given)
    return np.asanyarray(given)


def is_trace(given: Any) -> bool:
    """True of a Trace of ObsPy."""
    return hasattr(given, "data") and hasattr(getattr(given, "stats", None), "delta")


def _wavelet_of(given: Any) -> Any:
    if is_trace(given):
        return samples(given.data, given.stats.delta)
    if isinstance(given, tuple) and len(given) == 2:
        return samples(*given)
    if not isinstance(given, Mapping):
        raise InputError(f"wavelet is a {type(given).__name__}; give what huygens.ricker or huygens.samples gives")
    return given


def line(first: Sequence[float], last: Sequence[float], count: int) -> np.ndarray:
    """Positions from one to another, both included.

    Parameters
    ----------
    first, last
        x and z, or x, y and z, metres.
    count
        How many there are.

    Returns
    -------
    numpy.ndarray
        [position][axis], metres.
    """
    return np.linspace(np.asarray(first, float), np.asarray(last, float), count)


@dataclass(frozen=True, eq=False)
class Source:
    """A point source: s(t) delta(x), times an amplitude.

    Parameters
    ----------
    at
        x and z, or x, y and z, metres from the model's first node.
    wavelet
        s(t): what `ricker`, `gaussian`, `ormsby`, `klauder` or `samples` gives, or a Trace of ObsPy, whose first sample
        is at t = 0.
    amplitude
        Its factor.
    dipole
        "x", "y" or "z" for a force along that axis; without it, a monopole of pressure.
    """

    at: Sequence[float]
    wavelet: Any
    amplitude: float = 1.0
    dipole: str | None = None

    def __post_init__(self) -> None:
        at = _array("at", self.at)
        if at.shape not in ((2,), (3,)) or at.dtype.kind not in "fiu":
            raise InputError(f"at is {self.at!r}; give x and z, or x, y and z, metres")
        if np.ndim(self.amplitude) or _array("amplitude", self.amplitude).dtype.kind not in "biuf":
            raise InputError(f"amplitude is {self.amplitude!r}; give a number")
        if self.dipole not in (None, "x", "y", "z"):
            raise InputError(f'dipole is {self.dipole!r}; give "x", "y" or "z", or None for a monopole')
        object.__setattr__(self, "wavelet", _wavelet_of(self.wavelet))

    def _given(self) -> tuple[Any, ...]:
        at = [float(value) for value in self.at]
        if len(at) == 2:
            at = [at[0], 0.0, at[1]]
        wavelet = self.wavelet
        if isinstance(wavelet, Mapping):
            wavelet = json.dumps(_plain(wavelet))
        return tuple(at), wavelet, float(self.amplitude), self.dipole


@dataclass(frozen=True, eq=False, repr=False)
class Shot:
    """Sources that fire at once, and their receivers.

    Parameters
    ----------
    sources
        A `Source`, or several.
    receivers
        [receiver][axis], x and z, or x, y and z, metres: `line`, or rows of any positions.
    """

    sources: Source | Sequence[Source]
    receivers: Any

    def __post_init__(self) -> None:
        sources = [self.sources] if isinstance(self.sources, Source) else self.sources
        if not isinstance(sources, (list, tuple)) or not all(isinstance(of, Source) for of in sources):
            raise InputError(f"sources is a {type(sources).__name__}; give a huygens.Source, or a list of them")

    def __repr__(self) -> str:
        sources, receivers = (1 if isinstance(self.sources, Source) else len(self.sources)), len(self.receivers)
        return f"Shot of {sources} source{'s' * (sources != 1)} and {receivers} receiver{'s' * (receivers != 1)}"

    def _given(self) -> tuple[Any, ...]:
        sources = [self.sources] if isinstance(self.sources, Source) else list(self.sources)
        try:
            receivers = np.asanyarray(self.receivers, float)
        except (TypeError, ValueError) as why:
            kind = type(self.receivers).__name__
            raise InputError(f"receivers is a {kind} of no positions ({why}); give rows of x and z") from None
        if np.ma.is_masked(receivers):
            raise InputError("receivers have masked values; leave them out, such as with receivers.compress_rows()")
        if receivers.ndim != 2:
            raise InputError(
                f"receivers have the shape {receivers.shape}; give a row of x and z, or of x, y and z, for each"
            )
        return [source._given() for source in sources], np.ascontiguousarray(receivers)


class Survey(Shown):
    """Shots through a model, and how they are modelled.

    `len` is the number of its shots, an index is a `Shot`, a slice is a `Survey` of some of them.

    Parameters
    ----------
    model
        A `Model`, or the name of a built-in model or a file, as in a job. Positions are metres from its first node.
    shots
        A `Shot`, or several.
    duration
        Seconds that are modelled.
    density
        kg/m3: a number, an array of the shape of the model's velocity, "gardner" for 310 v^0.25 and 1000 in water, or
        the name of a file that says its axes, as in a job. By default the same everywhere. `through` keeps it.
    epsilon, delta
        Thomsen's parameters of rock with a vertical axis of symmetry (VTI), delta at most epsilon: each a number, an array
        of the shape of the model's velocity, or the name of a file. By default 0. `through` keeps them.
    step
        Seconds between steps, or "auto" for somewhat less than the largest stable step.
    record
        Seconds between samples, a whole number of steps; by default every step.
    dispersion
        "kept", or "corrected" for traces without the error of the time step.
    snapshots
        Times of which the wavefield is wanted, seconds.
    force
        True to run what is refused because its result would mean nothing, such as velocities in km/s or fewer than 2.5
        points per wavelength.
    **tables
        Further tables of a job: operator, boundary, window, output, rtm, lsrtm, gradient, invert, locate and gather, as the page of
        job files has them, such as ``boundary={"top": "free"}``.
    """

    def __init__(
        self,
        model: Model | str,
        shots: Shot | Sequence[Shot],
        duration: float,
        *,
        density: Any = None,
        epsilon: Any = None,
        delta: Any = None,
        step: float | str = "auto",
        record: float | None = None,
        dispersion: str = "kept",
        snapshots: Sequence[float] = (),
        force: bool = False,
        **tables: Any,
    ) -> None:
        own = {"time", "source", "shot", "survey", "receivers"} & tables.keys()
        if own:
            raise InputError(f"{', '.join(sorted(own))}: a Survey has its own; give a dict of all keys instead")
        keys = dict(tables)
        keys["time"] = {"duration": duration, "step": step, "dispersion": dispersion}
        if record is not None:
            keys["time"]["record"] = record
        if isinstance(snapshots, str) or not hasattr(snapshots, "__len__"):
            raise InputError(f"snapshots is {snapshots!r}; give a list of times, seconds")
        if len(snapshots):
            times = [seconds("a time of snapshots", at) for at in snapshots]
            keys["output"] = {**keys.get("output", {}), "snapshots": times}
        if not isinstance(model, (Model, str, os.PathLike)):
            kind = type(model).__name__
            raise InputError(f"model is a {kind}; give a huygens.Model, such as Model(velocity, spacing=10.0)")
        if isinstance(duration, bool) or not isinstance(duration, (int, float, np.number)):
            raise InputError(f"duration is {duration!r}; give seconds")
        try:
            shots = [shots] if isinstance(shots, Shot) else list(shots)
        except TypeError:
            raise InputError(f"shots is a {type(shots).__name__}; give a huygens.Shot, or a list of them") from None
        if other := [shot for shot in shots if not isinstance(shot, Shot)]:
            raise InputError(f"a {type(other[0]).__name__} is no shot; give a huygens.Shot, or a list of them")
        self.model = model if isinstance(model, Model) else None
        if not isinstance(model, Model):
            keys["model"] = {**keys.get("model", {}), "velocity": os.fspath(model)}
        self.medium: dict[str, Any] = {}
        for name, values in (("density", density), ("epsilon", epsilon), ("delta", delta)):
            _refuse_gradient(name, values)
            if np.ndim(values):
                self.medium[name] = values
            elif values is not None:
                keys["model"] = {**keys.get("model", {}), name: values}
        self.shots = shots
        self.force = force
        self.keys = keys

    def __len__(self) -> int:
        return len(self.shots)

    def __getitem__(self, index: Any) -> Any:
        return self._with(self.model, self.shots[index]) if isinstance(index, slice) else self.shots[index]

    def __iter__(self) -> Iterator[Shot]:
        return iter(self.shots)

    def plot(self) -> Any:
        """The picture of its model; None if it only names one."""
        return self.model and self.model.plot()

    def of(self, *numbers: int) -> Survey:
        """The same with some of its shots, counted from 0."""
        return self._with(self.model, [self.shots[number] for number in numbers])

    def through(self, model: Model) -> Survey:
        """The same through another model."""
        if not isinstance(model, Model):
            kind = type(model).__name__
            raise InputError(f"model is a {kind}; give a huygens.Model, such as survey.model.with_velocity(velocity)")
        return self._with(model, self.shots)

    def with_tables(self, **tables: Any) -> Survey:
        """The same with some tables of its job replaced."""
        survey = self._with(self.model, self.shots)
        survey.keys = {**self.keys, **tables}
        return survey

    def _with(self, model: Model | None, shots: list[Shot]) -> Survey:
        survey = Survey.__new__(Survey)
        survey.model, survey.shots, survey.force = model, list(shots), self.force
        survey.medium = dict(self.medium)
        survey.keys = copy.deepcopy(self.keys)
        return survey

    def __repr__(self) -> str:
        return f"Survey({self.model!r}, {len(self.shots)} shots, {self.keys})"

    def _job(self) -> Job:
        shots = [shot._given() for shot in self.shots]
        return _of_keys(self.keys, self.model, shots, self.force, self.medium)


def receivers_of_each(survey: Survey) -> int:
    """The number of receivers of each shot, which is the same for all."""
    counts = sorted({len(shot.receivers) for shot in survey.shots})
    if len(counts) > 1:
        raise InputError(f"shots have {counts[0]} to {counts[-1]} receivers; give all as many, or propagate them apart")
    return counts[0] if counts else 0


def job_of(job: Any) -> Job:
    """A job: a `Survey`, a dict of its keys, the path of a job file, or its text in TOML."""
    if isinstance(job, Job):
        return job
    if isinstance(job, Survey):
        return job._job()
    if isinstance(job, Mapping):
        keys = dict(job)
        model = keys.get("model")
        if isinstance(model, Model):
            del keys["model"]
            return _of_keys(keys, model, None)
        return _of_keys(keys, None, None)
    if isinstance(job, str) and "\n" in job:
        return Job(job, is_toml=True, folder=os.getcwd(), name="the job")
    if isinstance(job, (str, os.PathLike)):
        return Job.open(job)
    raise InputError(f"a {type(job).__name__} is no job; give a Survey, a dict of keys, the path of a job file or its text")


def _of_keys(
    keys: Mapping[str, Any],
    model: Model | None,
    shots: Any,
    force: bool = False,
    medium: Mapping[str, Any] = {},
) -> Job:
    text = json.dumps(_plain(keys))
    nodes = (model, [medium.get(name) for name in ("density", "epsilon", "delta")])
    return Job(text, is_toml=False, folder=os.getcwd(), name="", medium=nodes, shots=shots, force=force)


def _plain(value: Any, name: str = "a value") -> Any:
    """Without None, which TOML does not have, and with plain numbers and text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(of, str(key)) for key, of in value.items() if of is not None}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(of, name) for of in value]
    if isinstance(value, np.generic):
        return _plain(value.item(), name)
    if isinstance(value, float) and not np.isfinite(value):
        raise InputError(f"{name} is {value}; give a finite number")
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InputError(f"{name} is {value}; give a number of 64 bits")
    if not isinstance(value, (str, int, float)):
        raise InputError(f"{name} is a {type(value).__name__}; give a number, text, a list or a dict")
    return value
