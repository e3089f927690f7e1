"""What huygens does with a survey."""

from __future__ import annotations

import threading
from typing import Any, Callable, Mapping

import numpy as np

from . import _huygens
from ._huygens import Engine, InputError, Model, RunError
from .acquisition import Survey, job_of
from .gather import Gather, Snapshots, _positions
from .given import traces
from .results import Gradient, Image, Inverted, LeastSquaresImage, Located

Progress = Callable[[str, int, int], None]
Misfit = Callable[[np.ndarray, Any], tuple[float, Any]]

_engines: dict[str, Engine] = {}
_opening = threading.Lock()


def _engine(engine: Engine | str | None) -> Engine:
    """An engine, or that of a backend, which is opened once."""
    if isinstance(engine, Engine):
        return engine
    backend = engine or "auto"
    if not isinstance(backend, str):
        raise InputError(f'engine is {engine!r}; give a huygens.Engine, or the name of a backend, such as "cpu"')
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


def _recorded(
    run: Callable[..., Any],
    survey: Any,
    recorded: tuple[str, Any, float | None],
    tables: Mapping[str, dict[str, Any] | None],
    engine: Engine | str | None,
    *arguments: Any,
) -> dict[str, Any]:
    """What a run on recorded traces gives; what was recorded has its name and its sample interval."""
    what, given, interval = recorded
    given, interval = traces(what, given, interval, survey)
    for table, keys in tables.items():
        if keys:
            survey = _with_table(survey, table, keys)
    found: dict[str, Any] = _run(run, survey, engine, given, interval, *arguments)
    return found


def _bar(progress: Progress | bool | None) -> Progress | None:
    """A function that shows progress: the given one, or a bar of tqdm for True."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError(f"progress is {progress!r}; give True or a function")
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
    return [_gather(of) for of in _run(_huygens.shots, survey, engine, _bar(progress))]


def _gather(found: dict[str, Any]) -> Gather:
    step = found.pop("step")
    return Gather(**{**found, "snapshots": Snapshots(found["snapshots"], step)})


def shot(survey: Any, *, engine: Engine | str | None = None, progress: Progress | bool | None = None) -> Gather:
    """Models the one shot of a survey; `shots` has its parameters, and models several."""
    (found,) = _run(_huygens.shots, survey, engine, _bar(progress), True)
    return _gather(found)


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
        Of the job's table gradient, such as misfit="huber", of="slowness", interval=0.01, per_shot=True. misfit may be a
        function of a shot's modelled and observed traces, [receiver][time], the second None without observed; it returns
        J and its derivative by each modelled sample. Such a gradient is by the velocity, and has no illumination.
        wavelet="estimated" estimates the wavelet from the observed traces first.
    """
    misfit = keys.get("misfit")
    if callable(misfit):
        del keys["misfit"]
        return _of_misfit(survey, observed, sample_interval, misfit, keys, engine, _bar(progress))
    recorded = ("observed", observed, sample_interval)
    return Gradient(**_recorded(_huygens.gradient, survey, recorded, {"gradient": keys}, engine, _bar(progress)))


def _of_misfit(
    survey: Any,
    observed: Any,
    interval: float | None,
    misfit: Misfit,
    keys: dict[str, Any],
    engine: Engine | str | None,
    progress: Progress | None,
) -> Gradient:
    """The gradient of a misfit that Python computes: its derivatives by the samples are sent back."""
    if other := keys.keys() - {"interval"}:
        raise InputError(f"{', '.join(sorted(other))}: a function as misfit takes no more than interval")
    given, interval = traces("observed", observed, interval, survey)
    if keys:
        survey = _with_table(survey, "gradient", keys)
    job = job_of(survey).with_model_read()
    modelled = _run(_huygens.shots, job, engine, progress)
    if given is not None and np.ndim(given[0]) == 1:
        # [receiver][time] of one shot.
        given = [np.asarray(given)]
    if given is not None and len(given) != len(modelled):
        raise InputError(f"observed has {len(given)} shots, and the survey {len(modelled)}; give as many")
    if interval is not None and abs(interval / modelled[0]["interval"] - 1) > 1e-6:
        own = modelled[0]["interval"]
        raise InputError(f"observed is sampled every {interval:g} s, and the survey every {own:g} s; resample it")
    values, residuals = [], []
    for number, shot in enumerate(modelled):
        both: Any = misfit(shot["traces"], None if given is None else np.asarray(given[number]))
        if not isinstance(both, tuple) or len(both) != 2:
            raise InputError(f"misfit gave a {type(both).__name__}; give J and its derivative by each modelled sample")
        value, residual = both
        if np.shape(residual) != shot["traces"].shape:
            shape = shot["traces"].shape
            raise InputError(f"misfit gave a residual of the shape {np.shape(residual)}; give that of the traces, {shape}")
        values.append(float(value))
        residuals.append(np.asarray(residual, np.float32))
    found = _run(_huygens.sent_back, job, engine, residuals, progress)
    return Gradient(sum(values), values, found["gradient"], illumination=np.zeros(0), model=found["model"])


def invert(
    survey: Any,
    observed: Any = None,
    *,
    sample_interval: float | None = None,
    gradient: dict[str, Any] | None = None,
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
    gradient
        Keys of the job's table gradient, which say how traces are compared: dict(around_sources=100.0, taper=0.1).
    each
        Called after every iteration with the band (from 0), the iteration (from 1), the misfit and the model;
        what it raises ends the inversion.
    engine, progress
        As in `shots`.
    **keys
        Of the job's table invert: bands=[4.0, 8.0], Hz, iterations, least and most, m/s, smooth and water, m.
    """
    recorded, tables = ("observed", observed, sample_interval), {"gradient": gradient, "invert": keys}
    return Inverted(**_recorded(_huygens.invert, survey, recorded, tables, engine, each, _bar(progress)))


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
    recorded = ("gathers", gathers, sample_interval)
    return Image(**_recorded(_huygens.rtm, survey, recorded, {"rtm": keys}, engine, _bar(progress)))


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
    recorded, tables = ("gathers", gathers, sample_interval), {"rtm": rtm, "lsrtm": keys}
    return LeastSquaresImage(**_recorded(_huygens.lsrtm, survey, recorded, tables, engine, each, _bar(progress)))


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


def _with_table(survey: Any, table: str, keys: dict[str, Any]) -> Any:
    if not isinstance(keys, Mapping):
        raise InputError(f"{table} is a {type(keys).__name__}; give a dict")
    if isinstance(survey, Survey):
        return survey.with_tables(**{table: {**survey.keys.get(table, {}), **keys}})
    if isinstance(survey, dict):
        return {**survey, table: {**survey.get(table, {}), **keys}}
    raise InputError(f"keys of {table} go into a Survey or a dict; write those of a job file into it")
