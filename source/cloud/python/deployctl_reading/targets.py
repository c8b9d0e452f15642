"""Deployable objects of a script."""

import ast
import os

from deployctl import _modal_options, _options

from deployctl_reading import library, modal_targets
from deployctl_reading.problem import Problem
from deployctl_reading.values import UNKNOWN, Decorator, Function, ModalPart, Module, Target, is_known

_BARE = ("fal.function", "deployctl.app")


def of_function(node, decorators, scope):
    """Returns the target that a decorated function makes, or None."""
    for decorator in decorators:
        if isinstance(decorator, Module) and library.canonical(decorator.name) in _BARE:
            decorator = library.decorator(decorator.name, [], {}, node.lineno)
        if isinstance(decorator, Decorator):
            return _target(decorator, node, scope, parts_of(decorators))
    return None


def parts_of(decorators):
    """Returns the keywords of Modal's decorators by name."""
    return {one.name: one.keywords for one in decorators if isinstance(one, ModalPart)}


def of_class(node, bases, keywords, decorators, inside, scope):
    """Returns the target that a class makes, or None."""
    for decorator in decorators:
        if isinstance(decorator, Decorator) and decorator.dialect == "modal":
            return modal_targets.of_class(decorator, node, parts_of(decorators), inside, scope)
    for base in bases:
        is_fal = isinstance(base, Module) and library.canonical(base.name) == "fal.App"
        if is_fal or (isinstance(base, Target) and base.kind == "app"):
            return _app(node, base, keywords, inside, scope)
    return None


def decorated(decorator, given, scope):
    """Returns the result of a decorator that is called with a function."""
    if isinstance(given, Function):
        return _target(decorator, given.node, scope, given.parts)
    return UNKNOWN


def renamed(target, name):
    """Renames a target after the name it is assigned to."""
    target.name = name
    return target


def check(target, file, lines):
    """Returns Findings about keywords without effect here. Raises Problem for refused ones."""
    options = target.options
    given = {name: options[name] for name in options if name not in _OF_DECORATOR}
    try:
        if target.dialect == "modal":
            return _modal_options.check(given)
        if target.dialect == "deployctl":
            return _options.check_own(given)
        if target.kind == "app":
            return _options.check_fal_app(given)
        kind = target.options.get("kind", "virtualenv")
        return _options.check_fal_function(kind if isinstance(kind, str) else "container", given)
    except ValueError as error:
        text = str(error)
        end = "" if text.endswith("?") else "."
        raise Problem(
            "keyword_invalid",
            "%s:%d: %s%s" % (os.path.basename(file), target.line, text, end),
            "Fix the decorator of %s." % target.name,
            file,
            target.line,
            lines[target.line - 1].strip() if target.line <= len(lines) else None,
        ) from error


# Parameters of fal's decorator itself; "*" stands for keywords only known by running the script.
_OF_DECORATOR = ("kind", "host", "*")


def choose(reader, name, file):
    """Returns the target of that name, or the only one. Raises Problem with the choices."""
    if name is not None:
        found = reader.targets.get(name)
        return found if found is not None else _plain(reader, name, file)
    every = list(reader.targets.values())
    every = [one for one in every if one.is_web] or every
    apps = [one for one in every if one.kind == "app" and one.dialect == "fal"]
    choices = apps if len(apps) == 1 else every
    if len(choices) == 1:
        return choices[0]
    script = os.path.basename(file)
    if choices:
        raise Problem(
            "target_unclear",
            "%s has %d deployable objects." % (script, len(choices)),
            "Name one: %s." % _list(script, [one.name for one in choices]),
            file,
        )
    raise Problem(
        "target_unclear",
        "%s has no function marked for deployment." % script,
        "Name one: %s." % _list(script, reader.functions)
        if reader.functions
        else "Define a function that starts a server, and put @deployctl.app(port=8000) above it.",
        file,
    )


def _plain(reader, name, file):
    function = reader.functions.get(name)
    if function is not None:
        return Target(name, "function", "none", function.node.lineno, {}, function.node, reader.scope)
    bound = reader.scope.get(name, None)
    if bound is UNKNOWN or isinstance(bound, Module):
        return None  # defined, but only known by running the script
    script = os.path.basename(file)
    names = list(reader.targets) + [one for one in reader.functions if one not in reader.targets]
    raise Problem(
        "target_missing",
        "%s has no function %s." % (script, name)
        if bound is None
        else "%s in %s is not a function or an app." % (name, script),
        "Use %s." % _list(script, names) if names else "Define a function in it.",
        file,
    )


def _list(script, names):
    shown = ["%s::%s" % (script, name) for name in list(names)[:8]]
    return ", ".join(shown) + (", …" if len(names) > 8 else "")


def _target(decorator, node, scope, parts):
    if decorator.dialect == "modal":
        return modal_targets.of_function(decorator, node, parts, scope)
    return Target(
        node.name,
        decorator.kind,
        decorator.dialect,
        modal_targets.first_line(node),
        dict(decorator.options),
        node,
        scope,
    )


def _app(node, base, keywords, inside, scope):
    of_base = base.options if isinstance(base, Target) else {}
    options = _options.read_fal_app(node.name, of_base, keywords, inside.names)
    line = modal_targets.first_line(node)
    target = Target(node.name, "app", "fal", line, options, node, scope)
    target.endpoints = list(base.endpoints) if isinstance(base, Target) else []
    own = [one for method in node.body for one in _endpoints(method, scope)]
    for endpoint in own:
        if endpoint.pop("is_health_check"):
            options["health_path"] = endpoint["path"]
    target.endpoints += own
    return target


def _endpoints(method, scope):
    """Yields the constant paths of a method's endpoints."""
    for decorator in getattr(method, "decorator_list", []):
        if not isinstance(decorator, ast.Call):
            continue
        name = _dotted(decorator.func, scope)
        if name not in ("fal.endpoint", "fal.realtime"):
            continue
        first = decorator.args[0] if decorator.args else None
        default = "/realtime" if name == "fal.realtime" else None
        path = first.value if isinstance(first, ast.Constant) else default
        checks = any(keyword.arg == "health_check" for keyword in decorator.keywords)
        if isinstance(path, str):
            method_name = "WebSocket" if name == "fal.realtime" else "POST"
            yield {"path": path, "method": method_name, "is_health_check": checks}


def _dotted(node, scope):
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, scope)
        return None if owner is None else library.canonical(owner + "." + node.attr)
    value = scope.get(node.id) if isinstance(node, ast.Name) else None
    return library.canonical(value.name) if isinstance(value, Module) else None


def config_of(target, ignored):
    """Returns the known options, and the names of those only known by running the script."""
    config = {}
    dynamic = []
    for name, value in target.options.items():
        if is_known(value):
            config[name] = value
        elif name not in ignored and (name != "image" or value is UNKNOWN):
            dynamic.append(name)
    return config, dynamic
