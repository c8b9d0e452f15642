"""Findings from a script that has run, as an inspection document."""

import inspect

from deployctl_reading import dockerfile
from deployctl_reading.values import is_known, to_json


def findings_of(found, name):
    """Returns the fields known after running the script; None for an object that is not an app."""
    options, kind, dialect = _options_of(found)
    if kind is None:
        return None
    config = {}
    dynamic = []
    document = {"target": name, "kind": kind, "dialect": dialect, "line": _line_of(found)}
    for key, value in options.items():
        if _is_image(value):
            document["image"] = dockerfile.read(value.dockerfile_str, value.build_args)
        elif is_known(value):
            config[key] = to_json(value)
        else:
            dynamic.append(key)
    document["config"] = config
    document["dynamic"] = dynamic
    return document


def _options_of(found):
    if inspect.isclass(found) and hasattr(found, "__deployctl_options__"):
        return found.__deployctl_options__, "app", found.__deployctl_dialect__
    if hasattr(found, "__deployctl_run__") and hasattr(found, "options"):
        return found.options, "function", found.dialect
    if inspect.isfunction(found):
        return {}, "function", "none"
    return {}, None, None


def _is_image(value):
    return hasattr(value, "dockerfile_str") and isinstance(value.dockerfile_str, str)


def _line_of(found):
    function = getattr(found, "raw_func", found)
    try:
        return inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return 1
