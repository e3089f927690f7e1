"""Prints the tables of docs/performance.md: table.py RESULTS.json ..."""

import sys
from pathlib import Path

from results import NAMES, median, read, size


def main(paths):
    for (kind, name), found in read(paths).items():
        print(f"{name}\n")
        print(*(absolute if kind == "gpu" else ratios)(found), "", sep="\n")


def jobs_of(found):
    return {name: result["job"] for (name, _), result in found.items()}


def absolute(found):
    """Rows of huygens beside Deepwave."""
    yield "| job | steps | whole command | host memory | GPU memory |"
    yield "|---|---|---|---|---|"
    for name, job in jobs_of(found).items():
        ours, theirs = found[name, "huygens"], found.get((name, "deepwave"))
        pair = lambda key, unit: beside(median(ours, key), theirs and median(theirs, key), unit)
        yield f"| {say(job)} | {pair('stepping', seconds)} | {pair('whole', seconds)} | {pair('memory', bytes_)} | {pair('gpu_memory', bytes_)} |"


def ratios(found):
    """Rows of the others' figures over huygens'."""
    others = [p for p in NAMES if p != "huygens" and any(program == p for _, program in found)]
    yield "| job | " + " | ".join(f"{NAMES[p]}: steps, whole command, memory" for p in others) + " |"
    yield "|---|" + "---|" * len(others)
    for name, job in jobs_of(found).items():
        cells = []
        for other in others:
            theirs, ours = found.get((name, other)), found[name, "huygens"]
            parts = [times(median(theirs, k), median(ours, k)) for k in ("stepping", "whole", "memory")] if theirs else []
            cells.append(", ".join(p for p in parts if p))
        yield f"| {say(job)} | {' | '.join(cells)} |"


def say(job):
    parts = [size(job), f"{job['steps']} steps"]
    parts += [f"order {job['order']}"] if job["order"] != 8 else []
    parts += [f"{job['shots']} shots"] if job["shots"] > 1 else []
    parts += ["variable density"] if job.get("dense") else []
    parts += ["VTI"] if job.get("vti") else []
    parts += ["no layers"] if not job["cells"] else []
    return ", ".join(parts)


def times(theirs, ours):
    return f"**{theirs / ours:.{0 if theirs > 10 * ours else 1}f}x**" if theirs and ours else None


def beside(ours, theirs, unit):
    if not ours:
        return ""
    return f"{unit(ours)}, {unit(theirs)}: {times(theirs, ours)}" if theirs else unit(ours)


def seconds(s):
    return f"{s:.3g} s" if s >= 1 else f"{1e3 * s:.3g} ms"


def bytes_(b):
    return f"{b / 1e9:.2g} GB" if b >= 1e9 else f"{b / 1e6:.0f} MB"


if __name__ == "__main__":
    main([Path(p) for p in sys.argv[1:]])
