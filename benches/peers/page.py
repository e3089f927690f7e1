"""Writes the tables of docs/performance.md from results/ and docs/data/work-precision.csv: page.py. Text between the tables stays.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.
"""

import re
from pathlib import Path

from precision import rows as precision
from results import NAMES, median, read
from table import beside, bytes_, say, seconds, times

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "performance.md"
GPU = {"h100": "an H100", "h100-sweep": "an H100", "h100-density": "an H100", "h100-vti": "an H100", "h200-whole": "an H200", "h200-media": "an H200"}
GRADIENTS = {"h100-gradient": "an H100", "h200-gradient": "an H200"}
# Whole commands and host memory of newer runs, on another device.
NEWER = "h200-whole"
# The last: two cores of another day, busy with other work.
CPU = {"2-cores": "2", "16-cores": "16", "2-cores-more": "2 busy"}
# Of h100.json: the rest is in the picture.
SHOWN = ["salt", "salt-shots-32", "plane-4000", "cube-256", "cube-512"]
LESS = 0.995  # a ratio below this is slower


def main():
    text = PAGE.read_text()
    tables = dict(slower=slower(), precision=study(), gpu=on_gpu(), sweep=sweep(), batches=batches(), media=media(), cpu=on_cpus())
    tables |= {"gradients": gradients(lambda job: not in_medium(job)), "gradients in media": gradients(in_medium)}
    for name, lines in tables.items():
        pattern = re.compile(rf"(<!-- table: {name} -->\n\n).*?(\n\n<!-- end -->)", re.S)
        assert pattern.search(text), f"{PAGE} has no table {name}"
        text = pattern.sub(lambda found: found[1] + "\n".join(lines) + found[2], text)
    PAGE.write_text(text)


def results(name, on):
    """By (job, program), of one run."""
    return next(found for (kind, _), found in read([HERE / "results" / f"{name}.json"]).items() if kind == on)


def head(*names):
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]


def rest(found):
    """(job, program, ours, theirs) of everything that is no huygens."""
    return [(r["job"], p, found[job, "huygens"], r) for (job, p), r in found.items() if p != "huygens" and (job, "huygens") in found]


def slower():
    """Where another program takes less time: the same steps, and an error reached."""
    found = []
    devices = [(device, name, "gpu") for name, device in GPU.items()] + [(f"{cores} cores", name, "cpu") for name, cores in CPU.items()]
    for device, name, on in devices:
        for job, program, ours, theirs in rest(results(name, on)):
            ratio = median(theirs, "stepping") / median(ours, "stepping")
            if ratio < LESS:
                found.append((ratio, f"the same steps, {say(job)}", device, NAMES[program]))
    for device, _, ours, theirs, program in gradient_pairs():
        ratio = median(theirs, "gradient") / median(ours, "gradient")
        if ratio < LESS:
            found.append((ratio, f"a gradient, {say(ours['job'])}, {products(ours)}", device, program))
    for (on, job), programs in precision.read().items():
        for target in precision.TARGETS:
            ours = precision.within(programs.get("huygens", []), target)
            for program, theirs in programs.items():
                other = precision.within(theirs, target)
                if program == "huygens" or not other:
                    continue
                if not ours or other["seconds"] < LESS * ours["seconds"]:
                    ratio = other["seconds"] / ours["seconds"] if ours else 0.0
                    found.append((ratio, f"an error of {target:.1%} at most, {precision.TITLES[job]}", device_of(on), precision.NAMES[program]))
    lines = [f"| {job} | {device} | {program} | {f'{ratio:.2f}x' if ratio else 'huygens has no run'} |" for ratio, job, device, program in sorted(found)]
    return head("what", "device", "program", "its time over huygens'") + (lines or ["| nothing measured here | | | |"])


def device_of(on):
    return "an H100" if on == "gpu" else "16 cores"


def study():
    """The fastest run of each program within an error."""
    programs = list(precision.NAMES)
    lines = head("job", "device", "error at most", *[precision.NAMES[p] for p in programs])
    for (on, job), found in sorted(precision.read().items(), key=lambda item: (item[0][0] == "cpu", list(precision.TITLES).index(item[0][1]))):
        for target in precision.TARGETS:
            ours = precision.within(found.get("huygens", []), target)
            cells = []
            for program in programs:
                row = precision.within(found.get(program, []), target)
                if not row:
                    cells.append("")
                elif program == "huygens":
                    cells.append(f"{seconds(row['seconds'])}, {row['setting'].replace(', corrected', '')}, {float(row['spacing_m']):g} m")
                else:
                    ratio = f": {times(row['seconds'], ours['seconds'])}" if ours else ""
                    cells.append(f"{seconds(row['seconds'])}{ratio}")
            lines.append(f"| {precision.TITLES[job]} | {device_of(on)} | {100 * target:g} % | {' | '.join(cells)} |")
    return lines


def least(found, job):
    """The smallest ratio of another's steps to huygens': what is slowest comes first."""
    ours = median(found[job, "huygens"], "stepping")
    return min(median(r, "stepping") / ours for (name, p), r in found.items() if name == job and p != "huygens")


def on_gpu():
    found, newer = results("h100", "gpu"), results(NEWER, "gpu")
    lines = head("nodes, steps", "the steps", "the whole command", "GPU memory", "host memory")
    for name in sorted(SHOWN, key=lambda job: least(found, job)):
        pair = lambda run, key, unit: beside(*[median(run[name, p], key) for p in ("huygens", "deepwave")], unit)
        latest, where = (newer, " (H200)") if (name, "huygens") in newer else (found, "")
        parts = [pair(found, "stepping", seconds), pair(latest, "whole", seconds) + where, pair(found, "gpu_memory", bytes_), pair(latest, "memory", bytes_) + where]
        lines.append(f"| {say(found[name, 'huygens']['job'])} | {' | '.join(parts)} |")
    return lines


def sweep():
    found = results("h100-sweep", "gpu")
    lines = head("nodes, steps", "huygens", "SWEEP, the same order and layer", "gathers differ by", "SWEEP, order 4 and 50 cells")
    for name in sorted((job for job, program in found if program == "sweep"), key=lambda job: least(found, job)):
        ours, equal, own = (found.get((name, p)) for p in ("huygens", "sweep", "sweep-own"))
        pair = lambda r: f"{seconds(median(r, 'stepping'))}: {times(median(r, 'stepping'), median(ours, 'stepping'))}" if r else ""
        apart = f"{equal['apart']:.1g}" if equal["apart"] else ""
        lines.append(f"| {say(ours['job'])} | {seconds(median(ours, 'stepping'))} | {pair(equal)} | {apart} | {pair(own)} |")
    return lines


def in_medium(job):
    return job["dense"] or job.get("vti", False)


def batches():
    """Modelling by the programs that compute gradients, alone and in batches."""
    rows = []
    for file, device in GRADIENTS.items():
        found = results(file, "gpu")
        for name in [job for job, program in found if program == "huygens"]:
            ours = found[name, "huygens"]
            others = [found.get((name, "deepwave"), found.get((name, "deepwave-every"))), found.get((name, "sweep"))]
            if in_medium(ours["job"]) or not all(others):
                continue
            base, theirs = median(ours, "modelling"), [median(r, "modelling") for r in others]
            pairs = " | ".join(f"{seconds(t)}: {times(t, base)}" for t in theirs)
            rows.append((min(theirs) / base, f"| {say(ours['job'])} | {device} | {seconds(base)} | {pairs} |"))
    return head("nodes, steps", "device", "huygens", "Deepwave", "SWEEP") + [line for _, line in sorted(rows)]


def media():
    runs, own = [(results(file, "gpu"), medium) for file, medium in (("h100-density", "density"), ("h100-vti", "VTI"))], results("h200-media", "gpu")
    rows = []
    for found, medium in runs:
        for name in [job for job, program in found if program == "huygens"]:
            ours = median(found[name, "huygens"], "stepping")
            theirs = [median(found[name, p], "stepping") for p in ("deepwave", "sweep")]
            pairs = " | ".join(f"{seconds(t)}: {times(t, ours)}" for t in theirs)
            last = beside(*[median(own[name, p], "stepping") for p in ("huygens", "sweep-own")], seconds)
            job = say(dict(found[name, "huygens"]["job"], dense=False, vti=False))
            rows.append((least(found, name), f"| {job} | {medium} | {seconds(ours)} | {pairs} | {last} |"))
    return head("nodes, steps", "medium", "huygens", "Deepwave", "SWEEP", "huygens and SWEEP with order 4 and 50 cells, on an H200") + [line for _, line in sorted(rows)]


# A program of the gradients: the one of huygens that multiplies the waves as often, and its name.
PAIRS = {
    "deepwave-every": ("huygens", "Deepwave"), "deepwave": ("huygens-each", "Deepwave"), "sweep": ("huygens-each", "SWEEP"),
    "sweep-own": ("huygens-each", "SWEEP, order 4 and 50 cells"),
}


def gradient_pairs():
    """Device, job, huygens' result, the other's and its name, of gradients."""
    for file, device in GRADIENTS.items():
        found = results(file, "gpu")
        yield from ((device, job, found[job, PAIRS[p][0]], r, PAIRS[p][1]) for (job, p), r in found.items() if p in PAIRS)


def products(result):
    return "products at each step" if result["every"] == 1 else "products at intervals"


def gradients(wanted):
    """A row a job, device and interval; how far a gradient is from huygens' at each step."""
    rows, names = {}, list(dict.fromkeys(name for _, name in PAIRS.values()))
    for device, job, ours, theirs, name in gradient_pairs():
        if wanted(ours["job"]):
            rows.setdefault((device, job, ours["program"]), (device, ours, {}))[2][name] = theirs
    apart = lambda r: f"{r['apart']:.1g}" if r["apart"] else ""
    lines = []
    for device, ours, others in rows.values():
        base, cells, ratios = median(ours, "gradient"), [], []
        for name in names:
            r = others.get(name)
            cells.append(f"{seconds(median(r, 'gradient'))}: {times(median(r, 'gradient'), base)}, {apart(r)}" if r else "")
            ratios += [median(r, "gradient") / base] if r else []
        every = f"{ours['every']}" + (f" ({others['Deepwave']['every']})" if ours["every"] > 1 and "Deepwave" in others else "")
        own = f"{seconds(base)}" + (f", {apart(ours)}" if ours["apart"] else "")
        lines.append((min(ratios), f"| {say(ours['job'])} | {device} | {every} | {own} | {' | '.join(cells)} |"))
    return head("nodes, steps", "device", "steps between products", "huygens", *names) + [line for _, line in sorted(lines)]


def on_cpus():
    rows = []
    for file, cores in CPU.items():
        found = results(file, "cpu")
        for name in [job for job, program in found if program == "huygens"]:
            ours, cells = found[name, "huygens"], []
            for program in ("deepwave", "devito", "sweep", "c"):
                theirs = found.get((name, program))
                ratios = [times(median(theirs, k), median(ours, k)) for k in ("stepping", "whole")] if theirs else []
                cells.append(", ".join(r.strip("*") for r in ratios if r))
            rows.append((least(found, name), f"| {say(ours['job'])} | {cores} | {' | '.join(cells)} |"))
    return head("nodes, steps", "cores", "Deepwave", "Devito", "SWEEP", "C") + [line for _, line in sorted(rows)]


if __name__ == "__main__":
    main()
