"""Builds a virtual environment with a script's requirements, once.

    python3 -I -B build_environment.py FOLDER REQUIREMENT...

FOLDER is built completely or not at all: the file `complete` is written last, and a failed build is
removed. Builds of the same folder wait for each other. When one is killed, the system releases its
lock, and the next one starts over. Output of venv and pip goes to standard output. Exit codes:
0 built; 1 failed.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys

COMPLETE = "complete"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = os.path.abspath(sys.argv[1])
    requirements = sys.argv[2:]
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(os.path.join(folder, COMPLETE)):
            return 0
        return build(folder, requirements)


def build(folder, requirements):
    """Builds the folder, under the caller's lock, and returns the exit code."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        run([sys.executable, "-m", "venv", folder])
        python = os.path.join(folder, "bin", "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        run(pip + ["--progress-bar", "off", "--"] + requirements)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, (OSError, subprocess.CalledProcessError)):
            print("failed: %s" % error, flush=True)
            return 1
        raise
    with open(os.path.join(folder, COMPLETE), "w") as file:
        file.write("\n".join(requirements) + "\n")
    return 0


def run(command):
    print("$ " + " ".join(command), flush=True)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)


if __name__ == "__main__":
    sys.exit(main())
