"""The parts of a small shot's time from Python, beside the command's: overhead.py [BACKEND].

Milliseconds, the least of many calls that reuse one engine: other programs only add to a time. What does not grow with the
steps is found from shots of one and of two durations; of it, the job and its plan are measured by themselves. The last line
is of a tiny shot, 31 by 31 nodes and 100 steps: all but its steps, which should take less than 2 ms.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import huygens
from huygens.acquisition import job_of

CALLS = 101
BACKEND = sys.argv[1] if len(sys.argv) > 1 else "auto"
JOB = """
model = { velocity = "builtin:homogeneous", nodes = { x = 201, z = 101 }, spacing = 10.0 }
time = { duration = 1.0, step = 0.001 }
source = [{ at = { x = 1000.0, z = 20.0 }, wavelet = { kind = "ricker", peak_hz = 15.0 } }]
receivers = { line = { from = { x = 0.0, z = 20.0 }, to = { x = 2000.0, z = 20.0 }, count = 101 } }
"""


def milliseconds(call):
    def once():
        began = time.perf_counter()
        call()
        return 1000 * (time.perf_counter() - began)

    once()
    return min(once() for _ in range(CALLS))


def command():
    """What the record of the command says, of a process of its own each time."""
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder) / "job.toml"
        job.write_text(JOB)
        told = []
        for _ in range(7):
            words = ["huygens", "shot", "job.toml", "--backend", BACKEND, "--no-pictures", "--force", "--out", "out"]
            subprocess.run(words, cwd=folder, check=True, capture_output=True)
            told.append(json.loads((job.parent / "out/run.json").read_text())["timings"])
    return {part: 1000 * statistics.median(of[part] for of in told) for part in ("plan", "setup", "stepping")}


engine = huygens.Engine(BACKEND)
of_command = command()
longer = JOB.replace("duration = 1.0", "duration = 2.0")
one, two = (milliseconds(lambda job=job: huygens.shot(job, engine=engine)) for job in (JOB, longer))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    dispersed = JOB.replace("peak_hz = 15.0", "peak_hz = 30.0")
    ignored = milliseconds(lambda: huygens.shot(dispersed, engine=engine))
job = milliseconds(lambda: job_of(JOB))
parsed = job_of(JOB)
plan = milliseconds(parsed.check)
print(engine)
print(f"the command: plan {of_command['plan']:.2f}, set up {of_command['setup']:.2f}, step {of_command['stepping']:.2f}")
print(f"a call:      {one:.2f}: job {job:.2f}, plan {plan:.2f}, set up, thread and arrays {2 * one - two - job - plan:.2f}, step {two - one:.2f}")
print(f"a call whose warning of dispersion is ignored: {ignored:.2f}")
print(f"a call less the command's three parts: {one - sum(of_command.values()):.2f}")
warnings.simplefilter("ignore")
nodes, far = ("x = 201, z = 101", "x = 31, z = 31"), ("x = 2000.0", "x = 300.0")
tiny = JOB.replace(*nodes).replace(*far).replace("x = 1000.0", "x = 100.0").replace("count = 101", "count = 11")
short, twice = (milliseconds(lambda job=tiny.replace("= 1.0", f"= {of}"): huygens.shot(job, engine=engine)) for of in (0.1, 0.2))
print(f"a tiny shot: {short:.2f}, steps {twice - short:.2f}, all else {2 * short - twice:.2f}")
