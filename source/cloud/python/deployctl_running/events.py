"""Events of the runner for its parent: lines on standard output, between those of the script."""

import json
import os
import sys
import time

MARK = "@deployctl "


def tell(phase, **facts):
    """Writes one event in a single call, as other processes write to the same file."""
    if os.environ.get("DEPLOYCTL_EVENTS") == "off":
        return  # a user reads the output, which has the traceback
    event = {"phase": phase, "at": int(time.time() * 1000)}
    event.update((name, value) for name, value in facts.items() if value is not None)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(1, (MARK + json.dumps(event) + "\n").encode())
    except OSError:
        pass  # a full disk or a closed pipe must not end the app
