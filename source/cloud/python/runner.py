"""Runs one replica: loads a script and calls the object in it that is deployed.

    python3 -u runner.py --script FILE --target NAME

FILE is the script inside the bundle, NAME what stands behind `::`. Spawn it as the leader of a
process group of its own, with standard input from /dev/null and standard output and error in
files. The working folder is the bundle's. Nothing has to be put on PYTHONPATH: the runner puts
`shim/` first there, for itself and for every Python that the script starts.

Environment that the runner reads (all given by whoever spawns it):

    PORT, DEPLOYCTL_PORT     the replica's own port P, on 127.0.0.1
    DEPLOYCTL_PORT_MAP       "8000:P": what the script says, and what it gets; more, by commas
    DEPLOYCTL_PORT_REWRITE   auto (default): arguments of programs that are not Python are rewritten
                             argv: those of all programs; none: no port map at all
    DEPLOYCTL_NONCE          tells which processes belong to the replica, in /proc/PID/environ;
                             drawn by the runner when it is missing
    DEPLOYCTL_REPLICA        the replica's id          (deployctl.replica_id())
    DEPLOYCTL_BIND_ANY=1     leaves 0.0.0.0 and :: as they are; otherwise they become loopback
    DEPLOYCTL_EVENTS=off     prints none of the lines below
    DEPLOYCTL_REAL_FAL=1     lets the script import an installed `fal` in place of ours

Everything else of the environment is the script's.

What it prints: lines on standard output that hold `@deployctl {json}`, possibly behind unfinished
text of the script, each with `phase` and `at` (milliseconds since 1970):

    {"phase": "importing", "script": "deploy.py"}
    {"phase": "calling", "target": "serve"}
    {"phase": "returned", "program": "vllm", "code": 1}
                             the target returned; program and code (negative: a signal) of the last
                             program that it waited for, where there was one
    {"phase": "holding", "processes": 2, "listening": true}
                             it returned, and something of it still lives: the replica goes on
                             what lived ends later: "returned" is told again, with its program
    {"phase": "terminating"} SIGTERM or SIGINT arrived; clean-up functions run
    {"phase": "failed", "reason": "...", "sentence": "...", "file": "...", "line": 12, "text": "..."}
                             file, line and text where known; the traceback is on standard error

Reasons and exit codes:

     0  returned             the target returned, nothing of the replica lives, nothing listens
     c  returned             the same, and the last program it waited for had ended with code c > 0;
                             128 + n when signal n ended it
    64  usage                wrong arguments or environment
    65  syntax_error         the script is no Python of this version
    66  script_missing       there is no such script
    67  target_missing       the script has no such object, or it cannot be called without arguments
    68  import_error         a module is missing, or lacks a name
    69  script_error         the script's top level raised
    70  exception            the target raised
    71  port_conflict        the target raised: the address is in use
    72  out_of_memory        the target raised: no memory, of the machine or of a GPU
   127  missing_executable   the script called a program that is not there
   143  terminated           SIGTERM, after the clean-up functions; 130 after SIGINT
     n  exited               the script called sys.exit(n)

A target that returns ends the replica, unless a process of its group (or one with the same nonce)
lives, a thread that is no daemon lives, or its port is listened on: then the runner stays until all
have gone, and exits as if the target had returned then. On SIGTERM, which is sent to the whole group, the runner runs clean-up
functions, lets the processes of the group finish, and exits; SIGKILL ends what does not.
"""

import argparse
import os
import sys

from deployctl_running import failure, script
from deployctl_running.ending import Ending, end
from deployctl_running.events import tell
from deployctl_running.failure import Failure
from deployctl_running.programs import Programs

HOME = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HOME, "shim")


def main():
    try:
        code = run(sys.argv[1:])
    except Failure as problem:
        failure.print_traceback(problem)
        tell(
            "failed",
            reason=problem.reason,
            sentence=problem.sentence,
            file=problem.file,
            line=problem.line,
            text=problem.text,
        )
        code = problem.exit_code
    except SystemExit as exit:
        code = _code_of_exit(exit.code)
    _run_exits()
    end(code)


def run(words):
    """The exit code. Raises Failure, and SystemExit when the script or SIGTERM ends it."""
    arguments = _read_arguments(words)
    path = os.path.abspath(arguments.script)
    _prepare_paths(path)
    port = _install_ports()
    programs = Programs()
    programs.watch()
    nonce = os.environ.setdefault("DEPLOYCTL_NONCE", os.urandom(16).hex())
    ending = Ending(nonce, port, programs)
    ending.install()
    tell("importing", script=os.path.basename(path))
    module = script.load(path)
    call = script.find(module, arguments.target)
    tell("calling", target=arguments.target)
    try:
        call()
    except Exception as error:
        raise failure.of_error(error, path, "exception") from error
    tell("returned", program=programs.name, code=programs.code)
    if ending.hold():
        tell("returned", program=programs.name, code=programs.code)
    return _code_of_program(programs.code)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure("usage", "runner.py: " + message)


def _read_arguments(words):
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--script", required=True)
    parser.add_argument("--target", required=True)
    return parser.parse_args(words)


def _prepare_paths(path):
    """What `python script.py` would see, with the shim before everything that is installed."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != HOME]
    sys.path.insert(0, SHIM)
    sys.path.insert(0, os.path.dirname(path))
    sys.path.append(os.getcwd())
    rest = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = SHIM + os.pathsep + rest if rest else SHIM
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    if sys.prefix != sys.base_prefix:  # a virtual environment: its programs come first
        programs = os.path.join(sys.prefix, "bin")
        os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", os.defpath)
        os.environ["VIRTUAL_ENV"] = sys.prefix
    # The bundle is shared and stays as it is.
    sys.dont_write_bytecode = True
    # Processes of `multiprocessing` load the main module again by its file: that is no script.
    sys.modules["__main__"].__dict__.pop("__file__", None)


def _install_ports():
    """The replica's port, or None. Raises Failure."""
    from deployctl import _ports, _programs

    try:
        _ports.install()
        _programs.install()
        port = os.environ.get("DEPLOYCTL_PORT") or os.environ.get("PORT")
        return int(port) if port else None
    except ValueError as error:
        raise Failure("usage", str(error)) from error


def _run_exits():
    if "deployctl" in sys.modules:
        from deployctl import _exits

        _exits.run_all()


def _code_of_exit(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _code_of_program(code):
    if not code:
        return 0
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    main()
