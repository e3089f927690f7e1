from os import PathLike
from typing import Any, Callable, Sequence

import numpy as np

__version__: str

Path = str | PathLike[str]
Progress = Callable[[str, int, int], None] | None

class InputError(ValueError):
    """The input is wrong: what is, its limit, and what would do."""

class RunError(RuntimeError):
    """A run failed, or its field blew up."""

class Engine:
    """What runs simulations: a GPU, or the CPU.

    backend: "auto" (a GPU if there is one, else the CPU), "cpu", "reference" (one core, f64),
    "vulkan", "metal", "dx12" or "gl". adapter: a number of `devices()` or a part of a GPU's name.
    """

    def __init__(self, backend: str = "auto", adapter: str | None = None, checked: bool = False) -> None: ...

class Picture:
    """A picture: the bytes of a PNG, which notebooks show."""

    @property
    def png(self) -> bytes: ...
    def _repr_png_(self) -> bytes: ...
    def save(self, path: Path) -> None:
        """Writes it to a file, instead of one that is there."""

class Model:
    """A velocity model: m/s at every node of a plane [x][z] or a volume [y][x][z].

    spacing: metres between nodes, one number or those of x and z, of a volume of x, y and z.
    origin: easting, northing and elevation of the first node; azimuth: the direction of x, degrees
    clockwise from north; y_axis: the side of x on which y lies.
    """

    def __init__(
        self,
        velocity: np.ndarray,
        spacing: float | Sequence[float],
        *,
        origin: tuple[float, float, float] | None = None,
        azimuth: float = 90.0,
        y_axis: str = "left",
    ) -> None: ...
    @staticmethod
    def builtin(name: str, spacing: float | None = None, nodes: Sequence[int] | None = None) -> Model:
        """salt, layers, homogeneous or salt3d; nodes along x and z, of a volume along x, y and z."""
    @staticmethod
    def read(
        path: Path,
        *,
        spacing: float | Sequence[float] | None = None,
        axes: str | None = None,
        array: str | None = None,
        unit: str | None = None,
    ) -> Model:
        """A .npy, .npz, .h5, .nc, .rsf, .sgy or .su. axes: slowest first, such as "xz", and unit, such
        as "km/s", of a file that does not say them."""
    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes .npy, .npz, .h5, .rsf, .sgy, .su, .bin or .vti, by the ending."""
    @property
    def velocity(self) -> np.ndarray: ...
    @property
    def spacing(self) -> tuple[float, ...]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def origin(self) -> tuple[float, float, float]: ...
    @property
    def azimuth(self) -> float: ...
    def with_velocity(self, velocity: np.ndarray) -> Model:
        """Other velocities, of the same shape, at the same nodes."""
    def smoothed(self, length: float) -> Model:
        """The velocities smoothed by a Gaussian of this length, metres."""
    def plot(self, title: str = "Velocity model") -> Picture: ...

class Job:
    def __init__(
        self, text: str, *, is_toml: bool, folder: Path, name: str, model: Model | None = None, shots: Any = None
    ) -> None: ...
    @staticmethod
    def open(path: Path) -> Job: ...
    def check(self) -> dict[str, Any]: ...

def devices() -> list[dict[str, Any]]: ...
def shots(job: Job, engine: Engine, progress: Progress) -> list[dict[str, Any]]: ...
def gradient(
    job: Job, engine: Engine, observed: Any, interval: float | None, progress: Progress
) -> dict[str, Any]: ...
def invert(
    job: Job, engine: Engine, observed: Any, interval: float | None, each: Any, progress: Progress
) -> dict[str, Any]: ...
def sent_back(job: Job, engine: Engine, by_traces: Any, progress: Progress) -> np.ndarray: ...
def rtm(
    job: Job, engine: Engine, recorded: Any, interval: float | None, progress: Progress
) -> dict[str, Any]: ...
def locate(job: Job, engine: Engine, gather: Any, progress: Progress) -> dict[str, Any]: ...
def zero_offset(job: Job, engine: Engine, recorded: Any, progress: Progress) -> dict[str, Any]: ...
def read_gathers(path: Path, **headers: Any) -> list[dict[str, Any]]: ...
def write_gathers(path: Path, gathers: list[tuple[Any, ...]], force: bool) -> None: ...
def gather(
    traces: np.ndarray,
    interval: float,
    receivers: np.ndarray,
    sources: np.ndarray,
    title: str,
    wiggles: bool,
    gain: float,
    agc: float | None,
    clip: float | None,
) -> Picture: ...
def section(values: np.ndarray, model: Model, title: str, quantity: str) -> Picture: ...
