"""Output of the served process: passed on to this process's own, with its last lines kept."""

import collections
import json
import os
import re
import threading

_MARK = "@deployctl "
_TAIL_LINES = 40
_LONGEST_LINE = 2000
_CHUNK_BYTES = 65536


class Output:
    """Copies pipes in threads. Ray stores this process's output in files and serves them."""

    def __init__(self):
        self._lines = collections.deque(maxlen=_TAIL_LINES)
        self._lock = threading.Lock()
        self._threads = []
        # Last event of runner.py, such as {"phase": "failed", ...}; None before the first.
        self.event = None

    def copy(self, pipe, descriptor):
        """Starts copying `pipe` to the file with this number, until the pipe ends."""
        thread = threading.Thread(target=self._copy, args=(pipe, descriptor), daemon=True)
        thread.start()
        self._threads.append(thread)

    def wait(self, seconds):
        """Waits for the end of all pipes, which processes that left the group may keep open."""
        for thread in self._threads:
            thread.join(seconds)

    def tail(self):
        """Returns the last lines, oldest first."""
        with self._lock:
            return list(self._lines)

    def _copy(self, pipe, descriptor):
        rest = ""
        while chunk := os.read(pipe.fileno(), _CHUNK_BYTES):
            _write_all(descriptor, chunk)
            # Progress bars end their lines with "\r" alone.
            *lines, rest = re.split(r"\r\n|\n|\r", rest + chunk.decode("utf-8", "replace"))
            rest = rest[-_LONGEST_LINE:]
            for line in lines:
                self._keep(line)
        self._keep(rest)

    def _keep(self, line):
        before, mark, document = line.rpartition(_MARK)
        if mark:
            try:
                self.event = json.loads(document)
                line = before
            except ValueError:
                pass  # ordinary output of the script
        if line.strip():
            with self._lock:
                self._lines.append(line[:_LONGEST_LINE])


def _write_all(descriptor, data):
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        pass  # a full disk must not end the app
