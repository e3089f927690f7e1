from os import PathLike
from typing import Any, Callable, Sequence, final, type_check_only

import numpy as np

__version__: str

_Path = str | PathLike[str]
_Progress = Callable[[str, int, int], None] | None

# What these do, their docstrings say.

class InputError(ValueError): ...
class MissingFileError(InputError, FileNotFoundError): ...
class RunError(RuntimeError): ...

@final
class Engine:
    def __new__(cls, backend: str = "auto", adapter: str | None = None, checked: bool = False) -> Engine: ...

@final
@type_check_only
class Picture:
    @property
    def png(self) -> bytes: ...
    def _repr_png_(self) -> bytes: ...
    def save(self, path: _Path) -> None: ...

@final
class Model:
    def __new__(
        cls,
        velocity: Any,
        spacing: float | Sequence[float] | None = None,
        *,
        origin: tuple[float, float, float] | None = None,
        azimuth: float = 90.0,
        y_axis: str = "left",
    ) -> Model: ...
    @staticmethod
    def builtin(name: str, spacing: float | None = None, nodes: Sequence[int] | None = None) -> Model: ...
    @staticmethod
    def read(
        path: _Path,
        *,
        spacing: float | Sequence[float] | None = None,
        axes: str | None = None,
        array: str | None = None,
        unit: str | None = None,
    ) -> Model: ...
    def write(self, path: _Path, *, force: bool = False) -> None: ...
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
    @property
    def y_axis(self) -> str: ...
    def with_velocity(self, velocity: Any) -> Model: ...
    def smoothed(self, length: float) -> Model: ...
    def plot(self, title: str = "Velocity model") -> Picture: ...
    def to_xarray(self) -> Any: ...
    def _repr_html_(self) -> str: ...

@final
class Job:
    def __new__(
        cls,
        text: str,
        *,
        is_toml: bool,
        folder: _Path,
        name: str,
        medium: tuple[Model | None, Any] | None = None,
        shots: Any = None,
        force: bool = False,
    ) -> Job: ...
    @staticmethod
    def open(path: _Path) -> Job: ...
    def check(self) -> dict[str, Any]: ...
    def dispersion_warning(self) -> str | None: ...
    def with_model_read(self) -> Job: ...

def devices() -> list[dict[str, Any]]: ...
def shots(job: Job, engine: Engine, progress: _Progress, one: bool = False, is_quiet: bool = False) -> list[dict[str, Any]]: ...
def gradient(
    job: Job, engine: Engine, observed: Any, interval: float | None, progress: _Progress
) -> dict[str, Any]: ...
def invert(
    job: Job, engine: Engine, observed: Any, interval: float | None, each: Any, progress: _Progress
) -> dict[str, Any]: ...
def sent_back(
    job: Job,
    engine: Engine,
    by_traces: Any,
    progress: _Progress,
    velocity: bool = True,
    density: bool = False,
) -> dict[str, Any]: ...
def rtm(
    job: Job, engine: Engine, recorded: Any, interval: float | None, progress: _Progress
) -> dict[str, Any]: ...
def lsrtm(
    job: Job, engine: Engine, recorded: Any, interval: float | None, each: Any, progress: _Progress
) -> dict[str, Any]: ...
def locate(job: Job, engine: Engine, gather: Any, progress: _Progress) -> dict[str, Any]: ...
def zero_offset(job: Job, engine: Engine, recorded: Any, progress: _Progress) -> dict[str, Any]: ...
def read_gathers(
    path: _Path,
    *,
    unit: str | None = None,
    coordinate_scalar: int | None = None,
    elevation_scalar: int | None = None,
    lengths: bool = False,
    interval: float | None = None,
    start: float | None = None,
    records: Sequence[int] | None = None,
    kill: Sequence[int | str] | None = None,
) -> list[dict[str, Any]]: ...
def write_gathers(path: _Path, gathers: list[tuple[Any, ...]], force: bool) -> None: ...
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
def section(values: Any, model: Model, title: str, quantity: str) -> Picture: ...
