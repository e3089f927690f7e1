"""The jobs that every program is given: nodes, steps, order, layers, positions, and the files that hold them."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

FASTEST = 4500.0
# Of the limit h / (v sqrt(dims)). Deepwave, left to itself, takes up to 0.6 without steps between.
COURANT = 0.58


@dataclass(frozen=True)
class Job:
    name: str
    nodes: tuple  # of the model, [x][z] or [y][x][z]; layers lie outside
    steps: int
    receivers: int
    order: int = 8
    cells: int = 20  # of the absorbing layer on every side
    shots: int = 1
    spacing: float = 10.0  # m
    dense: bool = False  # with a density that varies
    vti: bool = False  # with Thomsen's epsilon and delta

    @property
    def grid(self):
        return tuple(n + 2 * self.cells for n in self.nodes)

    @property
    def step(self):
        """Seconds, a whole number of hundredths of a millisecond."""
        fastest = FASTEST * (1.53 if self.vti else 1.0)  # of VTI the bound that Deepwave takes
        limit = self.spacing / (fastest * len(self.nodes) ** 0.5)
        return int(COURANT * limit * 1e5) / 1e5

    @property
    def peak(self):
        """Hz of the Ricker wavelet: 10 nodes to the shortest of its dominant waves."""
        return 1500.0 / (10.0 * self.spacing)

    def wavelet(self):
        """A sample a step."""
        t = np.arange(self.steps) * self.step - 1.5 / self.peak
        a = (np.pi * self.peak * t) ** 2
        return (1.0 - 2.0 * a) * np.exp(-a)

    def velocity(self):
        """m/s: faster with depth, a body of salt in the middle."""
        axes = [np.linspace(-1.0, 1.0, n, dtype=np.float32) for n in self.nodes]
        inside = sum(np.meshgrid(*[(2.0 * a) ** 2 for a in axes], indexing="ij", sparse=True)) < 1.0
        depth = np.floor(8.0 * (axes[-1] + 1.0)).astype(np.float32) / 16.0
        return np.where(inside, np.float32(FASTEST), 1500.0 + 1500.0 * depth)

    def density(self):
        """kg/m3, by Gardner's rule."""
        return 310.0 * self.velocity() ** 0.25

    def epsilon(self):
        """From 0 where the velocity is least to 0.2. Thomsen's delta is half of it."""
        return np.float32(0.2 / (FASTEST - 1500.0)) * (self.velocity() - np.float32(1500.0))

    def receiver_nodes(self):
        """A line along x under the surface, [receiver][axis]."""
        first = (self.nodes[-2] - self.receivers) // 2
        return [[*self._middle(), first + i, 2] for i in range(self.receivers)]

    def source_nodes(self):
        """A source a shot, evenly along x, [shot][axis]."""
        x = self.nodes[-2]
        return [[*self._middle(), (2 * i + 1) * x // (2 * self.shots), 4] for i in range(self.shots)]

    def _middle(self):
        return [n // 2 for n in self.nodes[:-2]]

    def write(self, folder):
        """Writes velocity.npy, wavelet.npy, job.json, and the files of a medium that has more than a velocity."""
        folder = Path(folder)
        np.save(folder / "velocity.npy", self.velocity().astype(np.float32))
        if self.dense:
            np.save(folder / "density.npy", self.density().astype(np.float32))
        if self.vti:
            np.save(folder / "epsilon.npy", self.epsilon().astype(np.float32))
            np.save(folder / "delta.npy", (0.5 * self.epsilon()).astype(np.float32))
        np.save(folder / "wavelet.npy", self.wavelet())
        (folder / "job.json").write_text(json.dumps(asdict(self)))


def read(folder):
    kept = json.loads((Path(folder) / "job.json").read_text())
    return Job(**{**kept, "nodes": tuple(kept["nodes"])})


def plane(n, steps, **other):
    return Job(f"plane-{n}", (n, n), steps, min(n, 512), **other)


def cube(n, steps, **other):
    return Job(f"cube-{n}", (n, n, n), steps, min(n, 512), **other)


# 775 x 260 nodes with the layers.
SALT = Job("salt", (735, 220), 2000, 675, spacing=20.0)


def orders(job):
    return [replace(job, name=f"{job.name}-order-{order}", order=order) for order in (4, 12)]


def shots(job):
    return [replace(job, name=f"{job.name}-shots-{n}", shots=n) for n in (8, 32)]


def dense(*jobs):
    return [replace(job, name=f"{job.name}-dense", dense=True) for job in jobs]


def vti(*jobs):
    return [replace(job, name=f"{job.name}-vti", vti=True) for job in jobs]


def for_a_gpu():
    large, volume = plane(4000, 1000), cube(512, 200)
    sizes = [plane(500, 2000), plane(1000, 2000), plane(2000, 1000), plane(8000, 200)]
    sizes += [cube(128, 500), cube(256, 500), cube(384, 200), cube(640, 200)]
    media = [*dense(SALT, large, volume, cube(256, 200)), *vti(SALT, large, cube(256, 200))]
    return [SALT, large, volume, *shots(SALT), *orders(large), *orders(volume), *sizes, *media]


def for_a_cpu():
    volume = cube(256, 50)
    bare = replace(volume, name="cube-256-bare", cells=0)
    return [SALT, *shots(SALT)[:1], plane(2000, 100), volume, *orders(volume), bare, *dense(SALT, plane(2000, 100), volume), *vti(SALT, volume)]
