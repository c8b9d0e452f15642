"""Request that the current thread or task answers, and the answer to an exception of its endpoint."""

import contextvars

# Headers by name in lower case; None outside a request.
headers = contextvars.ContextVar("deployctl_request_headers", default=None)


def answer_of(error):
    """Returns the status and the document for an exception with a status; None for others."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or not 400 <= status < 600:
        return None
    if hasattr(error, "to_pydantic_format"):
        return status, error.to_pydantic_format()
    detail = getattr(error, "detail", None)
    return status, {"detail": getattr(error, "message", str(error)) if detail is None else detail}
