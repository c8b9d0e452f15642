"""Environment variables that a script reads."""

import ast

from deployctl_reading import library
from deployctl_reading.values import Module, is_known
from deployctl_reading.variable_names import is_given, looks_secret


class EnvironmentReads:
    """Records, while a script is evaluated, the variables that each node of its tree reads."""

    def __init__(self):
        self._reads = {}

    def note(self, node, name, default=None, is_required=False):
        """Adds a read; an unknown name counts as unresolved."""
        read = self._reads.setdefault(id(node), _Read(node))
        if not isinstance(name, str):
            read.is_unresolved = True
        elif name:
            read.names.setdefault(name, default if is_known(default) else None)
            read.is_required = is_required

    def __iter__(self):
        return iter(self._reads.values())


class _Read:
    def __init__(self, node):
        self.node = node
        # Defaults by name.
        self.names = {}
        self.is_required = False
        self.is_unresolved = False


def variables_of(tree, reader):
    """Returns the variables that a script reads, and the nodes that read variables of unknown name.

    Variables: [{name, value?, default?, secret?, set?, required?, line}] in file order.
    """
    found = {}
    unresolved = {}
    followed = {id(read.node) for read in reader.reads}
    for node in ast.walk(tree):
        name_node, default_node, is_required = _read(node, reader)
        if name_node is None or id(node) in followed:
            continue
        # In a part of the script that has not been followed.
        name = reader.fold(name_node)
        default = None if default_node is None else reader.fold(default_node)
        reader.reads.note(node, name, default, is_required)
    for read in reader.reads:
        if read.is_unresolved:
            unresolved[read.node.lineno] = read.node
        for name, default in read.names.items():
            if is_given(name):
                continue
            line = read.node.lineno
            entry = found.setdefault(name, {"name": name, "line": line, "required": True})
            entry["line"] = min(entry["line"], line)
            if not read.is_required:
                entry["required"] = False
            if isinstance(default, (str, int, float)) and not isinstance(default, bool):
                entry.setdefault("default", str(default))
    entries = sorted(found.values(), key=lambda one: one["line"])
    described = [describe(entry, reader.environment) for entry in entries]
    return described, [unresolved[line] for line in sorted(unresolved)]


def describe(entry, environment):
    """Adds the current value, except for secrets."""
    name = entry["name"]
    entry = {key: value for key, value in entry.items() if key != "required" or value}
    if looks_secret(name):
        entry["secret"] = True
        entry.pop("default", None)
    if name in environment:
        entry["set"] = True
        entry.pop("required", None)
        if not looks_secret(name):
            entry["value"] = environment[name]
    return entry


def _read(node, reader):
    """Returns the nodes of a variable's name and default, and True when the script requires it."""
    if isinstance(node, ast.Call):
        function = _folded(node.func, reader)
        if isinstance(function, Module) and library.canonical(function.name) == "os.environ.get":
            arguments = list(node.args) + [one.value for one in node.keywords]
            return (arguments + [None])[0], (arguments + [None, None])[1], False
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if library.is_environment(_folded(node.value, reader)):
            key = node.slice
            return (key.value if type(key).__name__ == "Index" else key), None, True
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        if library.is_environment(_folded(node.comparators[0], reader)):
            return node.left, None, False
    return None, None, False


def _folded(node, reader):
    """Folds names and attributes only: other expressions may be calls, which would be recorded
    twice.
    """
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return reader.fold(node) if isinstance(inner, ast.Name) else None
