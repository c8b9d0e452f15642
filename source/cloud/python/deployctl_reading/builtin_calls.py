"""Calls of Python's own functions, evaluated when their arguments are known."""

import json
import os.path
import platform
import shlex
import textwrap

# Limit for results, in characters or elements: larger ones could exhaust memory.
LONGEST = 1 << 20


def _bounded_range(*arguments):
    numbers = range(*arguments)
    if len(numbers) > 10_000:
        raise ValueError("too long")
    return list(numbers)


FUNCTIONS = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "len": len,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "sorted": sorted,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "round": round,
    "repr": repr,
    "range": _bounded_range,
    "enumerate": lambda *arguments, **keywords: list(enumerate(*arguments, **keywords)),
    "zip": lambda *arguments: list(zip(*arguments)),
    "json.dumps": json.dumps,
    "json.loads": json.loads,
    "textwrap.dedent": textwrap.dedent,
    "shlex.split": shlex.split,
    "shlex.quote": shlex.quote,
    "os.path.join": os.path.join,
    "os.path.dirname": os.path.dirname,
    "os.path.basename": os.path.basename,
    "os.path.abspath": os.path.abspath,
    "os.path.realpath": os.path.realpath,
    "platform.machine": platform.machine,
    "platform.system": platform.system,
}

_TEXT = (
    "capitalize endswith format join lower lstrip replace rsplit rstrip split splitlines "
    "startswith strip title upper rpartition partition encode decode format_map count find"
)
_METHODS = {
    str: frozenset(_TEXT.split()),
    bytes: frozenset(("decode", "strip")),
    dict: frozenset("get keys values items copy update setdefault pop".split()),
    list: frozenset("append extend insert copy index count pop remove sort reverse".split()),
    tuple: frozenset(("index", "count")),
    set: frozenset(("add", "update", "union", "copy")),
}

# Methods that change a container, which may then have unknown parts.
CHANGING = frozenset("append extend insert update setdefault add".split())


def has_method(value, name):
    """Returns True when a method of a known value may be called."""
    return name in _METHODS.get(type(value), ())


def is_small(value):
    """Returns True for a result within the limit."""
    if isinstance(value, (str, bytes, list, tuple, dict, set)):
        return len(value) <= LONGEST
    if isinstance(value, int):
        return abs(value) < 1 << 256
    return True
