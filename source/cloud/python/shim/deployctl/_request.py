"""Request that the current thread or task answers."""

import contextvars

# Headers by name in lower case; None outside a request.
headers = contextvars.ContextVar("deployctl_request_headers", default=None)
