"""Folding of comprehensions, and the elements that loops go through."""

import ast

from deployctl_reading import library
from deployctl_reading.scope import Scope
from deployctl_reading.values import UNKNOWN, is_known
from deployctl_reading.variable_names import is_given

# Limit for the elements of loops and comprehensions that are followed.
_MOST_ELEMENTS = 1000
# Name of no variable: a comprehension that selects it selects all variables.
_UNRELATED = "UNRELATED_VARIABLE"


def _is_own(name):
    return not is_given(name)


class Comprehensions:
    """Part of Folding, which has `fold` and `_reader`."""

    def _listcomp(self, node, scope):
        return self._comprehension(node, scope, lambda inner: self.fold(node.elt, inner))

    _generatorexp = _listcomp

    def _setcomp(self, node, scope):
        values = self._listcomp(node, scope)
        return set(values) if is_known(values) else UNKNOWN

    def _dictcomp(self, node, scope):
        def pair(inner):
            return (self.fold(node.key, inner), self.fold(node.value, inner))

        pairs = self._comprehension(node, scope, pair)
        if pairs is UNKNOWN or not is_known([key for key, _ in pairs]):
            return UNKNOWN
        return dict(pairs)

    def _comprehension(self, node, scope, element):
        """Returns the elements in order; UNKNOWN if their number is unknown."""
        scopes = [Scope(scope)]
        for generator in node.generators:
            found = []
            for outer in scopes:
                values = self._selected_variables(generator, outer)
                if values is None:
                    values = self.iterated(generator.iter, outer)
                if values is None:  # folded once, to record its calls and variables
                    inner = Scope(outer)
                    self._reader.bind(generator.target, UNKNOWN, inner)
                    element(inner)
                    return UNKNOWN
                for value in values:
                    if not self._reader.may_go_on():
                        return UNKNOWN
                    inner = Scope(outer)
                    self._reader.bind(generator.target, value, inner)
                    tests = [self.fold(test, inner) for test in generator.ifs]
                    if not is_known(tests):
                        element(inner)
                        return UNKNOWN
                    if all(tests):
                        found.append(inner)
            scopes = found
        return [element(inner) for inner in scopes]

    def _selected_variables(self, generator, scope):
        """Returns the variables that `for name, value in os.environ.items() if ...` selects, and
        records them; None for another iterable, or if all variables are selected.
        """
        node, method = generator.iter, "keys"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node, method = node.func.value, node.func.attr
        is_plain = isinstance(node, (ast.Name, ast.Attribute)) and method in ("keys", "items")
        if not is_plain or not library.is_environment(self.fold(node, scope)):
            return None
        names = [_UNRELATED] + sorted(filter(_is_own, self._reader.environment))
        selected = [name for name in names if self._selects(generator, method, name, scope)]
        if not generator.ifs or _UNRELATED in selected:
            return None
        for name in selected:
            self._reader.reads.note(generator.iter, name)
        return [self._variable(method, name) for name in selected]

    def _selects(self, generator, method, name, scope):
        """Returns True if the comprehension may select the variable."""
        inner = Scope(scope)
        self._reader.bind(generator.target, self._variable(method, name), inner)
        tests = [self.fold(test, inner) for test in generator.ifs]
        return not is_known(tests) or all(tests)

    def _variable(self, method, name):
        return name if method == "keys" else (name, self._reader.environment.get(name, ""))

    def iterated(self, node, scope):
        """Returns the elements of an iterable; None if they are unknown or too many."""
        value = self.fold(node, scope)
        if library.is_environment(value):
            self._reader.reads.note(node, UNKNOWN)
            return None
        if isinstance(value, (list, tuple, dict, str)) or (isinstance(value, set) and is_known(value)):
            values = sorted(value, key=repr) if isinstance(value, set) else list(value)
            return values if len(values) <= _MOST_ELEMENTS else None
        return None
