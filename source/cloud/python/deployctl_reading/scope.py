"""Scope of names in a script, and the names that its statements bind."""

import ast

from deployctl_reading.values import UNKNOWN


class Scope:
    """Known values of names; missing names are looked up in the outer scope."""

    def __init__(self, outer=None):
        self.names = {}
        self.outer = outer
        self.globals = set()

    def get(self, name, otherwise=UNKNOWN):
        """Returns the value of a name; `otherwise` for an unbound one."""
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return otherwise

    def set(self, name, value):
        if name in self.globals:
            self.root.names[name] = value
        else:
            self.names[name] = value

    def forget(self, name):
        """Binds the name to an unknown value."""
        self.set(name, UNKNOWN)

    @property
    def root(self):
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def copy(self):
        """Returns a copy for a branch that may not run."""
        branch = Scope(self.outer)
        branch.names = dict(self.names)
        branch.globals = self.globals
        return branch

    def join(self, branches):
        """Merges branches of which one runs; values they agree on stay known."""
        names = {name for branch in branches for name in branch.names}
        for name in names:
            first = branches[0].names.get(name, UNKNOWN)
            same = all(_is_same(branch.names.get(name, UNKNOWN), first) for branch in branches)
            self.names[name] = first if same else UNKNOWN


def _is_same(one, other):
    if one is other:
        return True
    plain = (str, int, float, bool, bytes, type(None), list, tuple, dict, set)
    return isinstance(one, plain) and type(one) is type(other) and one == other


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
