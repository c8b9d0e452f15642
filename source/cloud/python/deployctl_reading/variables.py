"""Environment variables that a script reads."""

import ast

from deployctl_reading import library
from deployctl_reading.values import Module, is_known
from deployctl_reading.variable_names import is_given, looks_secret


class EnvironmentReads:
    """Records, while a script is evaluated, the variables that each node of its tree reads."""

    def __init__(self):
        self._reads = {}

    def note(self, node, name, default=None, is_required=False, is_test=False):
        """Adds a read; an unknown name counts as unresolved. A test asks whether it is set."""
        read = self._reads.setdefault(id(node), _Read(node))
        if not isinstance(name, str):
            read.is_unresolved = True
        elif name:
            read.names.setdefault(name, default)
            read.is_required = is_required
            read.is_test = is_test

    def __iter__(self):
        return iter(self._reads.values())


class _Read:
    def __init__(self, node):
        self.node = node
        # Defaults by name, UNKNOWN or None.
        self.names = {}
        self.is_required = False
        self.is_test = False
        self.is_unresolved = False


def variables_of(tree, reader):
    """Returns the variables that a script reads, and the nodes that read variables of unknown name.

    Variables: [{name, value?, default?, secret?, set?, required?, missing?, line}] in file order.
    """
    found = {}
    unresolved = {}
    followed = {id(read.node) for read in reader.reads}
    for node in ast.walk(tree):
        name_node, default_node, kind = _read(node, reader)
        if name_node is None or id(node) in followed:
            continue
        # In a part of the script that has not been followed.
        name = reader.fold(name_node)
        default = None if default_node is None else reader.fold(default_node)
        reader.reads.note(node, name, default, kind == "required", kind == "test")
    with_fallback = _with_fallback(tree)
    for read in reader.reads:
        if read.is_unresolved:
            unresolved[read.node.lineno] = read.node
        for name, default in read.names.items():
            if is_given(name):
                continue
            line = read.node.lineno
            usual = {"name": name, "line": line, "required": True, "missing": True}
            entry = found.setdefault(name, usual)
            entry["line"] = min(entry["line"], line)
            if not read.is_required:
                entry["required"] = False
                if default is not None or read.is_test or id(read.node) in with_fallback:
                    entry["missing"] = False
            if isinstance(default, (str, int, float)) and not isinstance(default, bool):
                entry.setdefault("default", str(default))
    entries = sorted(found.values(), key=lambda one: one["line"])
    described = [describe(entry, reader.environment) for entry in entries]
    return described, [unresolved[line] for line in sorted(unresolved)]


def describe(entry, environment):
    """Adds the current value, except for secrets."""
    name = entry["name"]
    entry = {key: value for key, value in entry.items() if value is not False}
    if looks_secret(name):
        entry["secret"] = True
        entry.pop("default", None)
    if name in environment:
        entry["set"] = True
        entry.pop("required", None)
        entry.pop("missing", None)
        if not looks_secret(name):
            entry["value"] = environment[name]
    return entry


def _read(node, reader):
    """Returns the nodes of a variable's name and default, and the kind of the read."""
    if isinstance(node, ast.Call):
        function = _folded(node.func, reader)
        if isinstance(function, Module) and library.canonical(function.name) == "os.environ.get":
            arguments = list(node.args) + [one.value for one in node.keywords]
            return (arguments + [None])[0], (arguments + [None, None])[1], "lookup"
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if library.is_environment(_folded(node.value, reader)):
            key = node.slice
            return (key.value if type(key).__name__ == "Index" else key), None, "required"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        if library.is_environment(_folded(node.comparators[0], reader)):
            return node.left, None, "test"
    return None, None, "lookup"


def _with_fallback(tree):
    """Returns the ids of expressions that `or` replaces when they are empty."""
    alternatives = [
        node for node in ast.walk(tree) if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
    ]
    return {id(value) for node in alternatives for value in node.values[:-1]}


def _folded(node, reader):
    """Folds names and attributes only: other expressions may be calls, which would be recorded
    twice.
    """
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return reader.fold(node) if isinstance(inner, ast.Name) else None
