"""segyio and obspy on the other side of tests/formats/peers.rs.

peers.py read FOLDER: our files, as they read them. peers.py write FOLDER: theirs, for us to read.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import obspy
import segyio
from obspy.io.segy.segy import SEGYBinaryFileHeader, SEGYTraceHeader, _read_segy, _read_su
from segyio import TraceField as T

TRACES, SAMPLES = 12, 25
trace, sample = np.meshgrid(np.arange(TRACES), np.arange(SAMPLES), indexing="ij")
VALUES = ((trace - 3.5) * (sample - 10.0) + 0.25).astype(np.float32)


def receiver(n):
    return 1000.0 + 12.5 * n, -200.0, 7.5


def scaled(number, scalar):
    return number * scalar if scalar > 0 else number / -scalar if scalar < 0 else number


def check_gather(name, header, n):
    """`header(bytes of the field)` gives a number of trace n."""
    across, up = header(71), header(69)
    x, y, z = receiver(n)
    assert scaled(header(81), across) == x and scaled(header(85), across) == y, name
    assert -scaled(header(41), up) == z and scaled(header(49), up) == 10.0, name
    assert scaled(header(73), across) == 1500.5 and scaled(header(77), across) == 20.0, name
    assert header(9) == 3 and header(13) == n + 1 and header(5) == n + 1, name
    assert header(89) == 1 and header(115) == SAMPLES and header(117) == 2000, name


def check_survey(name, header, n):
    """Three shots 100 m apart, each with four receivers from 150 m before it on, 100 m apart; a model's columns of 25 m."""
    shot, trace = divmod(n, 4)
    across = header(71)
    source, receiver = 1000.0 + 100.0 * shot, 850.0 + 100.0 * (shot + trace)
    assert scaled(header(73), across) == source and scaled(header(81), across) == receiver, name
    assert header(1) == header(5) == n + 1, name
    assert header(9) == header(17) == shot + 1 and header(13) == trace + 1, name
    assert header(37) == receiver - source, name
    middle = 0.5 * (source + receiver)
    assert header(21) == 1 + middle / 25.0 and scaled(header(181), across) == middle, name
    assert header(115) == SAMPLES and header(117) == 2000, name


def check_model(name, header, n):
    y, x = divmod(n, 4)
    across = header(71)
    assert header(189) == y + 1 and header(193) == x + 1, name
    assert scaled(header(181), across) == 25.0 * x and scaled(header(185), across) == 50.0 * y, name
    assert header(115) == SAMPLES and header(117) == INTERVALS[name.split("-")[0]], name


# In a model millimetres, in a deep one centimetres: 16 bits hold no 80000.
INTERVALS = {"gather": 2000, "survey": 2000, "model": 10000, "deep": 8000}

OBSPY = {
    1: "trace_sequence_number_within_line",
    5: "trace_sequence_number_within_segy_file",
    17: "energy_source_point_number",
    21: "ensemble_number",
    37: "distance_from_center_of_the_source_point_to_the_center_of_the_receiver_group",
    9: "original_field_record_number",
    13: "trace_number_within_the_original_field_record",
    41: "receiver_group_elevation",
    49: "source_depth_below_surface",
    69: "scalar_to_be_applied_to_all_elevations_and_depths",
    71: "scalar_to_be_applied_to_all_coordinates",
    73: "source_coordinate_x",
    77: "source_coordinate_y",
    81: "group_coordinate_x",
    85: "group_coordinate_y",
    89: "coordinate_units",
    115: "number_of_samples_in_this_trace",
    117: "sample_interval_in_ms_for_this_trace",
    181: "x_coordinate_of_ensemble_position_of_this_trace",
    185: "y_coordinate_of_ensemble_position_of_this_trace",
    189: "for_3d_poststack_data_this_field_is_for_in_line_number",
    193: "for_3d_poststack_data_this_field_is_for_cross_line_number",
}


def read(folder):
    files = sorted(folder.glob("*.sgy"))
    assert len(files) == 10, files
    for path in files:
        name = path.stem
        kind, code, order = name.split("-")
        check = {"gather": check_gather, "survey": check_survey}.get(kind, check_model)
        interval = INTERVALS[kind]

        with segyio.open(path, strict=False, endian=order) as f:
            assert np.array_equal(f.trace.raw[:], VALUES), name
            assert f.bin[segyio.BinField.Interval] == interval and int(f.format) == int(code), name
            assert f.bin[segyio.BinField.MeasurementSystem] == 1, name
            assert b"of huygens" in f.text[0], name
            for n in range(TRACES):
                check(name, lambda field: f.header[n][field], n)
        if check is check_model:
            with segyio.open(path, strict=True, endian=order) as f:
                assert list(f.ilines) == [1, 2, 3] and list(f.xlines) == [1, 2, 3, 4], name
                cube = segyio.tools.cube(f)
                assert np.array_equal(cube, VALUES.reshape(3, 4, SAMPLES)), name

        f = _read_segy(str(path))
        assert f.endian == (">" if order == "big" else "<"), name
        assert f.textual_header_encoding == "EBCDIC", name
        assert len(f.traces) == TRACES, name
        for n, t in enumerate(f.traces):
            assert np.array_equal(t.data, VALUES[n]), name
            check(name, lambda field: getattr(t.header, OBSPY[field]), n)
        print(f"{name}: segyio {version('segyio')} and obspy {version('obspy')} read it as it was meant")


def read_su(folder):
    files = sorted(folder.glob("*.su"))
    assert len(files) == 4, files
    for path in files:
        name = path.stem
        kind, _, order = name.split("-")
        f = _read_su(str(path))
        assert f.endian == (">" if order == "big" else "<"), name
        assert len(f.traces) == TRACES, name
        with segyio.su.open(str(path), endian=order, ignore_geometry=True) as s:
            assert np.array_equal(s.trace.raw[:], VALUES), name
        raw = path.read_bytes()
        for n, t in enumerate(f.traces):
            assert np.array_equal(t.data, VALUES[n]), name
            header = lambda field: getattr(t.header, OBSPY[field])
            if kind == "gather":
                check_gather(name, header, n)
                continue
            # d1, f1, d2 and f2 stand where others have ensembles and lines.
            at = n * (240 + 4 * SAMPLES) + 180
            floats = np.frombuffer(raw[at:at + 16], ">f4" if order == "big" else "<f4")
            assert list(floats) == [12.5, 0.0, 25.0, 0.0], (name, floats)
            assert scaled(header(81), header(71)) == 25.0 * n and header(117) == 12500, name
        print(f"{name}: obspy {version('obspy')} and segyio {version('segyio')} read it as it was meant")


def of_gather(n):
    x, y, z = receiver(n)
    return {9: 3, 13: n + 1, 41: int(-10 * z), 49: 100, 69: -10, 71: -10, 73: 15005, 77: 200,
            81: int(10 * x), 85: int(10 * y), 89: 1}


def of_model(n):
    y, x = divmod(n, 4)
    return {71: -100, 181: 2500 * x, 185: 5000 * y, 189: y + 1, 193: x + 1}


def fields(kind, n):
    common = {1: n + 1, 5: n + 1, 29: 1, 115: SAMPLES, 117: 2000 if kind == "gather" else 10000}
    return common | (of_gather(n) if kind == "gather" else of_model(n))


def write_segyio(folder, kind, code, order):
    spec = segyio.spec()
    spec.samples = np.arange(SAMPLES) * 2.0
    spec.format, spec.endian, spec.tracecount = code, order, TRACES
    interval = 2000 if kind == "gather" else 10000
    with segyio.create(folder / f"segyio-{kind}-{code}-{order}.sgy", spec) as f:
        f.text[0] = segyio.tools.create_text_header({1: "written by segyio"})
        f.bin.update({segyio.BinField.Interval: interval, segyio.BinField.MeasurementSystem: 1})
        for n in range(TRACES):
            f.header[n] = fields(kind, n)
            f.trace[n] = VALUES[n] if code in (1, 5) else np.floor(VALUES[n]).astype(f.dtype)


def write_obspy(folder, kind, code, order):
    values = VALUES if code in (1, 5) else np.floor(VALUES)
    values = values.astype({1: np.float32, 2: np.int32, 3: np.int16, 5: np.float32}[code])
    stream = stream_of(kind, values)
    header = SEGYBinaryFileHeader()
    header.measurement_system = 1
    stream.stats = obspy.core.AttribDict(binary_file_header=header, textual_file_header=b"written by obspy")
    stream.write(str(folder / f"obspy-{kind}-{code}-{order}.sgy"), format="SEGY", data_encoding=code,
                 byteorder={"big": ">", "little": "<"}[order])


def stream_of(kind, values):
    stream = obspy.Stream()
    interval = 2000 if kind == "gather" else 10000
    for n in range(TRACES):
        t = obspy.Trace(np.require(values[n], requirements="C"))
        t.stats.delta = interval / 1e6
        t.stats.segy = {"trace_header": SEGYTraceHeader()}
        t.stats.su = t.stats.segy
        for field, value in fields(kind, n).items():
            if field in OBSPY:
                setattr(t.stats.segy.trace_header, OBSPY[field], value)
        stream.append(t)
    return stream


def write_su(folder, order):
    stream = stream_of("gather", VALUES)
    path = folder / f"obspy-su-gather-{order}.su"
    stream.write(str(path), format="SU", byteorder={"big": ">", "little": "<"}[order])


def write(folder):
    for order in ["big", "little"]:
        write_su(folder, order)
        for code in [1, 5]:
            write_segyio(folder, "gather", code, order)
            write_obspy(folder, "gather", code, order)
        write_segyio(folder, "gather", 2, order)
        write_obspy(folder, "gather", 3, order)
    write_segyio(folder, "model", 5, "big")
    write_obspy(folder, "model", 1, "big")


if __name__ == "__main__":
    {"read": lambda folder: (read(folder), read_su(folder)), "write": write}[sys.argv[1]](Path(sys.argv[2]))
