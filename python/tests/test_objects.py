"""Surveys, gathers and results as objects of Python: lengths, indices, pictures, arrays of other packages."""

import asyncio
import logging
import pickle
import threading
import types
import warnings

import numpy as np
import pytest

import huygens
from huygens.shown import DispersionWarning
from setups import model, survey

pytestmark = [pytest.mark.usefixtures("backend"), pytest.mark.filterwarnings("ignore::UserWarning")]


def test_surveys_and_gathers_have_lengths_indices_and_iteration():
    three = survey(count=3)
    assert len(three) == 3 and isinstance(three[1], huygens.Shot) and list(three) == three.shots
    assert isinstance(three[1:], huygens.Survey) and three[1:].shots == three.shots[1:]
    gather = huygens.shot(survey())
    assert len(gather) == 39 and np.array_equal(gather[3], gather.traces[3])
    assert np.array_equal(np.asarray(gather), gather.traces) and len(list(gather)) == 39
    assert np.asarray(gather, np.float64).dtype == np.float64


def test_snapshots_have_the_times_that_were_asked_for():
    gather = huygens.shot(survey(step=0.001, snapshots=[0.1004, 0.3]))
    fields = pickle.loads(pickle.dumps(gather)).snapshots
    assert list(fields) == pytest.approx([0.1, 0.3])
    assert np.array_equal(fields[0.1004], gather.snapshots[min(gather.snapshots)])
    with pytest.raises(KeyError, match="no snapshot at 0.2 s; there are those of 0.1, 0.3 s"):
        fields[0.2]


@pytest.fixture(scope="module")
def results():
    two = survey(count=2, step=0.001)
    gathers = huygens.shots(two)
    start = two.through(two.model.smoothed(100.0))
    return {
        "shot": gathers[0],
        "gradient": huygens.gradient(start, gathers),
        "invert": huygens.invert(start, gathers, iterations=1),
        "rtm": huygens.rtm(start, gathers),
        "lsrtm": huygens.lsrtm(start, gathers, iterations=1),
        "locate": huygens.locate(survey(), gathers[0]),
        "model": start.model,
        "survey": start,
        # A job that names its model: the results have it.
        "named": huygens.gradient(
            huygens.Survey("builtin:layers", two.shots[:1], 0.2), np.ones((39, 200)), sample_interval=0.001
        ),
    }


def test_every_result_has_a_picture(results):
    for name, result in results.items():
        assert len(result.plot().png) > 5_000, name
        html = result._repr_html_()
        assert html.startswith("<p>") and 'src="data:image/png;base64,' in html and "<huygens" not in html, name


def test_every_result_draws_on_axes_of_matplotlib(results):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="NOT RUN: matplotlib is not installed")
    for name in ("shot", "gradient", "rtm", "lsrtm", "locate"):
        _, axes = pyplot.subplots()
        drawn = results[name].plot(ax=axes)
        size = (39, 601) if name == "shot" else (81, 61)
        assert drawn.get_array().shape == size[::-1], name
        # A pixel is a value: it reaches half a value beyond the place of the first and the last.
        traces, nodes = (0.5, 39.5, 0.6005, -0.0005), (-5, 805, 605, -5)
        assert drawn.get_extent() == pytest.approx(traces if name == "shot" else nodes), name
        pyplot.close("all")


def test_labels_of_models_and_gathers():
    pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    labelled = model().to_xarray()
    assert labelled.dims == ("x", "z") and labelled.name == "velocity" and labelled.attrs["units"] == "m/s"
    assert np.array_equal(huygens.Model(labelled).velocity, model().velocity)
    gather = huygens.shots(survey(count=2))[1].to_xarray()
    assert (float(gather.source_x), float(gather.source_z), int(gather.record)) == (600.0, 30.0, 2)


def test_observed_is_taken_in_every_form(tmp_path):
    two = survey(count=2, step=0.001, record=0.002)
    gathers = huygens.shots(two)
    path = tmp_path / "shots.sgy"
    huygens.write_gathers(path, gathers)
    trace = lambda of: types.SimpleNamespace(data=of, stats=types.SimpleNamespace(delta=0.002))

    class Stream(types.SimpleNamespace):
        def __iter__(self):
            return iter(self.traces)

    streams = [Stream(traces=[trace(of) for of in gather]) for gather in gathers]
    forms = {"path": path, "text": str(path), "generator": (of for of in gathers), "streams": streams}
    forms["lists"] = [of.traces.tolist() for of in gathers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, given in forms.items():
            assert huygens.gradient(two, given).misfit == 0, name
    one = two[:1]
    assert huygens.gradient(one, streams[0].traces).misfit == 0, "a list of traces is one gather"
    streams[0].traces[3] = trace(np.zeros(7))
    with pytest.raises(huygens.InputError, match="7 samples 0.002 s apart and 301 samples 0.002 s apart"):
        huygens.gradient(two, streams)


def test_a_trace_of_obspy_is_a_wavelet():
    t = np.arange(200) * 0.001 - 0.1
    values = np.exp(-((t * 60) ** 2)) * t
    trace = types.SimpleNamespace(data=values, stats=types.SimpleNamespace(delta=0.001))
    receivers = [(400, 30)]
    own, other = (
        huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((200, 30), of), receivers), 0.3))
        for of in (huygens.samples(values, 0.001), trace)
    )
    assert np.array_equal(own.traces, other.traces) and own.traces.any()


def test_a_misfit_may_be_a_function():
    two = survey(count=2, step=0.001)
    observed = huygens.shots(two)
    start = two.through(huygens.Model(np.full((81, 61), 2050.0), 10.0))

    def l2(modelled, observed):
        apart = modelled - observed
        return 0.5 * 0.001 * (apart**2).sum(), 0.001 * apart

    ours, own = (huygens.gradient(start, observed, misfit=of, interval=0.001) for of in (l2, "l2"))
    assert ours.misfit == pytest.approx(own.misfit, rel=1e-4) and len(ours.misfits) == 2
    assert np.linalg.norm(ours.gradient - own.gradient) < 1e-4 * np.linalg.norm(own.gradient)
    alone = huygens.gradient(survey(step=0.001).through(start.model), observed[0].traces, misfit=l2, interval=0.001)
    assert len(alone.misfits) == 1, "[receiver][time] of one shot"
    with pytest.raises(huygens.InputError, match=r"residual of the shape \(3,\); give that of the traces, \(39, 601\)"):
        huygens.gradient(start, observed, misfit=lambda *_: (0.0, np.zeros(3)))
    with pytest.raises(huygens.InputError, match="per_shot: a function as misfit"):
        huygens.gradient(start, observed, misfit=l2, per_shot=True)


def test_the_model_of_a_result_is_the_one_that_was_used(tmp_path):
    path = tmp_path / "model.npz"
    model().write(path)
    named = huygens.Survey(path, survey(count=2).shots, 0.6, step=0.001)
    gathers = huygens.shots(named)
    halved = [0.5 * of.traces for of in gathers]

    def change(*_):
        huygens.Model(np.full((81, 61), 2222.0), 10.0).write(path, force=True)

    def l2(modelled, observed):
        change()
        return 0.0, modelled - observed

    runs = {
        "gradient": lambda: huygens.gradient(named, halved, progress=change),
        "a function": lambda: huygens.gradient(named, halved, misfit=l2),
        "rtm": lambda: huygens.rtm(named, gathers, progress=change),
        "lsrtm": lambda: huygens.lsrtm(named, gathers, iterations=1, progress=change),
        "locate": lambda: huygens.locate(named, gathers[0], progress=change),
    }
    for name, run in runs.items():
        model().write(path, force=True)
        found = run()
        assert np.array_equal(found.model.velocity, model().velocity), name
        assert np.array_equal(huygens.Model.read(path).velocity, np.full((81, 61), 2222.0)), "it changed meanwhile"
        if name == "a function":
            same = huygens.gradient(survey(count=2, step=0.001), halved, misfit=l2)
            assert np.array_equal(found.gradient, same.gradient), "both runs are through one model"


def test_an_amplitude_may_be_an_array_without_axes():
    shots = [huygens.Shot(huygens.Source((200, 30), huygens.ricker(12), of), [(400, 30)]) for of in (2.0, np.array(2.0))]
    one, two = huygens.shots(huygens.Survey(model(), shots, 0.3))
    assert np.array_equal(one.traces, two.traces) and one.traces.any()


def of_30_hz():
    shot = huygens.Shot(huygens.Source((200, 30), huygens.ricker(30)), [(400, 30)])
    return huygens.Survey(model(), shot, 0.2)


def test_remedies_of_dispersion_are_searched_for_only_if_they_are_shown(monkeypatch):
    asked = []
    init = DispersionWarning.__init__

    def counted(self, mistake, full=None):
        init(self, mistake, full and (lambda: asked.append(mistake) or full()))

    monkeypatch.setattr(DispersionWarning, "__init__", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        huygens.shot(of_30_hz())
    assert not asked
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", huygens.DispersionWarning)
        huygens.shot(of_30_hz())
    assert not asked
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            huygens.shot(of_30_hz())
    (warning,) = [of for of in told if issubclass(of.category, DispersionWarning)]
    assert not asked
    text = str(warning.message)
    assert len(asked) == 1 and text.startswith(asked[0]) and "remedy: " in text
    assert text in huygens.check(of_30_hz())["warnings"]
    assert str(pickle.loads(pickle.dumps(warning.message))) == text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DispersionWarning, match="remedy: "):
            huygens.shot(of_30_hz())


def test_messages_that_are_no_warnings_are_logged(tmp_path, caplog):
    path = tmp_path / "model.npy"
    np.save(path, np.full((41, 31), 2000.0, np.float32))
    with caplog.at_level(logging.DEBUG, "huygens"):
        huygens.shot(of_30_hz())
    assert all(of.name == "huygens" and of.levelno < logging.WARNING for of in caplog.records)


def test_messages_are_logged_during_a_run():
    logged, waited = threading.Event(), []

    class Handler(logging.Handler):
        def emit(self, record):
            logged.set()

    logger, handler = logging.getLogger("huygens"), Handler()
    start = survey(huygens.Model(np.full((81, 61), 2050.0), 10.0), step=0.001)
    observed = huygens.shots(survey(step=0.001))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        # The run is at its first iteration until something is logged.
        huygens.invert(start, observed, iterations=1, each=lambda *_: waited.append(logged.wait(60)))
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert waited and all(waited)


def test_a_run_may_be_awaited():
    async def both():
        return await asyncio.gather(*(asyncio.to_thread(huygens.shot, survey()) for _ in range(2)))

    one, two = asyncio.run(both())
    assert np.array_equal(one.traces, two.traces) and one.traces.any()
