"""Draws docs/images/work-precision.png, and work-precision-homogeneous.png: chart.py [ROWS.csv [PICTURE.png]]."""

import sys
from math import log
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patheffects import withStroke
from matplotlib.ticker import NullFormatter

sys.path.insert(0, str(Path(__file__).parent.parent))

from precision.rows import DATA, LINES, NAMES, front, read, series, within

COLOURS = {
    "huygens": "#1b5e9e", "evolution": "#4aa8d8", "kept": "#9db7cc", "deepwave": "#e07b1a", "sweep": "#b3305c", "devito": "#3f9a4d", "k-wave": "#7d5ba6",
}
PICTURE = DATA.parents[1] / "images" / "work-precision.png"
TARGET = 0.01
STYLE = {
    "font.size": 15, "axes.titlesize": 17, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True,
}
LEAST, MOST = 0.04, 25.0  # %


def main(rows=DATA, picture=PICTURE):
    found = read(rows)
    draw(found, "-body", "a medium that varies", Path(picture))
    draw(found, "", "a homogeneous medium", Path(picture).with_stem(Path(picture).stem + "-homogeneous"))


def draw(found, kind, medium, picture):
    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(2, 2, figsize=(11.5, 10.2), layout="constrained", sharey=True)
    for line, on in zip(axes, ("gpu", "cpu")):
        for axis, job, dims in zip(line, ("plane", "volume"), ("2-D", "3-D")):
            panel(axis, found.get((on, job + kind), {}), f"{dims} on {device(found, on)}")
    for axis in axes[:, 0]:
        axis.set_ylabel("error of the traces")
    for axis in axes[1]:
        axis.set_xlabel("time of the steps")
    there = {line for (_, job), programs in found.items() if job.endswith(kind or job) for p in programs
             for line, rows in series(p, programs[p]).items() if any(100 * r["error"] < MOST for r in rows)}
    handles = [plt.Line2D([], [], color=COLOURS[p], linewidth=3 if p in NAMES else 2, linestyle="-" if p in NAMES else "--", label=name)
               for p, name in LINES.items() if p in there]
    handles.append(plt.Line2D([], [], color="#888888", marker="o", markersize=4, linestyle="", label="each run; lines join the best"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle(f"Left is faster, low is more exact: waves through {medium}\nNumbers: huygens' time to an error below 1 %, and how many times as long others take", fontsize=17)
    figure.savefig(picture, dpi=110, facecolor="white")
    plt.close(figure)


def device(found, on):
    names = [row["device"] for (kind, _), programs in found.items() if kind == on for rows in programs.values() for row in rows]
    if on == "gpu":
        return "a GPU (" + names[0].replace(" 80GB HBM3", "") + ")"
    threads = [name.split()[1] for name in names if "threads" in name]
    return f"{threads[0]} CPU cores"


def panel(axis, programs, title):
    """A line through the best runs of each program; every run a point."""
    ours = within(programs.get("huygens", []), TARGET)
    times_shown = [r["seconds"] for rows in programs.values() for r in rows if 100 * r["error"] < MOST]
    low, high = 0.8 * min(times_shown, default=1), 1.7 * max(times_shown, default=1)
    slowest = max((r["seconds"] for r in (within(rows, TARGET) for rows in programs.values()) if r), default=None)
    for program in [p for p in NAMES if p in programs]:
        for line, rows in series(program, programs[program]).items():
            seen = [r for r in rows if 100 * r["error"] < MOST]
            best = front(seen)
            wide = line == program
            style = dict(color=COLOURS[line], linewidth=3 if wide else 2, linestyle="-" if wide else "--", zorder=3)
            axis.plot([r["seconds"] for r in best], [100 * r["error"] for r in best], **style)
            axis.plot([r["seconds"] for r in seen], [100 * r["error"] for r in seen], "o", color=COLOURS[line], markersize=4, alpha=0.5)
            reached = within(rows, TARGET)
            if reached and wide:
                at = reached["seconds"], 100 * reached["error"]
                text = say(at[0]) if program == "huygens" or not ours else times(at[0] / ours["seconds"])
                axis.plot(*at, "o", color=COLOURS[line], markersize=11, zorder=5)
                # To the right of its point, unless a slower one or the edge of the panel is near. Left of huygens' and below, nothing is drawn.
                across = log(at[0] / low) / log(high / low)
                below = program == "huygens" and across > 0.25
                right = across < (0.8 if at[0] == slowest else 0.45) and not below
                axis.annotate(text, at, xytext=(9 if right else -9, -18 if below else 7), textcoords="offset points", color=COLOURS[line], fontweight="bold", fontsize=18, zorder=6,
                              ha="left" if right else "right").set_path_effects([withStroke(linewidth=4, foreground="white")])
    axis.axhline(100 * TARGET, color="#888888", linestyle="--", linewidth=1)
    axis.set(title=title, xscale="log", yscale="log", ylim=(LEAST, MOST))
    axis.set_yticks([0.1, 1, 10], ["0.1 %", "1 %", "10 %"])
    axis.grid(color="#e4e4e4")
    axis.set_xlim(low, high)
    steps = (1,) if high / low > 1500 else (1, 3) if high / low > 25 else (1, 2, 5)
    ticks = [t * 10**e for e in range(-3, 3) for t in steps if low <= t * 10**e <= high]
    axis.set_xticks(ticks, [say(t) for t in ticks])
    axis.xaxis.set_minor_formatter(NullFormatter())


def times(ratio):
    return f"{ratio:.0f}x" if ratio >= 9.95 else f"{ratio:.1f}x"


def say(seconds):
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.2g} s" if seconds >= 0.1 else f"{1e3 * seconds:.2g} ms"


if __name__ == "__main__":
    main(*sys.argv[1:])
