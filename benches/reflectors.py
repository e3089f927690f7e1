"""The strength of reflectors by least-squares migration: reflectors.py HUYGENS [BACKEND].

32 shots over builtin:lens and 10 iterations of `huygens lsrtm`, from Born traces and from those of the whole equation. Born
traces are the derivative of the whole equation along dv, by a central difference of `huygens shot`. dv/v is compared with
the true one in two-way time and in the band of the wavelet, at the peaks along the middle half of each reflector: the
least-squares factor over its columns, which should be 1. Migration alone has one factor for all reflectors.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SPACING, PEAK, WATER, DT = 12.5, 12.0, 150.0, 1e-3
JOB = """
[model]
velocity = "{model}.npy"
axes = "xz"
spacing = 12.5
[time]
duration = 1.8
step = 0.0015
record = 0.0015
[boundary]
top = "absorb"
sides = {{ kind = "cpml", cells = 20 }}
[survey]
wavelet = {{ kind = "ricker", peak_hz = 12.0 }}
line = {{ first = {{ x = 50.0, z = 25.0 }}, increment = {{ x = 100.0 }}, count = 32 }}
[receivers]
line = {{ from = {{ x = 0.0, z = 25.0 }}, to = {{ x = 3187.5, z = 25.0 }}, count = 256 }}
[output]
gathers = ["npy"]
[rtm]
gathers = "{data}.npy"
interval = 0.0015
laplacian = false
{rtm}
[lsrtm]
iterations = 10
water = {water}
illumination = {illumination}
"""
FLAT = {"380 m": 380.0, "600 m": 600.0, "960 m": 960.0, "1220 m": 1220.0}
LENS = {"top of the lens": -60.0, "base of the lens": 60.0}


def depths(name, x):
    """The depth of a reflector at each x of its middle half, elsewhere NaN."""
    if name in FLAT:
        return np.where(abs(x - 1600) < 800, FLAT[name], np.nan)
    height = LENS[name] * np.sqrt(np.maximum(1 - ((x - 1600) / 500) ** 2, 0))
    return np.where(abs(x - 1600) <= 250, 780 + height, np.nan)


def ricker_band():
    t = (np.arange(4096) - 2048) * DT
    a = (np.pi * PEAK * t) ** 2
    band = abs(np.fft.rfft((1 - 2 * a) * np.exp(-a)))
    return band / band.max()


def in_band(column, times):
    """A column in two-way time and in the band of the wavelet."""
    trace = np.interp(np.arange(2048) * DT, times, column, right=0.0)
    return np.fft.irfft(np.fft.rfft(trace, 4096) * ricker_band(), 4096)[:2048]


def factors(image, exact, velocity):
    """The least-squares factor of an image to the true one, by reflector."""
    x, z = (np.arange(n) * SPACING for n in image.shape)
    found = {}
    for name in [*FLAT, *LENS]:
        depth, pairs = depths(name, x), []
        for i in np.flatnonzero(~np.isnan(depth)):
            times = np.cumsum(2 * SPACING / velocity[i]) - 2 * SPACING / velocity[i, 0]
            ours, true = in_band(image[i], times), in_band(exact[i], times)
            at = int(np.interp(depth[i] - SPACING / 2, z, times) / DT)
            near = slice(at - 25, at + 26)
            peak = near.start + np.argmax(abs(true[near]))
            pairs.append((ours[peak], true[peak]))
        ours, true = np.array(pairs).T
        found[name] = (ours @ true) / (true @ true)
    return found


def main(program, backend="auto"):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def huygens(*words):
            subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)

        huygens("model", "build", "lens", "--spacing", str(SPACING), "--out", "true.npy")
        smoothed = ["--axes", "xz", "--file-spacing", str(SPACING), "--smooth", "100"]
        huygens("model", "convert", "true.npy", "smooth.npy", *smoothed)
        true, smooth = (np.load(folder / f"{name}.npy").astype(float) for name in ("true", "smooth"))
        exact = true / smooth - 1
        exact[:, : int(WATER / SPACING) + 1] = 0
        run = ["job.toml", "--backend", backend, "--no-pictures", "--force", "--out", "out"]

        def done(command, model, data="none", rtm="", illumination=1.0):
            text = JOB.format(model=model, data=data, rtm=rtm, water=WATER, illumination=illumination)
            (folder / "job.toml").write_text(text)
            huygens(command, *run)

        def modelled(velocity):
            np.save(folder / "model.npy", velocity.astype(np.float32))
            done("shot", "model")
            return np.stack([np.load(gather) for gather in sorted(folder.glob("out/shot*/gather.npy"))])

        def told(what, **keys):
            done("lsrtm", "smooth", **keys)
            record = json.loads((folder / "out/run.json").read_text())
            ours = factors(np.load(folder / "out/image.npy"), exact, smooth)
            print(json.dumps({"": what, "residual": round(record["residuals"][-1], 3)} | rounded(ours)))

        def rounded(of):
            return {name: round(float(value), 3) for name, value in of.items()}

        part = 0.05
        difference = modelled(smooth * (1 + part * exact)) - modelled(smooth * (1 - part * exact))
        np.save(folder / "born.npy", difference / (2 * part))
        np.save(folder / "whole.npy", modelled(true))
        for illumination in (1.0, 2.0):
            told(f"born, illumination {illumination}", data="born", rtm='direct = "kept"', illumination=illumination)
            mute = "mute = { delay = 0.25 }"
            told(f"whole equation, illumination {illumination}", data="whole", rtm=mute, illumination=illumination)
        done("rtm", "smooth", data="born", rtm='direct = "kept"')
        ours = factors(np.load(folder / "out/image.npy"), exact, smooth)
        mean = np.mean(list(ours.values()))
        print(json.dumps({"": "migration of Born traces"} | rounded({name: of / mean for name, of in ours.items()})))


if __name__ == "__main__":
    main(*sys.argv[1:])
