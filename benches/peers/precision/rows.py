"""The rows of docs/data/work-precision.csv, and what they say."""

import csv
from collections import defaultdict
from pathlib import Path

DATA = Path(__file__).parents[3] / "docs" / "data" / "work-precision.csv"
NAMES = {"huygens": "huygens", "deepwave": "Deepwave", "sweep": "SWEEP", "devito": "Devito", "k-wave": "k-Wave"}
LINES = {"huygens": "huygens, corrected", "evolution": "huygens, time evolution", "kept": "huygens, order 8 as it is", **dict(list(NAMES.items())[1:])}
TITLES = {"plane": "2-D, homogeneous", "plane-body": "2-D, a body", "volume": "3-D, homogeneous", "volume-body": "3-D, a body"}
TARGETS = [0.1, 0.01, 0.002]


def read(path=DATA):
    """Rows by (gpu or cpu, job) and then by program, the fastest first."""
    found = defaultdict(lambda: defaultdict(list))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            row.update(error=float(row["error"]), seconds=float(row["seconds"]))
            found[row["on"], row["job"]][row["program"]].append(row)
    for programs in found.values():
        for rows in programs.values():
            rows.sort(key=lambda r: r["seconds"])
    return found


def front(rows):
    """Those that no other row beats in both seconds and error."""
    best, kept = float("inf"), []
    for row in rows:
        if row["error"] < best:
            best = row["error"]
            kept.append(row)
    return kept


def within(rows, error):
    """The fastest row with an error of at most this; None without one."""
    return next((row for row in rows if row["error"] <= error), None)


def series(program, rows):
    """The lines of a chart: explicit time evolution, and huygens' default, apart from its best."""
    if program != "huygens":
        return {program: rows}
    evolved = [r for r in rows if r["setting"].startswith("time evolution")]
    kept = [r for r in rows if r["setting"] == "order 8"]
    return {program: [r for r in rows if r not in evolved and r not in kept], "evolution": evolved, "kept": kept}
