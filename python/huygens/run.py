"""What huygens does with a survey."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from . import _huygens
from ._huygens import Engine, InputError, Model, RunError
from .acquisition import Survey, job_of
from .gather import Gather, _positions
from .given import traces

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
        if stage in bars and bars[stage].total != all:
            bars.pop(stage).close()
        if stage not in bars:
            bars[stage] = tqdm(total=all, desc=stage, leave=False)
        bars[stage].update(done - bars[stage].n)
        if done >= all:
            bars.pop(stage).close()

    return show


def check(survey: Any) -> dict[str, Any]:
    """What is known of a survey before a run.

    Returns
    -------
    dict
        nodes and shots; step, interval and imaging_interval, seconds; steps and samples; highest_hz and
        points_per_wavelength; bytes_of_a_shot; and warnings.
    """
    return job_of(survey).check()


def shots(survey: Any, *, engine: Engine | str | None = None, progress: Progress | bool | None = None) -> list[Gather]:
    """Models all shots of a survey.

    Parameters
    ----------
    survey
        A `Survey`, a dict of a job's keys, the path of a job file or its text.
    engine
        An `Engine` or the name of a backend: "auto" (the default), "cpu", "vulkan" and so on.
    progress
        True for a bar of tqdm, or a function that is called with a stage, the steps done and all of them: at most four
        times a second, and at the end, in the thread that called this. The run does not wait for it, so a slow one
        misses some of the progress. What it raises ends the run, as Ctrl-C does.

    Returns
    -------
    list of Gather

    Raises
    ------
    InputError
        If something of the survey is wrong.
    RunError
        If the run fails, or its field blows up.
    """
    found = _run(_huygens.shots, survey, engine, _bar(progress))
    return [Gather(**of) for of in found]


def shot(survey: Any, *, engine: Engine | str | None = None, progress: Progress | bool | None = None) -> Gather:
    """Models the one shot of a survey; `shots` has its parameters, and models several."""
    (found,) = _run(_huygens.shots, survey, engine, _bar(progress), True)
    return Gather(**found)


@dataclass(eq=False, repr=False)
class Gradient:
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
    """

    misfit: float
    misfits: list[float]
    gradient: np.ndarray
    illumination: np.ndarray
    of_shots: list[np.ndarray] = field(default_factory=list)
    unit: str = "per m/s"

    def __repr__(self) -> str:
        shots, shape = len(self.misfits), self.gradient.shape
        return f"Gradient(misfit {self.misfit:.6g} of {shots} shots, shape={shape}, {self.unit})"


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

    Parameters
    ----------
    survey
        As in `shots`.
    observed
        Of the survey's shots in their order: a list of `Gather` or of arrays [receiver][time], an array
        [shot][receiver][time] or, of one shot, [receiver][time]. An xarray.DataArray is taken by the names of its
        axes, such as what `Gather.to_xarray` gives. Without it, gradient.observed of the job names a file.
    sample_interval
        Seconds between its samples; by default that of the gathers or of a DataArray's times, or of the survey.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table gradient, such as misfit="huber", of="slowness", interval=0.01, per_shot=True.
    """
    observed, interval = traces("observed", observed, sample_interval, survey)
    if keys:
        survey = _with_table(survey, "gradient", keys)
    return Gradient(**_run(_huygens.gradient, survey, engine, observed, interval, _bar(progress)))


@dataclass(eq=False, repr=False)
class Inverted:
    """What an inversion ends with.

    Attributes
    ----------
    model
        The model at the end.
    misfits
        J after each iteration of each band; the first is that of the band's start.
    """

    model: Model
    misfits: list[list[float]]

    def __repr__(self) -> str:
        bands = ", ".join(f"{of[0]:.4g} to {of[-1]:.4g}" for of in self.misfits)
        return f"Inverted({self.model!r}, misfits {bands})"


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

    Parameters
    ----------
    survey
        As in `shots`; its model is where the inversion starts.
    observed, sample_interval
        As in `gradient`.
    each
        Called after every iteration with the band (from 0), the iteration (from 1), the misfit and the model;
        what it raises ends the inversion.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table invert: bands=[4.0, 8.0], Hz, iterations, least and most, m/s, smooth and water, m.
    """
    observed, interval = traces("observed", observed, sample_interval, survey)
    if keys:
        survey = _with_table(survey, "invert", keys)
    return Inverted(**_run(_huygens.invert, survey, engine, observed, interval, each, _bar(progress)))


@dataclass(eq=False, repr=False)
class Image:
    """What a migration gives.

    Attributes
    ----------
    images
        An image, [x][z] or [y][x][z], by the name of its condition: float32, or float64 if float32 does not hold
        its values.
    illumination
        Of the nodes by the sources, of the same shape.
    """

    images: dict[str, np.ndarray]
    illumination: np.ndarray

    def __repr__(self) -> str:
        return f"Image({', '.join(self.images)}, shape={self.illumination.shape})"

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
    """Migrates the shots of a survey through its model.

    Parameters
    ----------
    survey
        As in `shots`.
    gathers
        What was recorded, as `gradient` takes it; without it, what the file of rtm.gathers has or, without that
        too, shots that are modelled.
    sample_interval
        As in `gradient`.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table rtm, such as smooth=200.0, direct="modelled", conditions=["inverse-scattering"].
    """
    gathers, interval = traces("gathers", gathers, sample_interval, survey)
    if keys:
        survey = _with_table(survey, "rtm", keys)
    return Image(**_run(_huygens.rtm, survey, engine, gathers, interval, _bar(progress)))


@dataclass(eq=False, repr=False)
class LeastSquaresImage:
    """What a least-squares migration ends with.

    Attributes
    ----------
    image
        The relative change of the velocity, dv/v, [x][z] or [y][x][z].
    residuals
        The part of the weighed traces that the image does not explain, root mean square, before the first
        iteration, where it is 1, and after each.
    """

    image: np.ndarray
    residuals: list[float]

    def __repr__(self) -> str:
        return f"LeastSquaresImage(shape={self.image.shape}, residual {self.residuals[-1]:.3g})"


def lsrtm(
    survey: Any,
    gathers: Any = None,
    *,
    sample_interval: float | None = None,
    rtm: dict[str, Any] | None = None,
    each: Callable[[int, float, np.ndarray], None] | None = None,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> LeastSquaresImage:
    """Least-squares migration: dv/v whose scattered waves fit the recorded ones best.

    Parameters
    ----------
    survey, gathers, sample_interval
        As in `rtm`.
    rtm
        Keys of the job's table rtm, which say how traces are processed: dict(smooth=200.0, direct="modelled").
    each
        Called after every iteration with the iteration (from 1), the residual and the image; what it raises ends
        the migration.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table lsrtm: iterations, damping, smooth and water, m.
    """
    gathers, interval = traces("gathers", gathers, sample_interval, survey)
    if rtm:
        survey = _with_table(survey, "rtm", rtm)
    if keys:
        survey = _with_table(survey, "lsrtm", keys)
    return LeastSquaresImage(**_run(_huygens.lsrtm, survey, engine, gathers, interval, each, _bar(progress)))


@dataclass(eq=False, repr=False)
class Located:
    """Sources that were found.

    Attributes
    ----------
    sources
        Of each a dict of at (x, y and z, metres), time (seconds), extent, over_background and over_next.
    map
        The largest field at each node, [x][z] or [y][x][z].
    frequency
        The dominant frequency of the gather, Hz.
    """

    sources: list[dict[str, Any]]
    map: np.ndarray
    frequency: float

    def __repr__(self) -> str:
        return f"Located({len(self.sources)} sources, map of shape={self.map.shape}, {self.frequency:.4g} Hz)"


def locate(
    survey: Any,
    gather: Gather | None = None,
    *,
    engine: Engine | str | None = None,
    progress: Progress | bool | None = None,
    **keys: Any,
) -> Located:
    """Sends a gather back to where its waves came from.

    Parameters
    ----------
    survey
        As in `shots`; its sources are not used.
    gather
        What was recorded; without it, the file of locate.gather.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table locate, such as sources=2.
    """
    if keys:
        survey = _with_table(survey, "locate", keys)
    if not (gather is None or isinstance(gather, Gather)):
        raise InputError(f"a {type(gather).__name__} is no gather; give a huygens.Gather, which has positions")
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
    """A zero-offset section by exploding reflectors, or the image of one.

    Parameters
    ----------
    survey
        As in `shots`; the receivers of its first shot are where the section is.
    section
        A `Gather` or an array [receiver][time] to be migrated; without it, a section is modelled.
    sample_interval
        Seconds between its samples; by default that of the `Gather`, or of a section of the survey.
    engine, progress
        As in `shots`.

    Returns
    -------
    Gather or numpy.ndarray
        The section; of a section its image, [x][z] or [y][x][z].
    """
    is_gather = isinstance(section, Gather)
    of_section, sample_interval = traces("the section", section, sample_interval, survey)
    given = None if section is None else (of_section[0] if is_gather else of_section, sample_interval)
    found = _run(_huygens.zero_offset, survey, engine, given, _bar(progress))
    return found["image"] if "image" in found else Gather(**found, sources=found["receivers"])


def plot(values: Any, model: Model, title: str = "", quantity: str = "image") -> _huygens.Picture:
    """A picture of values on a model's nodes over the model; of a volume, of its middle plane.

    Parameters
    ----------
    values
        A wavefield, a gradient or an image, [x][z] or [y][x][z].
    quantity
        The quantity, for the colour bar: "image", "pressure" (a modelled wavefield, Pa), "amplitude" (a wavefield of
        recorded traces, without a unit), "gradient" or "reflectivity".
    """
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


def _with_table(survey: Any, table: str, keys: dict[str, Any]) -> Any:
    if isinstance(survey, Survey):
        return survey.with_tables(**{table: {**survey.keys.get(table, {}), **keys}})
    if isinstance(survey, dict):
        return {**survey, table: {**survey.get(table, {}), **keys}}
    raise InputError(f"keys of {table} go into a Survey or a dict; a job file has its own [{table}]")
