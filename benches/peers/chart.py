"""Draws docs/images/performance.png, and the small chart of the README beside it: chart.py RESULTS.json ... PICTURE.png

The small chart is PICTURE-small.png: the steps on the GPU. Jobs have different numbers of steps, so bars are speeds or ratios, never seconds. Whole
commands of a second GPU replace those of the first, which has more results. Results of a CPU are those of the last file that has it.
"""

import sys
from math import prod
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from results import NAMES, median, rate, read, size

COLOURS = {
    "huygens": "#1b5e9e", "deepwave": "#e07b1a", "sweep": "#b3305c", "sweep-own": "#d792ab", "devito": "#3f9a4d", "c": "#7a7a7a",
}
MAIN = ["salt", "plane-4000", "cube-256", "cube-512"]
ON_CPU = ["salt", "plane-2000", "cube-256", "cube-256-bare"]
RATE = "10⁹ nodes a second"
TIMES = [0.5, 1, 2, 4, 8]
DPI = 150
STYLE = {
    "font.size": 9.5, "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
}


def main(paths, picture):
    devices = read(paths)
    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(2, 3, figsize=(12.8, 7.6), layout="constrained")
    name, found, newer = gpus(devices)
    if found:
        figure.suptitle(f"huygens and other programs with the same jobs: {name}", fontsize=13)
        bars(axes[0, 0], found, rate, "Steps on the GPU", RATE)
        whole(axes[0, 1], found, newer)
        axes[0, 1].set(title="Whole command on the GPU", xlabel="Deepwave's time over huygens'")
        lines(axes[1, 0], found, by_size, "Size, order 8", "nodes, layers included", RATE)
        axes[1, 0].set_xscale("log")
        lines(axes[1, 1], found, by_order, "Order", "order in space", RATE)
        axes[1, 1].set_xticks([4, 8, 12])
        lines(axes[1, 2], found, by_shots, "Shots at once, 220 x 735", "shots", "milliseconds a shot")
        axes[1, 2].set_xscale("log", base=2)
        axes[1, 2].set_xticks([1, 8, 32], [1, 8, 32])
    latest = {key: results for path in paths for key, results in read([path]).items()}
    ratios(axes[0, 2], {name: results for (kind, name), results in latest.items() if kind == "cpu"})
    there = {program for found in devices.values() for _, program in found}
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[p], label=name) for p, name in NAMES.items() if p in there]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=11)
    figure.savefig(picture, dpi=DPI, facecolor="white")


def gpus(devices):
    """The GPU with the most results: its name and results; and those of other GPUs, by (job, program), with the name of each."""
    all_ = sorted(((name, found) for (kind, name), found in devices.items() if kind == "gpu"), key=lambda gpu: -len(gpu[1]))
    name, found = all_[0] if all_ else (None, {})
    return name, found, {key: (other, result) for other, results in all_[1:] for key, result in results.items()}


def small(paths, picture):
    """Steps on the GPU, for the README."""
    plt.rcParams.update(STYLE)
    name, found, _ = gpus(read(paths))
    if found:
        figure, axes = plt.subplots(figsize=(6.4, 2.9), layout="constrained")
        bars(axes, found, rate, f"Time steps on an {short(name)}: longer is faster", f"{RATE}, and how many times as fast as Deepwave", ratio=True)
        handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[p]) for p in ["huygens", "deepwave"]]
        axes.legend(handles, ["huygens", "Deepwave"], frameon=False, loc="upper right")
        axes.margins(x=0.35)
        figure.savefig(picture, dpi=DPI, facecolor="white")
        plt.close(figure)


def short(name):
    return name.removeprefix("NVIDIA ").split()[0]


def whole(axes, found, newer):
    """How many times as long Deepwave's whole command takes, a job a bar, with the seconds of both."""
    jobs = [name for name in MAIN if (name, "deepwave") in found]
    for i, name in enumerate(jobs):
        (ours, theirs), where = [found[name, p] for p in ("huygens", "deepwave")], ""
        if (name, "deepwave") in newer:
            (other, ours), (_, theirs) = (newer[name, p] for p in ("huygens", "deepwave"))
            where = f"\n on an {short(other)}"
        seconds = [median(r, "whole") for r in (ours, theirs)]
        ratio = seconds[1] / seconds[0]
        axes.barh(i, ratio, 0.6, color=COLOURS["huygens"])
        axes.text(ratio, i, f" {ratio:.{0 if ratio > 10 else 1}f}x: {seconds[0]:.2g} s, not {seconds[1]:.2g} s{where}", va="center")
    label(axes, [found[name, "huygens"]["job"] for name in jobs], lambda job: f"\n{job['steps']} steps")
    axes.axvline(1.0, color="#888888", linewidth=1, zorder=0)
    axes.margins(x=0.9)
    axes.set_xlim(left=0)


def bars(axes, found, value, title, unit, ratio=False):
    """A job a group, a program a bar; with `ratio`, how many times as fast huygens is."""
    jobs = [name for name in MAIN if (name, "huygens") in found]
    for i, name in enumerate(jobs):
        for j, program in enumerate(["huygens", "deepwave"]):
            if (name, program) in found:
                place, drawn = i + 0.4 * j - 0.2, value(found[name, program])
                axes.barh(place, drawn, 0.4, color=COLOURS[program])
                over = f"   {drawn / value(found[name, 'deepwave']):.1f}x" if ratio and program == "huygens" else ""
                axes.text(drawn, place, f" {drawn:.3g}{over}", va="center")
    label(axes, [found[name, "huygens"]["job"] for name in jobs], lambda job: f"\n{job['steps']} steps")
    axes.margins(x=0.16)
    axes.set(title=title, xlabel=unit)


def ratios(axes, devices):
    """A job and CPU a row, each of the others a dot."""
    rows = [(device, name) for name in ON_CPU for device, found in devices.items() if (name, "huygens") in found]
    for i, (device, name) in enumerate(rows):
        ours = rate(devices[device][name, "huygens"])
        for other in NAMES:
            if other != "huygens" and (name, other) in devices[device]:
                axes.plot(ours / rate(devices[device][name, other]), i, "o", color=COLOURS[other], markersize=9)
    axes.axvline(1.0, color=COLOURS["huygens"], linewidth=2, zorder=0)
    jobs = [devices[device][name, "huygens"]["job"] for device, name in rows]
    cores = iter([device.split(" of ")[0] for device, _ in rows])
    label(axes, jobs, lambda job: (", no layers" if not job["cells"] else "") + f"\n{next(cores)}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(TIMES, TIMES)
    axes.grid(axis="x", color="#dddddd")
    axes.set(title="Steps on the CPU", xlabel="huygens' speed over the other's")


def label(axes, jobs, more):
    axes.set_yticks(range(len(jobs)), [size(job) + more(job) for job in jobs])
    axes.set_ylim(len(jobs) - 0.5, -0.5)


def lines(axes, found, point, title, across, up):
    """A line for each program and number of dimensions."""
    drawn = {}
    for (_, program), result in found.items():
        at = point(result)
        if at:
            drawn.setdefault((program, len(result["job"]["nodes"])), []).append(at)
    for (program, dimensions), points in drawn.items():
        x, y = zip(*sorted(points))
        style = "-o" if dimensions == 3 else "--s"
        axes.plot(x, y, style, color=COLOURS[program], markersize=5)
        axes.annotate(f"{dimensions}-D", (x[-1], y[-1]), xytext=(5, 0), textcoords="offset points", va="center", color=COLOURS[program])
    axes.set(title=title, xlabel=across, ylabel=up)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.1)
    axes.grid(color="#dddddd")


def by_size(result):
    job = result["job"]
    if job["name"].split("-")[0] in ("plane", "cube") and job["order"] == 8 and job["cells"]:
        return prod(job["grid"]), rate(result)


def by_order(result):
    job = result["job"]
    if job["name"].startswith(("plane-4000", "cube-512")):
        return job["order"], rate(result)


def by_shots(result):
    job = result["job"]
    if job["name"].startswith("salt"):
        return job["shots"], 1e3 * median(result, "stepping") / job["shots"]


if __name__ == "__main__":
    *results, picture = [Path(p) for p in sys.argv[1:]]
    main(results, picture)
    small(results, picture.with_stem(f"{picture.stem}-small"))
