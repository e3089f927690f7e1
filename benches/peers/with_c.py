"""A cube without layers by the yardstick in C, benches/c/step3d.c: with_c.py FOLDER. It writes no gather."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

import jobs
import report

COMPILER = os.environ.get("HUYGENS_CC", "cc -std=c11 -O3 -march=native -ffast-math -fopenmp")
SOURCE = Path(__file__).parent.parent / "c" / "step3d.c"
# Of order 8, c_0 being that of one axis.
WEIGHTS = np.array([-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


def main(folder):
    job = jobs.read(folder)
    assert job.order == 8 and job.cells == 0 and len(set(job.nodes)) == 1, job
    program, model = folder / "step3d", folder / "model"
    subprocess.run([*shlex.split(COMPILER), SOURCE, "-o", program], check=True)
    np.square(np.load(folder / "velocity.npy") * np.float32(job.step)).tofile(model)
    weights = WEIGHTS / job.spacing**2
    weights[0] *= 3
    y, x, z = job.source_nodes()[0]
    wavelet = np.load(folder / "wavelet.npy").astype(str)

    twin = subprocess.Popen([program, model, folder / "field"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(*words):
        print(*words, file=twin.stdin, flush=True)
        return twin.stdout.readline()

    blocks = ask(job.nodes[0], *weights, z, x, y)
    steps = lambda: float(ask(job.steps, *wavelet))
    steps()
    report.say(whole=None, device=f"CPU, blocks of {blocks.strip()}", version=COMPILER)
    report.again(steps)
    twin.communicate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
