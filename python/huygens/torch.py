"""Waves in PyTorch: traces of a survey, through which gradients flow back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from . import _huygens
from ._huygens import InputError, Job
from .acquisition import Shot, Source, Survey, job_of, samples
from .run import Progress, _bar, _run


def propagate(
    velocity: torch.Tensor,
    survey: Survey,
    *,
    wavelet: torch.Tensor | None = None,
    amplitude: torch.Tensor | None = None,
    engine: Any = None,
    progress: Progress | bool | None = None,
) -> torch.Tensor:
    """The traces of a survey through a velocity model, with gradients by the velocity, the wavelet and the amplitude.

    Parameters
    ----------
    velocity
        m/s, float32 or float64, [x][z] or [y][x][z], on the nodes of the survey's model, whose own velocities are not
        used. One more axis before these is that of a batch of models.
    survey
        Its shots have equally many receivers. Its gradient.interval is the time between products of both waves: by
        default the time step, which gives the exact derivative of the discrete propagator for any loss. A longer one
        takes less memory, and is right for losses whose derivative by the traces has only the wavelet's frequencies.
    wavelet
        s(t) instead of those of the survey's sources, [time] for all shots or [shot][time], at each time step: the survey
        has a step in seconds. Each shot has one source.
    amplitude
        Factors of the shots, [shot].
    engine, progress
        As in `huygens.shots`.

    Returns
    -------
    torch.Tensor
        [shot][receiver][time], after the batch's axis if there is one, of the type and on the device of `velocity`. It has
        first derivatives; second ones raise NotImplementedError.
    """
    for name, tensor in (("velocity", velocity), ("wavelet", wavelet), ("amplitude", amplitude)):
        _check(name, tensor)
    if survey.model is None:
        raise InputError("the survey names its model; give it a huygens.Model, such as Model.builtin or Model.read")
    counts = sorted({len(shot.receivers) for shot in survey.shots})
    if len(counts) > 1:
        raise InputError(f"shots have {counts[0]} to {counts[-1]} receivers; give all as many, or propagate them apart")
    if tuple(velocity.shape[1:]) == tuple(survey.model.shape):
        options: dict[str, Any] = dict(wavelet=wavelet, amplitude=amplitude, engine=engine, progress=progress)
        return torch.stack([propagate(of, survey, **options) for of in velocity])
    shots = len(survey.shots)
    if wavelet is not None:
        step = _step(survey)
        if wavelet.ndim not in (1, 2) or wavelet.shape[:-1] not in ((), (shots,)):
            raise InputError(f"wavelet has the shape {tuple(wavelet.shape)}; give [time], or [shot][time] of {shots} shots")
        wavelet = wavelet.expand(shots, -1)
    else:
        step = 0.0
    if amplitude is not None and tuple(amplitude.shape) != (shots,):
        raise InputError(f"amplitude has the shape {tuple(amplitude.shape)}; give one for each of {shots} shots")
    traces: torch.Tensor = _Propagate.apply(velocity, wavelet, _Waves(survey, step, engine, progress))
    return traces if amplitude is None else traces * amplitude.to(traces)[:, None, None]


def _check(name: str, tensor: Any) -> None:
    if tensor is None and name != "velocity":
        return
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{name} is a {type(tensor).__name__}; give a torch.Tensor")
    if tensor.dtype not in (torch.float32, torch.float64):
        raise InputError(f"{name} is of {tensor.dtype}; give float32 or float64, such as {name}.float()")


def _step(survey: Survey) -> float:
    """The time step of a survey whose wavelet is a tensor."""
    step = survey.keys["time"]["step"]
    if not isinstance(step, (int, float)):
        raise InputError("a wavelet has a sample at each time step; give the survey step=, in seconds")
    if any(not isinstance(shot.sources, Source) and len(shot.sources) != 1 for shot in survey.shots):
        raise InputError("a wavelet is that of one source, and a shot has several; give each shot one")
    if survey.keys["time"]["dispersion"] != "kept":
        raise InputError('a wavelet has no gradient through traces that are corrected; give the survey dispersion="kept"')
    return float(step)


def _numpy(tensor: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().cpu().numpy())


class _Waves:
    """The runs of a survey through a velocity. The jobs of `prepare` are copies: a survey that changes before the gradient
    is computed changes no gradient."""

    job: Job
    of_impulse: Job

    def __init__(self, survey: Survey, step: float, engine: Any, progress: Progress | bool | None) -> None:
        self.survey, self.step, self.engine, self.progress = survey, step, engine, progress

    def prepare(self, velocity: torch.Tensor, wavelet: torch.Tensor | None) -> None:
        assert self.survey.model is not None
        survey = self.survey.through(self.survey.model.with_velocity(_numpy(velocity)))
        if wavelet is not None:
            record = survey.keys["time"].get("record")
            self.every = round(record / self.step) if record else 1
            self.of_impulse = job_of(self._impulse(survey, wavelet.shape[-1]))
            survey.shots = [self._with(shot, of) for shot, of in zip(survey.shots, _numpy(wavelet))]
        self.job = job_of(survey)

    def _impulse(self, survey: Survey, length: int) -> Survey:
        impulse = np.zeros(length)
        impulse[0] = 1.0
        time = {key: of for key, of in survey.keys["time"].items() if key != "record"}
        survey = survey.with_tables(time=time)
        survey.shots = [self._with(shot, impulse) for shot in survey.shots]
        # An impulse has frequencies that the grid does not carry; those of s are among the others.
        survey.force = True
        return survey

    def _with(self, shot: Shot, wavelet: np.ndarray) -> Shot:
        source = shot.sources if isinstance(shot.sources, Source) else shot.sources[0]
        return replace(shot, sources=replace(source, wavelet=samples(wavelet, self.step)))

    def traces(self, job: Job, is_quiet: bool = False) -> np.ndarray:
        found = _run(_huygens.shots, job, self.engine, _bar(self.progress), False, is_quiet)
        return np.stack([of["traces"] for of in found])

    def by_velocity(self, by_traces: torch.Tensor) -> np.ndarray:
        found = _run(_huygens.sent_back, self.job, self.engine, _numpy(by_traces), _bar(self.progress))
        by: np.ndarray = found["gradient"]
        return by

    def by_wavelet(self, wavelet: torch.Tensor, by_traces: torch.Tensor) -> torch.Tensor:
        """dJ/ds, [shot][time]: the traces are s convolved with those of an impulse g, so dJ/ds is dJ/dp correlated with g."""
        traces = self.traces(self.of_impulse, is_quiet=True)
        of_impulse = torch.from_numpy(traces).to(by_traces.device, torch.float64)
        by = torch.zeros_like(of_impulse)
        by[..., :: self.every] = by_traces.to(torch.float64)
        length = 2 * of_impulse.shape[-1]
        spectrum = torch.fft.rfft(by, length) * torch.fft.rfft(of_impulse, length).conj()
        found = torch.fft.irfft(spectrum.sum(dim=1), length)
        # What is after the end of the run has no effect.
        kept = torch.zeros_like(wavelet, dtype=torch.float64)
        count = min(wavelet.shape[-1], of_impulse.shape[-1])
        kept[:, :count] = found[:, :count]
        return kept.to(wavelet)


class _Propagate(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    @staticmethod
    def forward(velocity: torch.Tensor, wavelet: torch.Tensor | None, waves: _Waves) -> torch.Tensor:
        waves.prepare(velocity, wavelet)
        return torch.from_numpy(waves.traces(waves.job)).to(velocity)

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        velocity, wavelet, context.waves = inputs
        context.save_for_backward(velocity, wavelet)

    @staticmethod
    def backward(context: Any, by_traces: torch.Tensor) -> tuple[Any, ...]:
        velocity, wavelet = context.saved_tensors
        asked = tuple(context.needs_input_grad[:2])
        return (*_SentBack.apply(velocity, wavelet, by_traces, context.waves, asked), None)

    @staticmethod
    def vmap(*_: Any) -> Any:
        raise NotImplementedError(
            "huygens.torch has no vmap, and so no torch.func.hessian; give velocity one more axis for a batch of models"
        )

    @staticmethod
    def jvp(context: Any, *_: Any) -> Any:
        raise NotImplementedError("huygens.torch has no forward derivatives; use those of backward, or torch.func.vjp")


class _SentBack(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The gradients, as functions of the graph: torch takes one without for a constant, whose derivative is zero."""

    @staticmethod
    def forward(
        velocity: torch.Tensor,
        wavelet: torch.Tensor | None,
        by_traces: torch.Tensor,
        waves: _Waves,
        asked: tuple[bool, bool],
    ) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        by_velocity = by_wavelet = None
        if asked[0]:
            by_velocity = torch.from_numpy(waves.by_velocity(by_traces)).to(velocity)
        if asked[1] and wavelet is not None:
            by_wavelet = waves.by_wavelet(wavelet, by_traces)
        return by_velocity, by_wavelet

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(context: Any, *_: torch.Tensor) -> tuple[Any, ...]:
        raise NotImplementedError(
            "huygens.torch has no second derivatives; use a method of first derivatives, or differences of gradients"
        )
