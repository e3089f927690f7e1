"""How far off a start may be, by misfit: starts.py HUYGENS [MARMOUSI [FOLDER]].

A circle in a homogeneous model (the Camembert) and, with pylops' testdata/avo/poststack_model.npz, a piece of Marmousi are
inverted by `huygens invert` from starts that are ever farther off. Traces have no frequencies below half of the wavelet's
peak. Each misfit has the same number of iterations in one band; "adaptive, l2" has two thirds of them with the one and the
rest with the other. The table is the error of the model over that of the start: 1 gained nothing. FOLDER gets starts.png.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ITERATIONS = 15
MISFITS = ["l2", "correlation", "transport", "adaptive", "adaptive, l2"]
JOB = """
[model]
velocity = "start.npy"
axes = "xz"
spacing = {h}
[time]
duration = {duration}
record = 0.004
[boundary]
top = "absorb"
sides = {{ kind = "cpml", cells = 12 }}
{shots}
[receivers]
points = [{receivers}]
[output]
gathers = ["npy"]
[gradient]
taper = {taper}
around_sources = {around}
[invert]
least = {least}
most = {most}
"""


def high_passed(peak, duration, dt=0.001):
    """A Ricker wavelet without the frequencies below half of its peak."""
    t = np.arange(0, duration, dt)
    a = (np.pi * peak * (t - 2.5 / peak)) ** 2
    spectrum, f = np.fft.rfft((1 - 2 * a) * np.exp(-a)), np.fft.rfftfreq(len(t), dt)
    rise = np.clip((f / peak - 0.4) / 0.2, 0, 1)
    return t, np.fft.irfft(spectrum * np.sin(np.pi / 2 * rise) ** 2, len(t))


def point(x, z):
    return f"{{ x = {x:.6g}, z = {z:.6g} }}"


class Case:
    """A true model, and starts by how far off they are."""

    def __init__(self, name, true, h, peak, duration, sources, receivers, starts):
        self.name, self.true, self.h, self.peak, self.starts = name, true, h, peak, starts
        shot = "[[shot]]\n[[shot.source]]\nat = {}\nwavelet = {{ kind = \"file\", path = \"wavelet.csv\" }}\n"
        self.job = JOB.format(
            h=h, duration=duration, shots="".join(shot.format(point(*at)) for at in sources), taper=1 / peak,
            receivers=", ".join(point(*at) for at in receivers), around=6 * h, least=0.8 * true.min(), most=1.2 * true.max(),
        )
        t, wavelet = high_passed(peak, duration)
        self.wavelet = "".join(f"{t:.6g},{w:.8e}\n" for t, w in zip(t, wavelet))

    def error(self, model):
        return float(np.linalg.norm(model - self.true))

    def models(self, program):
        """The starts, and what each misfit makes of them."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "job.toml").write_text(self.job)
            (folder / "wavelet.csv").write_text(self.wavelet)

            def huygens(command, model, out, *more):
                np.save(folder / "start.npy", model.astype(np.float32))
                words = [program, command, "job.toml", "--backend", "cpu", "--no-pictures", "--force", "--out", out, *more]
                subprocess.run(words, cwd=folder, check=True, capture_output=True)

            huygens("shot", self.true, "seen")
            seen = [np.load(gather) for gather in sorted(folder.glob("seen/shot*/gather.npy"))]
            np.save(folder / "seen.npy", np.stack(seen))

            def inverted(model, misfit, iterations):
                keys = [f"gradient.misfit={misfit}", f"invert.iterations={iterations}"]
                sets = [word for key in keys for word in ("--set", key)]
                huygens("invert", model, "out", "--observed", "seen.npy", *sets)
                return np.load(folder / "out/model.npy")

            for off, start in self.starts.items():
                found, two = {}, ITERATIONS * 2 // 3
                for misfit in MISFITS[:-1]:
                    found[misfit] = inverted(start, misfit, ITERATIONS)
                found[MISFITS[-1]] = inverted(inverted(start, "adaptive", two), "l2", ITERATIONS - two)
                yield off, start, found


def camembert():
    """The circle delays a wave through its middle by so many periods of the peak; a background has no circle."""
    n, h, speed, radius, peak = 51, 24.0, 2000.0, 400.0, 5.0
    x = (np.arange(n) - n // 2) * h
    inside = np.hypot(*np.meshgrid(x, x)) <= radius
    ring = [(600 + 525 * np.cos(a), 600 + 525 * np.sin(a)) for a in np.arange(0, 2 * np.pi, np.pi / 60)]
    for periods in (0.25, 0.5, 1.0, 1.5):
        slow = 1 / speed + periods / peak / (2 * radius)
        true = np.where(inside, 1 / slow, speed)
        starts = {f"{periods} periods": np.full((n, n), speed)}
        yield Case("Camembert", true, h, peak, 1.8, ring[::15], ring[::3], starts)


def smoothed(model, cells):
    """By a Gaussian of so many cells, with its edges continued."""
    k = np.arange(-4 * cells, 4 * cells + 1)
    weights = np.exp(-((k / cells) ** 2) / 2)
    for _ in range(2):
        padded = np.pad(model, ((len(k) // 2,) * 2, (0, 0)), mode="edge")
        model = np.apply_along_axis(np.convolve, 0, padded, weights / weights.sum(), "valid").T
    return model


def marmousi(file):
    """Sources and receivers at 60 m; the start is smooth."""
    h, whole = 30.0, np.load(file)
    x, z = np.arange(800, 3981, h), np.arange(800, 2601, h)
    columns = np.array([np.interp(z, whole["z"], column) for column in 1000 * whole["model"].T])
    true = np.array([np.interp(x, whole["x"], row) for row in columns.T]).T
    starts = {f"smoothed over {h * cells:g} m": 1 / smoothed(1 / true, cells) for cells in (10,)}
    for start in starts.values():
        start[:, :3] = true[:, :3]
    sources = [(at, 60.0) for at in np.linspace(90, 3090, 7)]
    yield Case("Marmousi", true, h, 4.0, 2.6, sources, [(at, 60.0) for at in np.arange(0, 3151, 45)], starts)


def draw(rows, path):
    """A row for each case: the true model, the start, and what each misfit makes of it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(rows), 2 + len(MISFITS), figsize=(16, 2.6 * len(rows)), squeeze=False, layout="constrained")
    for row, (case, off, start, found) in zip(axes, rows):
        ends = [case.h / 1000 * (n - 1) for n in case.true.shape]
        for axis, (name, model) in zip(row, {"true": case.true, f"start, {off}": start, **found}.items()):
            limits = {"vmin": case.true.min() / 1000, "vmax": case.true.max() / 1000}
            image = axis.imshow(model.T / 1000, extent=(0, ends[0], ends[1], 0), cmap="viridis", **limits)
            axis.set_title(name, fontsize=9)
            axis.tick_params(labelsize=7)
        row[0].set_ylabel(f"{case.name}\nz (km)", fontsize=8)
        figure.colorbar(image, ax=row, label="Velocity (km/s)", pad=0.01, aspect=12)
    for axis in axes[-1]:
        axis.set_xlabel("x (km)", fontsize=8)
    figure.savefig(path, dpi=120)


def main(program, file=None, folder="."):
    program, drawn = str(pathlib.Path(program).resolve()), {}
    for case in [*camembert(), *(marmousi(file) if file else [])]:
        for off, start, found in case.models(program):
            parts = {name: round(case.error(model) / case.error(start), 2) for name, model in found.items()}
            print(json.dumps({"model": case.name, "start": off} | parts), flush=True)
            drawn[case.name] = drawn.get(case.name, []) + [(case, off, start, found)]
    draw([rows[len(rows) // 2] for rows in drawn.values()], pathlib.Path(folder) / "starts.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
