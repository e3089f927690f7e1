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


def small(**keys):
    receivers = huygens.line((20, 20), (280, 20), 4)
    shots = [huygens.Shot(huygens.Source((x, 40), huygens.ricker(15)), receivers) for x in (100, 200)]
    return huygens.Survey(huygens.Model(np.full((31, 21), 2000.0), 10.0), shots, 0.1, step=0.001, **keys)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("record", [None, 0.002, 0.02])
def test_gradients_by_wavelet_and_amplitude_are_those_of_differences(record):
    """Traces are linear in both, so differences of any size are exact, up to the rounding of f32 traces."""
    from huygens.torch import propagate

    velocity, survey_ = torch.full((31, 21), 2000.0, dtype=torch.float64), small(record=record)
    a = (np.pi * 25 * (torch.arange(60, dtype=torch.float64) * 0.001 - 0.03)) ** 2
    wavelet = torch.stack([(1 - 2 * a) * torch.exp(-a), torch.exp(-a)]).requires_grad_()
    amplitude = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)

    def traces(wavelet, amplitude):
        found = propagate(velocity, survey_, wavelet=wavelet, amplitude=amplitude)
        return found[..., :: max(1, found.shape[-1] // 10)]

    assert passes(traces, (wavelet, amplitude), step=0.1)
    (by_wavelet,) = torch.autograd.grad(traces(wavelet, amplitude)[1].sum(), wavelet)
    assert by_wavelet[0].abs().max() == 0 and by_wavelet[1].abs().max() > 0, "each shot has its own"


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_a_batch_of_models_and_torch_func():
    from huygens.torch import propagate

    velocity = torch.full((31, 21), 2000.0, dtype=torch.float64)
    both = propagate(torch.stack([velocity, velocity + 50]), small())
    assert both.shape == (2, 2, 4, 101) and torch.equal(both[1], propagate(velocity + 50, small()))

    def loss(velocity):
        return (propagate(velocity, small()) ** 2).sum()

    asked = velocity.clone().requires_grad_()
    (plain,) = torch.autograd.grad(loss(asked), asked)
    assert torch.equal(torch.func.grad(loss)(velocity), plain) and plain.abs().max() > 0
    refused = {
        "no forward derivatives|no vmap": lambda: torch.func.hessian(loss)(velocity),
        "one more axis": lambda: torch.func.vmap(loss)(torch.stack([velocity] * 2)),
        "no forward derivatives": lambda: torch.func.jvp(loss, (velocity,), (velocity,)),
    }
    for part, run in refused.items():
        with pytest.raises(NotImplementedError, match=part):
            run()


START = 2000.0 + 50.0 * torch.rand((20, 18), dtype=torch.float64, generator=torch.Generator().manual_seed(1))
DENSE = 1500.0 + 300.0 * torch.rand((20, 18), dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def small_f64():
    """Two receivers of one shot, for the engine that computes in f64; its traces are f32."""
    shot = huygens.Shot(huygens.Source((70, 60), huygens.ricker(25)), [(120, 70), (80, 110)])
    return huygens.Survey(huygens.Model(START.numpy(), 10.0), shot, 0.1, step=0.001, record=0.005, operator={"kind": "taylor", "order": 4})


def passes(traces, inputs, step):
    """Checks all of the Jacobian of traces that are scaled to a largest entry of 1: to 0.1 % of each, and 0.1 % of the largest."""
    largest = max(of.abs().max() for of in torch.autograd.functional.jacobian(traces, inputs))
    return torch.autograd.gradcheck(lambda *of: traces(*of) / largest, inputs, eps=step, atol=1e-3, rtol=1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_gradient_by_velocity_passes_gradcheck():
    """Nodes at the edges have no derivative of their own."""
    from huygens.torch import propagate

    def traces(inner):
        velocity = START.clone()
        velocity[1:-1, 1:-1] = inner
        return propagate(velocity, small_f64(), density=DENSE, engine="reference")

    # So wide that the rounding of f32 traces does not count.
    assert passes(traces, (START[1:-1, 1:-1].clone().requires_grad_(),), step=4.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("begin", ["constant", "random"])
def test_the_gradient_by_density_passes_gradcheck(begin):
    """Of nodes that the operator, of radius 2, does not reach from the edges, and that have neither source nor receiver."""
    from huygens.torch import propagate

    start = DENSE if begin == "random" else torch.full_like(DENSE, 1500.0)
    free = torch.zeros(start.shape, dtype=torch.bool)
    free[2:-2, 2:-2] = True
    free[7, 6] = free[12, 7] = free[8, 11] = False

    def traces(inner):
        density = start.clone()
        density[free] = inner
        return propagate(START, small_f64(), density=density, engine="reference")

    assert passes(traces, (start[free].clone().requires_grad_(),), step=4.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_gradient_by_density_is_that_of_differences_with_a_free_surface():
    """By the engine under test, in f32, of a bump of density in the way of the waves."""
    from huygens.torch import propagate

    setup = survey(step=0.001, record=0.002, boundary={"top": "free"})
    noise = torch.from_numpy(np.random.default_rng(3).standard_normal((1, 39, 301)))
    velocity = torch.from_numpy(setup.model.velocity).double()
    x, z = np.meshgrid(np.arange(81) - 40, np.arange(61) - 25, indexing="ij")
    bump = torch.from_numpy(np.exp(-(x**2 + z**2) / 60.0))
    wavelet = torch.diff(torch.diff(torch.exp(-((torch.arange(160, dtype=torch.float64) - 80) ** 2) / 500.0)))

    def loss(height, density=None):
        density = 1000.0 + height * bump if density is None else density
        return (noise * propagate(velocity, setup, wavelet=wavelet, density=density)).sum()

    density = torch.full((81, 61), 1000.0, dtype=torch.float64, requires_grad=True)
    loss(0, density).backward()
    along = (density.grad * bump).sum().item()
    assert along == pytest.approx((loss(8.0) - loss(-8.0)).item() / 16.0, rel=0.01)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_survey_that_changes_before_the_gradient_changes_nothing():
    from huygens.torch import propagate

    gradients = []
    for changes in (False, True):
        velocity = torch.full((31, 21), 2000.0, dtype=torch.float64, requires_grad=True)
        wavelet = torch.linspace(-1, 1, 30, dtype=torch.float64, requires_grad=True)
        density = np.full((31, 21), 1000.0)
        setup = small(density=density)
        loss = (propagate(velocity, setup, wavelet=wavelet) ** 2).sum()
        if changes:
            setup.shots[0].receivers[:, 0] += 20.0
            density[10:] = 2000.0
            setup.shots.reverse()
            setup.keys["time"]["duration"] = 0.2
        loss.backward()
        gradients.append((velocity.grad, wavelet.grad))
    for one, two in zip(*gradients):
        assert torch.equal(one, two) and one.abs().max() > 0


def test_tensors_without_a_gradient_of_ours_are_refused_by_name():
    asks = torch.ones((), requires_grad=True)
    source = small()[0].sources
    for make, part in [
        (lambda: small(density=(1000 * asks).expand(31, 21)), "density requires a gradient, .* give it to huygens.torch.propagate as density="),
        (lambda: small(epsilon=(0 * asks).expand(31, 21)), "epsilon requires a gradient"),
        (lambda: huygens.Source(asks.expand(2), source.wavelet), "at requires a gradient"),
        (lambda: huygens.Source((1, 2), source.wavelet, asks), "give it to huygens.torch.propagate as amplitude="),
        (lambda: huygens.samples(asks.expand(9), 0.001), "give it to huygens.torch.propagate as wavelet="),
    ]:
        with pytest.raises(huygens.InputError, match=part):
            make()


def test_inputs_that_do_not_fit_are_refused():
    from huygens.torch import propagate

    velocity, wavelet = torch.full((31, 21), 2000.0), torch.ones(60)
    several = huygens.Shot([small()[0].sources] * 2, small()[0].receivers)
    free = huygens.Survey(small().model, small().shots, 0.1)
    two = huygens.Survey(small().model, several, 0.1, step=0.001)
    for survey_, keys, part in [
        (small(), {"wavelet": torch.ones(3, 60)}, r"\(3, 60\); give \[time\], or \[shot\]\[time\] of 2 shots"),
        (small(), {"amplitude": torch.ones(3)}, "one for each of 2 shots"),
        (small(), {"wavelet": wavelet.bfloat16()}, "wavelet is of torch.bfloat16"),
        (small(dispersion="corrected"), {"wavelet": wavelet}, "dispersion="),
        (free, {"wavelet": wavelet}, "step=, in seconds"),
        (two, {"wavelet": wavelet}, "give each shot one"),
        (small(), {"density": torch.ones(3)}, r"density has the shape \(3,\), and the model \(31, 21\)"),
        (small(), {"density": velocity.half()}, "density is of torch.float16"),
        (small(epsilon=0.1), {"density": velocity.clone().requires_grad_()}, "no gradient with epsilon; give density.detach"),
        (small(operator={"kind": "ete"}), {"density": velocity.clone().requires_grad_()}, "kind.*ete"),
    ]:
        with pytest.raises(huygens.InputError, match=part):
            propagate(velocity, survey_, **keys)


def test_progress_is_shown_and_a_failed_engine_is_dropped(monkeypatch):
    from huygens import _huygens, run
    from huygens.torch import propagate

    calls = []
    velocity = torch.full((81, 61), 2050.0, requires_grad=True)
    propagate(velocity, survey(step=0.001), progress=lambda *news: calls.append(news)).sum().backward()
    assert {stage for stage, *_ in calls} == {"modelling", "gradient"}

    def fails(*_):
        raise huygens.RunError("the device is lost")

    monkeypatch.setattr(_huygens, "shots", fails)
    with pytest.raises(huygens.RunError):
        propagate(velocity, survey())
    assert not run._engines


def test_a_tensor_is_taken_as_observed():
    traces = [torch.from_numpy(of.traces).requires_grad_() for of in huygens.shots(survey())]
    with_tensor = huygens.gradient(survey(), traces[0], interval=0.01)
    assert with_tensor.misfit == 0
    with pytest.raises(huygens.InputError, match="observed is of torch.bfloat16"):
        huygens.gradient(survey(), traces[0].bfloat16())


def test_shots_of_unlike_receivers_are_refused_before_the_run():
    from huygens.torch import propagate

    source = huygens.Source((200, 30), huygens.ricker(12))
    shots = [huygens.Shot(source, huygens.line((20, 20), (780, 20), count)) for count in (5, 7)]
    with pytest.raises(huygens.InputError, match="5 to 7 receivers"):
        propagate(torch.full((81, 61), 2000.0), huygens.Survey(model(), shots, 0.3))
