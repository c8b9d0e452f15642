"""fal.App and the decorators of its endpoints."""

from deployctl import _options, _request
from fal._function import IsolatedFunction


class App:
    """Base class of apps, with options as class keywords or attributes."""

    __deployctl_options__ = {}
    __deployctl_dialect__ = "fal"

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__()
        base = cls.__deployctl_options__
        options = _options.read_fal_app(cls.__name__, base, keywords, vars(cls))
        for member in vars(cls).values():
            route = getattr(member, "__deployctl_route__", {})
            if route.get("is_health_check"):
                options["health_path"] = route["path"]
        _options.check_fal_app(options).tell()
        cls.__deployctl_options__ = options
        cls.app_name = options["app_name"]

    def setup(self):
        """Runs once, before the replica takes requests."""

    def teardown(self):
        """Runs after the last request."""

    def handle_exit(self):
        """Runs as soon as the replica is told to stop."""

    def provide_hints(self):
        """Kept for compatibility."""
        return []

    def health(self):
        """Answers GET /health."""
        return {"status": "ok"}

    @property
    def current_request(self):
        """Returns the request that is being answered; None outside one."""
        headers = _request.headers.get()
        return None if headers is None else RequestContext(headers)

    @classmethod
    def __deployctl_run__(cls):
        """Runs in a replica."""
        from deployctl import _app_server

        return _app_server.serve_app(cls)

    @classmethod
    def run_local(cls, *_, **__):
        """Runs the app outside a replica."""
        return cls.__deployctl_run__()


class RequestContext:
    """Facts about a request; `headers` has their names in lower case."""

    endpoint = None
    lifecycle_preference = None
    upload_policy = None

    def __init__(self, headers):
        self.headers = headers
        self.request_id = headers.get("x-fal-request-id") or headers.get("x-dctl-request-id")


def endpoint(path, *, is_websocket=False, health_check=None, billing=None):
    """Serves a method at `path`; the JSON fields of a POST are its arguments."""
    if not isinstance(path, str) or not path.startswith("/"):
        raise ValueError("an endpoint's path must start with a slash: %r" % (path,))

    def decorate(method):
        method.__deployctl_route__ = {
            "path": path,
            "is_websocket": is_websocket,
            "is_health_check": health_check is not None,
        }
        return method

    return decorate


def realtime(path="/realtime", **_):
    """Serves a method over a WebSocket; the fields of each message are its arguments."""
    return endpoint(path, is_websocket=True)


def wrap_app(cls, **keywords):
    """Returns an app as a function."""
    options = dict(cls.__deployctl_options__)
    options.update(keywords)
    return IsolatedFunction(cls.__deployctl_run__, options, cls.app_name)
