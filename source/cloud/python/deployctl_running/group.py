"""Running processes of the replica besides the runner itself."""

import os
import socket
import subprocess
import sys

# Python's own helper processes, which end with their parent.
_HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")


def living(nonce):
    """Returns process ids in the runner's group, or of those that carry the replica's nonce."""
    if not os.path.isdir("/proc/self"):
        return _living_by_ps()
    me = str(os.getpid())
    others = [name for name in os.listdir("/proc") if name.isdigit() and name != me]
    group = os.getpgrp()
    members = [one for one in others if _is_alive(one) and _state_of(one)[1] == group]
    # In a terminal the group also belongs to the runner's parent.
    is_own_group = group == os.getpid()
    # Environments are slow to read, so processes outside the group are only looked for once the
    # group is empty.
    if not is_own_group or all(_is_helper(one) for one in members):
        members = [one for one in others if _is_alive(one) and _has_nonce(one, nonce)]
    return [int(one) for one in members if not _is_helper(one)]


def listens(port):
    """Returns True when the replica's port accepts connections."""
    if not port:
        return False
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _is_alive(process):
    return _state_of(process)[0] not in ("Z", "X", None)


def _is_helper(process):
    return any(helper in _read(process, "cmdline") for helper in _HELPERS)


def _state_of(process):
    """Returns state and group from /proc/PID/stat; the name in it may contain spaces and brackets."""
    fields = _read(process, "stat").rpartition(b")")[2].split()
    if len(fields) < 3:
        return None, None
    return fields[0].decode(), int(fields[2])


def _has_nonce(process, nonce):
    return b"DEPLOYCTL_NONCE=" + nonce.encode() in _read(process, "environ").split(b"\0")


def _read(process, name):
    try:
        with open("/proc/%s/%s" % (process, name), "rb") as file:
            return file.read()
    except OSError:
        return b""  # the process has exited, or belongs to another user


def _living_by_ps():
    """Finds processes without /proc: a replica's processes share its group."""
    me = os.getpid()
    group = os.getpgrp()
    if group != me:
        return []  # in a terminal the group also belongs to the parent
    listing = subprocess.Popen(
        ["ps", "-axo", "pid=,pgid=,stat="], stdout=subprocess.PIPE, universal_newlines=True
    )
    text, _ = listing.communicate()
    if listing.returncode != 0:
        print("deployctl: ps failed; cannot see other processes", file=sys.stderr)
        return []
    rows = [line.split() for line in text.splitlines()]
    return [
        int(row[0])
        for row in rows
        if len(row) >= 3
        and int(row[1]) == group
        and int(row[0]) not in (me, listing.pid)
        and not row[2].startswith("Z")
    ]
