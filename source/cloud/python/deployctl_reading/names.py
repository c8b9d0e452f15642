"""Names that statements bind."""

import ast

from deployctl_reading.values import UNKNOWN


def bind_parameters(parameters, arguments, keywords, scope, folding):
    """Binds the parameters of a function to the arguments of a call."""
    names = [one.arg for one in parameters.posonlyargs + parameters.args]
    for name, default in zip(reversed(names), reversed(parameters.defaults)):
        scope.set(name, folding.fold(default, scope.outer))
    for one, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
        scope.set(one.arg, UNKNOWN if default is None else folding.fold(default, scope.outer))
    for name in names:
        if name not in scope.names:
            scope.forget(name)
    for name, value in list(zip(names, arguments)) + list(keywords.items()):
        scope.set(name, value)
    for one in (parameters.vararg, parameters.kwarg):
        if one is not None:
            scope.forget(one.arg)


def bound_names(node):
    """Returns the names that a statement and those in it bind."""
    names = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
            names.add(child.id)
        elif isinstance(child, ast.alias):
            names.add((child.asname or child.name).split(".")[0])
    return names


def is_left_early(loop):
    """Returns True for a loop whose body may not run to its end."""
    ways = (ast.Break, ast.Continue)
    return any(isinstance(child, ways) for child in ast.walk(loop))


def is_import_of(name, statements):
    """Detects `try: import x / except ImportError: x = None`, where the import counts."""
    return any(
        isinstance(one, (ast.Import, ast.ImportFrom)) and name in bound_names(one)
        for one in statements
    )


def global_names(tree):
    """Returns names of the module that functions rebind."""
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Global)
        for name in node.names
    }
