"""Audit hook that reports forbidden actions of a script: network, programs, file changes.

It only makes refusals readable, with a description and a line; code can get around it. The limits
are enforced by sandbox.py.
"""

import os
import sys

_REFUSED = {
    "socket.__new__": "use the network",
    "socket.connect": "connect to the network",
    "socket.bind": "listen on the network",
    "socket.sendto": "send to the network",
    "socket.sendmsg": "send to the network",
    "socket.getaddrinfo": "look up a host",
    "socket.gethostbyname": "look up a host",
    "subprocess.Popen": "start a program",
    "os.system": "start a program",
    "os.exec": "start a program",
    "os.posix_spawn": "start a program",
    "os.spawn": "start a program",
    "os.fork": "start a process",
    "os.forkpty": "start a process",
    "pty.spawn": "start a program",
    "os.kill": "signal a process",
    "os.killpg": "signal a process",
    "webbrowser.open": "open a browser",
}
# Events whose paths must be in the temporary folder, with the number of their path arguments.
_CHANGES = {
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.utime": 1,
    "os.setxattr": 1,
    "os.removexattr": 1,
    "shutil.rmtree": 1,
    "shutil.move": 2,
    "shutil.chown": 1,
    "shutil.make_archive": 1,
    "shutil.unpack_archive": 2,
    "tempfile.mkstemp": 1,
    "tempfile.mkdtemp": 1,
    "sqlite3.connect": 1,
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class GuardRefused(PermissionError):
    """Forbidden action and its place."""

    def __init__(self, action, place):
        super().__init__("reading the configuration may not %s" % action)
        self.action = action
        self.place = place


class Guard:
    """Installs the hook; `refused` lists refused actions: (action, file, line)."""

    def __init__(self, temporary, script):
        self._temporary = os.path.join(os.path.realpath(temporary), "")
        self._folder = os.path.join(os.path.dirname(script), "")
        self._is_on = False
        self.refused = []

    def install(self):
        sys.addaudithook(self._hook)
        self._is_on = True

    def lift(self):
        """Turns the hook off, once the script has run."""
        self._is_on = False

    def _hook(self, event, arguments):
        if not self._is_on:
            return
        action = self._action(event, arguments)
        if action is None:
            return
        place = self._place()
        self.refused.append((action,) + place)
        raise GuardRefused(action, place)

    def _action(self, event, arguments):
        """Describes a forbidden action; returns None for an allowed one."""
        if event in _REFUSED:
            return _REFUSED[event]
        if event == "open":
            path, mode, flags = (tuple(arguments) + (None, None, None))[:3]
            writes = isinstance(flags, int) and flags & _WRITES
            writes = writes or (isinstance(mode, str) and any(one in mode for one in "wax+"))
            return "write %s" % (path,) if writes and not self._may_change(path) else None
        if event in _CHANGES:
            paths = arguments[: _CHANGES[event]]
            outside = [path for path in paths if not self._may_change(path)]
            return "change %s" % (outside[0],) if outside else None
        if event == "ctypes.dlopen" and arguments and arguments[0]:
            return "load the library %s" % (arguments[0],)
        return None

    def _may_change(self, path):
        if isinstance(path, int):  # already open
            return True
        if path is None or path == ":memory:":
            return True
        try:
            whole = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return False
        return os.path.join(whole, "").startswith(self._temporary) or whole == os.devnull

    def _place(self):
        frame = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(self._folder):
                return file, frame.f_lineno
            frame = frame.f_back
        return None, None
