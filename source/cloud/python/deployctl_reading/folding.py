"""Constant folding of expressions."""

import ast
import copy
import operator
import os
import sys

from deployctl_reading import builtin_calls, library
from deployctl_reading.comprehensions import Comprehensions
from deployctl_reading.values import UNKNOWN, Function, Method, Module, is_known

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
}
_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
_CONVERT = {-1: lambda value: value, 115: str, 114: repr, 97: ascii}
_OF_PYTHON = tuple(name for name in builtin_calls.FUNCTIONS if "." not in name) + ("open", "print")

_HARMLESS = _OF_PYTHON + tuple("subprocess os asyncio json shlex sys logging fal deployctl modal".split())


class Folding(Comprehensions):
    """Folds expressions. `reader` is the Reader of the whole script, which handles calls."""

    def __init__(self, reader):
        self._reader = reader

    def fold(self, node, scope):
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            return self._unseen(node, scope)
        try:
            value = method(node, scope)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return UNKNOWN  # raises when it runs, and is reported then
        except RecursionError:
            return UNKNOWN  # too deep for configuration
        return value if builtin_calls.is_small(value) else UNKNOWN

    def _unseen(self, node, scope):
        """Handles an unsupported expression; calls inside it are still recorded."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.fold(child, scope)
        return UNKNOWN

    def _constant(self, node, scope):
        return UNKNOWN if isinstance(node.value, (complex, type(Ellipsis))) else node.value

    def _name(self, node, scope):
        return scope.get(node.id, Module(node.id) if node.id in _OF_PYTHON else UNKNOWN)

    def _joinedstr(self, node, scope):
        parts = [self.fold(part, scope) for part in node.values]
        return "".join(parts) if is_known(parts) else UNKNOWN

    def _formattedvalue(self, node, scope):
        value = self.fold(node.value, scope)
        spec = "" if node.format_spec is None else self.fold(node.format_spec, scope)
        if not is_known([value, spec]):
            return UNKNOWN
        return format(_CONVERT[node.conversion](value), spec)

    def _list(self, node, scope):
        return self._elements(node, scope)

    def _tuple(self, node, scope):
        elements = self._elements(node, scope)
        return UNKNOWN if elements is UNKNOWN else tuple(elements)

    def _set(self, node, scope):
        elements = self._elements(node, scope)
        return set(elements) if is_known(elements) else UNKNOWN

    def _elements(self, node, scope):
        elements = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                more = self.fold(element.value, scope)
                if isinstance(more, (list, tuple)):
                    elements.extend(more)
                else:
                    elements.append(UNKNOWN)
            else:
                elements.append(self.fold(element, scope))
        return elements

    def _dict(self, node, scope):
        result = {}
        for key_node, value_node in zip(node.keys, node.values):
            value = self.fold(value_node, scope)
            if key_node is not None:
                key = self.fold(key_node, scope)
                if not is_known(key):
                    return UNKNOWN
                result[key] = value
            elif isinstance(value, dict):
                result.update(value)
            else:
                return UNKNOWN
        return result

    def _binop(self, node, scope):
        left = self.fold(node.left, scope)
        right = self.fold(node.right, scope)
        if isinstance(node.op, ast.Mult) and not _is_modest_product(left, right):
            return UNKNOWN
        # Joins lists with unknown parts too: the first words of a command are enough.
        joins = isinstance(left, list) and isinstance(right, list) and isinstance(node.op, ast.Add)
        if not joins and not is_known([left, right]):
            if isinstance(node.op, ast.Add) and isinstance(left, list):
                return left + [UNKNOWN]
            return UNKNOWN
        operation = _BINARY.get(type(node.op))
        return UNKNOWN if operation is None else operation(left, right)

    def _unaryop(self, node, scope):
        value = self.fold(node.operand, scope)
        operation = _UNARY.get(type(node.op))
        return operation(value) if operation is not None and is_known(value) else UNKNOWN

    def _boolop(self, node, scope):
        stops = isinstance(node.op, ast.Or)
        value = UNKNOWN
        for part in node.values:
            value = self.fold(part, scope)
            if not is_known(value):
                return UNKNOWN
            if bool(value) == stops:
                return value
        return value

    def _compare(self, node, scope):
        left = self.fold(node.left, scope)
        for op, right_node in zip(node.ops, node.comparators):
            right = self.fold(right_node, scope)
            if library.is_environment(right):
                self._reader.reads.note(node, left, is_test=True)
                if not is_known(left):
                    return UNKNOWN
                right = self._reader.environment.keys()
            elif not is_known([left, right]):
                return UNKNOWN
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node, scope):
        test = self.fold(node.test, scope)
        if not is_known(test):
            one, other = self.fold(node.body, scope), self.fold(node.orelse, scope)
            return one if is_known([one, other]) and one == other else UNKNOWN
        return self.fold(node.body if test else node.orelse, scope)

    def _namedexpr(self, node, scope):
        value = self.fold(node.value, scope)
        scope.set(node.target.id, value)
        return value

    def _attribute(self, node, scope):
        return self._member(self.fold(node.value, scope), node.attr)

    def _member(self, owner, name):
        if isinstance(owner, Module):
            return self._of_module(owner.name + "." + name)
        if isinstance(owner, type(sys.version_info)):
            return getattr(owner, name)
        return Method(owner, name) if library.has_methods(owner) else UNKNOWN

    def _of_module(self, name):
        known = {
            "sys.version_info": sys.version_info,
            "sys.platform": sys.platform,
            "sys.executable": library.OWN_PYTHON,
            "os.sep": os.sep,
            "os.name": os.name,
        }
        return known.get(name, Module(name))

    def _subscript(self, node, scope):
        owner = self.fold(node.value, scope)
        key = self.key(node.slice, scope)
        if library.is_environment(owner) and isinstance(node.ctx, ast.Load):
            self._reader.reads.note(node, key, is_required=True)
            return self._reader.environment.get(key, UNKNOWN) if is_known(key) else UNKNOWN
        if owner is UNKNOWN or not (is_known(key) or isinstance(key, slice)):
            return UNKNOWN
        return owner[key]

    def key(self, node, scope):
        """Folds the index or slice of a subscript."""
        if type(node).__name__ == "Index":  # before Python 3.9
            node = node.value
        if not isinstance(node, ast.Slice):
            return self.fold(node, scope)
        ends = [self.fold(one, scope) if one else None for one in (node.lower, node.upper, node.step)]
        return slice(*ends) if is_known(ends) else UNKNOWN

    def _await(self, node, scope):
        self.fold(node.value, scope)
        return UNKNOWN

    def keywords(self, nodes, scope):
        """Folds keyword arguments by name; "*" stands for unknown ones."""
        keywords = {}
        for node in nodes:
            value = self.fold(node.value, scope)
            if node.arg is not None:
                keywords[node.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                keywords.update(value)
            else:
                keywords["*"] = UNKNOWN
        return keywords

    def _call(self, node, scope):
        arguments = self._elements(ast.List(elts=node.args), scope)
        keywords = self.keywords(node.keywords, scope)
        if isinstance(node.func, ast.Attribute):
            owner = self.fold(node.func.value, scope)
            if builtin_calls.has_method(owner, node.func.attr):
                return self._method(owner, node.func.attr, arguments, keywords)
            function = self._member(owner, node.func.attr)
        else:
            function = self.fold(node.func, scope)
        value = self._reader.called(function, arguments, keywords, node)
        if value is UNKNOWN and not _leaves_arguments(function):
            self._forget_arguments(node, scope)
        return value

    def _method(self, owner, name, arguments, keywords):
        changes = name in builtin_calls.CHANGING
        if not changes and not is_known([owner, arguments, keywords]):
            return UNKNOWN
        if name == "extend" and not isinstance(arguments[0], (list, tuple)):
            owner.append(UNKNOWN)
            return None
        if name == "update" and arguments and not isinstance(arguments[0], dict):
            return UNKNOWN
        result = getattr(owner, name)(*arguments, **keywords)
        return list(result) if type(result).__name__.startswith("dict_") else result

    def _forget_arguments(self, node, scope):
        """Forgets lists that a function may change, because it is not followed."""
        for argument in node.args:
            if isinstance(argument, ast.Name) and isinstance(scope.get(argument.id), (list, dict)):
                scope.forget(argument.id)


def call_of_python(name, arguments, keywords):
    """Returns the result of one of Python's own functions."""
    function = builtin_calls.FUNCTIONS.get(name)
    if function is None or not is_known([arguments, keywords]):
        return UNKNOWN
    return function(*copy.deepcopy(arguments), **copy.deepcopy(keywords))


def _leaves_arguments(function):
    """Returns True for a function known not to change its arguments."""
    if isinstance(function, Module):
        return function.name.split(".")[0] in _HARMLESS
    return isinstance(function, (Function, Method))


def _is_modest_product(left, right):
    for one, count in ((left, right), (right, left)):
        if isinstance(one, (str, bytes, list, tuple)):
            return isinstance(count, int) and len(one) * count <= builtin_calls.LONGEST
    return True
