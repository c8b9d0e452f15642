"""Names that scripts for Modal use, so that they run here unchanged.

A replica serves one function or class. Calls between functions of a script, such as
`f.remote(...)`, run in the same replica.
"""

from modal._app import App, Stub
from modal._cls import Cls, parameter
from modal._decorators import (
    asgi_app,
    batched,
    clustered,
    concurrent,
    enter,
    exit,
    fastapi_endpoint,
    method,
    web_endpoint,
    web_server,
    wsgi_app,
)
from modal._functions import Function
from modal._image import Image
from modal._resources import (
    CloudBucketMount,
    Cron,
    Dict,
    NetworkFileSystem,
    Period,
    Proxy,
    Queue,
    Retries,
    Secret,
    Volume,
    enable_output,
    is_local,
)

# Version of Modal that these names follow.
__version__ = "1.6.4"

__all__ = [
    "App",
    "CloudBucketMount",
    "Cls",
    "Cron",
    "Dict",
    "Function",
    "Image",
    "NetworkFileSystem",
    "Period",
    "Proxy",
    "Queue",
    "Retries",
    "Secret",
    "Stub",
    "Volume",
    "asgi_app",
    "batched",
    "clustered",
    "concurrent",
    "enable_output",
    "enter",
    "exit",
    "fastapi_endpoint",
    "is_local",
    "method",
    "parameter",
    "web_endpoint",
    "web_server",
    "wsgi_app",
]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("modal.%s is not supported by deployctl" % name)
