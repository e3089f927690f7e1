"""Gradients by huygens, Deepwave and, on a GPU, SWEEP: gradient.py RESULTS.json [--huygens PROGRAM] [--on gpu|cpu] [--jobs NAME ...].

The traces of a model are compared with those of the smoothed model by least squares. All programs have the same nodes, steps, order in space,
cells of layer, sources, receivers and observed traces. They differ in how often they multiply the two waves: huygens at the largest interval that the band
allows, and at each step; Deepwave at each step, if its waves fit into memory, and at about huygens' interval; SWEEP at each step. Rounds go in
turns; a first one does not count. `page.py` makes a table from the results.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import gaussian_filter

import measure
import with_deepwave
import with_huygens
from jobs import SALT, cube, dense, shots, vti

SMOOTH = 10.0  # nodes
VOLUME = cube(128, 800)
JOBS = [SALT, *shots(SALT), VOLUME, cube(256, 800), *shots(VOLUME)[:1], *dense(SALT, VOLUME), *vti(SALT, VOLUME)]
# Jobs that SWEEP runs with its own order and layer too.
OWN = ("salt", "cube-128", *[job.name for job in JOBS if job.dense or job.vti])
# Sources and receivers are at most 4 nodes deep: there each program has its own gradient of the source.
MARGIN, TOP = 4, 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--huygens", default="target/release/huygens", type=Path)
    parser.add_argument("--on", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--jobs", nargs="*", help=f"of {', '.join(job.name for job in JOBS)}")
    parser.add_argument("--programs", nargs="*", help="names of programs beside huygens, such as deepwave-every or sweep-own, all where not given")
    asked = parser.parse_args()
    results = []
    for job in JOBS:
        if not asked.jobs or job.name in asked.jobs:
            with tempfile.TemporaryDirectory() as folder:
                results += compare(job, asked, Path(folder))
            measure.write(asked.results, results)


def compare(job, asked, folder):
    """What each program took for a job, and how far its gradient is from that of huygens at each step."""
    on = asked.on
    wanted = lambda name: asked.programs is None or name in asked.programs
    device = torch.device("cuda" if on == "gpu" else "cpu")
    ours = Huygens(job, folder, asked.huygens.resolve(), on)
    observed = torch.from_numpy(ours.observed).to(device)
    programs = {"huygens": ours.run, "huygens-each": lambda: ours.run(job.step)}
    # Deepwave's interval must divide the steps.
    seldom = max(n for n in range(1, ours.every + 1) if job.steps % n == 0)
    every = {"huygens": ours.every, "deepwave-every": seldom}
    for name, every_steps in (("deepwave", 1), ("deepwave-every", seldom)):
        if wanted(name) and fits(job, every_steps, device):
            programs[name] = peer(job, folder, observed, "deepwave", with_deepwave.Program(job, folder, device, every_steps))
        elif wanted(name):
            print(f"{job.name}: the waves of {name} do not fit", file=sys.stderr, flush=True)
    if on == "gpu" and find_spec("sweep"):
        import with_sweep

        for name in filter(wanted, ("sweep", "sweep-own") if job.name in OWN else ("sweep",)):
            programs[name] = peer(job, folder, observed, "sweep-solver", with_sweep.Program(job, folder, device, own=name == "sweep-own"))
    runs, found, about = {name: [] for name in programs}, {}, {}
    for number in range(asked.rounds + 1):
        for name in list(programs):
            try:
                seconds, found[name], about[name] = programs[name]()
            except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                print(f"{job.name}: without {name}: {str(error)[:300]} {getattr(error, 'stderr', '')}", file=sys.stderr, flush=True)
                del programs[name]
                torch.cuda.empty_cache()
                continue
            if number:
                runs[name].append(seconds)
    inner = tuple([slice(MARGIN, -MARGIN)] * (len(job.nodes) - 1) + [slice(TOP, -MARGIN)])
    right = found["huygens-each"][inner]
    results = []
    for name in runs:
        if not runs[name]:
            continue
        apart = float(np.linalg.norm(found[name][inner] - right) / np.linalg.norm(right))
        result = dict(job=dict(asdict(job), grid=job.grid), on=on, program=name, every=every.get(name, 1), apart=apart, **about[name], runs=runs[name])
        results.append(result)
        seconds = {key: float(np.median([run[key] for run in runs[name]])) for key in ("modelling", "gradient")}
        print(f"{on} {job.name:16} {name:15} {seconds['modelling']:8.4f} s {seconds['gradient']:8.4f} s, apart {apart:.1e}", flush=True)
    return results


class Huygens:
    """Runs of the command, by its own `timings.stepping`."""

    def __init__(self, job, folder, program, on):
        self.job, self.folder, self.program = job, folder, program
        self.more = ["--backend", "cpu"] if on == "cpu" else []
        # As many samples as steps.
        self.more += ["--set", f"time.duration={(job.steps - 1) * job.step:.6f}"]
        job.write(folder)
        with_huygens.write(job, folder)
        true = np.load(folder / "velocity.npy")
        np.save(folder / "true.npy", true)
        start = (1.0 / gaussian_filter(1.0 / true.astype(float), SMOOTH)).astype(np.float32)
        np.save(folder / "velocity.npy", start)
        self.tell("shot", "--model", "true.npy", "--out", "observed", "--set", 'output.gathers=["npy", "sgy"]')
        names = [f"shot{i + 1:04}/gather.npy" for i in range(job.shots)] if job.shots > 1 else ["gather.npy"]
        self.observed = np.stack([np.load(folder / "observed" / name) for name in names])
        # That of a migration, which a check tells.
        self.every = round(self.tell("check", "--set", 'rtm.direct="kept"')["migration"]["interval"] / job.step)

    def tell(self, verb, *words):
        command = [self.program, verb, "job.toml", "--json", *self.more, *words]
        command += [] if verb == "check" else ["--force", "--no-pictures", "--quiet"]
        return json.loads(subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout)

    def run(self, interval=None):
        gathers = "gathers.sgy" if self.job.shots > 1 else "gather.sgy"
        words = ["--set", f"gradient.interval={interval}"] if interval else []
        modelled = self.tell("shot", "--out", "modelled")
        told = self.tell("gradient", "--observed", f"observed/{gathers}", "--out", "gradient", "--set", 'gather.zeros="recorded"', *words)
        seconds = {key: of["timings"]["stepping"] for key, of in (("modelling", modelled), ("gradient", told))}
        return seconds, np.load(self.folder / "gradient" / "gradient.npy"), dict(version=told["version"], misfit=sum(told["misfits"]))


def peer(job, folder, observed, name, program):
    """A run of a program in PyTorch, with the model and the traces on the device."""
    device, cell = observed.device, job.spacing ** len(job.nodes)
    model = lambda velocity: program.traces(*program.parameters(velocity)) / cell
    start = torch.from_numpy(np.load(folder / "velocity.npy")).to(device)

    def run():
        seconds = {}
        with torch.no_grad():
            seconds["modelling"] = timed(lambda: model(start), device)[0]
        velocity = start.clone().requires_grad_()

        def gradient():
            loss = 0.5 * job.step * ((model(velocity) - observed) ** 2).sum()
            loss.backward()
            return loss.item()

        seconds["gradient"], misfit = timed(gradient, device)
        return seconds, velocity.grad.cpu().numpy(), dict(version=version(name), misfit=misfit)

    return run


def timed(run, device):
    begun = time.perf_counter()
    found = run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begun, found


def fits(job, every, device):
    """True if Deepwave's waves take at most 0.7 of the device: it keeps two values of each node and step that it multiplies."""
    kept = 2 * 4 * job.shots * job.steps / every * np.prod(job.grid)
    return device.type == "cpu" or kept < 0.7 * torch.cuda.get_device_properties(0).total_memory


if __name__ == "__main__":
    main()
