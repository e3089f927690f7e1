"""Deepwave and Devito on the other side of tests/physics/held_out: peer.py FOLDER CODE TYPE.

FOLDER has case.json and velocity.npy, [x][z] or [y][x][z] in m/s, and for `acoustic`, which is Deepwave's propagator of
variable density, density.npy in kg/m3. Deepwave has an absorbing layer about it; Devito has
edges too far off for an echo in the samples that it gives. The gather goes to CODE-TYPE.npy there, [receiver][time], in
huygens' amplitudes (docs/other-codes.md). TYPE is float64 or float32.
"""

import json
import os
import sys
from math import prod
from pathlib import Path

import numpy as np


def deepwave(case, velocity, dtype):
    import deepwave
    import torch

    tensor = lambda a: torch.tensor(np.ascontiguousarray(a), dtype=getattr(torch, dtype))
    dims, layer, dt = velocity.ndim, case["layer"], case["step"]
    source, receivers = np.array(case["source"]), np.array(case["receivers"])
    widths, faces = [layer] * (2 * dims), ["pml"] * (2 * dims)
    if case["free"]:
        # Its surface is one row above row 0 of what it is given.
        velocity, source, receivers = velocity[..., 1:], source.copy(), receivers.copy()
        source[-1] -= 1
        receivers[:, -1] -= 1
        widths[2 * dims - 2], faces[2 * dims - 2] = 0, "free"
    wavelet = np.array(case["wavelet"])
    # The largest step that is stable is taken as it is: between steps nothing is resampled.
    limit = 0.999 * 2 / np.sqrt(2048 / 315)
    out = deepwave.scalar(
        tensor(velocity), case["spacing"], dt, accuracy=8, pml_width=widths, boundary=faces,
        pml_freq=case["peak"], courant_number=limit, location_interpolation="none",
        source_amplitudes=tensor(wavelet[None, None]),
        source_locations=torch.tensor(source[None, None]),
        receiver_locations=torch.tensor(receivers[None]),
    )
    assert out.info.step_ratio == 1, out.info
    gather = out[-1][0].numpy().astype(np.float64)
    return -gather / prod([case["spacing"]] * dims)


def acoustic(case, velocity, dtype):
    import deepwave
    import torch

    tensor = lambda a: torch.tensor(np.ascontiguousarray(a), dtype=getattr(torch, dtype))
    dims, step, source = velocity.ndim, case["step"], case["source"]
    density = np.load(case["folder"] / "density.npy")
    widths, faces = [case["layer"]] * (2 * dims), ["pml"] * (2 * dims)
    if case["free"]:
        # Its surface is row 0, as ours.
        widths[2 * dims - 2], faces[2 * dims - 2] = 0, "free"
    # It has K dt s where we have (v dt)^2 b f, and p from sums of it: s - s_before = dt b f, with b = 1/rho.
    rate = step * np.cumsum(case["wavelet"]) / float(density[tuple(source)])
    # The largest step that is stable is taken as it is: between steps nothing is resampled.
    limit = 0.999 / sum((1225 / 1024, 245 / 3072, 49 / 5120, 5 / 7168))
    out = deepwave.acoustic(
        tensor(velocity), tensor(density), case["spacing"], step, accuracy=8, pml_width=widths, boundary=faces,
        pml_freq=case["peak"], courant_number=limit, location_interpolation="none",
        source_amplitudes_volume_rate=tensor(rate[None, None]),
        source_locations_volume_rate=torch.tensor(np.array(source)[None, None]),
        receiver_locations_p=torch.tensor(np.array(case["receivers"])[None]),
    )
    assert out.info.step_ratio == 1, out.info
    gather = out.receiver_amplitudes_p[0].numpy().astype(np.float64)
    return gather / prod([case["spacing"]] * dims)


def devito(case, velocity, dtype):
    os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
    os.environ.setdefault("DEVITO_LOGGING", "ERROR")
    from examples.seismic import AcquisitionGeometry, SeismicModel
    from examples.seismic.acoustic import AcousticWaveSolver

    kind, dims, h = np.dtype(dtype).type, velocity.ndim, case["spacing"]
    # km/s, and ms with it.
    step, wavelet = 1e3 * case["step"], np.array(case["wavelet"][: case["clear"]])
    model = SeismicModel(
        space_order=8, vp=(velocity / 1e3).astype(kind), origin=(0.0,) * dims, shape=velocity.shape,
        spacing=(h,) * dims, nbl=case["beyond"], fs=case["free"], bcs=lambda damp, cells: None, dtype=kind, dt=step,
    )
    positions = lambda nodes: h * np.array(nodes, dtype=np.float64).reshape(-1, dims)
    geometry = AcquisitionGeometry(
        model, positions(case["receivers"]), positions(case["source"]),
        # Its last sample is not recorded.
        0.0, step * len(wavelet), f0=1e-3 * case["peak"], src_type="Ricker",
    )
    geometry.resample(step)
    source = geometry.src
    assert source.data.shape[0] > len(wavelet), source.data.shape
    source.data[:] = 0.0
    # In ms^2 km^2/s^2 = m^2 a source counts as in s and m/s.
    source.data[: len(wavelet), 0] = wavelet
    record, _, _ = AcousticWaveSolver(model, geometry, space_order=8).forward(src=source, dt=step)
    gather = np.array(record.data[: len(wavelet)]).T.astype(np.float64)
    return gather / prod([h] * dims)


if __name__ == "__main__":
    folder, code, dtype = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    case = json.loads((folder / "case.json").read_text())
    case["folder"] = folder
    velocity = np.load(folder / "velocity.npy").astype(dtype)
    gather = {"deepwave": deepwave, "acoustic": acoustic, "devito": devito}[code](case, velocity, dtype)
    np.save(folder / f"{code}-{dtype}.npy", gather)
