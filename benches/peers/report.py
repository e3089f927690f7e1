"""How a program that runs a job tells measure.py what it found: lines of JSON on standard output."""

import json
import resource
import sys
import time

# The steps run again for so many seconds, once at least and so many times at most.
LEAST, MOST = 1.0, 5


def written(of=resource.RUSAGE_SELF, **more):
    """The gather is written, which ends the whole command."""
    unit = 1 if sys.platform == "darwin" else 1024
    say(memory=unit * resource.getrusage(of).ru_maxrss, **more)


def again(seconds):
    """Runs the steps again, which gives the seconds that they take."""
    taken = [seconds()]
    while sum(taken) < LEAST and len(taken) < MOST:
        taken.append(seconds())
    say(stepping=taken)


def timed(steps):
    begun = time.perf_counter()
    steps()
    return time.perf_counter() - begun


def say(**what):
    print(json.dumps(what), flush=True)
