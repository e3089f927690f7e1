"""A job by huygens: with_huygens.py FOLDER cpu|gpu PROGRAM.

No numpy here: the peak memory of a process counts from that of the process which started it.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import report

NAMES = ("y", "x", "z")


def write(job, folder):
    """Writes job.toml."""
    names = NAMES[-len(job.nodes):]
    at = lambda node: "{ " + ", ".join(f"{n} = {i * job.spacing}" for n, i in zip(names, node)) + " }"
    wavelet = f'{{ kind = "file", path = "wavelet.npy", interval = {job.step} }}'
    sources, receivers = job.source_nodes(), job.receiver_nodes()
    layer = f'kind = "cpml", cells = {job.cells}' if job.cells else 'kind = "zero"'
    more = 'density = "density.npy", ' if job.dense else ""
    more += 'epsilon = "epsilon.npy", delta = "delta.npy", ' if job.vti else ""
    lines = [
        f'model = {{ velocity = "velocity.npy", {more}spacing = {job.spacing}, axes = "{"".join(names)}" }}',
        f"time = {{ duration = {job.steps * job.step:.6f}, step = {job.step} }}",
        f'operator = {{ kind = "taylor", order = {job.order} }}',
        f'boundary = {{ top = "{"absorb" if job.cells else "zero"}", sides = {{ {layer} }} }}',
        f"receivers.line = {{ from = {at(receivers[0])}, to = {at(receivers[-1])}, count = {job.receivers} }}",
    ]
    if job.shots == 1:
        lines += ['output.gathers = ["npy"]', f"source = [{{ at = {at(sources[0])}, wavelet = {wavelet} }}]"]
    else:
        lines += [f"shot = [{', '.join(f'{{ source = [{{ at = {at(s)}, wavelet = {wavelet} }}] }}' for s in sources)}]"]
    (Path(folder) / "job.toml").write_text("\n".join(lines) + "\n")


def main(folder, device, program):
    """The GPU that huygens takes by itself, or the cores of the CPU; `stepping` by the device's clock where it has one."""
    command = [program, "shot", folder / "job.toml", "--out", folder / "out", "--force", "--no-pictures", "--quiet", "--json"]
    begun = time.perf_counter()
    output = subprocess.run(command + (["--backend", "cpu"] if device == "cpu" else []), check=True, stdout=subprocess.PIPE).stdout
    whole = time.perf_counter() - begun
    record = json.loads(output)
    timings, engine = record["timings"], record["engine"]
    report.written(
        of=resource.RUSAGE_CHILDREN, whole=whole, device=engine["device"], kernel=engine["kernel"], version=record["version"],
        stepping=[timings["device"] or timings["stepping"]], stepping_by_the_wall=timings["stepping"],
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
