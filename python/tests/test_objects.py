"""Surveys, gathers and results as objects of Python: lengths, indices, pictures, arrays of other packages."""

import asyncio
import types
import warnings

import numpy as np
import pytest

import huygens
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
        "survey": start,
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
        left, right, bottom, top = drawn.get_extent()
        assert (right, top, bottom) == pytest.approx((39, 0, 0.6) if name == "shot" else (800, 0, 600)), name
        pyplot.close("all")


def test_labels_of_gathers():
    pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
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
    with pytest.raises(huygens.InputError, match=r"residual of the shape \(3,\); give that of the traces, \(39, 601\)"):
        huygens.gradient(start, observed, misfit=lambda *_: (0.0, np.zeros(3)))
    with pytest.raises(huygens.InputError, match="per_shot: a function as misfit"):
        huygens.gradient(start, observed, misfit=l2, per_shot=True)


def test_a_run_may_be_awaited():
    async def both():
        return await asyncio.gather(*(asyncio.to_thread(huygens.shot, survey()) for _ in range(2)))

    one, two = asyncio.run(both())
    assert np.array_equal(one.traces, two.traces) and one.traces.any()
