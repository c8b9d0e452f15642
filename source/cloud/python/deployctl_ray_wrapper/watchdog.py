"""Watchdog that kills a replica's processes when this process ends, whatever ends it."""

import subprocess

# Reads the group's number, then waits for the end of its input, which the kernel closes when we die.
# It runs in the background, so that it is no child of ours: a Ray worker that exits kills its children.
# Processes that left the group carry the nonce in their environment.
_PROGRAM = """
exec 3<&0
(
trap "" HUP INT TERM
read -r group || exit 0
read -r _
kill -s TERM -- "-$group" && sleep 1
kill -s KILL -- "-$group"
for file in $(grep -lsaz "^DEPLOYCTL_NONCE=$1\\$" /proc/[0-9]*/environ); do
  id=${file#/proc/}
  kill -s KILL "${id%/environ}"
done
) <&3 2>/dev/null &
"""


class Watchdog:
    """Start it before the process that it watches over."""

    def __init__(self, nonce):
        shell = subprocess.Popen(
            ["/bin/sh", "-c", _PROGRAM, "deployctl-watchdog", nonce],
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ends after us, and not with our group
        )
        shell.wait()
        self._input = shell.stdin
        # Ends with the watchdog, which writes nothing.
        self._output = shell.stdout

    def watch(self, group):
        """Sets the process group to kill."""
        self._input.write(b"%d\n" % group)
        self._input.flush()

    def end(self):
        """Kills what is left of the replica, and returns when that is done."""
        try:
            self._input.close()
        except OSError:
            pass  # it was killed
        self._output.read()
