"""Process of the script's server: runner.py, as the leader of its own process group."""

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time

from deployctl_ray_wrapper import environment, ports, readiness
from deployctl_ray_wrapper.output import Output
from deployctl_ray_wrapper.settings import HOME
from deployctl_ray_wrapper.watchdog import Watchdog

_EAGER_SECONDS = 5
_EAGER_PAUSE_SECONDS = 0.025
_PAUSE_SECONDS = 0.25
# Time after opening its port at which a server that never answers HTTP counts as ready.
_SILENCE_SECONDS = 5
_OUTPUT_SECONDS = 2
_REPORT_SECONDS = 3


class StartFailed(Exception):
    """The process exited before it was ready, or was not ready in time.

    The message ends with the line of an "exited" event.
    """


class ServedProcess:
    """Starts at once. `wait_until_ready` before use, `end` after it."""

    def __init__(self, settings):
        self._settings = settings
        self._ended_for = None
        self._killing = None
        self.output = Output()
        self.port, self._reservation = ports.reserve()
        nonce = secrets.token_hex(16)
        self._watchdog = Watchdog(nonce)
        runner = [sys.executable, "-u", os.path.join(HOME, "runner.py")]
        script = os.path.join(settings.folder, settings.script)
        self._process = subprocess.Popen(
            runner + ["--script", script, "--target", settings.target],
            cwd=settings.folder,
            env=environment.of_process(settings, self.port, nonce),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._watchdog.watch(self._process.pid)
        self.output.copy(self._process.stdout, 1)
        self.output.copy(self._process.stderr, 2)

    def wait_until_ready(self):
        """Returns True for a server that answers HTTP, False for one that only accepts connections.

        Raises StartFailed, after which nothing of the process is left.
        """
        started = time.monotonic()
        deadline = started + self._settings.ready_timeout_s
        opened = None
        state = readiness.CLOSED
        while self.is_alive():
            state = self._state()
            if state == readiness.READY:
                return True
            now = time.monotonic()
            if state == readiness.CLOSED:
                opened = None
            elif opened is None:
                opened = now
            # A server that has answered once is loading.
            if state == readiness.LOADING:
                opened = deadline
            if state == readiness.SILENT and now - opened >= _SILENCE_SECONDS:
                return False
            if now >= deadline:
                self._ended_for = self._timeout(state)
                break
            time.sleep(_EAGER_PAUSE_SECONDS if now - started < _EAGER_SECONDS else _PAUSE_SECONDS)
        self.end()
        raise StartFailed(self._failure())

    def is_alive(self):
        """Returns True while the runner runs."""
        return self._process.poll() is None

    def wait(self):
        """Returns once the runner has exited."""
        self._process.wait()

    def give_up(self):
        """Kills the runner with its group soon. Does not wait.

        A server that has just ended leaves its runner a moment to report how.
        """
        if self._killing is None:
            self._killing = threading.Timer(_REPORT_SECONDS, self._kill)
            self._killing.daemon = True
            self._killing.start()

    def end(self):
        """Ends all processes of the replica: SIGTERM, and SIGKILL after the grace time."""
        if self.is_alive():
            self._signal(signal.SIGTERM)
            try:
                self._process.wait(self._settings.termination_grace_s)
            except subprocess.TimeoutExpired:
                pass  # the watchdog kills it
        self._watchdog.end()
        self._process.wait()
        self.output.wait(_OUTPUT_SECONDS)

    def exit_event(self):
        """Returns the facts of the exit as an event for the control plane.

        `code` or `signal`; `reason` and `sentence` if we ended it; `ending`, the last event of
        runner.py; `tail`, the last lines of its output.
        """
        code = self._process.poll()
        reason, sentence = self._ended_for or (None, None)
        return {
            "phase": "exited",
            "at": int(time.time() * 1000),
            "code": code if code is not None and code >= 0 else None,
            "signal": signal.Signals(-code).name if code is not None and code < 0 else None,
            "reason": reason,
            "sentence": sentence,
            "ending": self.output.event,
            "tail": self.output.tail(),
        }

    def _kill(self):
        if self.is_alive():
            self._signal(signal.SIGKILL)

    def _signal(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass  # it has just exited

    def _state(self):
        check = self._settings
        return readiness.state_of(self.port, check.health_path, check.health_status)

    def _timeout(self, state):
        port = self._settings.exposed_port
        if state == readiness.CLOSED:
            found = "it is not listening on port %d" % port
        else:
            found = "it is listening, but answers that it is not ready"
        limit = "%g s" % self._settings.ready_timeout_s
        return "startup_timeout", "It was not ready within %s: %s." % (limit, found)

    def _failure(self):
        event = self.exit_event()
        told = (event["ending"] or {}).get("sentence") or event["sentence"]
        if told is None:
            how = event["signal"] or "code %s" % event["code"]
            told = "The script ended with %s before its server was ready." % how
        lines = [told, *("  " + line for line in event["tail"])]
        return "\n".join(lines + [mark_line(event)])


def mark_line(event):
    """Returns an event as the control plane reads it from logs and messages."""
    return "@deployctl " + json.dumps(event)
