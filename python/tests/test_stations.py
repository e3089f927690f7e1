"""Streams of ObsPy with an inventory, as gathers."""

import datetime
import pathlib
import pickle
import re

import numpy as np
import pytest

import huygens

obspy = pytest.importorskip("obspy", reason="NOT RUN: ObsPy is not installed")
from obspy.core.inventory import Channel, Inventory, Network, Station  # noqa: E402

START = obspy.UTCDateTime("2026-05-01T12:00:00.25")
ELEVATIONS = {"AA": 100.0, "BB": 250.0}
PLACES = {"AA": (13.0, 46.0), "BB": (13.01, 46.02)}


def project(longitude, latitude):
    """Metres around 13 E 46 N, near enough."""
    return 500_000 + 77_000 * (longitude - 13), 5_000_000 + 111_000 * (latitude - 46)


def stream():
    header = {"network": "XX", "channel": "HHZ", "sampling_rate": 50.0, "starttime": START}
    return obspy.Stream(
        obspy.Trace(np.arange(9, dtype=np.int32) + 10 * number, {**header, "station": station})
        for number, station in enumerate(PLACES)
    )


def inventory(in_borehole=False):
    stations = []
    for code, (longitude, latitude) in PLACES.items():
        channel = Channel("HHZ", "", latitude, longitude, ELEVATIONS[code] - 40.0, 40.0)
        channels = [channel] if in_borehole else []
        stations.append(Station(code, latitude, longitude, ELEVATIONS[code], channels=channels))
    return Inventory([Network("XX", stations)], source="a test")


def test_a_stream_has_the_positions_of_its_stations_and_its_start():
    gather = huygens.from_obspy(stream(), inventory(), project=project)
    assert gather.receivers == pytest.approx(np.array([(500_000, 5_000_000, -100), (500_770, 5_002_220, -250)]))
    assert gather.interval == 0.02 and gather.traces.dtype == np.float32 and gather.traces[1, 3] == 13.0
    start = datetime.datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=datetime.timezone.utc)
    assert gather.start == start and pickle.loads(pickle.dumps(gather)).start == start
    below = huygens.from_obspy(stream(), inventory(in_borehole=True), project=project)
    assert below.receivers[:, 2] == pytest.approx([-60, -210]), "the channel's own elevation"


@pytest.mark.parametrize("name", ["XX.AA..HHZ", "XX.AA", "AA"])
def test_positions_may_be_given(name):
    gather = huygens.from_obspy(stream(), {name: (10.0, 20.0, 30.0), "BB": (40.0, 50.0, 60.0)})
    assert np.array_equal(gather.receivers, [(10, 20, -30), (40, 50, -60)])


@pytest.mark.parametrize("azimuth, y_axis", [(90.0, "left"), (30.0, "left"), (200.0, "right")])
def test_receivers_are_placed_in_the_model(azimuth, y_axis):
    """The direction cosines of the axes are those of the definition: x at the azimuth from north, y to its left or right."""
    model = huygens.Model(np.full((5, 5), 2000.0), 10.0, origin=(500_000.0, 5_000_000.0, 300.0), azimuth=azimuth, y_axis=y_axis)
    placed = huygens.from_obspy(stream(), inventory(), project=project, model=model).receivers
    toward_x = np.array([np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))])
    toward = azimuth + (-90 if y_axis == "left" else 90)
    toward_y = np.array([np.sin(np.radians(toward)), np.cos(np.radians(toward))])
    apart = np.array([770.0, 2220.0])
    assert placed[0] == pytest.approx([0, 0, 200], abs=1e-6)
    assert placed[1] == pytest.approx([apart @ toward_x, apart @ toward_y, 50], abs=1e-6)


def test_streams_that_are_no_gather_are_refused_with_a_remedy():
    late, slow, twice, gaps, other = (stream() for _ in range(5))
    late[1].stats.starttime += 1.0
    slow[1].stats.delta = 0.01
    twice.append(twice[0].copy())
    gaps[0].data = np.ma.masked_equal(gaps[0].data, 3)
    other[1].stats.station = "CC"
    for given, places, part in [
        (stream(), inventory(), "longitudes and latitudes, and positions are metres; give project"),
        (late, inventory(), r"stream.trim\(start, end, pad=True"),
        (slow, inventory(), "stream.resample"),
        (twice, inventory(), "several traces of XX.AA..HHZ; join them"),
        (gaps, inventory(), "XX.AA..HHZ has gaps"),
        (obspy.Stream(), inventory(), "no traces"),
        (other, inventory(), "the inventory has no XX.CC"),
        (other, {"AA": (0, 0, 0)}, "XX.CC..HHZ has no position; add XX.CC"),
        (stream(), {"AA": (0, 0), "BB": (0, 0)}, "give easting, northing and elevation"),
    ]:
        # Only the first is given no projection.
        keys = {} if part.startswith("longitudes") else {"project": project}
        with pytest.raises(huygens.InputError, match=part):
            huygens.from_obspy(given, places, **keys)


@pytest.mark.usefixtures("backend")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_tutorial_finds_the_events_of_a_stream(tmp_path, monkeypatch):
    page = pathlib.Path(__file__).parents[2] / "docs/tutorials/stream.md"
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(block, str(page), "exec"), scope)
    assert len(scope["catalogue"]) == len(scope["events"])
    for (at, (x, _, z)), (seconds, place) in zip(sorted(scope["catalogue"]), scope["events"]):
        assert abs(at.timestamp() - (scope["start"] + seconds).timestamp) < 0.02
        assert np.hypot(x - place[0], z - place[1]) < 25, "a node"
