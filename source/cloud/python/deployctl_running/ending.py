"""The end of a replica: signals, clean-up functions, and what happens when its target returns."""

import os
import signal
import sys
import threading
import time

from deployctl_running import group
from deployctl_running.events import tell

# A server thread needs a moment from its start until its port opens.
_GRACE_SECONDS = 2
_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1
# How long the script may go on by itself once its programs have ended.
_SCRIPT_SECONDS = 2
# How long threads may hold up the end of the process.
_THREADS_SECONDS = 3


class Ending:
    def __init__(self, nonce, port, programs):
        self._nonce = nonce
        self._port = port
        self._programs = programs
        self._process = os.getpid()
        self._has_begun = False
        self._code = 0

    def install(self):
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)  # of a terminal: to the group as well

    def hold(self):
        """Returns once nothing of the replica lives besides the runner, and nothing listens.

        True when something did."""
        has_told = False
        pause = _PAUSE_SECONDS
        is_serving = threading.active_count() > 1 and not self._has_begun
        patience = _GRACE_SECONDS if is_serving else 0
        deadline = time.monotonic() + patience
        while True:
            self._programs.reap()
            processes = group.living(self._nonce)
            threads = _threads()
            listens = not processes and group.listens(self._port)
            if processes or threads or listens:
                if not has_told:
                    tell("holding", processes=len(processes), listening=group.listens(self._port))
                    has_told = True
            elif time.monotonic() >= deadline:
                return has_told
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)

    def _on_signal(self, number, _):
        if os.getpid() != self._process:  # a forked child, which has this handler from its parent
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        if self._has_begun:
            raise SystemExit(self._code)
        self._has_begun = True
        self._code = 128 + number
        tell("terminating")
        from deployctl import _exits

        _exits.run_all()
        if not group.living(self._nonce):
            raise SystemExit(self._code)
        # subprocess.run kills its program when it is interrupted. The program has had SIGTERM
        # too: it ends in its own time, and the script with it.
        threading.Thread(target=self._end_after_programs, daemon=True).start()

    def _end_after_programs(self):
        while group.living(self._nonce):
            time.sleep(_PAUSE_SECONDS)
        time.sleep(_SCRIPT_SECONDS)
        os.kill(self._process, signal.SIGTERM)


def end(code):
    """Ends the process, also when threads of the script would go on for ever."""

    def give_up():
        time.sleep(_THREADS_SECONDS)
        os._exit(code)

    threading.Thread(target=give_up, daemon=True).start()
    sys.exit(code)


def _threads():
    """Threads that keep a Python alive, besides the main one."""
    main = threading.main_thread()
    return [one for one in threading.enumerate() if one is not main and not one.daemon]
