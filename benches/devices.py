"""The table and picture of docs/devices.md, from docs/data/devices.csv: devices.py [LADDER.json DOCTOR.json].

With the output of `huygens ladder all --json` and `huygens doctor --json` of a machine it adds the rows of its device and CPU first.
"""

import csv
import json
import re
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[1] / "docs"
DATA, PAGE, PICTURE = DOCS / "data" / "devices.csv", DOCS / "devices.md", DOCS / "images" / "devices.png"
# The cases of `ladder all`, by their columns: z nodes, and whether there is a y axis.
CASES = {"plane": (310, False), "large": (4096, False), "volume": (512, True)}
BACKENDS = {"vulkan": "Vulkan", "gl": "OpenGL", "metal": "Metal", "dx12": "Direct3D 12"}
BARS = {"volume": ("3-D step", "#1b5e9e"), "large": ("2-D step, 4096 x 4096", "#4aa8d8"), "plane": ("2-D step, 310 x 775", "#c3d7e6")}


def main(*files):
    with open(DATA, newline="") as file:
        reader = csv.DictReader(file)
        columns, rows = reader.fieldnames, list(reader)
    if files:
        rows += measured(*[json.loads(Path(name).read_text()) for name in files])
        with open(DATA, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    draw(rows)
    text = PAGE.read_text()
    pattern = re.compile(r"(<!-- table: devices -->\n\n).*?(\n\n<!-- end -->)", re.S)
    PAGE.write_text(pattern.sub(lambda found: found[1] + "\n".join(table(rows)) + found[2], text))


def measured(ladder, doctor):
    """The rows of a machine: its device, and every core of its CPU."""
    day, version = time.strftime("%Y-%m-%d"), ladder["version"]
    gpu, cpu = {"date": day, "version": version}, {"date": day, "version": version, "kind": "cpu"}
    host = f" of the host of an {ladder['device']['device']}" if ladder["device"] else ""
    cpu["device"] = f"CPU{host}, {doctor['threads']} threads"
    if ladder["device"]:
        found = next((d for d in doctor["devices"] if d["name"] == ladder["device"]["device"]), {"kind": ""})
        gpu |= {"device": ladder["device"]["device"], "kind": found["kind"]}
        backend = ladder["device"]["backend"]
        gpu["driver"] = f"{ladder['device']['driver'].removeprefix('NVIDIA ')}, {BACKENDS.get(backend, backend)}"
    for climbed in ladder["ladders"]:
        case = climbed["case"]
        name = next((n for n, (z, has_y) in CASES.items() if has_y == (case["ny"] > 1) and (has_y or z == case["nz"])), None)
        rows = {row["name"]: row for row in climbed["rows"] if row["update"] == "wave" and row["gpts"]}
        for row, rung in ((gpu, "the step of shot"), (cpu, "CPU, every core")):
            if name and rung in rows:
                row[f"{name}_gpts"] = f"{rows[rung]['gpts']:.3g}"
                if row is gpu:
                    row[f"{name}_share"] = f"{rows[rung]['of_ceiling']:.2f}"
                if name == "volume":
                    row["volume"] = case["nz"]
    return [row for row in (gpu, cpu) if "volume_gpts" in row or "plane_gpts" in row]


def table(rows):
    names = ["device", "driver", "measured", "2-D step, 310 x 775", "4096 x 4096", "3-D step", "thesis shot", "`cube512`"]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in sorted(rows, key=lambda r: -float(r.get("volume_gpts") or 0.0)):
        steps = [", ".join(w for w in (row.get(f"{k}_gpts"), row.get(f"{k}_share")) if w) for k in CASES]
        if steps[2]:
            steps[2] += f" ({row['volume']}³)"
        shots = [ms(row.get("thesis_ms")), ms(row.get("cube512_ms"))]
        yield f"| {row['device']} | {row.get('driver', '')} | {row['date']}, {row['version']} | {' | '.join(steps + shots)} |"


def ms(value):
    return "" if not value else f"{float(value) / 1e3:g} s" if float(value) >= 1e3 else f"{value} ms"


def draw(rows):
    shown = sorted((r for r in rows if r.get("volume_share")), key=lambda r: float(r["volume_share"]))
    plt.rcParams.update({"font.size": 15, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(figsize=(11.5, 1.4 + 1.15 * len(shown)), layout="constrained")
    for i, row in enumerate(shown):
        for j, (name, (_, colour)) in enumerate(BARS.items()):
            if row.get(f"{name}_share"):
                share = float(row[f"{name}_share"])
                axes.barh(i + 0.27 * (1 - j), share, 0.25, color=colour)
                nodes = f", {row['volume']}³ nodes" if name == "volume" else ""
                axes.text(share + 0.01, i + 0.27 * (1 - j), f"{100 * share:.0f} %  ({row[f'{name}_gpts']} Gpts/s{nodes})", va="center", fontsize=14, bbox=dict(facecolor="white", edgecolor="none", pad=1))
    labels = [f"{r['device']}\n{r['version']}, {r['date']}" for r in shown]
    axes.set_yticks(range(len(shown)), labels)
    axes.set(xlim=(0, 1.6))
    figure.suptitle("What part of its own memory bandwidth a device turns into steps", fontsize=17)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %: a stream"])
    axes.axvline(1.0, color="#bbbbbb", linewidth=1, zorder=0)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for _, colour in BARS.values()]
    axes.legend(handles, [name for name, _ in BARS.values()], loc="lower right", facecolor="white", edgecolor="none", framealpha=1.0)
    figure.savefig(PICTURE, dpi=110, facecolor="white")


if __name__ == "__main__":
    main(*sys.argv[1:])
