"""Decorators below @app.function and @app.cls."""

import functools

from modal._calls import BoundMethod, Calls


class PartialFunction(Calls):
    """Function or method with its decorators: their keywords by name in `parts`."""

    def __init__(self, raw_func, parts):
        functools.update_wrapper(self, raw_func)
        self.raw_func = raw_func
        self.parts = parts

    def __call__(self, *arguments, **keywords):
        return self.raw_func(*arguments, **keywords)

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundMethod(self.raw_func, instance)


def parts_of(decorated):
    """Returns the decorators of a function, method or class."""
    if isinstance(decorated, type):
        return vars(decorated).get("__modal_parts__", {})
    return getattr(decorated, "parts", {})


def _part(name, **keywords):
    def decorate(decorated):
        parts = dict(parts_of(decorated))
        parts[name] = keywords
        if isinstance(decorated, type):
            decorated.__modal_parts__ = parts
            return decorated
        raw_func = getattr(decorated, "raw_func", decorated)
        return PartialFunction(raw_func, parts)

    return decorate


def web_server(port, **keywords):
    """Marks a function that starts a server on `port` and returns."""
    return _part("web_server", port=port, **keywords)


def asgi_app(**keywords):
    """Marks a function that returns an ASGI app."""
    return _part("asgi_app", **keywords)


def wsgi_app(**keywords):
    """Marks a function that returns a WSGI app."""
    return _part("wsgi_app", **keywords)


def fastapi_endpoint(*, method="GET", **keywords):
    """Serves a function with FastAPI."""
    return _part("fastapi_endpoint", method=method, **keywords)


# The older name.
web_endpoint = fastapi_endpoint


def method(**keywords):
    """Marks a method that callers may use."""
    return _part("method", **keywords)


def enter(*, snap=False):
    """Runs a method before the replica takes requests; those with snap=True first."""
    return _part("enter", snap=snap)


def exit():
    """Runs a method when the replica ends."""
    return _part("exit")


def concurrent(**keywords):
    """Sets how many requests a replica serves at a time."""
    return _part("concurrent", **keywords)


def clustered(**keywords):
    """Has no effect: a replica runs on one machine."""
    return _part("clustered", **keywords)


def batched(*, max_batch_size, wait_ms):
    """Calls the function with lists of one item: requests are not collected here."""

    def decorate(function):
        raw_func = getattr(function, "raw_func", function)
        is_method = _has_self(raw_func)

        @functools.wraps(raw_func)
        def one_at_a_time(*arguments, **keywords):
            start = 1 if is_method else 0
            lists = arguments[:start] + tuple([one] for one in arguments[start:])
            result = raw_func(*lists, **{name: [one] for name, one in keywords.items()})
            return _first_later(result) if hasattr(result, "__await__") else result[0]

        marked = _part("batched", max_batch_size=max_batch_size, wait_ms=wait_ms)(function)
        return PartialFunction(one_at_a_time, marked.parts)

    return decorate


def _has_self(function):
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return names[:1] == ("self",)


async def _first_later(result):
    return (await result)[0]
