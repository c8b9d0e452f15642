"""Files next to a script that a replica needs."""

import ast
import glob
import os

_MOST_FILES = 2000
_ABOVE = os.pardir + os.sep
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


def files_outside(tree, reader, words):
    """Returns [(name, line)] of files above the script's folder that it reads or passes to programs:
    a replica has only the folder.
    """
    found = {}
    for call in _openings(tree):
        name = reader.fold(call.args[0])
        if isinstance(name, str) and not _is_written(call) and _is_outside(name, call, reader.folder):
            found.setdefault(name, call.lineno)
    for node in ast.walk(tree):
        name = node.value if isinstance(node, ast.Constant) else None
        if isinstance(name, str) and name.startswith(_ABOVE) and name in words:
            found.setdefault(name, node.lineno)
    return sorted(found.items(), key=lambda one: one[1])


def _is_outside(name, call, folder):
    """Returns True for a path above the folder. Absolute ones count only if made of `__file__`."""
    own = any(isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(call.args[0]))
    if os.path.isabs(name) and not own:
        return False
    relative = os.path.relpath(os.path.join(folder, name), folder)
    return relative == os.pardir or relative.startswith(_ABOVE)


def _is_written(call):
    """Returns True for open() with a mode that needs no such file."""
    modes = call.args[1:2] + [one.value for one in call.keywords if one.arg == "mode"]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
    return any(isinstance(text, str) and set(text) & set("wax") for text in texts)


def _opened(tree):
    """Returns constant file names in calls of open() and Path()."""
    names = [call.args[0] for call in _openings(tree)]
    return [
        name.value
        for name in names
        if isinstance(name, ast.Constant) and isinstance(name.value, str)
    ]


def _openings(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            function = node.func
            name = getattr(function, "id", None) or getattr(function, "attr", None)
            if name in ("open", "Path", "from_dockerfile"):
                yield node


def _parsed(path):
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read(), path)
    except (OSError, SyntaxError, ValueError):
        return None  # reported when something imports it
