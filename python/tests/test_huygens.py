"""The package as its users meet it."""

import copy
import functools
import inspect
import json
import multiprocessing
import pickle
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import huygens
from conftest import BACKEND
from setups import JOB, model, survey, velocities

pytestmark = pytest.mark.usefixtures("backend")


def command(*arguments, folder):
    told = subprocess.run(["huygens", *arguments], cwd=folder, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return told


def test_a_shot_has_the_bits_of_the_command(tmp_path):
    model().write(tmp_path / "model.npy")
    job = """
[model]
velocity = "model.npy"
spacing = 10.0
axes = "xz"
[time]
duration = 0.6
[[source]]
at = { x = 200.0, z = 30.0 }
wavelet = { kind = "ricker", peak_hz = 12.0 }
[receivers]
line = { from = { x = 20.0, z = 20.0 }, to = { x = 780.0, z = 20.0 }, count = 39 }
[output]
snapshots = [0.3]
pictures = false
"""
    (tmp_path / "job.toml").write_text(job)
    command("shot", "job.toml", "--backend", BACKEND, "--out", "out", folder=tmp_path)
    expected = np.load(tmp_path / "out/gather.npy")
    ours = huygens.shot(survey(snapshots=[0.3]))
    assert np.array_equal(ours.traces, expected) and np.abs(expected).max() > 0
    assert ours.traces.dtype == np.float32 and len(ours.time) == expected.shape[1]
    (at,) = ours.snapshots
    assert at == pytest.approx(0.3, abs=1e-3) and ours.snapshots[at].shape == (81, 61)
    for same in [tmp_path / "job.toml", str(tmp_path / "job.toml")]:
        assert np.array_equal(huygens.shot(same).traces, expected)


def test_a_job_is_text_a_dict_or_a_survey():
    keys = {
        "model": {"velocity": "builtin:homogeneous", "nodes": {"x": 41, "z": 31}, "spacing": 10.0},
        "time": {"duration": 0.2, "record": None},
        "source": [{"at": {"x": 100.0, "z": np.float64(50)}, "wavelet": huygens.ricker(15)}],
        "receivers": {"points": [{"x": 200.0, "z": 50.0}]},
    }
    built = huygens.Model.builtin("homogeneous", 10.0, [41, 31])
    shot = huygens.Shot(huygens.Source((100, 50), huygens.ricker(15)), [(200, 50)])
    same = [huygens.shot(of).traces for of in (keys, JOB, huygens.Survey(built, shot, 0.2), {**keys, "model": built})]
    assert all(np.array_equal(of, same[0]) for of in same) and same[0].any()
    known = huygens.check(keys)
    assert known["nodes"] == [41, 31] and known["shots"] == 1 and known["samples"] == same[0].shape[1]


def test_a_wavelet_of_samples_is_that_of_its_formula():
    interval = 0.0005
    t = np.arange(800) * interval - 0.125
    argument = (np.pi * 12 * t) ** 2
    sampled = huygens.samples((1 - 2 * argument) * np.exp(-argument), interval)
    receivers = huygens.line((20, 20), (780, 20), 39)
    found = [
        huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((200, 30), wavelet), receivers), 0.4)).traces
        for wavelet in (huygens.ricker(12), sampled)
    ]
    assert np.abs(found[0] - found[1]).max() < 2e-3 * np.abs(found[0]).max()


def test_volumes_dipoles_and_several_sources():
    volume = huygens.Model(np.full((31, 41, 36), 2000.0), (10, 10, 10))
    assert volume.shape == (31, 41, 36) and volume.spacing == (10, 10, 10)
    force = huygens.Source((200, 150, 150), huygens.ricker(15), dipole="z")
    receivers = [(200, 150, 50), (200, 150, 250), (300, 150, 150)]
    traces = huygens.shot(huygens.Survey(volume, huygens.Shot(force, receivers), 0.3)).traces
    up, down, beside = traces
    size = np.abs(down).max()
    assert np.abs(up + down).max() < 1e-4 * size and np.abs(beside).max() < 1e-4 * size
    both = huygens.Shot([force, huygens.Source((200, 150, 150), huygens.ricker(15), amplitude=2.0)], receivers)
    assert huygens.shot(huygens.Survey(volume, both, 0.3)).sources.shape == (2, 3)


def test_the_gradient_is_that_of_the_misfit():
    velocity = np.full((81, 61), 2050.0, np.float32)
    start = huygens.Model(velocity, 10.0)
    dt = huygens.check(survey(count=2))["step"]
    # Both have the time step of the true model.
    observed = [of.traces for of in huygens.shots(survey(count=2, step=dt))]
    guess = survey(start, count=2, step=dt, gradient={"interval": dt})
    found = huygens.gradient(guess, observed)
    assert found.gradient.shape == velocity.shape and len(found.misfits) == 2
    x, z = np.meshgrid(np.arange(81), np.arange(61), indexing="ij")
    change = np.exp(-((x - 40) ** 2 + (z - 30) ** 2) / 60.0)
    along = float((found.gradient * change).sum())

    def misfit(h):
        moved = guess.through(start.with_velocity(velocity + h * change))
        return huygens.gradient(moved, observed).misfit

    # Misfits of f32 waves are exact to 1e-6 of themselves: of a difference over 2 m/s that is 1 %.
    steps = (14.0, 17.0, 20.0, 23.0)
    difference = np.mean([(misfit(h) - misfit(-h)) / (2.0 * h) for h in steps])
    assert difference == pytest.approx(along, rel=2e-3)
    per_shot = huygens.gradient(guess, observed, per_shot=True, interval=dt)
    assert np.allclose(sum(per_shot.of_shots), found.gradient, rtol=1e-3, atol=1e-4 * np.abs(found.gradient).max())
    huber = huygens.gradient(guess, observed, misfit="huber")
    assert 0 < huber.misfit != found.misfit


def test_an_inversion_goes_towards_the_model():
    receivers = huygens.line((20, 580), (780, 580), 39)
    shots = [huygens.Shot(huygens.Source((x, 30), huygens.ricker(12)), receivers) for x in (200, 400, 600)]
    x, z = np.meshgrid(np.arange(81) - 40, np.arange(61) - 30, indexing="ij")
    start = huygens.Model(np.full((81, 61), 2000.0), 10.0)
    anomaly = start.with_velocity(2000.0 + 200.0 * np.exp(-(x**2 + z**2) / 100.0))
    true = huygens.Survey(anomaly, shots, 0.6, record=0.004)
    observed = huygens.shots(true)
    seen = []
    found = huygens.invert(
        true.through(start), observed, bands=[9.0, 18.0], iterations=4, least=1900.0, most=2400.0,
        each=lambda band, iteration, misfit, model: seen.append((band, iteration, misfit, model.shape)),
    )
    assert [of[:2] for of in seen] == [(band, k) for band in (0, 1) for k in (1, 2, 3, 4)]
    assert [len(band) for band in found.misfits] == [5, 5] and seen[3][2] == found.misfits[0][4]
    assert all(band[-1] < 0.5 * band[0] for band in found.misfits)
    error = [float(np.linalg.norm(of.velocity - anomaly.velocity)) for of in (start, found.model)]
    assert error[1] < 0.7 * error[0]

    def stop(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        huygens.invert(true.through(start), observed, iterations=2, each=stop)

    keys = {"around_sources": 100.0, "taper": 0.1}
    as_keyword = huygens.invert(true.through(start), observed, iterations=1, gradient=keys)
    as_table = huygens.invert(true.through(start).with_tables(gradient=keys), observed, iterations=1)
    assert np.array_equal(as_keyword.model.velocity, as_table.model.velocity)
    plain = huygens.invert(true.through(start), observed, iterations=1)
    assert not np.array_equal(as_keyword.model.velocity, plain.model.velocity), "the test sees the keys"


def test_an_image_shows_the_reflector_and_a_section_too():
    gathers = huygens.shots(survey(count=3))
    smooth = model().smoothed(150.0)
    image = huygens.rtm(survey(smooth, count=3), gathers)
    assert image.image.shape == (81, 61) and list(image.images) == ["source-normalised"]
    energy = (image.image[25:55] ** 2).sum(axis=0)
    assert abs(int(energy[15:55].argmax()) + 15 - 35) <= 2
    section = huygens.zero_offset(survey())
    assert section.traces.shape[0] == 39
    image = huygens.zero_offset(survey(smooth), section)
    assert image.shape == (81, 61)
    assert huygens.plot(image, smooth, "image").png.startswith(b"\x89PNG")


def test_a_source_is_located():
    shot = huygens.Shot(huygens.Source((420, 380), huygens.ricker(20, delay=0.1)), huygens.line((0, 0), (800, 0), 81))
    setup = huygens.Survey(model(), shot, 0.6)
    found = huygens.locate(setup, huygens.shot(setup))
    (source,) = found.sources
    x, _, z = source["at"]
    assert np.hypot(x - 420, z - 380) < 15 and abs(source["time"] - 0.1) < 0.02
    assert found.map.shape == (81, 61)


def test_doubts_about_images_and_sources_are_warnings():
    with pytest.warns(UserWarning, match="alias frequencies"):
        huygens.rtm(survey(), interval=0.1)
    shot = huygens.Shot(huygens.Source((420, 380), huygens.ricker(20, delay=0.1)), huygens.line((0, 0), (800, 0), 81))
    setup = huygens.Survey(model(), shot, 0.6)
    gather = huygens.shot(setup)
    with pytest.warns(UserWarning, match="may be spurious|sources were found"):
        huygens.locate(setup, gather, sources=3)
    with pytest.raises(huygens.InputError, match="every node.*smaller mask"):
        huygens.locate(setup, gather, mask=9000.0)


def test_files_and_pictures(tmp_path):
    gather = huygens.shot(survey(step=0.001, record=0.002))
    for ending in ("sgy", "su", "npz", "h5"):
        path = tmp_path / f"gather.{ending}"
        huygens.write_gathers(path, gather)
        (back,) = huygens.read_gathers(path)
        (live,) = huygens.read_gathers(path, kill=[1, 3])
        assert np.array_equal(live.traces[:2], gather.traces[[1, 3]]), ending
        assert np.array_equal(back.traces, gather.traces), ending
        assert np.allclose(back.receivers, gather.receivers) and np.allclose(back.sources, gather.sources)
        assert back.interval == pytest.approx(gather.interval, rel=1e-3)
        with pytest.raises(huygens.InputError, match="is there already"):
            huygens.write_gathers(path, gather)
    for ending in ("npz", "rsf", "sgy", "h5"):
        path = tmp_path / f"model.{ending}"
        model().write(path)
        back = huygens.Model.read(path)
        assert np.array_equal(back.velocity, velocities()) and back.spacing == pytest.approx((10, 10))
    model().write(tmp_path / "model.npy")
    assert huygens.Model.read(tmp_path / "model.npy", spacing=10, axes="xz").shape == (81, 61)
    for picture in (gather.plot(), gather.plot(wiggles=True, agc=0.2), model().plot()):
        assert picture._repr_png_().startswith(b"\x89PNG")
    gather.plot().save(tmp_path / "gather.png")
    assert (tmp_path / "gather.png").read_bytes().startswith(b"\x89PNG")


def test_arrays_of_any_layout_are_taken():
    own = huygens.shot(survey()).traces
    for velocity in (
        velocities().astype(">f4"),
        np.asfortranarray(velocities()),
        velocities().astype(np.float64),
        velocities().astype(np.int32),
        np.repeat(velocities(), 2, axis=0)[::2],
    ):
        assert np.array_equal(huygens.shot(survey(huygens.Model(velocity, 10.0))).traces, own)


def test_densities_of_any_kind_are_taken():
    def traces(**keys):
        # A density that varies has another largest step.
        return huygens.shot(survey(step=0.0015, **keys)).traces

    # Gardner's rule by hand.
    rho = 310 * velocities().astype(float) ** 0.25
    own, constant = traces(density="gardner"), traces()
    most = np.abs(own).max()
    assert np.abs(own - constant).max() > 2e-3 * most
    for density in (rho, rho.astype(np.float32), np.asfortranarray(rho)):
        assert np.abs(traces(density=density) - own).max() < 1e-5 * most
    assert np.abs(traces(density="builtin:layers") - own).max() > 2e-3 * most
    assert np.array_equal(traces(density=2300.0), constant)
    # Some shots of a survey keep an array.
    some = survey(step=0.0015, density=rho, count=2).of(0)
    assert np.array_equal(huygens.shot(some).traces, traces(density=rho))


def test_a_window_of_a_shot_has_the_traces_of_the_whole():
    windowed = huygens.shot(survey(window={"margin": 400.0})).traces
    whole = huygens.shot(survey()).traces
    assert np.abs(windowed - whole).max() < 0.05 * np.abs(whole).max()
    with pytest.raises(huygens.InputError, match="the table is empty"):
        huygens.shot(survey(window={}))


@pytest.mark.parametrize(
    "wrong, part",
    [
        (lambda: huygens.shot(survey(density=velocities()[1:])), "80 x 61 nodes, but the velocity has 81 x 61"),
        (lambda: huygens.shot(survey(density=velocities() * 1e-3)), "look like g/cm3"),
        (lambda: huygens.shot(survey(density=-velocities())), "the density at cell x = 0, z = 0 is -2000"),
        (lambda: huygens.shot(survey(density=velocities().ravel())), "density has the shape"),
        (lambda: huygens.shot(survey(density=velocities().astype(complex))), "density is of type complex128"),
        (lambda: huygens.shot(survey(density="gardener")), "gardener is of no known format"),
        (lambda: huygens.shot(survey(density=-1.0)), "a density of -1 kg/m3 is not possible"),
        (lambda: huygens.Model(velocities().astype(complex), 10.0), "real numbers"),
        (lambda: huygens.Model({"v": 1.0}, 10.0), "is a dict; give a NumPy array"),
        (lambda: huygens.Model([[1.0, 2.0], [3.0]], 10.0), "is a list; give a NumPy array"),
        (lambda: huygens.Model(velocities().ravel(), 10.0), "shape"),
        (lambda: huygens.Model(velocities() * np.nan, 10.0), "NaN"),
        (lambda: huygens.Model(velocities(), -1.0), "-1"),
        (lambda: huygens.Model(velocities(), (1.0, 1.0, 1.0)), "2-D"),
        (lambda: huygens.Engine("cuda"), "the backends are"),
        (lambda: huygens.plot(np.zeros((81, 61)), model(), quantity="presure"), "presure"),
        (lambda: huygens.plot(np.zeros((3, 3)), model()), "a value for each"),
        (lambda: huygens.gradient(survey(), np.full((1, 39, 400), np.nan)), "finite"),
        (lambda: huygens.gradient(survey(), np.zeros((1, 39, 10))), "sample_interval"),
        (lambda: huygens.gradient(survey(), np.ones((1, 39, 400)), sample_interval=1e-12), "too close together"),
        (lambda: huygens.rtm(survey(), np.full((1, 39, 400), np.nan)), "finite"),
        (lambda: huygens.rtm(survey(), np.zeros((1, 39, 10))), "sample_interval"),
        (lambda: huygens.rtm(survey(), np.ones((1, 39, 400)), sample_interval=float("nan")), "positive number of seconds"),
        (lambda: huygens.rtm(survey(), np.eye(39, 400), sample_interval=1e-12, direct="kept"), "Nyquist"),
        (lambda: survey().shots[0].__class__(huygens.Source((9, 9), np.ones(3)), [(0, 0)])._given(), "wavelet is a ndarray"),
        (lambda: huygens.Survey(model(), ["shot"], 1), "is no shot"),
        (lambda: survey(time={"duration": 3}), "has its own"),
        (lambda: huygens.Model(np.broadcast_to(np.float32(2000), (2_000_000, 2_000_000)), 10.0), "nodes"),
        (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((9, 0), huygens.ricker(float("nan"))), [(0, 0)]), 1)), "finite"),
        (lambda: huygens.shot(survey(step=1.0)), "step"),
        (lambda: huygens.shot(survey(boundary={"topp": "free"})), "top"),
        (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((9e9, 0), huygens.ricker(9)), [(0, 0)]), 1)), "9e9|9000000000"),
        (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((9, 0), huygens.ricker(-9)), [(0, 0)]), 1)), "-9 Hz"),
        (lambda: huygens.shot("no.toml"), "no.toml"),
        (lambda: huygens.shot(3), "is no job"),
        (lambda: huygens.shot(survey(count=2)), "huygens.shots"),
        (lambda: huygens.gradient(survey(), np.zeros((1, 3, 10))), "39 receivers"),
        (lambda: huygens.gradient(survey(), np.zeros((2, 39, 10))), "2 shots"),
        (lambda: huygens.gradient(survey()), "observed"),
        (lambda: huygens.locate(survey(), huygens.Gather(np.zeros((3, 9)), 0.01, np.zeros((3, 3)))), "zero"),
        (lambda: huygens.read_gathers("no.sgy"), "no.sgy"),
        (lambda: huygens.Model.read("no.npz"), "no.npz"),
    ],
)
def test_wrong_input_is_an_exception_that_says_what(wrong, part):
    with pytest.raises(huygens.InputError, match=part):
        wrong()


def again(what):
    """What other processes get of it, and what a copy is."""
    return pickle.loads(pickle.dumps(what)), copy.deepcopy(what)


def test_all_can_be_pickled_and_copied():
    placed = huygens.Model(velocities(), (10.0, 12.5), origin=(1.0, 2.0, 3.0), azimuth=30.0, y_axis="right")
    volume = huygens.Model(np.full((3, 4, 5), 2000, np.float32), (10, 20, 30))
    for model in (placed, volume):
        for other in again(model):
            assert np.array_equal(other.velocity, model.velocity)
            for name in ("spacing", "shape", "origin", "azimuth", "y_axis"):
                assert getattr(other, name) == getattr(model, name), name
    setup = survey(snapshots=[0.3])
    gather = huygens.shot(setup)
    for other in again(setup):
        assert np.array_equal(huygens.shot(other).traces, gather.traces)
    image = huygens.rtm(setup, [gather])
    found = huygens.gradient(setup, 0.5 * gather.traces)
    for other in again(gather):
        assert np.array_equal(other.traces, gather.traces) and other.snapshots.keys() == gather.snapshots.keys()
    for other in again(image):
        assert np.array_equal(other.image, image.image)
    for other in again(found):
        assert other.misfit == found.misfit and np.array_equal(other.gradient, found.gradient)
    for other in again(huygens.Inverted(placed, [[1.0]])):
        assert other.model.shape == placed.shape
    for other in again(huygens.InputError("why")) + again(huygens.RunError("why")):
        assert isinstance(other, (huygens.InputError, huygens.RunError)) and other.args == ("why",)


def test_other_processes_take_surveys_and_give_gathers():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (there,) = pool.map(functools.partial(huygens.shot, engine=BACKEND), [survey()])
        with pytest.raises(huygens.InputError, match="step"):
            pool.map(functools.partial(huygens.shot, engine=BACKEND), [survey(step=1.0)])
    assert np.array_equal(there.traces, huygens.shot(survey()).traces)


def test_gathers_of_another_length_are_told():
    gather = huygens.shot(survey())
    short = gather.traces[:, :-50]
    for run in (huygens.rtm, huygens.gradient):
        with pytest.warns(UserWarning, match="what is missing has no weight"):
            run(survey(), [short], sample_interval=gather.interval)


def test_all_that_is_public_has_docstrings():
    for name in huygens.__all__:
        of = getattr(huygens, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(of), name
        members = vars(of).items() if isinstance(of, type) and of.__module__.startswith("huygens") else ()
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, (property, staticmethod))):
                assert inspect.getdoc(getattr(of, member)), (name, member)


def test_what_raises_in_progress_ends_the_run():
    stages = []

    def listen(stage, done, all):
        stages.append((stage, done, all))

    huygens.shot(survey(), progress=listen)
    assert stages and stages[-1][1] <= stages[-1][2]

    def stop(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        huygens.shot(survey(), progress=stop)


def test_a_bar_shows_each_stage_anew(monkeypatch):
    bars = []

    class Bar:
        def __init__(self, total, desc, leave):
            self.n, self.total, self.closed = 0, total, False
            bars.append(self)

        def update(self, more):
            assert not self.closed
            self.n += more

        def close(self):
            self.closed = True

    import types

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    from huygens.run import _bar

    show = _bar(True)
    for _ in range(2):
        for done in (1, 5, 10):
            show("gradient", done, 10)
    assert [(bar.n, bar.closed) for bar in bars] == [(10, True)] * 2


def test_ctrl_c_ends_a_run_and_the_next_is_whole():
    code = """
import signal, sys, threading, time, _thread
import huygens, numpy as np
# A shell may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
big = huygens.Model(np.full((801, 801), 2000.0, np.float32), 10.0)
shot = huygens.Shot(huygens.Source((4000, 4000), huygens.ricker(10)), huygens.line((0, 0), (8000, 0), 10))
survey = huygens.Survey(big, shot, 60.0)
threading.Timer(1.0, _thread.interrupt_main).start()
began = time.time()
try:
    huygens.shot(survey, engine=sys.argv[1])
except KeyboardInterrupt:
    print("stopped" if time.time() - began < 20 else "late")
small = huygens.Survey(huygens.Model(np.full((41, 41), 2000.0), 10.0), huygens.Shot(huygens.Source((200, 200), huygens.ricker(15)), [(300, 200)]), 0.2)
print(np.abs(huygens.shot(small, engine=sys.argv[1]).traces).max() > 0)
"""
    told = subprocess.run([sys.executable, "-c", code, BACKEND], capture_output=True, text=True, timeout=300)
    assert told.stdout.split() == ["stopped", "True"], told.stdout + told.stderr


def test_threads_share_an_engine_and_python_runs_meanwhile():
    engine = huygens.Engine(BACKEND)
    expected = huygens.shot(survey(), engine=engine).traces
    found, ticks = [], []

    def work():
        found.append(huygens.shot(survey(), engine=engine).traces)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        ticks.append(time.monotonic())
        time.sleep(0.001)
    assert len(found) == 3 and all(np.array_equal(of, expected) for of in found)
    assert len(ticks) > 1


def test_doubts_are_warnings_of_python():
    def of(hz, **more):
        shot = huygens.Shot(huygens.Source((200, 30), huygens.ricker(hz)), [(400, 30)])
        return huygens.Survey(model(), shot, 0.2, **more)

    with pytest.warns(UserWarning, match="wavelength"):
        huygens.shot(of(30))
    # The grid carries no such wave.
    with pytest.raises(huygens.InputError, match="fewer than 2.5.*force=True"):
        huygens.shot(of(70))
    with pytest.warns(UserWarning, match="wavelength"):
        huygens.shot(of(70, force=True))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        huygens.shot(of(30))
    assert {warning.filename for warning in told} == {__file__}, "at the line that called the package"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        huygens.shot(survey())


def test_the_command_comes_with_the_package(tmp_path):
    known = json.loads(command("devices", "--json", folder=tmp_path).stdout)
    assert any(device["backend"] for device in known)
    version = command("--version", folder=tmp_path).stdout.split()[-1]
    assert version == huygens.__version__


def test_traces_have_axes_in_xarray():
    pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    gather = huygens.shot(survey())
    array = gather.to_xarray()
    assert array.dims == ("receiver", "time") and float(array.x[1] - array.x[0]) == pytest.approx(20.0)
    model = huygens.Model(np.full((3, 4, 5), 2000, np.float32), (10.0, 20.0, 30.0))
    nodes = huygens.to_xarray(model.velocity, model, "velocity", "m/s")
    assert nodes.dims == ("y", "x", "z") and nodes.attrs["units"] == "m/s"
    assert [float(nodes[dim][1]) for dim in "xyz"] == [10.0, 20.0, 30.0]
    with pytest.raises(huygens.InputError, match="one for each node"):
        huygens.to_xarray(np.zeros((2, 2)), model)


def test_a_forked_process_says_that_it_cannot_run():
    survey_, context = survey(), multiprocessing.get_context("fork")
    answers = context.Queue()

    def child():
        try:
            huygens.shot(survey_, engine="cpu")
        except huygens.RunError as error:
            answers.put(str(error))

    huygens.shot(survey_, engine="cpu")
    process = context.Process(target=child)
    process.start()
    assert "spawn" in answers.get(timeout=60)
    process.join()


def test_gathers_of_other_positions_give_a_warning():
    of_two = survey(count=2)
    gathers = huygens.shots(of_two, engine="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        huygens.gradient(of_two, gathers, engine="cpu")
    with pytest.warns(UserWarning, match="gather 1: its positions are up to"):
        huygens.gradient(of_two, gathers[::-1], engine="cpu")
