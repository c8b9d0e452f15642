"""Static reader, which follows a script from top to bottom without running it."""

import ast
import os

from deployctl_reading import library, targets
from deployctl_reading.commands import Commands
from deployctl_reading.folding import Folding, call_of_python
from deployctl_reading.scope import (
    Scope,
    bind_parameters,
    bound_names,
    global_names,
    is_import_of,
    is_left_early,
)
from deployctl_reading.values import UNKNOWN, Decorator, Function, Method, Module, Target, is_known
from deployctl_reading.variables import EnvironmentReads

_DEEPEST_CALL = 8
# Limit for statements in nested calls, after which calls are no longer followed.
_MOST_STATEMENTS = 20_000


class Reader:
    """Reads a script. `targets` are deployable objects by name, in file order; `functions` the
    other functions; `commands` the programs it runs.
    """

    def __init__(self, file, tree, environment):
        self.file = file
        self.folder = os.path.dirname(file)
        self.environment = environment
        self.commands = Commands()
        self.reads = EnvironmentReads()
        self.targets = {}
        self.functions = {}
        self._folding = Folding(self)
        self._depth = 0
        self._seen = 0
        self.scope = Scope()
        self.scope.set("__name__", "__deployctl__")
        self.scope.set("__file__", file)
        self._forgotten = global_names(tree)
        self._statements(tree.body, self.scope)

    def follow(self, target):
        """Follows the functions that a replica runs, to find their programs."""
        self.commands.begin()
        if isinstance(target.node, ast.ClassDef):
            for node in target.node.body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._body_of(Function(node, target.scope), [], {})
        elif target.node is not None:
            self._body_of(Function(target.node, target.scope), [], {})

    def fold(self, node):
        """Folds an expression in the scope at the end of the script."""
        return self._folding.fold(node, self.scope)

    def called(self, function, arguments, keywords, node):
        """Returns the result of a call, and records programs and apps."""
        if isinstance(function, Function):
            return self._body_of(function, arguments, keywords)
        if isinstance(function, Decorator):
            first = arguments[0] if arguments else UNKNOWN
            return targets.decorated(function, first, self.scope)
        if isinstance(function, Method):
            return library.call_method(function.owner, function.name, arguments, keywords, node)
        if not isinstance(function, Module):
            return UNKNOWN
        self.commands.note(function.name, arguments, keywords)
        value = library.call(function.name, arguments, keywords, node, self)
        return call_of_python(function.name, arguments, keywords) if value is UNKNOWN else value

    def _body_of(self, function, arguments, keywords):
        """Returns the result of one of the script's functions."""
        if self._depth >= _DEEPEST_CALL or self._seen > _MOST_STATEMENTS:
            return UNKNOWN
        node = function.node
        scope = Scope(function.scope)
        bind_parameters(node.args, arguments, keywords, scope, self._folding)
        self._depth += 1
        try:
            returned = self._statements(node.body, scope)
        finally:
            self._depth -= 1
        if isinstance(node, ast.AsyncFunctionDef) or returned is _FALLS_THROUGH:
            return UNKNOWN
        return returned

    def _statements(self, statements, scope):
        """Returns the returned value, UNKNOWN if undecided, _FALLS_THROUGH if nothing is returned."""
        for index, statement in enumerate(statements):
            self._seen += 1
            method = getattr(self, "_" + type(statement).__name__.lower(), None)
            returned = _FALLS_THROUGH if method is None else method(statement, scope)
            if returned is not _FALLS_THROUGH:
                if returned is UNKNOWN:  # the rest may run, so it is read too
                    self._statements(statements[index + 1 :], scope)
                return returned
        return _FALLS_THROUGH

    def _expr(self, node, scope):
        self._folding.fold(node.value, scope)
        return _FALLS_THROUGH

    def _return(self, node, scope):
        return None if node.value is None else self._folding.fold(node.value, scope)

    def _assign(self, node, scope):
        value = self._folding.fold(node.value, scope)
        for place in node.targets:
            self.bind(place, value, scope)
        return _FALLS_THROUGH

    def _annassign(self, node, scope):
        if node.value is not None:
            self.bind(node.target, self._folding.fold(node.value, scope), scope)
        return _FALLS_THROUGH

    def _augassign(self, node, scope):
        if isinstance(node.target, ast.Name):
            name = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node)
            whole = ast.copy_location(ast.BinOp(left=name, op=node.op, right=node.value), node)
            self.bind(node.target, self._folding.fold(whole, scope), scope)
        else:
            self.bind(node.target, UNKNOWN, scope)
        return _FALLS_THROUGH

    def bind(self, place, value, scope):
        """Binds the target of an assignment or a loop."""
        if isinstance(place, ast.Name):
            forgets = scope is self.scope and place.id in self._forgotten
            scope.set(place.id, UNKNOWN if forgets else value)
            if isinstance(value, Target) and scope is self.scope:
                self.targets[place.id] = targets.renamed(value, place.id)
        elif isinstance(place, (ast.Tuple, ast.List)):
            fits = isinstance(value, (list, tuple)) and len(value) == len(place.elts)
            for index, element in enumerate(place.elts):
                starred = isinstance(element, ast.Starred)
                inner = element.value if starred else element
                self.bind(inner, value[index] if fits and not starred else UNKNOWN, scope)
        elif isinstance(place, ast.Subscript):
            self._bind_part(place, value, scope)

    def _bind_part(self, place, value, scope):
        owner = self._folding.fold(place.value, scope)
        key = self._folding.key(place.slice, scope)
        if isinstance(owner, dict) and isinstance(key, (str, int)):
            owner[key] = value
        elif isinstance(place.value, ast.Name) and not isinstance(owner, Module):
            scope.forget(place.value.id)

    def _delete(self, node, scope):
        for place in node.targets:
            self.bind(place, UNKNOWN, scope)
        return _FALLS_THROUGH

    def _global(self, node, scope):
        scope.globals.update(node.names)
        return _FALLS_THROUGH

    def _import(self, node, scope):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.set(alias.asname or name, Module(name))
        return _FALLS_THROUGH

    def _importfrom(self, node, scope):
        for alias in node.names:
            whole = "%s%s.%s" % ("." * node.level, node.module or "", alias.name)
            scope.set(alias.asname or alias.name, Module(whole))
        return _FALLS_THROUGH

    def _functiondef(self, node, scope):
        decorators = self._decorators(node, scope)
        function = Function(node, scope, targets.parts_of(decorators))
        target = targets.of_function(node, decorators, scope)
        scope.set(node.name, function if target is None else target)
        if scope is self.scope:
            if target is not None:
                self.targets[node.name] = target
            self.functions[node.name] = function
        return _FALLS_THROUGH

    _asyncfunctiondef = _functiondef

    def _classdef(self, node, scope):
        bases = [self._folding.fold(base, scope) for base in node.bases]
        inside = Scope(scope)
        self._statements(node.body, inside)
        keywords = self._folding.keywords(node.keywords, scope)
        decorators = self._decorators(node, scope)
        target = targets.of_class(node, bases, keywords, decorators, inside, scope)
        scope.set(node.name, UNKNOWN if target is None else target)
        if target is not None and scope is self.scope:
            self.targets[node.name] = target
        return _FALLS_THROUGH

    def _decorators(self, node, scope):
        return [self._folding.fold(one, scope) for one in node.decorator_list]

    def _if(self, node, scope):
        test = self._folding.fold(node.test, scope)
        if is_known(test):
            return self._statements(node.body if test else node.orelse, scope)
        branches = [scope.copy(), scope.copy()]
        returned = [
            self._statements(body, branch)
            for body, branch in zip((node.body, node.orelse), branches)
        ]
        scope.join(branches)
        return _FALLS_THROUGH if set(map(id, returned)) == {id(_FALLS_THROUGH)} else UNKNOWN

    def _for(self, node, scope):
        values = self._folding.iterated(node.iter, scope)
        if values is not None and not is_left_early(node):
            return self._followed_loop(node, values, scope)
        self.bind(node.target, UNKNOWN, scope)
        return self._loop(node, scope)

    def _followed_loop(self, node, values, scope):
        """Reads the body for each element, for its calls and variables; bound names are unknown
        afterwards.
        """
        for value in values:
            if self._seen > _MOST_STATEMENTS:
                break
            branch = scope.copy()
            self.bind(node.target, value, branch)
            if self._statements(node.body, branch) is not _FALLS_THROUGH:
                return UNKNOWN
        for name in bound_names(node):
            scope.forget(name)
        return self._statements(node.orelse, scope)

    def may_go_on(self):
        """Counts one step of a comprehension; returns False beyond the limit."""
        self._seen += 1
        return self._seen <= _MOST_STATEMENTS

    def _while(self, node, scope):
        self._folding.fold(node.test, scope)
        return self._loop(node, scope)

    _asyncfor = _for

    def _loop(self, node, scope):
        """Reads the body once; names it binds are unknown inside and afterwards."""
        for name in bound_names(node):
            scope.forget(name)
        returned = self._statements(node.body, scope)
        for name in bound_names(node):
            scope.forget(name)
        self._statements(node.orelse, scope)
        return _FALLS_THROUGH if returned is _FALLS_THROUGH else UNKNOWN

    def _with(self, node, scope):
        for item in node.items:
            self._folding.fold(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, UNKNOWN, scope)
        return self._statements(node.body, scope)

    _asyncwith = _with

    def _try(self, node, scope):
        returned = self._statements(node.body, scope)
        for handler in node.handlers:
            branch = scope.copy()
            self._statements(handler.body, branch)
            for name in bound_names(handler):
                if not is_import_of(name, node.body):
                    scope.forget(name)
        self._statements(node.orelse, scope)
        self._statements(node.finalbody, scope)
        return _FALLS_THROUGH if returned is _FALLS_THROUGH else UNKNOWN

    _trystar = _try


_FALLS_THROUGH = object()
