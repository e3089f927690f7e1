"""Waves in PyTorch: traces of a velocity model, through which gradients flow back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from . import _huygens
from ._huygens import InputError
from .acquisition import Survey, job_of
from .run import _engine


def propagate(velocity: torch.Tensor, survey: Survey, *, engine: Any = None) -> torch.Tensor:
    """The traces of a survey through a velocity model, with a gradient.

    Parameters
    ----------
    velocity
        m/s, float32 or float64, [x][z] or [y][x][z], on the nodes of the survey's model, whose own velocities are not
        used.
    survey
        Its shots have equally many receivers. Its gradient.interval is the time between products of both waves: by
        default the time step, which gives the exact derivative of the discrete propagator for any loss. A longer one
        takes less memory, and is right for losses whose derivative by the traces has only the wavelet's frequencies.
    engine
        As in `huygens.shots`.

    Returns
    -------
    torch.Tensor
        [shot][receiver][time], of the type and on the device of `velocity`. It has first derivatives; second ones raise
        NotImplementedError.
    """
    if not isinstance(velocity, torch.Tensor):
        raise InputError(f"velocity is a {type(velocity).__name__}; give a torch.Tensor")
    if velocity.dtype not in (torch.float32, torch.float64):
        raise InputError(f"velocity is of {velocity.dtype}; give float32 or float64, such as velocity.float()")
    if survey.model is None:
        raise InputError("the survey names its model; give it a huygens.Model, such as Model.builtin or Model.read")
    counts = sorted({len(shot.receivers) for shot in survey.shots})
    if len(counts) > 1:
        raise InputError(f"shots have {counts[0]} to {counts[-1]} receivers; give all as many, or propagate them apart")
    return _Propagate.apply(velocity, survey, engine)


class _Propagate(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, velocity: torch.Tensor, survey: Survey, engine: Any) -> torch.Tensor:
        model = survey.model.with_velocity(velocity.detach().cpu().numpy())
        context.survey, context.engine = survey.through(model), engine
        context.save_for_backward(velocity)
        found = _huygens.shots(job_of(context.survey), _engine(engine), None)
        return torch.from_numpy(np.stack([of["traces"] for of in found])).to(velocity)

    @staticmethod
    def backward(context: Any, by_traces: torch.Tensor) -> tuple[Any, ...]:
        (velocity,) = context.saved_tensors
        return _SentBack.apply(velocity, by_traces, context.survey, context.engine), None, None


class _SentBack(torch.autograd.Function):
    """The gradient, as a function of the graph: torch takes one without for a constant, whose derivative is zero."""

    @staticmethod
    def forward(
        context: Any, velocity: torch.Tensor, by_traces: torch.Tensor, survey: Survey, engine: Any
    ) -> torch.Tensor:
        residuals = np.ascontiguousarray(by_traces.detach().cpu().numpy())
        found = _huygens.sent_back(job_of(survey), _engine(engine), residuals, None)
        return torch.from_numpy(found).to(velocity)

    @staticmethod
    def backward(context: Any, *_: torch.Tensor) -> tuple[Any, ...]:
        raise NotImplementedError(
            "huygens.torch has no second derivatives; use a method of first derivatives, or differences of gradients"
        )
