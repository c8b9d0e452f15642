"""Calls of functions by Modal's methods, all in this process."""

import functools
import inspect

from deployctl import _loop


class Calls:
    """Adds `remote`, `local`, `map` and the like to an object that can be called."""

    @property
    def remote(self):
        return _Call(self)

    local = remote

    @property
    def remote_gen(self):
        return _Stream(self)

    def map(self, *iterables, kwargs=None, order_outputs=True, return_exceptions=False, **_):
        """Yields the result for each item, in order."""
        return self.starmap(
            zip(*iterables), kwargs=kwargs, return_exceptions=return_exceptions
        )

    def starmap(self, items, kwargs=None, order_outputs=True, return_exceptions=False, **_):
        """Yields the result for each tuple of arguments, in order."""
        for arguments in items:
            try:
                yield self.remote(*arguments, **(kwargs or {}))
            except Exception as error:
                if not return_exceptions:
                    raise
                yield error

    def for_each(self, *iterables, kwargs=None, ignore_exceptions=False):
        for _ in self.map(*iterables, kwargs=kwargs, return_exceptions=ignore_exceptions):
            pass

    def spawn(self, *_, **__):
        raise NotImplementedError("spawn() needs Modal's queue; use remote(), or call the app's URL")


class BoundMethod(Calls):
    """Method of an instance."""

    def __init__(self, function, instance):
        self._function = functools.partial(function, instance)
        functools.update_wrapper(self, function)

    def __call__(self, *arguments, **keywords):
        return self._function(*arguments, **keywords)


class _Call:
    """`f.remote(...)`, or in a coroutine `await f.remote.aio(...)`."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *arguments, **keywords):
        result = self._function(*arguments, **keywords)
        return _loop.wait(result) if inspect.iscoroutine(result) else result

    async def aio(self, *arguments, **keywords):
        import asyncio  # imported late: reading a script does not need it

        call = functools.partial(self._function, *arguments, **keywords)
        result = await asyncio.get_running_loop().run_in_executor(None, call)
        return await result if inspect.isawaitable(result) else result


class _Stream(_Call):
    """`for part in f.remote_gen(...)`, or `async for part in f.remote_gen.aio(...)`."""

    async def aio(self, *arguments, **keywords):
        parts = self._function(*arguments, **keywords)
        if hasattr(parts, "__aiter__"):
            async for part in parts:
                yield part
            return
        for part in parts:
            yield part
