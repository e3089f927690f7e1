"""What is given, by strangers too: taken, refused, or warned of, never lost without a word."""

import threading
import warnings

import numpy as np
import pytest

import huygens
from setups import JOB, model, survey, velocities

pytestmark = pytest.mark.usefixtures("backend")


def refused(run, *parts):
    with pytest.raises(huygens.InputError) as told:
        run()
    said = str(told.value)
    assert all(part in said for part in parts), said
    for jargon in ("enum", "variant", "expected", "invalid type", "--unit", "--kill", "--spacing", "--axes"):
        assert jargon not in said, said


def one(wavelet, receivers=((400, 30),), **keys):
    return huygens.Survey(model(), huygens.Shot(huygens.Source((200, 30), wavelet), receivers), 0.3, **keys)


def test_a_run_does_not_wait_for_a_slow_function():
    iterated, calls = threading.Event(), []

    def slow(stage, done, all):
        calls.append((stage, done, all))
        # While this blocks, the inversion goes on to its first iteration.
        assert iterated.wait(120)

    observed = [of.traces for of in huygens.shots(survey(count=2, step=0.001))]
    start = huygens.Model(np.full((81, 61), 2050.0), 10.0)
    huygens.invert(
        survey(start, count=2, step=0.001), observed, sample_interval=0.001, iterations=1,
        each=lambda *_: iterated.set(), progress=slow,
    )
    assert calls and calls[-1][1] == calls[-1][2]


def test_progress_is_told_from_time_to_time_and_at_the_end():
    calls = []
    huygens.shots(survey(count=3), progress=lambda *news: calls.append((*news, threading.get_ident())))
    assert calls[-1][1] == calls[-1][2] and {call[3] for call in calls} == {threading.get_ident()}


def test_the_velocity_of_a_model_cannot_be_written_to():
    of = model()
    with pytest.raises(ValueError, match="read-only"):
        of.velocity[0, 0] = 1.0
    changed = of.velocity.copy()
    changed[0, 0] = 1900.0
    assert of.with_velocity(changed).velocity[0, 0] == 1900.0 and of.velocity[0, 0] == 2000.0


def test_masked_arrays_are_refused_if_something_is_masked():
    hidden = np.ma.masked_greater(velocities(), 2500.0)
    shot = huygens.shot(survey())
    traces = np.ma.masked_less(shot.traces, 0.0)
    refused(lambda: huygens.Model(hidden, 10.0), "velocity has", "masked values", ".filled(")
    refused(lambda: huygens.gradient(survey(), [traces], sample_interval=shot.interval), "observed has", "masked")
    refused(lambda: huygens.shot(one(huygens.samples(np.ma.masked_equal([0.0, 1.0, 0.0], 1.0), 0.001))), "wavelet has 1")
    at = np.ma.masked_equal([(400.0, 30.0), (420.0, -1.0)], -1.0)
    refused(lambda: huygens.shot(one(huygens.ricker(12), at)), "receivers have masked")
    refused(lambda: huygens.plot(hidden, model()), "values has", "masked")
    nothing = np.ma.masked_greater(velocities(), 9000.0)
    assert np.array_equal(huygens.Model(nothing, 10.0).velocity, velocities())


def test_lists_are_taken():
    assert np.array_equal(huygens.Model(velocities().tolist(), 10.0).velocity, velocities())
    assert huygens.Model(velocities(), np.array([10.0, 12.5])).spacing == (10.0, 12.5)


def test_a_data_array_has_its_axes_and_its_spacing():
    xarray = pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    volume = huygens.Model(2000.0 + np.arange(60.0).reshape(3, 4, 5), (10.0, 20.0, 30.0))
    labelled = huygens.to_xarray(volume.velocity, volume, "velocity", "m/s")
    for given in (labelled, labelled.transpose("z", "y", "x")):
        again = huygens.Model(given)
        assert np.array_equal(again.velocity, volume.velocity) and again.spacing == (10.0, 20.0, 30.0)
        assert np.array_equal(volume.with_velocity(given).velocity, volume.velocity)
    refused(lambda: huygens.Model(labelled, 5.0), "coordinates of x are 10 m apart, and spacing is 5 m", "leave spacing out")
    other = huygens.Model(volume.velocity, 10.0)
    refused(lambda: other.with_velocity(labelled), "coordinates of y are 20 m apart, and spacing is 10 m")
    assert huygens.Model(labelled.drop_vars("z"), (10.0, 20.0, 5.0)).spacing == (10.0, 20.0, 5.0)
    refused(lambda: huygens.Model(labelled.rename(y="line")), "axes line and x and z", "name them x, y and z")
    depths = {"depth": ("depth", np.arange(61) * 0.01, {"units": "km"}), "x": np.arange(81) * 12.5}
    plane = xarray.DataArray(velocities().T, dims=("depth", "x"), coords=depths)
    again = huygens.Model(plane)
    assert np.array_equal(again.velocity, velocities()) and again.spacing == pytest.approx((12.5, 10.0))
    # Without names the axes stay in their order, and the spacing is to be given.
    bare = xarray.DataArray(velocities())
    assert np.array_equal(huygens.Model(bare, 10.0).velocity, velocities())
    refused(lambda: huygens.Model(bare), "give spacing")
    refused(lambda: huygens.Model(bare.assign_attrs(units="km/s"), 10.0), "km/s", "give m/s")
    refused(lambda: huygens.Model(plane.assign_coords(x=np.arange(81.0) ** 2)), "x do not rise evenly", "drop_vars")
    refused(lambda: huygens.Model(plane.assign_attrs(units="km/s")), "km/s", "give m/s")


@pytest.mark.parametrize("dims", [("depth", "longitude"), ("z", "cdp"), ("z", "x"), ("z", "y")])
def test_the_axis_beside_z_is_x(dims):
    xarray = pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    # As many nodes along both axes: a wrong order has the right shape.
    square = velocities()[:61]
    labelled = xarray.DataArray(square.T, dims=dims)
    of = huygens.Model(labelled, 10.0)
    assert np.array_equal(of.velocity, square)
    assert np.array_equal(of.with_velocity(labelled + 1.0).velocity, square + 1.0)


@pytest.mark.parametrize("dims", [("depth_m", "x_m"), ("time", "x"), ("x", "cdp"), ("z", "depth"), ("a", "b")])
def test_axes_that_are_not_known_are_refused(dims):
    xarray = pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    labelled = xarray.DataArray(velocities()[:61], dims=dims)
    refused(lambda: huygens.Model(labelled, 10.0), " and ".join(dims), "name them x and z with .rename")
    refused(lambda: model().with_velocity(labelled), " and ".join(dims))


def test_coordinates_that_do_not_begin_at_0_are_the_origin():
    xarray = pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    coords = {"x": 1000.0 + 10.0 * np.arange(81), "z": 200.0 + 10.0 * np.arange(61)}
    labelled = xarray.DataArray(velocities(), dims=("x", "z"), coords=coords)
    assert huygens.Model(labelled).origin == (1000.0, 0.0, -200.0)
    assert huygens.Model(labelled, azimuth=0.0).origin == (0.0, 1000.0, -200.0), "along x, which is north"
    assert huygens.Model(labelled, origin=(1.0, 2.0, 3.0)).origin == (1.0, 2.0, 3.0), "as given"
    assert model().origin == (0.0, 0.0, 0.0)


def test_the_unit_of_a_file_is_converted(tmp_path):
    for unit, factor in {"km/s": 1000.0, "ft/s": 0.3048, "m/s": 1.0, "ft": 0.3048}.items():
        path = tmp_path / "model.npy"
        np.save(path, np.full((5, 4), 2000.0 / factor, np.float32))
        of = huygens.Model.read(path, unit=unit, axes="xz", spacing=10.0)
        assert of.velocity == pytest.approx(2000.0) and of.spacing == (10.0, 10.0), unit
    np.save(path, np.full((5, 4), 0.25, np.float32))
    assert huygens.Model.read(path, unit="s2/km2", axes="xz", spacing=10.0).velocity == pytest.approx(2000.0)
    for word in ("furlong", "ms", "s", ""):
        refused(lambda: huygens.Model.read(path, unit=word, axes="xz", spacing=10.0), f'"{word}" is no unit', "km/s")


def test_recorded_traces_are_taken_as_they_come():
    xarray = pytest.importorskip("xarray", reason="NOT RUN: xarray is not installed")
    # A step that is not the survey's: the interval must come with the traces.
    setup, other = survey(), survey(step=0.001, record=0.002)
    shot = huygens.shot(other)
    start = huygens.Model(np.full((81, 61), 2050.0), 10.0)

    def misfit(observed, **keys):
        return huygens.gradient(setup.through(start), observed, **keys).misfit

    expected, array = misfit(shot), shot.to_xarray()
    both = xarray.concat([array], "shot")
    for name, observed in {
        "a DataArray": array,
        "transposed": array.transpose("time", "receiver"),
        "of other names": array.rename(receiver="channel", time="t"),
        "of shots": both.transpose("time", "shot", "receiver"),
        "a list of them": [array],
        "in ms": array.assign_coords(time=("time", 1e3 * shot.time, {"units": "ms"})),
        "a generator": (of for of in [shot]),
    }.items():
        assert misfit(observed) == pytest.approx(expected, rel=1e-6), name
    for name, observed in {
        "a nested list": shot.traces.tolist(),
        "of a shot": [shot.traces.tolist()],
        "of traces": list(shot.traces),
        "a generator": (of for of in [shot.traces]),
        "without names": xarray.DataArray(shot.traces),
    }.items():
        assert misfit(observed, sample_interval=0.002) == pytest.approx(expected, rel=1e-6), name
    refused(lambda: misfit(array.rename(receiver="a", time="b")), "observed has the axes a and b", "name them receiver and time")
    refused(lambda: misfit(array.assign_coords(time=shot.time + 0.2)), "from 0.2 to")
    refused(lambda: misfit([shot.traces[0], shot.traces[1, :9]], sample_interval=0.002), "give [receiver][time]")
    refused(lambda: misfit(3), "is no array")


def test_a_survey_of_several_shots_is_refused_before_the_run():
    calls = []
    refused(lambda: huygens.shot(survey(count=3), progress=lambda *news: calls.append(news)), "3 shots", "huygens.shots")
    assert not calls


def test_what_a_section_is_not_is_told():
    section = huygens.zero_offset(survey())
    short = huygens.Gather(section.traces[:, :-50], section.interval, section.receivers)
    refused(lambda: huygens.zero_offset(survey(), short.traces), "sample_interval")
    with pytest.warns(UserWarning, match="the section takes .* and the survey"):
        huygens.zero_offset(survey(), short)
    # The interval that is given is taken, of a gather too.
    with pytest.warns(UserWarning, match="the section takes 1.198 s, and the survey 0.599"):
        huygens.zero_offset(survey(), section, sample_interval=2 * section.interval)
    with pytest.warns(UserWarning, match="the survey has 3 shots"):
        huygens.zero_offset(survey(count=3))
    moved = huygens.Gather(section.traces, section.interval, section.receivers + (100.0, 0.0, 0.0))
    with pytest.warns(UserWarning, match="positions are up to 100 m"):
        huygens.zero_offset(survey(), moved)


def test_surveys_without_shots_receivers_or_sources_are_refused_or_told():
    refused(lambda: huygens.shots(huygens.Survey(model(), [], 0.3)), "no shots")
    with pytest.warns(UserWarning, match="shot 1 has no receivers"):
        huygens.shot(one(huygens.ricker(12), np.zeros((0, 2))))
    refused(lambda: huygens.shot(huygens.Survey(model(), huygens.Shot([], [(400, 30)]), 0.3)), "shot 1 has no source")


def test_a_band_without_waves_is_told():
    observed = huygens.shots(survey(count=2))
    start = survey(huygens.Model(np.full((81, 61), 2050.0), 10.0), count=2)

    def stop(*_):
        raise KeyError("enough")

    for band, is_told in ((0.3, True), (4.0, False)):
        with warnings.catch_warnings(record=True) as told, pytest.raises(KeyError):
            warnings.simplefilter("always")
            huygens.invert(start, observed, bands=[band], iterations=1, progress=stop)
        said = [str(warning.message) for warning in told]
        faint = [of for of in said if "band 1 reaches to 0.3 Hz, where the wavelets have" in of]
        assert len(said) == len(faint) == int(is_told), said


def test_samples_that_are_not_finite_are_told_when_they_are_written(tmp_path):
    gather = huygens.shot(survey())
    gather.traces[3, 7] = np.nan
    with pytest.warns(UserWarning, match="trace 4 are not finite; leave it out with kill="):
        huygens.write_gathers(tmp_path / "gather.npz", gather)
    (kept,) = huygens.read_gathers(tmp_path / "gather.npz", kill=[4])
    assert np.isfinite(kept.traces).all()


def test_messages_are_of_this_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(lambda: huygens.Model(velocities(), "ten"), "spacing is ten; give metres")
    refused(lambda: huygens.shot(one(huygens.ricker("fast"))), "peak_hz is text; give a number")
    refused(lambda: huygens.shot(one({"kind": "rikker", "peak_hz": 9.0})), "there is no choice rikker", "ricker")
    refused(lambda: huygens.shot(one(huygens.ricker(12), boundary={"top": None, "sides": [None]})), "NoneType")
    refused(lambda: huygens.shot(one(huygens.ricker(12), boundary={"topp": "free"})), "there is no key topp", "`top`")
    refused(lambda: huygens.shot(one(huygens.ricker(12), operator={"order": 2**70})), "64 bits")
    refused(lambda: huygens.locate(survey(), np.zeros((39, 100))), "give a huygens.Gather")
    refused(lambda: huygens.shot(survey(step=1.0)), 'step="auto"')
    refused(lambda: huygens.shot(JOB.replace("duration = 0.2", "duration = -1.0")), "the job, line 7: ")
    (tmp_path / "wrong.toml").write_text(JOB.replace("spacing", "spacings"))
    refused(lambda: huygens.shot("wrong.toml"), "wrong.toml, line 5: ", "there is no key spacings")
    np.save("model.npy", velocities())
    refused(lambda: huygens.Model.read("model.npy"), 'axes="xz"')
    refused(lambda: huygens.Model.read("model.npy", axes="xz"), "spacing=")
    model().write("model.npz")
    refused(lambda: model().write("model.npz"), "force=True")


def test_a_picture_is_a_png(tmp_path):
    picture = model().plot()
    refused(lambda: picture.save(tmp_path / "model.jpg"), "model.jpg", ".png")
    assert not (tmp_path / "model.jpg").exists()
    picture.save(tmp_path / "model.PNG")


def test_results_are_shown_in_a_line():
    gathers = huygens.shots(survey(count=2))
    found = huygens.gradient(survey(count=2), [0.5 * of.traces for of in gathers])
    image = huygens.rtm(survey(count=2), gathers)
    assert repr(image) == "Image(source-normalised, shape=(81, 61))"
    assert repr(found).startswith("Gradient(misfit ") and repr(found).endswith("of 2 shots, shape=(81, 61), per m/s)")
    found = huygens.gradient(survey(count=2), gathers, of="slowness")
    assert found.unit == "per relative squared slowness"
    assert len(repr(huygens.Inverted(model(), [[2.0, 1.0]]))) < 120


@pytest.mark.parametrize("direct, x", [("muted", 2000), ("kept", 100)])
def test_gathers_of_another_automatic_step_are_migrated(direct, x):
    """Traces that are noise beside the others have energy at all frequencies: that does not count."""
    velocity = np.full((401, 121), 2000.0, np.float32)
    velocity[:, -1] = 3500.0
    of = huygens.Model(velocity, 10.0)
    shot = huygens.Shot(huygens.Source((x, 30), huygens.ricker(12)), huygens.line((20, 20), (3980, 20), 100))
    true = huygens.Survey(of, shot, 0.3)
    smooth = true.through(of.smoothed(150.0))
    assert huygens.check(true)["step"] < 0.9 * huygens.check(smooth)["step"]
    image = huygens.rtm(smooth, huygens.shots(true), direct=direct)
    assert np.isfinite(image.image).all()


def test_results_that_no_memory_holds_are_refused():
    of = huygens.Model(np.full((1001, 1001), 2000.0, np.float32), 10.0)
    receivers = huygens.line((20, 20), (780, 20), 39)
    shots = [huygens.Shot(huygens.Source((x, 30), huygens.ricker(12)), receivers) for x in range(100, 4100, 10)]
    snapshots = np.arange(1, 2001) * 0.002
    with pytest.raises(huygens.InputError, match="traces and snapshots of all shots .* fewer snapshots"):
        huygens.shots(huygens.Survey(of, shots, 4.0, step=0.002, snapshots=snapshots))
