"""Functions and classes of a Modal app that a replica can serve."""

from deployctl import _modal_options

from deployctl_reading.values import Function, Target


def of_function(decorator, node, parts, scope):
    """Returns the target of @app.function."""
    target = _target(decorator, node, parts, scope)
    if "web_server" not in parts:
        target.options["serve"] = True
        target.endpoints = _endpoints({"": parts})
    return target


def of_class(decorator, node, parts, inside, scope):
    """Returns the target of @app.cls. `inside`: the scope of the class's body."""
    members = inside.names.items()
    methods = {name: one.parts for name, one in members if isinstance(one, Function)}
    for of_method in methods.values():
        parts = dict(parts, **of_method)
    target = _target(decorator, node, parts, scope)
    if "port" not in target.options:
        target.endpoints = _endpoints(methods)
    return target


def first_line(node):
    """Returns the line of the first decorator, where the configuration is."""
    return min([node.lineno] + [one.lineno for one in node.decorator_list])


def _target(decorator, node, parts, scope):
    app = decorator.app
    options = _modal_options.read_options(decorator.options, parts, app)
    line = first_line(node)
    target = Target(node.name, decorator.kind, "modal", line, options, node, scope)
    target.is_web = "port" in options or any(one in parts for one in _modal_options.WEB_PARTS)
    for name in _modal_options.unknown_secrets(decorator.options, app):
        sentence = (
            "The variables of Modal's secret %s are not known; store each with `deployctl secrets set "
            "NAME=VALUE` and use --secret NAME" % name
        )
        target.warnings.append(("secret_unknown", sentence))
    return target


def _endpoints(methods):
    """Returns the paths that are served: web endpoints or, if there are none, methods."""
    web = {
        name: parts["fastapi_endpoint"].get("method", "GET")
        for name, parts in methods.items()
        if "fastapi_endpoint" in parts
    }
    if any(part in parts for parts in methods.values() for part in ("asgi_app", "wsgi_app")):
        return []  # the web app has its own routes
    if len(web) == 1:
        return [{"path": "/", "method": method} for method in web.values()]
    called = {name: "POST" for name, parts in methods.items() if name == "" or "method" in parts}
    return [{"path": "/" + name, "method": method} for name, method in (web or called).items()]
