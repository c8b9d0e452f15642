"""Functions that run once before the process exits."""

import atexit
import sys

_functions = []


def add(function):
    """Runs `function` when the replica is told to stop, or when the program ends."""
    if not _functions:
        atexit.register(run_all)
    _functions.append(function)
    return function


def run_all():
    """Runs the added functions once, last first. An error in one does not stop the others."""
    while _functions:
        function = _functions.pop()
        try:
            function()
        except Exception:
            import traceback  # imported late, as every Python of a replica loads this file

            print("deployctl: an on_exit function failed:", file=sys.stderr)
            traceback.print_exc()
