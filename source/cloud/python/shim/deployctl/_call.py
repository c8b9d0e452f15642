"""Calls of functions that may be asynchronous."""

import inspect


def call(function, *arguments, **keywords):
    """Returns the function's result, awaited if it is a coroutine."""
    result = function(*arguments, **keywords)
    if not inspect.iscoroutine(result):
        return result
    import asyncio  # rarely needed, and as slow to import as Python is to start

    return asyncio.run(result)
