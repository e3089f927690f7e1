"""Waves in PyTorch: traces of a velocity model, through which gradients flow back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from . import _huygens
from ._huygens import InputError
from .acquisition import Survey, job_of
from .run import _engine


def propagate(velocity: torch.Tensor, survey: Survey, *, engine: Any = None) -> torch.Tensor:
    """The traces of a survey through a velocity model, with a gradient.

    Parameters
    ----------
    velocity
        m/s, [x][z] or [y][x][z], on the nodes of the survey's model, whose own velocities are not used.
    survey
        Its shots have equally many receivers. Its gradient.interval is the time between products of both waves:
        the time step gives the exact derivative of the discrete propagator.
    engine
        As in `huygens.shots`.

    Returns
    -------
    torch.Tensor
        [shot][receiver][time], of the type and on the device of `velocity`.
    """
    if survey.model is None:
        raise InputError("the survey names its model; give it a huygens.Model, such as Model.builtin or Model.read")
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
    @once_differentiable
    def backward(context: Any, by_traces: torch.Tensor) -> tuple[Any, ...]:
        (velocity,) = context.saved_tensors
        residuals = np.ascontiguousarray(by_traces.detach().cpu().numpy())
        found = _huygens.sent_back(job_of(context.survey), _engine(context.engine), residuals, None)
        return torch.from_numpy(found).to(velocity), None, None
