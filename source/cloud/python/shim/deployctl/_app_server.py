"""HTTP server for functions and class endpoints, on the replica's port."""

import inspect
import sys

import deployctl
from deployctl import _exits, _loop


class Route:
    """Path and the function that answers it."""

    def __init__(self, path, function, is_websocket=False, is_health_check=False):
        self.path = path
        self.function = function
        self.is_websocket = is_websocket
        self.is_health_check = is_health_check


def serve_function(function):
    """Serves one function at "/" until the replica ends."""
    serve([Route("/", function)])


def serve_app(cls):
    """Sets an app up, serves its endpoints, and tears it down when the replica ends."""
    app = cls()
    routes = routes_of(app)
    if not routes:
        raise ValueError("%s has no endpoint: decorate a method with @fal.endpoint" % cls.__name__)
    _loop.run(app.setup)
    _exits.add(lambda: _loop.run(app.handle_exit))
    try:
        serve(routes)
    finally:
        _loop.run(app.teardown)


def routes_of(app):
    """Returns the endpoints of an app, including those of its base classes."""
    routes = {}
    for name, member in inspect.getmembers(type(app), callable):
        facts = getattr(member, "__deployctl_route__", None)
        if facts is not None:
            routes[facts["path"]] = Route(
                facts["path"], getattr(app, name), facts["is_websocket"], facts["is_health_check"]
            )
    if routes and "/health" not in routes:
        routes["/health"] = Route("/health", app.health, is_health_check=True)
    return list(routes.values())


def serve(routes):
    """Serves routes until the replica ends, with FastAPI if it is installed."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        from deployctl import _json_server as server
    else:
        from deployctl import _fastapi_server as server
    print("deployctl: serving %s" % ", ".join(route.path for route in routes), file=sys.stderr)
    server.serve(routes, deployctl.port())
