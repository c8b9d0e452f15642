"""Loading of the script and its target."""

import importlib.util
import linecache
import os
import sys
import types

from deployctl_running.failure import Failure, of_error, of_syntax


def load(script):
    """Runs the script's top level as a module of its own name, so that its objects can be pickled
    for other processes; `if __name__ == "__main__"` does not run. Raises Failure.
    """
    try:
        with open(script, "rb") as file:
            source = file.read()
    except OSError as error:
        raise Failure(
            "script_missing", "%s cannot be read: %s" % (script, error.strerror)
        ) from error
    try:
        code = compile(source, script, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise of_syntax(error, script) from error
    except ValueError as error:  # NUL bytes, before Python 3.12
        raise Failure("syntax_error", "%s is not Python source: %s" % (script, error)) from error
    module = types.ModuleType(_module_name(script))
    module.__file__ = script
    module.__spec__ = importlib.util.spec_from_file_location(module.__name__, script)
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except Exception as error:
        raise of_error(error, script, "script_error") from error
    return module


def find(module, target):
    """Returns a function without arguments that runs the target. Raises Failure."""
    missing = object()
    found = getattr(module, target, missing)
    name = os.path.basename(module.__file__)
    if found is missing:
        raise Failure("target_missing", "%s has no %s" % (name, target), module.__file__)
    run = getattr(found, "__deployctl_run__", None)
    if run is not None:
        _check_arguments(getattr(found, "raw_func", None), target, found)
        return run
    if not callable(found) or isinstance(found, type):
        sentence = "%s in %s is not a function or an app" % (target, name)
        raise Failure("target_missing", sentence, module.__file__)
    _check_arguments(found, target, found)
    from deployctl import _loop

    return lambda: _loop.call(found)


def _check_arguments(function, target, found):
    if function is None or getattr(found, "options", {}).get("serve"):
        return
    if _is_plain(function):
        return
    import inspect  # rarely needed, and slow to import

    try:
        inspect.signature(function).bind()
    except TypeError as error:
        code = getattr(function, "__code__", None)
        sentence = "%s() cannot be called without arguments: %s" % (target, error)
        if code is None:
            raise Failure("target_missing", sentence) from error
        file, line = code.co_filename, code.co_firstlineno
        text = linecache.getline(file, line).strip()
        raise Failure("target_missing", sentence, file, line, text) from error


def _is_plain(function):
    """Returns True for a function that obviously needs no arguments."""
    if type(function) is not types.FunctionType or function.__dict__:
        return False  # an attribute may name another function, whose arguments count
    return function.__code__.co_argcount == function.__code__.co_kwonlyargcount == 0


def _module_name(script):
    name = os.path.splitext(os.path.basename(script))[0]
    return "__deployctl__" if name in sys.modules or name in _names_of_python() else name


def _names_of_python():
    return getattr(sys, "stdlib_module_names", sys.builtin_module_names)
