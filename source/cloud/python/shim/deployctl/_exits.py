"""Functions that run once before the process ends."""

import atexit
import sys

_functions = []


def add(function):
    """Runs `function` when the replica is asked to end, or at the end of the program."""
    if not _functions:
        atexit.register(run_all)
    _functions.append(function)
    return function


def run_all():
    """Runs what was added, the last first, each once. An error of one does not stop the others."""
    while _functions:
        function = _functions.pop()
        try:
            function()
        except Exception:
            import traceback  # every Python of a replica loads this file: it stays light

            print("deployctl: a function of on_exit failed:", file=sys.stderr)
            traceback.print_exc()
