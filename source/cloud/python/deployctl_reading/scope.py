"""Scope of names in a script."""

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
