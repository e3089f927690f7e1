"""Error against seconds of huygens and of other programs: work_precision.py [ROWS.csv] [--huygens PROGRAM] [--on gpu|cpu] [--cases NAME ...].

Each program runs the settings of precision/settings.py for each case, in a process of its own, and every run is a row. Programs that are not
installed are left out. Rows that were there before are replaced; with --resume they stay, and only what is missing runs. precision/README.md
describes the study; `python precision/chart.py` draws the rows.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "docs" / "data" / "work-precision.csv"
COLUMNS = ["program", "version", "device", "on", "job", "setting", "spacing_m", "step_s", "error", "seconds", "date"]
PROGRAMS = {"gpu": ["huygens", "deepwave", "sweep", "k-wave"], "cpu": ["huygens", "deepwave", "devito", "k-wave"]}
CASES = ["plane", "plane-body", "volume", "volume-body"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="?", type=Path, default=DATA)
    parser.add_argument("--huygens", default="target/release/huygens", type=Path)
    parser.add_argument("--on", choices=["gpu", "cpu"], action="append")
    parser.add_argument("--cases", nargs="*", default=CASES)
    parser.add_argument("--programs", nargs="*")
    parser.add_argument("--most", default=600.0, type=float, help="seconds for a program and case, after which no setting begins")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--references", default="target/references", type=Path, help="folder of the references, made where it is missing")
    asked = parser.parse_args()
    asked.references.mkdir(parents=True, exist_ok=True)
    os.environ["HUYGENS_REFERENCES"] = str(asked.references.resolve())
    rows = read(asked.rows) if asked.rows.exists() else []
    for device in asked.on or ["gpu", "cpu"]:
        # The cases of a plane together, then those of a volume: a process compiles its code once.
        for cases in [[c for c in asked.cases if c.startswith(kind)] for kind in ("plane", "volume")]:
            for program in [p for p in PROGRAMS[device] if cases and p in (asked.programs or PROGRAMS[device])]:
                ours = lambda r: (r["on"], r["program"]) == (device, program) and r["job"] in cases
                had = [r for r in rows if ours(r)] if asked.resume else []
                rows = [r for r in rows if not ours(r)] + had
                count = len(rows)
                for row in run([program, device, ",".join(cases), asked.most, asked.huygens.resolve()], had):
                    rows.append(row)
                    write(asked.rows, rows)
                print(f"{device} {cases[0]:7} {program:9} {len(rows) - count} rows", flush=True)


def run(words, had):
    """The rows of a program as they come; what failed is printed."""
    had = json.dumps([[r["job"], r["setting"], float(r["spacing_m"])] for r in had])
    command = [sys.executable, HERE / "precision" / "run.py", *map(str, words), had]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        for line in process.stdout:
            if line.startswith("{"):
                yield dict(json.loads(line), date=time.strftime("%Y-%m-%d"))
        failed = process.wait()
        errors.seek(0)
        lines = errors.read().splitlines()
    told = [line for line in lines if line.startswith(("plane", "volume"))]
    for line in told or (lines[-1:] if failed else []):
        print(line, flush=True)


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{row[k]:.4g}" if k in ("error", "seconds") and isinstance(row[k], float) else row[k] for k in COLUMNS})


if __name__ == "__main__":
    main()
