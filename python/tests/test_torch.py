"""Traces and gradients as tensors."""

import numpy as np
import pytest

import huygens
from setups import model, survey

torch = pytest.importorskip("torch", reason="NOT RUN: torch is not installed")

pytestmark = pytest.mark.usefixtures("backend")


def test_gradients_flow_back_through_torch():
    from huygens.torch import propagate

    dt = huygens.check(survey(count=2))["step"]
    setup = survey(count=2, step=dt, gradient={"interval": dt})
    observed = torch.from_numpy(np.stack([of.traces for of in huygens.shots(setup)]))
    velocity = torch.full((81, 61), 2050.0, requires_grad=True)
    traces = propagate(velocity, setup)
    loss = 0.5 * dt * ((traces - observed) ** 2).sum()
    loss.backward()
    start = setup.through(huygens.Model(np.full((81, 61), 2050.0), 10.0))
    ours = huygens.gradient(start, observed.numpy())
    assert loss.item() == pytest.approx(ours.misfit, rel=1e-4)
    size = np.abs(ours.gradient).max()
    assert np.abs(velocity.grad.numpy() - ours.gradient).max() < 1e-4 * size


@pytest.mark.parametrize("name", ["one sample", "noise"])
def test_the_gradient_of_any_loss_is_that_of_differences(name):
    """The derivative by the traces of one sample, or of noise, has all frequencies."""
    from huygens.torch import propagate

    setup = survey(step=0.001, record=0.002)
    noise = torch.from_numpy(np.random.default_rng(1).standard_normal((1, 39, 301)))
    # At its time the sample has a wave that passed the change of velocity.
    losses = {"one sample": lambda traces: traces[0, 20, 213], "noise": lambda traces: (noise * traces).sum()}
    loss = losses[name]
    x, z = np.meshgrid(np.arange(81) - 40, np.arange(61) - 30, indexing="ij")
    bump = torch.from_numpy(np.exp(-(x**2 + z**2) / 60.0))

    def value(height):
        return loss(propagate(torch.full((81, 61), 2050.0, dtype=torch.float64) + height * bump, setup)).item()

    velocity = torch.full((81, 61), 2050.0, dtype=torch.float64, requires_grad=True)
    loss(propagate(velocity, setup)).backward()
    along = (velocity.grad * bump).sum().item()
    # So far apart that the rounding of traces, f32, does not count.
    assert along == pytest.approx((value(8.0) - value(-8.0)) / 16.0, rel=0.01)
    # Coarse products are for losses of the wavelet's frequencies.
    coarse = torch.full((81, 61), 2050.0, dtype=torch.float64, requires_grad=True)
    interval = huygens.check(setup)["imaging_interval"]
    loss(propagate(coarse, setup.with_tables(gradient={"interval": interval}))).backward()
    assert float((coarse.grad - velocity.grad).norm() / velocity.grad.norm()) > 0.05, "the test sees the interval"


@pytest.mark.parametrize("type", [torch.int64, torch.int32, torch.float16, torch.bfloat16, torch.bool, torch.complex64])
def test_tensors_that_hold_no_velocities_are_refused(type):
    from huygens.torch import propagate

    with pytest.raises(huygens.InputError, match=f"{type}; give float32 or float64"):
        propagate(torch.ones((81, 61), dtype=type), survey())
    with pytest.raises(huygens.InputError, match="is a ndarray; give a torch.Tensor"):
        propagate(np.full((81, 61), 2000.0), survey())


def test_second_derivatives_are_refused():
    from huygens.torch import propagate

    velocity = torch.full((81, 61), 2050.0)
    setup = survey(step=0.001)

    def loss(velocity):
        return (propagate(velocity, setup) ** 2).sum()

    with pytest.raises(RuntimeError, match="no second derivatives"):
        torch.autograd.functional.hvp(loss, velocity, torch.ones_like(velocity))
    # With a graph, but the graph is not used.
    velocity.requires_grad_()
    (kept,) = torch.autograd.grad(loss(velocity), velocity, create_graph=True)
    (plain,) = torch.autograd.grad(loss(velocity), velocity)
    assert torch.equal(kept.detach(), plain) and plain.abs().max() > 0


def test_shots_of_unlike_receivers_are_refused_before_the_run():
    from huygens.torch import propagate

    source = huygens.Source((200, 30), huygens.ricker(12))
    shots = [huygens.Shot(source, huygens.line((20, 20), (780, 20), count)) for count in (5, 7)]
    with pytest.raises(huygens.InputError, match="5 to 7 receivers"):
        propagate(torch.full((81, 61), 2000.0), huygens.Survey(model(), shots, 0.3))
