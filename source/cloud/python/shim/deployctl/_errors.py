"""Answers to exceptions of an endpoint."""


def answer_of(error):
    """Returns the status and the document for an exception with a status; None for others."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or not 400 <= status < 600:
        return None
    if hasattr(error, "to_pydantic_format"):
        return status, error.to_pydantic_format()
    detail = getattr(error, "detail", None)
    return status, {"detail": getattr(error, "message", str(error)) if detail is None else detail}
