"""What measure.py wrote, by device, job and program."""

import json
from math import prod

import numpy as np

NAMES = {"huygens": "huygens", "deepwave": "Deepwave", "devito": "Devito", "sweep": "SWEEP", "sweep-own": "SWEEP, own", "c": "C"}


def read(paths):
    """Results by device and then by (job, program); a device is a GPU's name or the cores of a CPU."""
    devices = {}
    for path in paths:
        kept = json.loads(path.read_text())
        machine = kept["machine"]
        names = {"gpu": machine["gpu"] or "GPU", "cpu": f"{machine['threads']} cores of an {machine['cpu']}"}
        for result in kept["results"]:
            found = devices.setdefault((result["on"], names[result["on"]]), {})
            found[result["job"]["name"], result["program"]] = result
    return devices


def median(result, key):
    """Of all rounds; None where it was not measured."""
    values = [run[key] for run in result["runs"] if run.get(key) is not None]
    return float(np.median(np.concatenate([np.atleast_1d(v) for v in values]))) if values else None


def updates(job):
    """Nodes stepped, those of the layers included."""
    return prod(job["grid"]) * job["steps"] * job["shots"]


def rate(result):
    """10^9 nodes a second."""
    return updates(result["job"]) / median(result, "stepping") / 1e9


def size(job):
    return " x ".join(str(n) for n in reversed(job["nodes"]))
