"""A limit of the memory is an exception, not the end of the interpreter."""

import subprocess
import sys

import pytest

RUN = """
import resource, sys
import numpy as np
import huygens

job, room = sys.argv[1], int(sys.argv[2])
velocity = np.full((1200, 1000), 2000.0, np.float32)
model = huygens.Model(velocity, 10.0)

def survey(of, count=2):
    receivers = huygens.line((100, 20), (900, 20), 30)
    shots = [huygens.Shot(huygens.Source((300 + 100 * i, 30), huygens.ricker(12)), receivers) for i in range(count)]
    return huygens.Survey(of, shots, duration=0.02)

# Threads and buffers that every run needs.
huygens.shots(survey(huygens.Model(velocity[:100, :80], 10.0)), engine="cpu")
gathers = [np.random.default_rng(0).standard_normal((30, 11), np.float32)] * 2
given = {"engine": "cpu", "sample_interval": 0.002}
runs = {
    "shots": lambda: huygens.shots(survey(model), engine="cpu"),
    "gradient": lambda: huygens.gradient(survey(model), gathers, **given),
    "rtm": lambda: huygens.rtm(survey(model), gathers, **given),
    "smoothed": lambda: model.smoothed(20.0),
    "model": lambda: huygens.Model(velocity.astype(np.float64), 10.0),
    "velocity": lambda: [model.velocity for _ in range(30)],
}
used = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), resource.RLIM_INFINITY))
try:
    kept = runs[job]()
    print("done")
except huygens.InputError as refused:
    print(refused)
except MemoryError:
    # Of NumPy, for an array that the caller made.
    print("of memory")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: the limit is Linux's")
@pytest.mark.parametrize("job", ["shots", "gradient", "rtm", "smoothed", "model", "velocity"])
def test_too_little_memory_is_an_exception(job):
    said = []
    for room in (20, 90, 120, 150, 190, 700):
        told = subprocess.run([sys.executable, "-c", RUN, job, str(room)], capture_output=True, text=True, timeout=300)
        assert told.returncode == 0, f"{room} MiB: {told.returncode} {told.stderr[-500:]}"
        said.append(told.stdout.strip())
    assert said[-1] == "done", said
    assert "memory" in said[0], said
    assert "done" not in said[0], said
