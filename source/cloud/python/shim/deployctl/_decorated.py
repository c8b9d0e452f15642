"""Decorated function with its options."""

import functools


class DecoratedFunction:
    """Calls the function itself. `dialect` names the decorator's library."""

    dialect = "deployctl"

    def __init__(self, function, options):
        functools.update_wrapper(self, function)
        self.raw_func = function
        self.options = options

    def __call__(self, *arguments, **keywords):
        return self.raw_func(*arguments, **keywords)

    def __deployctl_run__(self):
        """Runs in a replica."""
        if self.options.get("serve"):
            from deployctl import _app_server

            return _app_server.serve_function(self.raw_func)
        from deployctl import _loop

        return _loop.call(self.raw_func)
