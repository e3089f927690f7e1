"""Times huygens beside Deepwave, Devito, SWEEP and the yardstick in C: measure.py RESULTS.json [--huygens PROGRAM] [--on gpu|cpu].

Each job runs in turns, a process a program and round, after a round that is not counted: it chooses kernels, compiles and
fills caches. A whole command ends when its gather is written. See README.md.
"""

import argparse
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

import gpu
import jobs
import with_huygens
from results import median

HERE = Path(__file__).parent
# By which gathers, in huygens' amplitudes (docs/other-codes.md), may differ: relative L2. Devito's layer is of another kind.
APART = {"deepwave": 5e-3, "devito": np.inf, "sweep": np.inf, "sweep-own": np.inf}
# With a density: Deepwave's is on a staggered grid, with other derivatives. More in a job that ends at the onset of its waves.
APART_DENSE = 0.02
# Jobs that SWEEP runs with its own order and layer too: order 4, 50 cells.
OWN = ("salt", "plane-4000", "cube-256")
# One that it runs on a CPU, where it takes a minute, if --programs names it.
SWEEP_ON_CPU = ("plane-2000",)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--huygens", default="target/release/huygens", type=Path)
    parser.add_argument("--on", choices=["gpu", "cpu"], action="append")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--jobs", nargs="*", help="names of jobs, all of jobs.py where not given")
    parser.add_argument("--programs", nargs="*", help="names of programs beside huygens, all where not given")
    parser.add_argument("--cold", action="store_true", help="no round that does not count: whole commands then include what they compile")
    asked = parser.parse_args()
    results = []
    for device in asked.on or ["gpu", "cpu"]:
        for job in jobs.for_a_gpu() if device == "gpu" else jobs.for_a_cpu():
            if asked.jobs and job.name not in asked.jobs:
                continue
            found = compare(job, device, asked)
            if found is None:
                print("no GPU that huygens takes by itself: nothing measured on one", flush=True)
                break
            results += found
            write(asked.results, results)


def compare(job, device, asked):
    """What each program took for a job; None where huygens finds no GPU."""
    huygens = asked.huygens.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        # In a process of its own: what this one holds would count in the memory of those that it starts.
        writer = multiprocessing.Process(target=job.write, args=(folder,))
        writer.start()
        writer.join()
        with_huygens.write(job, folder)
        programs, runs = takes(job, device), {}
        if asked.programs is None:
            programs = [p for p in programs if device == "gpu" or p != "sweep"]
        else:
            programs = [p for p in programs if p in ("huygens", *asked.programs)]
        for round in range(1 if asked.cold else 0, 1 + asked.rounds):
            for program in list(programs):
                try:
                    found = run(program, folder, device, huygens, warming=round == 0)
                except Failed as failed:
                    if program == "huygens":
                        raise
                    print(f"{job.name}: without {program}: {failed}", flush=True)
                    programs.remove(program)
                    continue
                if program == "huygens" and device == "gpu" and found["device"].startswith("CPU"):
                    return None
                if round:
                    runs.setdefault(program, []).append(found)
        results = [dict(job=dict(asdict(job), grid=job.grid), on=device, program=p, runs=r) for p, r in runs.items()]
        for result in results:
            result["apart"] = apart(job, folder, result["program"])
            stepping, whole = median(result, "stepping"), median(result, "whole")
            print(f"{device} {job.name:24} {result['program']:9} {stepping:9.4f} s {whole or 0:7.2f} s", flush=True)
        return results


def takes(job, device):
    """The programs that have such a job."""
    deepwave = ["deepwave"] if job.order <= 8 else []
    sweep = ["sweep"] if job.order <= 8 and (device == "gpu" or job.name in SWEEP_ON_CPU) else []
    own = ["sweep-own"] if device == "gpu" and job.name.removesuffix("-dense").removesuffix("-vti") in OWN else []
    if job.dense or job.vti:
        return ["huygens", *deepwave, *sweep, *own]
    sweep += own
    bare = ["c"] if not job.cells and len(job.nodes) == 3 else []
    return ["huygens", *deepwave, *sweep] + (["devito", *bare] if device == "cpu" else [])


class Failed(Exception):
    pass


def run(program, folder, device, huygens, warming):
    """A process: `whole` are its seconds, `memory` and `gpu_memory` its bytes, `stepping` the seconds of its steps."""
    script, *own = program.split("-")
    command = [sys.executable, HERE / f"with_{script}.py", folder, device]
    with gpu.Watch() as watch, tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen([*command, huygens, *own], stdout=subprocess.PIPE, stderr=errors, text=True)
        first = process.stdout.readline()
        found = dict(whole=time.perf_counter() - begun, gpu_memory=watch.most() if device == "gpu" else None)
        if warming and first:
            process.kill()
        lines = [first, *process.communicate()[0].splitlines()]
        if not first or (process.returncode and not warming):
            errors.seek(0)
            raise Failed((errors.read().decode().strip().splitlines() or ["no word"])[-1])
    for line in lines:
        found.update(json.loads(line))
    return found


def apart(job, folder, program):
    """The relative L2 difference of the gather from huygens', of one shot."""
    if program not in APART or job.shots > 1:
        return None
    ours = np.load(folder / "out" / "gather.npy")[:, : job.steps]
    theirs = np.load(folder / f"{program}.npy")[0] / job.spacing ** len(job.nodes)
    difference = float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))
    allowed = max(APART[program], APART_DENSE) if job.dense else np.inf if job.vti else APART[program]
    if job.cells and not difference < allowed:
        print(f"{job.name}: the gather of {program} differs from huygens' by {difference:.1e}", flush=True)
    return difference


def write(path, results):
    """All so far, a line each."""
    lines = ",\n".join(json.dumps(result) for result in results)
    path.write_text(f'{{"machine": {json.dumps(machine())}, "results": [\n{lines}\n]}}\n')


def machine():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else platform.processor() or platform.machine()
    return dict(cpu=cpu, threads=os.cpu_count(), gpu=gpu.NAME, date=time.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
