"""Waves in PyTorch: traces of a survey, through which gradients flow back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from . import _huygens
from ._huygens import InputError, Job
from .acquisition import Shot, Source, Survey, job_of, receivers_of_each, samples
from .run import Progress, _bar, _run


def propagate(
    velocity: torch.Tensor,
    survey: Survey,
    *,
    wavelet: torch.Tensor | None = None,
    amplitude: torch.Tensor | None = None,
    density: torch.Tensor | None = None,
    engine: Any = None,
    progress: Progress | bool | None = None,
) -> torch.Tensor:
    """The traces of a survey through a velocity model, with gradients by the velocity, the wavelet, the amplitude and the
    density.

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
    density
        kg/m3, on the nodes of the velocity, instead of that of the survey; one for all models of a batch. Its gradient holds
        except at nodes of sources and receivers, and at nodes that the operator reaches from the edges. Leave these nodes unchanged.
    engine, progress
        As in `huygens.shots`.

    Returns
    -------
    torch.Tensor
        [shot][receiver][time], after the batch's axis if there is one, of the type and on the device of `velocity`. It has
        first derivatives; second ones raise NotImplementedError.
    """
    given = {"velocity": velocity, "wavelet": wavelet, "amplitude": amplitude, "density": density}
    for name, tensor in given.items():
        _check(name, tensor)
    if survey.model is None:
        raise InputError("the survey names its model; give it a huygens.Model, such as Model.builtin or Model.read")
    receivers_of_each(survey)
    if tuple(velocity.shape[1:]) == tuple(survey.model.shape):
        options: dict[str, Any] = {**given, "engine": engine, "progress": progress}
        del options["velocity"]
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
    if density is not None:
        _check_density(density, survey)
    traces: torch.Tensor = _Propagate.apply(velocity, wavelet, density, _Waves(survey, step, engine, progress))
    return traces if amplitude is None else traces * amplitude.to(traces)[:, None, None]


def _check(name: str, tensor: Any) -> None:
    if tensor is None and name != "velocity":
        return
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{name} is a {type(tensor).__name__}; give a torch.Tensor")
    if tensor.dtype not in (torch.float32, torch.float64):
        raise InputError(f"{name} is of {tensor.dtype}; give float32 or float64, such as {name}.float()")


def _check_density(density: torch.Tensor, survey: Survey) -> None:
    assert survey.model is not None
    if tuple(density.shape) != tuple(survey.model.shape):
        raise InputError(f"density has the shape {tuple(density.shape)}, and the model {tuple(survey.model.shape)}; give one shape")
    of_model = survey.keys.get("model", {})
    other = [name for name in ("epsilon", "delta") if name in survey.medium or name in of_model]
    if survey.keys.get("operator", {}).get("kind") == "ete":
        other.append('operator={"kind": "ete"}')
    if density.requires_grad and other:
        raise InputError(f"density has no gradient with {' and '.join(other)}; give density.detach()")


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

    def prepare(self, velocity: torch.Tensor, wavelet: torch.Tensor | None, density: torch.Tensor | None) -> None:
        assert self.survey.model is not None
        survey = self.survey.through(self.survey.model.with_velocity(_numpy(velocity)))
        if density is not None:
            survey.medium["density"] = _numpy(density)
            survey.keys.get("model", {}).pop("density", None)
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

    def by_medium(self, by_traces: torch.Tensor, *asked: bool) -> tuple[np.ndarray | None, np.ndarray | None]:
        """dJ/dv and dJ/d(ln rho), as they are asked for."""
        if not any(asked):
            return None, None
        found = _run(_huygens.sent_back, self.job, self.engine, _numpy(by_traces), _bar(self.progress), *asked)
        return found["gradient"], found["by_log_density"]

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
    def forward(
        velocity: torch.Tensor, wavelet: torch.Tensor | None, density: torch.Tensor | None, waves: _Waves
    ) -> torch.Tensor:
        waves.prepare(velocity, wavelet, density)
        return torch.from_numpy(waves.traces(waves.job)).to(velocity)

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        *tensors, context.waves = inputs
        context.save_for_backward(*tensors)

    @staticmethod
    def backward(context: Any, by_traces: torch.Tensor) -> tuple[Any, ...]:
        asked = tuple(context.needs_input_grad[:3])
        return (*_SentBack.apply(*context.saved_tensors, by_traces, context.waves, asked), None)

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
        density: torch.Tensor | None,
        by_traces: torch.Tensor,
        waves: _Waves,
        asked: tuple[bool, bool, bool],
    ) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
        by_velocity, by_log_density = waves.by_medium(by_traces, asked[0], asked[2])
        return (
            None if by_velocity is None else torch.from_numpy(by_velocity).to(velocity),
            waves.by_wavelet(wavelet, by_traces) if asked[1] and wavelet is not None else None,
            None if density is None or by_log_density is None else torch.from_numpy(by_log_density).to(density) / density,
        )

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(context: Any, *_: torch.Tensor) -> tuple[Any, ...]:
        raise NotImplementedError(
            "huygens.torch has no second derivatives; use a method of first derivatives, or differences of gradients"
        )
