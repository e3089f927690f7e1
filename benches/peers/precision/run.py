"""The settings of a program for cases, in one process: run.py PROGRAM cpu|gpu CASE,CASE SECONDS PATH HAD. Prints a row of JSON for each.

HAD lists the case, setting and spacing of rows that are there already, as JSON. A case ends once SECONDS have passed. A run of less than a second is repeated once, and the least time counts: clocks rise and kernels
are compiled in the first.
"""

import importlib
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from precision import settings
from precision.case import CASES

REPEATED = 1.0  # s


def main(program, device, names, most, path, had):
    had = {tuple(row) for row in json.loads(had)}
    module = importlib.import_module(f"precision.with_{program.replace('-', '')}")
    for name in names.split(","):
        begun = time.perf_counter()
        case = CASES[name]
        runner = module.Runner(case, device, path)
        for setting in settings.of(program, case, device):
            if (name, setting.label, setting.spacing) in had:
                continue
            if time.perf_counter() - begun > float(most):
                print(f"{name}, {program}: the time is over before {setting}", file=sys.stderr, flush=True)
                break
            try:
                run = runner.prepare(setting)
                seconds, t, traces = run()
                if seconds < getattr(runner, "repeated", REPEATED):
                    seconds = min(seconds, run()[0])
            except Exception as error:
                print(f"{name}, {program}, {setting}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr, flush=True)
                continue
            row = dict(
                program=program, version=runner.version, device=runner.device, on=device, job=name, setting=setting.label,
                spacing_m=setting.spacing, step_s=round(float(t[1] - t[0]), 9), error=case.error(t, traces), seconds=seconds,
            )
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
