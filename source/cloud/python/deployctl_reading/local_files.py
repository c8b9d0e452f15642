"""Files next to a script that a replica needs."""

import ast
import glob
import os

_MOST_FILES = 2000
_SKIPPED = ("__pycache__", "node_modules", "venv")


def files_of(file, tree, words, patterns, modules):
    """Returns paths relative to the script's folder, the script first: modules it imports (and
    their imports) or names, files that it opens or passes to programs by name, and `patterns`.
    """
    folder = os.path.dirname(file)
    found = {os.path.basename(file): None}
    waiting = [(file, tree)]
    for word in list(words) + _opened(tree):
        _add(word, folder, found, waiting)
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), pattern), recursive=True)):
            if os.path.isdir(path):
                _add_folder(path, folder, found, waiting)
            else:
                _add(os.path.relpath(path, folder), folder, found, waiting)
    for module in modules:
        _add_module(module, folder, found, waiting)
    while waiting:
        path, parsed = waiting.pop()
        parsed = _parsed(path) if parsed is None else parsed
        if parsed is not None:
            for module in _imported(parsed, os.path.relpath(path, folder)):
                _add_module(module, folder, found, waiting)
    return list(found)


def _add(name, folder, found, waiting):
    """Adds a file that the script names, if it is inside the folder."""
    if os.path.isabs(name) or "\0" in name or len(name) > 1000:
        return
    relative = os.path.normpath(name)
    path = os.path.join(folder, relative)
    inside = not relative.startswith(os.pardir) and relative not in found
    if inside and len(found) < _MOST_FILES and os.path.isfile(path):
        found[relative] = None
        if relative.endswith(".py"):
            waiting.append((path, None))


def _add_folder(path, folder, found, waiting):
    for place, folders, files in os.walk(path):
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in _SKIPPED)
        for name in sorted(files):
            if not name.endswith(".pyc"):
                _add(os.path.relpath(os.path.join(place, name), folder), folder, found, waiting)


def _add_module(name, folder, found, waiting):
    """Adds `a.b`, which is a/b.py or part of the package a."""
    parts = name.split(".")
    package = os.path.join(folder, parts[0])
    if os.path.isdir(package) and parts[0] not in _SKIPPED:
        is_package = os.path.isfile(os.path.join(package, "__init__.py"))
        inner = os.path.join(folder, *parts[:2])
        if is_package or (len(parts) > 1 and (os.path.isdir(inner) or os.path.isfile(inner + ".py"))):
            _add_folder(package, folder, found, waiting)
            return
    _add(parts[0] + ".py", folder, found, waiting)


def _imported(tree, relative):
    package = os.path.dirname(relative).replace(os.sep, ".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                yield "%s.%s" % (node.module, alias.name)
        elif isinstance(node, ast.ImportFrom) and node.level == 1 and not package:
            yield node.module or ""


def _opened(tree):
    """Returns file names in calls of open() and Path()."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            name = getattr(function, "id", None) or getattr(function, "attr", None)
            if name in ("open", "Path", "from_dockerfile") and isinstance(node.args[0].value, str):
                names.append(node.args[0].value)
    return names


def _parsed(path):
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read(), path)
    except (OSError, SyntaxError, ValueError):
        return None  # reported when something imports it
