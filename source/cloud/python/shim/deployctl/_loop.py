"""Event loops: one that coroutines before, during and after serving share, and new ones."""

import threading
from types import CoroutineType

_loop = None


def loop():
    """Returns the loop, which runs only while a coroutine is waited for."""
    global _loop
    if _loop is None:
        import asyncio  # imported late: reading a script does not need it

        _loop = asyncio.new_event_loop()
    return _loop


def call(function, *arguments, **keywords):
    """Returns a function's result; a coroutine runs in a new event loop."""
    result = function(*arguments, **keywords)
    if not isinstance(result, CoroutineType):
        return result
    import asyncio  # rarely needed, and as slow to import as Python is to start

    return asyncio.run(result)


def run(function, *arguments):
    """Returns a function's result; a coroutine runs in the shared event loop."""
    result = function(*arguments)
    return wait(result) if isinstance(result, CoroutineType) else result


def wait(coroutine):
    """Returns a coroutine's result; a caller inside a running loop blocks it, as on Modal."""
    if not _is_inside_loop() and not loop().is_running():
        return _wait_here(coroutine)
    import asyncio

    results = []

    def run_alone():
        try:
            results.append((asyncio.run(coroutine), None))
        except BaseException as error:
            results.append((None, error))

    thread = threading.Thread(target=run_alone)
    thread.start()
    thread.join()
    result, error = results[0]
    if error is not None:
        raise error
    return result


def _wait_here(coroutine):
    import asyncio

    try:
        return loop().run_until_complete(coroutine)
    except SystemExit:
        # Runs callbacks that wait for the coroutine, such as those of worker threads.
        loop().run_until_complete(asyncio.sleep(0))
        raise


def _is_inside_loop():
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
