"""Failure of a script, with a reason, an exit code, a sentence and a place."""

import errno
import linecache
import os
import traceback

EXIT_CODES = {
    "usage": 64,
    "syntax_error": 65,
    "script_missing": 66,
    "target_missing": 67,
    "import_error": 68,
    "script_error": 69,
    "exception": 70,
    "port_conflict": 71,
    "out_of_memory": 72,
    "missing_executable": 127,
}


class Failure(Exception):
    """Ends the runner. `error` is the script's exception, if any."""

    def __init__(self, reason, sentence, file=None, line=None, text=None, error=None):
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
        self.file = file
        self.line = line
        self.text = text
        self.error = error

    @property
    def exit_code(self):
        return EXIT_CODES[self.reason]


def of_syntax(error, script):
    """Returns the failure of a file that is not valid Python; without a file name in the error,
    the script.
    """
    text = (error.text or "").strip() or None
    file = error.filename or script
    place = os.path.basename(file) + (":%d" % error.lineno if error.lineno else "")
    sentence = "%s: %s%s" % (place, error.msg, ": " + text if text else "")
    return Failure("syntax_error", sentence, file, error.lineno, text, error)


def of_error(error, script, otherwise):
    """Returns the failure for the script's exception. `otherwise` is the reason if none fits
    better.
    """
    if isinstance(error, SyntaxError):
        return of_syntax(error, script)
    reason = _reason_of(error, otherwise)
    file, line = _place_of(error, script)
    text = linecache.getline(file, line).strip() or None if file else None
    place = "%s:%d: " % (os.path.basename(file), line) if file else ""
    if reason == "missing_executable":
        what = "the program %r is not on the replica's PATH" % (_program_of(error),)
    else:
        what = "".join(traceback.format_exception_only(type(error), error)).strip().split("\n")[-1]
    return Failure(reason, place + what, file, line, text, error)


def print_traceback(failure):
    """Prints the script's own part of the traceback to standard error."""
    error = failure.error
    if error is None:
        return
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    # Syntax errors have no frame in the script; their message has the place.
    traceback.print_exception(type(error), error, trace)


def _reason_of(error, otherwise):
    if isinstance(error, ImportError):
        return "import_error"
    if isinstance(error, MemoryError) or "CUDA out of memory" in str(error):
        return "out_of_memory"
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "port_conflict"
    if isinstance(error, FileNotFoundError) and _program_of(error) is not None:
        return "missing_executable"
    return otherwise


def _program_of(error):
    """Returns the program that could not be started; None for a file that could not be opened."""
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        place = (os.path.basename(frame.f_code.co_filename), frame.f_code.co_name)
        if place == ("subprocess.py", "_execute_child"):
            return os.fsdecode(error.filename or "")
        if place in _EXEC_FRAMES:  # errors without a file name
            return os.fsdecode(frame.f_locals[_EXEC_FRAMES[place]])
        trace = trace.tb_next
    return None


# Functions that replace the process, with the variable that holds the program's name.
_EXEC_FRAMES = {
    ("os.py", "_execvpe"): "file",
    ("<frozen os>", "_execvpe"): "file",
    ("_programs.py", "execv"): "path",
    ("_programs.py", "execve"): "path",
}


def _place_of(error, script):
    """Returns the innermost line in the script or a file next to it."""
    folder = os.path.join(os.path.dirname(script), "")
    found = (None, None)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == script or frame.filename.startswith(folder):
            if not _is_ours(frame.filename) and "site-packages" not in frame.filename:
                found = (frame.filename, frame.lineno)
    return found


def _is_ours(file):
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.abspath(file).startswith(os.path.join(home, "")) or file.startswith("<frozen ")
