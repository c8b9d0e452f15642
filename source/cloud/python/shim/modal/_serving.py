"""HTTP server for Modal's functions and classes, on the replica's port."""

import types

import deployctl
from deployctl import _app_server, _loop
from deployctl._modal_options import WEB_PARTS
from modal._decorators import parts_of


class Served:
    """Function that answers requests, with its decorators. `name`: "" for a plain function."""

    def __init__(self, name, function, parts):
        self.name = name
        self.function = function
        self.parts = parts
        self.web = next((part for part in WEB_PARTS if part in parts), None)


def of_instance(instance):
    """Returns the web endpoints of a class's instance or, if it has none, its methods."""
    found = {}
    for base in reversed(type(instance).__mro__):
        for name, value in vars(base).items():
            if hasattr(value, "raw_func"):
                function = types.MethodType(value.raw_func, instance)
                found[name] = Served(name, function, parts_of(value))
    web = [one for one in found.values() if one.web is not None]
    return web or [one for one in found.values() if {"method", "batched"} & set(one.parts)]


def serve(served):
    """Serves until the replica ends.

    The only web endpoint is at "/"; several, and methods, are at "/NAME".
    """
    apps = [one for one in served if one.web in ("asgi_app", "wsgi_app")]
    if apps and len(served) > 1:
        names = ", ".join(one.name for one in served)
        raise ValueError("a replica serves one web app; move each to its own class: %s" % names)
    if not served:
        raise ValueError("the class has no web endpoint and no method: add @modal.method()")
    port = deployctl.port()
    if served[0].web == "asgi_app":
        _serve_asgi(_loop.run(served[0].function), port)
    elif served[0].web == "wsgi_app":
        from modal import _wsgi_server

        _wsgi_server.serve(_loop.run(served[0].function), port)
    elif served[0].web is not None:
        _serve_asgi(_fastapi_app(served), port)
    else:
        _app_server.serve(
            [_app_server.Route("/" + one.name, one.function) for one in served]
        )


def _serve_asgi(app, port):
    try:
        from deployctl import _uvicorn_server
    except ImportError as error:
        raise _lacks("uvicorn") from error
    _loop.wait(_uvicorn_server.server_of(app, port).serve())


def _fastapi_app(served):
    try:
        import fastapi
        from fastapi.middleware.cors import CORSMiddleware
    except ImportError as error:
        raise _lacks("fastapi[standard]") from error
    options = [one.parts[one.web] for one in served]
    has_docs = any(one.get("docs") for one in options)
    app = fastapi.FastAPI(
        docs_url="/docs" if has_docs else None,
        redoc_url=None,
        openapi_url="/openapi.json" if has_docs else None,
    )
    anyone = {"allow_origins": ["*"], "allow_methods": ["*"], "allow_headers": ["*"]}
    app.add_middleware(CORSMiddleware, allow_credentials=True, **anyone)
    for one, keywords in zip(served, options):
        path = "/" if len(served) == 1 else "/" + one.name
        app.add_api_route(path, one.function, methods=[keywords.get("method", "GET")])
    return app


def _lacks(package):
    return ImportError(
        "the replica needs %s: add .pip_install(%r) to the image" % (package.split("[")[0], package)
    )
