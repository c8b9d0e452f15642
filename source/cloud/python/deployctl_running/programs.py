"""Programs started by the script, and the exit code of the last one it waited for."""

import os
import subprocess
import threading


class Programs:
    def __init__(self):
        self.name = None
        self.code = None
        self._started = {}

    def watch(self):
        """Starts recording in this process."""
        real_init = subprocess.Popen.__init__
        real_wait = subprocess.Popen.wait
        programs = self

        def __init__(self, args, *rest, **options):
            real_init(self, args, *rest, **options)
            programs._started[self.pid] = _name_of(args)

        def wait(self, timeout=None):
            code = real_wait(self, timeout)
            programs._note(self.pid, code)
            return code

        subprocess.Popen.__init__ = __init__
        subprocess.Popen.wait = wait

    def reap(self):
        """Collects programs that nobody waits for, once only the main thread is left."""
        if threading.active_count() > 1:
            return
        for pid in list(self._started):
            try:
                ended, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                del self._started[pid]  # waited for elsewhere
                continue
            if ended:
                self._note(pid, _code_of(status))

    def _note(self, pid, code):
        name = self._started.pop(pid, None)
        if name is not None:
            self.name = name
            self.code = code


def _name_of(args):
    first = args if isinstance(args, (str, bytes, os.PathLike)) else list(args)[0]
    words = os.fsdecode(first).split()
    return os.path.basename(words[0]) if words else ""


def _code_of(status):
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
