"""Findings from a script that has run, as an inspection document."""

import inspect
import os

from deployctl_reading import images
from deployctl_reading.values import is_known, to_json


def findings_of(found, name, file):
    """Returns the fields known after running the script; None for an object that is not an app."""
    options, kind, dialect = _options_of(found)
    if kind is None:
        return None
    config = {}
    dynamic = []
    document = {"target": name, "kind": kind, "dialect": dialect, "line": _line_of(found)}
    for key, value in options.items():
        image = images.document_of(value, os.path.dirname(file))
        if image is not None:
            document["image"] = image
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
        return found.options, getattr(found, "kind", "function"), found.dialect
    if inspect.isfunction(found):
        return {}, "function", "none"
    return {}, None, None


def _line_of(found):
    function = getattr(found, "raw_func", found)
    try:
        return inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return 1
