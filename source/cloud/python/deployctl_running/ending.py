"""End of a replica: signals, clean-up functions, and waiting after the target has returned."""

import os
import signal
import sys
import threading
import time

from deployctl_running import group
from deployctl_running.events import tell

# Time that a server thread needs from its start until its port opens.
_GRACE_SECONDS = 2
_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1
# Time that the script may keep running once its programs have exited.
_SCRIPT_SECONDS = 2
# Time that threads may delay the exit of the process.
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
        signal.signal(signal.SIGINT, self._on_signal)  # from a terminal, sent to the group as well

    def hold(self):
        """Waits until only the runner is left of the replica, and its port is closed. Returns True
        if it had to wait.
        """
        has_told = False
        pause = _PAUSE_SECONDS
        is_serving = threading.active_count() > 1 and not self._has_begun
        deadline = time.monotonic() + (_GRACE_SECONDS if is_serving else 0)
        while True:
            processes = group.living(self._nonce)
            # Reaps after listing, so that a program that ends in between is noticed.
            self._programs.reap()
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
        if os.getpid() != self._process:  # a forked child, which inherits this handler
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
        # subprocess.run kills its program when it is interrupted. The program gets SIGTERM too, so
        # it exits in its own time, and the script with it.
        threading.Thread(target=self._end_after_programs, daemon=True).start()

    def _end_after_programs(self):
        while group.living(self._nonce):
            time.sleep(_PAUSE_SECONDS)
        time.sleep(_SCRIPT_SECONDS)
        os.kill(self._process, signal.SIGTERM)


def end(code):
    """Ends the process, even if the script's threads never stop."""

    def give_up():
        time.sleep(_THREADS_SECONDS)
        os._exit(code)

    threading.Thread(target=give_up, daemon=True).start()
    sys.exit(code)


def _threads():
    """Returns threads that keep Python running, besides the main one."""
    main = threading.main_thread()
    return [one for one in threading.enumerate() if one is not main and not one.daemon]
