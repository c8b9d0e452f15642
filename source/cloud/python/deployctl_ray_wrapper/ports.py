"""Port of the served process, reserved on this node for as long as this process lives."""

import fcntl
import os
import random
import socket
import tempfile

# Below the ports that systems give to outgoing connections, which could take one in between.
FIRST, LAST = 20000, 29999


class NoFreePort(Exception):
    """All ports are taken."""


def reserve():
    """Returns a free port of 127.0.0.1, and the open file that reserves it.

    A server may take minutes to open its port; meanwhile no other replica gets the same one. Raises
    NoFreePort, and OSError when files cannot be written.
    """
    folder = os.path.join(tempfile.gettempdir(), "deployctl-ports-%d" % os.getuid())
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for port in random.sample(range(FIRST, LAST + 1), LAST + 1 - FIRST):
        file = open(os.path.join(folder, str(port)), "w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        if _is_free(port):
            return port, file
        file.close()
    raise NoFreePort("All ports from %d to %d of this node are in use." % (FIRST, LAST))


def _is_free(port):
    with socket.socket() as probe:
        # As servers do: connections that have just ended do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
