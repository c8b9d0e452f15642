"""Calls a function that may be asynchronous."""

import inspect


def call(function, *arguments, **keywords):
    """The function's result; of a coroutine function that of its coroutine."""
    result = function(*arguments, **keywords)
    if not inspect.iscoroutine(result):
        return result
    import asyncio  # most functions need none of it, and wait for it as long as for Python itself

    return asyncio.run(result)
