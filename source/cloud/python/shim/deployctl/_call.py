"""Calls a function that may be asynchronous."""

import asyncio
import inspect


def call(function, *arguments, **keywords):
    """The function's result; of a coroutine function that of its coroutine."""
    result = function(*arguments, **keywords)
    return asyncio.run(result) if inspect.iscoroutine(result) else result
