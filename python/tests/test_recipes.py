"""The blocks of docs/formats.md that convert recordings with ObsPy, and what `huygens` reads of them."""

import pathlib
import re
import struct

import huygens
import numpy as np
import pytest

obspy = pytest.importorskip("obspy", reason="NOT RUN: ObsPy is not installed")

PAGE = pathlib.Path(__file__).parents[2] / "docs/formats.md"
PLACES = [(10.0, 0.0, 5.0), (20.0, 0.0, 4.0), (30.0, 0.0, 3.0)]


def block(word):
    """The block of the page with this word."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (found,) = [block for block in blocks if word in block]
    return compile(found, f"{PAGE}: {word}", "exec")


def samples():
    return np.arange(27, dtype=np.float32).reshape(3, 9)


def test_miniseed_becomes_a_gather(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start = obspy.UTCDateTime("2026-05-01T12:00:00")
    header = {"network": "XX", "channel": "HHZ", "delta": 0.5, "starttime": start}
    traces = [obspy.Trace(row, {**header, "station": f"S{k}"}) for k, row in enumerate(samples())]
    obspy.Stream(traces).write("event.mseed", format="MSEED")
    position = {f"S{k}": place for k, place in enumerate(PLACES)}
    exec(block("event.mseed"), {"origin_time": start, "position": position})
    (gather,) = huygens.read_gathers("event.npz")
    assert np.array_equal(gather.traces, samples())
    assert gather.interval == 0.5
    assert np.array_equal(gather.receivers, PLACES)


def seg2(places, source):
    """A SEG-2 file of 32-bit floats, after Pullan (1990): a file descriptor, and a block for each trace."""

    def strings(**texts):
        lines = [f"{key} {text}".encode() + b"\0" for key, text in texts.items()]
        packed = b"".join(struct.pack("<H", len(line) + 2) + line for line in lines)
        packed += struct.pack("<H", 0)
        return packed + bytes(-len(packed) % 4)

    def text(place):
        return " ".join(str(number) for number in place)

    blocks = []
    for place, row in zip(places, samples()):
        found = strings(
            DELAY="0.5",
            RECEIVER_LOCATION=text(place),
            SAMPLE_INTERVAL="0.5",
            SOURCE_LOCATION=text(source),
        )
        head = struct.pack("<HHIIBB", 0x4422, 32 + len(found), row.nbytes, len(row), 4, 0).ljust(32, b"\0")
        blocks.append(head + found + row.tobytes())
    head = struct.pack("<HHHHB2sB2s", 0x3A55, 1, 4 * len(blocks), len(blocks), 1, b"\0\0", 1, b"\n\0")
    free = strings(ACQUISITION_DATE="01/05/2026", ACQUISITION_TIME="12:00:00", UNITS="METERS")
    start = 32 + 4 * len(blocks) + len(free)
    ends = np.cumsum([start] + [len(of) for of in blocks])
    return head.ljust(32, b"\0") + struct.pack(f"<{len(blocks)}I", *ends[:-1]) + free + b"".join(blocks)


def test_seg2_becomes_a_gather(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("shot.dat").write_bytes(seg2(PLACES, (1.0, 2.0, 3.0)))
    exec(block("shot.dat"), {})
    (gather,) = huygens.read_gathers("shot.npz")
    # The first sample is 0.5 s after the shot.
    assert np.array_equal(gather.traces[:, 1:], samples()) and not gather.traces[:, 0].any()
    assert gather.interval == 0.5
    assert np.array_equal(gather.sources, [(1.0, 2.0, -3.0)])
    assert np.array_equal(gather.receivers, [(x, y, -z) for x, y, z in PLACES])
