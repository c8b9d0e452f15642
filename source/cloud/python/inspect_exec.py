"""Runs a script's top level for configuration that cannot be read statically.

    python3 -I -S inspect_exec.py FILE NAME confined|unconfined

Start it with a clean environment, in an empty temporary folder, with a time limit. Prints one JSON
document: {"findings": {...}}, the inspection's fields that are known now, or {"problem": {...}} as
inspect_ast.py does. "confined" enters a sandbox first; without one, nothing runs and
{"unenforced": "why"} is printed. The script's output goes to standard error.
"""

import json
import os
import sys

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HOME)

from deployctl_guard.audit import Guard, GuardRefused  # noqa: E402
from deployctl_guard.findings import findings_of  # noqa: E402
from deployctl_guard.sandbox import Unenforced, confine  # noqa: E402
from deployctl_guard.stubs import StubFinder  # noqa: E402
from deployctl_reading.masking import mask_inspection, masked, secrets_of  # noqa: E402
from deployctl_reading.problem import Problem  # noqa: E402
from deployctl_running.failure import of_error  # noqa: E402

_CPU_SECONDS = 20
_LARGEST_FILE_BYTES = 16 << 20


def main():
    file, name, mode = sys.argv[1:4]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    secrets = secrets_of(os.environ)
    try:
        findings = run(os.path.abspath(file), name, mode == "confined")
        answer = {"findings": mask_inspection(findings, secrets)}
    except Problem as problem:
        answer = {"problem": masked(problem.document, secrets)}
    except Unenforced as reason:
        answer = {"unenforced": str(reason)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
    os._exit(0)  # ignores the script's threads and atexit functions


def run(file, name, is_confined):
    """Returns the findings of the target after running the script. Raises Problem, and Unenforced
    before it runs.
    """
    _limit()
    if is_confined:
        confine(os.getcwd())
    guard = Guard(os.getcwd(), file)
    stubs = StubFinder(os.path.dirname(file))
    sys.path.remove(HOME)
    sys.path.insert(0, os.path.join(HOME, "shim"))
    sys.path.insert(0, os.path.dirname(file))
    sys.meta_path.append(stubs)
    with open(file, "rb") as opened:
        source = opened.read()
    namespace = {"__name__": "__deployctl__", "__file__": file, "__builtins__": __builtins__}
    sys.dont_write_bytecode = True  # nothing is written next to the script's modules
    guard.install()
    try:
        exec(compile(source, file, "exec", dont_inherit=True), namespace)
    except (Exception, SystemExit) as error:
        guard.lift()
        raise _problem_of(error, file) from error
    guard.lift()
    document = None if name not in namespace else findings_of(namespace[name], name, file)
    if document is None:
        script = os.path.basename(file)
        raise Problem(
            "target_missing",
            "%s in %s is not a function or an app." % (name, script)
            if name in namespace
            else "%s has no function %s, even after running." % (script, name),
            None,
            file,
        )
    document["stubbed"] = stubs.names
    document["warnings"] = [_refusal(*one) for one in guard.refused]
    return document


def _limit():
    try:
        import resource
    except ImportError:  # not on every system
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE_BYTES, _LARGEST_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _problem_of(error, file):
    failure = of_error(error, file, "script_error")
    if isinstance(error, GuardRefused):
        return Problem(
            "guard_refused",
            "%s: loading the script tries to %s." % (_place(failure), error.action),
            "Move that into the function, or make the decorator's values constants.",
            failure.file,
            failure.line,
            failure.text,
        )
    name = _missing_variable(error)
    if name is not None:
        return Problem(
            failure.reason,
            "%s: reads %s, which is not set." % (_place(failure), name),
            "Use --env %s=VALUE." % name,
            failure.file,
            failure.line,
            failure.text,
        )
    sentence = failure.sentence
    if isinstance(error, SystemExit):
        sentence = "%s: loading the script exits Python." % _place(failure)
    return Problem(
        failure.reason,
        sentence,
        "The script was run to read its configuration. Make the decorator's values constants, or set "
        "them with flags.",
        failure.file,
        failure.line,
        failure.text,
    )


def _missing_variable(error):
    """Returns the name in an error of `os.environ[name]`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    owner = None if trace is None else trace.tb_frame.f_locals.get("self")
    return error.args[0] if isinstance(error, KeyError) and owner is os.environ else None


def _refusal(action, file, line):
    place = "%s:%d" % (os.path.basename(file), line) if file else "The script"
    sentence = "%s tried to %s while its configuration was read, which is not allowed." % (place, action)
    return {"code": "guard_refused", "sentence": sentence, **({"line": line} if line else {})}


def _place(failure):
    return "%s:%s" % (os.path.basename(failure.file or "the script"), failure.line or "?")


if __name__ == "__main__":
    main()
