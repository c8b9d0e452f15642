"""Conversion of JSON bodies to function arguments, and of results to JSON."""

import inspect
import typing


class Refused(Exception):
    """Raised for invalid fields. `detail` has the shape of FastAPI's 422."""

    def __init__(self, detail):
        super().__init__("invalid fields")
        self.detail = detail


def names(function):
    """Returns the names of required parameters."""
    return [
        name
        for name, parameter in _parameters(function).items()
        if parameter.default is parameter.empty and parameter.kind not in _VARIADIC
    ]


def read(function, fields):
    """Returns the keyword arguments. A single pydantic model gets the whole body."""
    if not isinstance(fields, dict):
        raise Refused([_fault(["body"], "the body is not a JSON object", "dict_type")])
    parameters = _parameters(function)
    kinds = types(function)
    single = list(parameters)[0] if len(parameters) == 1 else None
    if single is not None and is_model(kinds.get(single)):
        return {single: _validate(kinds[single], fields, ["body"])}
    missing = [name for name in names(function) if name not in fields]
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    unknown = [name for name in fields if name not in parameters and not takes_all]
    faults = [_fault(["body", name], "Field required", "missing") for name in missing]
    faults += [_fault(["body", name], "unknown field", "extra") for name in unknown]
    if faults:
        raise Refused(faults)
    return {
        name: _validate(kinds[name], value, ["body", name]) if is_model(kinds.get(name)) else value
        for name, value in fields.items()
    }


def to_json(value):
    """Converts pydantic models in a result to plain values."""
    if is_model(type(value)):
        value = value.model_dump(mode="json") if hasattr(value, "model_dump") else value.dict()
    if isinstance(value, dict):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [to_json(one) for one in value]
    return value


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _parameters(function):
    return dict(inspect.signature(function).parameters)


def types(function):
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError):
        return {}  # ignores unresolvable annotations


def is_model(kind):
    return isinstance(kind, type) and (hasattr(kind, "model_validate") or hasattr(kind, "parse_obj"))


def _validate(model, value, place):
    validate = getattr(model, "model_validate", None) or model.parse_obj
    try:
        return validate(value)
    except ValueError as error:  # includes pydantic's own
        raise Refused(_faults_of(error, place)) from error


def _faults_of(error, place):
    if not hasattr(error, "errors"):
        return [_fault(place, str(error), "value_error")]
    return [
        _fault(place + [str(part) for part in one["loc"]], one["msg"], one["type"])
        for one in error.errors()
    ]


def _fault(place, message, kind):
    return {"loc": place, "msg": message, "type": kind}
