"""Traces and gradients as arrays of JAX."""

import numpy as np
import pytest

import huygens
from setups import survey

jax = pytest.importorskip("jax", reason="NOT RUN: jax is not installed")
jnp = jax.numpy

pytestmark = [pytest.mark.usefixtures("backend"), pytest.mark.filterwarnings("ignore::UserWarning")]
VELOCITY = np.full((81, 61), 2050.0, np.float32)


def setup(**keys):
    return survey(count=2, step=0.001, record=0.002, **keys)


def test_traces_are_those_of_shots_and_gradients_those_of_differences():
    from huygens.jax import propagate

    observed = np.stack([of.traces for of in huygens.shots(setup())])
    through = huygens.shots(setup().through(huygens.Model(VELOCITY, 10.0)))
    assert np.array_equal(propagate(VELOCITY, setup()), np.stack([of.traces for of in through]))

    def loss(velocity):
        return 0.5 * 0.002 * ((propagate(velocity, setup()) - observed) ** 2).sum()

    value, found = jax.value_and_grad(loss)(jnp.asarray(VELOCITY))
    x, z = np.meshgrid(np.arange(81) - 40, np.arange(61) - 30, indexing="ij")
    bump = np.exp(-(x**2 + z**2) / 60.0).astype(np.float32)
    apart = float(loss(VELOCITY + 8 * bump)) - float(loss(VELOCITY - 8 * bump))
    assert float((found * bump).sum()) == pytest.approx(apart / 16.0, rel=0.01)
    compiled_value, compiled = jax.jit(jax.value_and_grad(loss))(jnp.asarray(VELOCITY))
    assert np.allclose(compiled, found, rtol=1e-5) and float(compiled_value) == pytest.approx(float(value), rel=1e-5)


def test_a_batch_of_models_is_mapped():
    from huygens.jax import propagate

    both = jax.vmap(lambda velocity: propagate(velocity, setup()))(jnp.stack([VELOCITY, VELOCITY + 50]))
    assert both.shape == (2, 2, 39, 301)
    assert np.array_equal(both[1], propagate(VELOCITY + 50, setup()))


def test_what_has_no_derivative_or_no_shape_is_refused():
    from huygens.jax import propagate

    def loss(velocity):
        return (propagate(velocity, setup()) ** 2).sum()

    with pytest.raises(Exception, match="do not support JVP|forward-mode"):
        jax.jvp(jax.grad(loss), (jnp.asarray(VELOCITY),), (jnp.ones_like(VELOCITY),))
    for velocity, of, part in [
        (VELOCITY.astype(int), setup(), "velocity is of int"),
        (jnp.asarray(VELOCITY, jnp.bfloat16), setup(), "velocity is of bfloat16"),
        (VELOCITY[1:], setup(), r"\(80, 61\), and the model \(81, 61\)"),
        (VELOCITY, survey(), "step=, in seconds"),
    ]:
        with pytest.raises(huygens.InputError, match=part):
            propagate(velocity, of)
