"""What huygens does with a survey."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import numpy as np

from . import _huygens
from ._huygens import Engine, InputError, Model, RunError
from .acquisition import job_of
from .gather import Gather, _positions

Progress = Callable[[str, int, int], None]

_engines: dict[str, Engine] = {}
_opening = threading.Lock()


def _engine(engine: Engine | str | None) -> Engine:
    """An engine, or that of a backend, which is opened once."""
    if isinstance(engine, Engine):
        return engine
    backend = engine or "auto"
    with _opening:
        if backend not in _engines:
            _engines[backend] = Engine(backend)
        return _engines[backend]


def _run(run: Callable[..., Any], job: Any, engine: Engine | str | None, *arguments: Any) -> Any:
    try:
        return run(job_of(job), _engine(engine), *arguments)
    except RunError:
        # A device that is gone is opened again.
        with _opening:
            _engines.clear()
        raise


def _bar(progress: Progress | bool | None) -> Progress | None:
    """A function that shows progress: the given one, or a bar of tqdm for True."""
    if progress is not True:
        return progress or None
    from tqdm.auto import tqdm

    bars: dict[str, Any] = {}

    def show(stage: str, done: int, all: int) -> None:
        if stage not in bars:
            bars[stage] = tqdm(total=all, desc=stage, leave=False)
        bars[stage].update(done - bars[stage].n)
        if done >= all:
            bars.pop(stage).close()

    return show


def check(survey: Any) -> dict[str, Any]:
    """What is known of a survey before a run: its step, samples, memory and warnings."""
    return job_of(survey).check()


def shots(survey: Any, *, engine: Engine | str | None = None, progress: Progress | bool | None = None) -> list[Gather]:
    """Models all shots of a survey.

    survey: a `Survey`, a dict of a job's keys, the path of a job file or its text.
    engine: an `Engine` or the name of a backend: "auto" (the default), "cpu", "vulkan" ...
    progress: True for a bar of tqdm, or a function of a stage, the steps done and all of them; what
    it raises ends the run, as Ctrl-C does.
    """
    found = _run(_huygens.shots, survey, engine, _bar(progress))
    return [Gather(**of) for of in found]


def shot(survey: Any, *, engine: Engine | str | None = None, progress: Progress | bool | None = None) -> Gather:
    """Models the one shot of a survey; `shots` models several."""
    found = shots(survey, engine=engine, progress=progress)
    if len(found) != 1:
        raise InputError(f"the survey has {len(found)} shots; use huygens.shots, or Survey.of to choose one")
    return found[0]


@dataclass(eq=False)
class Gradient:
    """The misfit of modelled to observed traces, and its gradient.

    misfit, misfits: J, and that of each shot.
    gradient: dJ/dv at each node, per m/s, [x][z] or [y][x][z], or by the relative squared slowness.
    illumination: of the nodes by the sources.
    of_shots: the gradient of each shot, if gradient.per_shot asks for it.
    """

    misfit: float
    misfits: list[float]
    gradient: np.ndarray
    illumination: np.ndarray
    of_shots: list[np.ndarray] = field(default_factory=list)


def gradient(
    survey: Any,
    observed: Any = None,
    *,
    sample_interval: float | None = None,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> Gradient:
    """The misfit of a survey's modelled traces to observed ones, and its gradient by the model.

    observed: [shot][receiver][time], or a list of arrays or `Gather`s; without it gradient.observed
    of the job names a file. sample_interval: seconds between its samples; by default those of the
    survey. keys: of the table gradient: misfit="huber", of="slowness", interval, taper, mute,
    around_sources, illumination, per_shot.
    """
    observed, interval = _traces(observed, sample_interval)
    if keys:
        survey = _with_table(survey, "gradient", keys)
    return Gradient(**_run(_huygens.gradient, survey, engine, observed, interval, _bar(progress)))


@dataclass(eq=False)
class Inverted:
    """The model at the end of an inversion, and J after each iteration of each band; the first is
    that of the band's start."""

    model: Model
    misfits: list[list[float]]


def invert(
    survey: Any,
    observed: Any = None,
    *,
    sample_interval: float | None = None,
    each: Callable[[int, int, float, Model], None] | None = None,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> Inverted:
    """Full waveform inversion: changes the survey's model until its traces are those observed.

    observed, sample_interval: as in `gradient`. each: called after every iteration with the band
    (from 0), the iteration (from 1), the misfit and the model; what it raises ends the inversion.
    keys: of the table invert: bands=[4.0, 8.0], iterations, least, most, smooth and water.
    """
    observed, interval = _traces(observed, sample_interval)
    if keys:
        survey = _with_table(survey, "invert", keys)
    return Inverted(**_run(_huygens.invert, survey, engine, observed, interval, each, _bar(progress)))


@dataclass(eq=False)
class Image:
    """Images of a migration by the name of their condition, and the illumination by the sources."""

    images: dict[str, np.ndarray]
    illumination: np.ndarray

    @property
    def image(self) -> np.ndarray:
        """The image of the first condition."""
        return next(iter(self.images.values()))


def rtm(
    survey: Any,
    gathers: Any = None,
    *,
    sample_interval: float | None = None,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> Image:
    """Migrates the shots of a survey: recorded gathers as in `gradient`, the file of rtm.gathers or,
    without both, shots that are modelled. keys: of the table rtm."""
    gathers, interval = _traces(gathers, sample_interval)
    if keys:
        survey = _with_table(survey, "rtm", keys)
    return Image(**_run(_huygens.rtm, survey, engine, gathers, interval, _bar(progress)))


@dataclass(eq=False)
class Located:
    """Sources that were found, each a dict of at (x, y, z), time, extent, over_background and
    over_next; the map of the largest field; and the dominant frequency of the gather, Hz."""

    sources: list[dict[str, Any]]
    map: np.ndarray
    frequency: float


def locate(
    survey: Any,
    gather: Gather | None = None,
    *,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> Located:
    """Sends a gather back to where its waves came from; without one, that of locate.gather. keys: of
    the table locate, such as sources=2."""
    if keys:
        survey = _with_table(survey, "locate", keys)
    given = None if gather is None else (gather.traces, gather.interval, _positions(gather.receivers))
    return Located(**_run(_huygens.locate, survey, engine, given, _bar(progress)))


def zero_offset(
    survey: Any,
    section: Any = None,
    *,
    sample_interval: float | None = None,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
) -> Gather | np.ndarray:
    """The zero-offset section of a survey's model, by exploding reflectors, as a `Gather`; of a
    section that is given, [receiver][time], its migrated image."""
    if isinstance(section, Gather):
        section, sample_interval = section.traces, section.interval
    given = None if section is None else (section, sample_interval)
    found = _run(_huygens.zero_offset, survey, engine, given, _bar(progress))
    return found["image"] if "image" in found else Gather(**found, sources=found["receivers"])


def plot(values: Any, model: Model, title: str = "", quantity: str = "reflectivity") -> _huygens.Picture:
    """A picture of values on a model's nodes over the model; quantity: "pressure", "gradient" or
    "reflectivity"."""
    return _huygens.section(np.asarray(values), model, title, quantity)


def to_xarray(values: Any, model: Model, name: str = "values", units: str = "") -> Any:
    """Values on a model's nodes, such as a gradient or an image, with the positions of the nodes, as an
    xarray.DataArray."""
    import xarray

    values = np.asarray(values)
    if values.shape != model.shape:
        raise InputError(f"the values have the shape {values.shape}, and the model has {model.shape}; give one for each node")
    dims = ("y", "x", "z")[3 - values.ndim :]
    # Spacing is of x and z, or of x, y and z.
    spacing = dict(zip(("x", "y", "z") if values.ndim == 3 else ("x", "z"), model.spacing))
    axes = {dim: (dim, np.arange(n) * spacing[dim], {"units": "m"}) for dim, n in zip(dims, values.shape)}
    return xarray.DataArray(values, dims=dims, coords=axes, name=name, attrs={"units": units} if units else {})


def _traces(given: Any, interval: float | None) -> tuple[Any, float | None]:
    """Arrays of gathers, and the seconds between their samples."""
    if isinstance(given, Gather):
        given = [given]
    if isinstance(given, Sequence) and given and all(isinstance(of, Gather) for of in given):
        intervals = {of.interval for of in given}
        if len(intervals) > 1:
            raise InputError(f"gathers have the intervals {sorted(intervals)} s; give them one")
        return [of.traces for of in given], interval or intervals.pop()
    return given, interval


def _with_table(survey: Any, table: str, keys: dict[str, Any]) -> Any:
    from .acquisition import Survey

    if isinstance(survey, Survey):
        return survey.with_tables(**{table: {**survey.keys.get(table, {}), **keys}})
    if isinstance(survey, dict):
        return {**survey, table: {**survey.get(table, {}), **keys}}
    raise InputError(f"keys of {table} go into a Survey or a dict; a job file has its own [{table}]")
