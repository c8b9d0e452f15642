"""What the runner tells whoever spawned it: lines on standard output, between those of the script."""

import json
import os
import sys
import time

MARK = "@deployctl "


def tell(phase, **facts):
    """Writes one event, in one piece: other processes write to the same file."""
    if os.environ.get("DEPLOYCTL_EVENTS") == "off":
        return  # a person reads along, who has the traceback
    event = {"phase": phase, "at": int(time.time() * 1000)}
    event.update((name, value) for name, value in facts.items() if value is not None)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(1, (MARK + json.dumps(event) + "\n").encode())
    except OSError:
        pass  # a full disk, or a reader that has gone: the app serves all the same
