"""Waves in JAX: traces of a survey, with their gradient by the velocity."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _huygens
from ._huygens import InputError, Job
from .acquisition import Survey, job_of, receivers_of_each
from .run import Progress, _bar, _run, check

_shape: Any = jax.ShapeDtypeStruct


def propagate(velocity: Any, survey: Survey, *, engine: Any = None, progress: Progress | bool | None = None) -> jax.Array:
    """The traces of a survey through a velocity model, for `jax.grad`, `jax.vjp`, `jax.jit` and `jax.vmap`.

    Parameters
    ----------
    velocity
        m/s, float32 or float64, [x][z] or [y][x][z], on the nodes of the survey's model, whose own velocities are not
        used.
    survey
        As in `huygens.torch.propagate`, with a step in seconds, so that the number of samples is fixed. A compiled function
        has the survey that it was compiled with.
    engine, progress
        As in `huygens.shots`.

    Returns
    -------
    jax.Array
        [shot][receiver][time], of the type of `velocity`. JAX refuses its second and forward derivatives.
    """
    model = survey.model
    if model is None:
        raise InputError("the survey names its model; give it a huygens.Model, such as Model.builtin or Model.read")
    velocity = jnp.asarray(velocity)
    if velocity.dtype not in (jnp.float32, jnp.float64):
        raise InputError(f"velocity is of {velocity.dtype}; give float32 or float64")
    if velocity.shape != tuple(model.shape):
        raise InputError(f"velocity has the shape {velocity.shape}, and the model {tuple(model.shape)}; give one shape")
    if not isinstance(survey.keys["time"]["step"], (int, float)):
        raise InputError("compiled functions have a fixed number of samples; give the survey step=, in seconds")
    shape = (len(survey), receivers_of_each(survey), check(survey)["samples"])

    def job(velocity: Any) -> Job:
        return job_of(survey.through(model.with_velocity(np.asarray(velocity))))

    def modelled(velocity: Any) -> np.ndarray:
        found = _run(_huygens.shots, job(velocity), engine, _bar(progress))
        return np.stack([of["traces"] for of in found]).astype(velocity.dtype)

    def sent_back(velocity: Any, by_traces: Any) -> np.ndarray:
        found = _run(_huygens.sent_back, job(velocity), engine, np.asarray(by_traces), _bar(progress))
        by: np.ndarray = found["gradient"].astype(velocity.dtype)
        return by

    def forward(velocity: Any) -> Any:
        traces = _shape(shape, velocity.dtype)
        return jax.pure_callback(modelled, traces, velocity, vmap_method="sequential")

    def backward(velocity: Any, by_traces: Any) -> tuple[Any]:
        by = _shape(velocity.shape, velocity.dtype)
        return (jax.pure_callback(sent_back, by, velocity, by_traces, vmap_method="sequential"),)

    waves = jax.custom_vjp(forward)
    waves.defvjp(lambda velocity: (forward(velocity), velocity), backward)
    traces: jax.Array = waves(velocity)
    return traces
