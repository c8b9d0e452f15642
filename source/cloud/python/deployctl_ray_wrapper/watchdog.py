"""Watchdog that kills a replica's processes when this process ends, whatever ends it."""

import subprocess

# Reads the group's number, then waits for the end of its input, which the kernel closes when we die.
# Processes that left the group carry the nonce in their environment.
_PROGRAM = """
trap "" HUP INT TERM
read -r group || exit 0
read -r _
kill -s TERM -- "-$group" 2>/dev/null && sleep 1
kill -s KILL -- "-$group" 2>/dev/null
for file in $(grep -lsaz "^DEPLOYCTL_NONCE=$1\\$" /proc/[0-9]*/environ); do
  id=${file#/proc/}
  kill -s KILL "${id%/environ}" 2>/dev/null
done
"""


class Watchdog:
    """Start it before the process that it watches over."""

    def __init__(self, nonce):
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _PROGRAM, "deployctl-watchdog", nonce],
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ends after us, and not with our group
        )

    def watch(self, group):
        """Sets the process group to kill."""
        self._shell.stdin.write(b"%d\n" % group)
        self._shell.stdin.flush()

    def end(self):
        """Kills what is left of the replica, and returns when that is done."""
        try:
            self._shell.stdin.close()
        except OSError:
            pass  # it was killed
        self._shell.wait()
