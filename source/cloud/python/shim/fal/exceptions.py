"""Exceptions of fal, which an endpoint raises to answer with a status."""

import contextlib


class FalServerlessException(Exception):
    """Base of fal's exceptions."""


class AppException(FalServerlessException):
    """Answers with a status and a message."""

    def __init__(self, message, status_code):
        super().__init__(message)
        self.message = message
        self.status_code = status_code


class FieldException(FalServerlessException):
    """Answers that a field of the body is invalid."""

    def __init__(self, field, message, status_code=422, type="value_error", billable_units=0):
        super().__init__(message)
        self.field = field
        self.message = message
        self.status_code = status_code
        self.type = type
        self.billable_units = billable_units

    def to_pydantic_format(self):
        place = ["body", self.field]
        return {"detail": [{"loc": place, "msg": self.message, "type": self.type}]}


class RequestCancelledException(FalServerlessException):
    """Answers with 499: the client has gone."""

    status_code = 499

    def __init__(self, message="Request cancelled by the client."):
        super().__init__(message)
        self.message = message


class FileTooLargeError(FalServerlessException):
    def __init__(self, message="File is too large."):
        super().__init__(message)
        self.message = message


class AppFileUploadException(FalServerlessException):
    def __init__(self, message, relative_path):
        super().__init__(message)
        self.message = message
        self.relative_path = relative_path


class UnauthenticatedException(FalServerlessException):
    """Is never raised here: a replica needs no account."""


class GPUException(AppException):
    def __init__(self, message="GPU error", status_code=503):
        super().__init__(message, status_code)


class GPUOutOfMemoryException(GPUException):
    pass


class CUDAOutOfMemoryException(GPUOutOfMemoryException):
    def __init__(self, message="CUDA error: out of memory", status_code=503):
        super().__init__(message, status_code)


class catch_gpu_exceptions(contextlib.ContextDecorator):
    """Turns errors of CUDA into exceptions above; a context manager and a decorator."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None or isinstance(error, GPUException):
            return False
        text = str(error)
        if isinstance(error, RuntimeError) and "CUDA" in text and "out of memory" in text:
            raise CUDAOutOfMemoryException() from error
        if any(mark in text.lower() for mark in _MARKS):
            raise GPUException() from error
        return False


_MARKS = "cuda cudnn nvml nccl cublas cufft cusolver cusparse triton".split()
