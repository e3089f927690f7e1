"""A setting by huygens: a process each, timed by the wall as it reports it, from the first step to the last trace."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from precision import case as cases

OPERATORS = {"ete": 'kind = "ete", points = {}', "sinc": 'kind = "windowed-sinc", wing = {}'}


class Runner:
    def __init__(self, case, device, program):
        self.case, self.program = case, Path(program).resolve()
        self.backend = ["--backend", "cpu"] if device == "cpu" else []
        self.gpu = device == "gpu"
        # Each run is a process of its own: on a GPU the first is like any other.
        self.repeated = 0.0 if self.gpu else 0.3
        self.folder = tempfile.TemporaryDirectory()
        self.version = self.device = None

    def prepare(self, setting):
        folder, names = Path(self.folder.name), "yxz"[-self.case.dims :]
        np.save(folder / "velocity.npy", self.case.velocity(setting.spacing).astype(np.float32))
        (folder / "job.toml").write_text(job(self.case, setting, names))
        return lambda: self.run(folder)

    def run(self, folder):
        command = [self.program, "shot", "job.toml", "--out", "out", "--force", "--no-pictures", "--quiet", "--json", *self.backend]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-300:])
        record = json.loads(done.stdout)
        engine = record["engine"]
        if self.gpu and engine["device"].startswith("CPU"):
            raise RuntimeError("no GPU")
        self.version, self.device = record["version"], engine["device"]
        traces = np.load(folder / "out" / "gather.npy")
        return record["timings"]["stepping"], record["time"]["dt"] * np.arange(traces.shape[1]), traces


def job(case, setting, names):
    at = lambda position: "{ " + ", ".join(f"{n} = {x}" for n, x in zip(names, position)) + " }"
    operator = OPERATORS.get(setting.kind, 'kind = "taylor", order = {}')
    wing = setting.order // 2 if setting.kind == "sinc" else setting.order
    corrected = setting.kind in ("corrected", "sinc")
    return "\n".join([
        f'model = {{ velocity = "velocity.npy", spacing = {setting.spacing}, axes = "{names}" }}',
        f'time = {{ duration = {case.duration}, step = {setting.step or chr(34) + "auto" + chr(34)}, '
        f'dispersion = "{"corrected" if corrected else "kept"}" }}',
        f"operator = {{ {operator.format(wing)} }}",
        f'boundary = {{ top = "absorb", sides = {{ kind = "cpml", cells = {cases.CELLS} }} }}',
        f"receivers.line = {{ from = {at(case.receivers[0])}, to = {at(case.receivers[-1])}, count = {len(case.receivers)} }}",
        'output.gathers = ["npy"]',
        f'source = [{{ at = {at(case.source)}, wavelet = {{ kind = "ricker", peak_hz = {cases.PEAK}, delay = {cases.DELAY} }} }}]',
    ]) + "\n"
