"""fal.App and the decorators of its endpoints."""

from deployctl import _options
from deployctl._names import kebab_case
from fal._function import IsolatedFunction


class App:
    """Base class of apps, with options as class keywords or attributes."""

    __deployctl_options__ = {}
    __deployctl_dialect__ = "fal"

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__()
        options = dict(cls.__deployctl_options__)
        options.pop("app_name", None)  # a derived class has its own name
        for name, value in vars(cls).items():
            if _options.is_fal_app_attribute(name):
                options[name] = value
        options.update(keywords)
        _options.check_fal_app(options).tell()
        options.setdefault("app_name", kebab_case(cls.__name__))
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

    @property
    def current_request(self):
        """Always None here."""
        return None

    @classmethod
    def __deployctl_run__(cls):
        """Runs in a replica."""
        from deployctl import _app_server

        return _app_server.serve_app(cls)

    @classmethod
    def run_local(cls, *_, **__):
        """Runs the app outside a replica."""
        return cls.__deployctl_run__()


def endpoint(path, *, is_websocket=False, health_check=None):
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
