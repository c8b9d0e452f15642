"""fal.function and its result."""

import functools

from deployctl import _options
from deployctl._decorated import DecoratedFunction


class FalServerlessError(Exception):
    """Base of fal's errors."""


class IsolatedFunction(DecoratedFunction):
    """Function with its options. A call runs it here: the replica is the remote machine."""

    dialect = "fal"

    def __init__(self, raw_func, options, app_name=None):
        super().__init__(raw_func, options)
        self.app_name = app_name

    def run_local(self, *arguments, **keywords):
        """Calls the function."""
        return self(*arguments, **keywords)

    def on(self, host=None, **config):
        """Returns the function with other options."""
        options = dict(self.options)
        options.update(read_options(options.get("kind", "virtualenv"), config))
        return type(self)(self.raw_func, options, self.app_name)

    def spawn(self, *arguments, **keywords):
        raise NotImplementedError(
            "IsolatedFunction.spawn() needs fal's machines; call the function instead"
        )


def function(kind="virtualenv", *, host=None, local_python_modules=None, **config):
    """Marks a function as an app, with fal's keywords. Raises ValueError for an unknown one."""
    if callable(kind):  # @fal.function without parentheses
        return IsolatedFunction(kind, {"kind": "virtualenv"})
    options = read_options(kind, config)
    if local_python_modules is not None:
        options["local_python_modules"] = local_python_modules
    return lambda decorated: IsolatedFunction(decorated, options)


def isolated(kind="virtualenv", **config):
    """Older name of `function`."""
    return function(kind, **config)


def cached(function=None, **_):
    """Caches a function's results for the life of the process."""
    if function is None:
        return cached
    return functools.lru_cache(maxsize=None)(function)


def read_options(kind, config):
    """Checks and returns the decorator's options; prints those without effect."""
    if "image" in config:
        kind = "container"
    _options.check_fal_function(kind, config).tell()
    options = dict(config)
    options["kind"] = kind
    return options
