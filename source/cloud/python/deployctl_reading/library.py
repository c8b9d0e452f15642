"""Library functions that a script's configuration uses."""

import os

from deployctl_reading.problem import Problem
from deployctl_reading.values import UNKNOWN, Decorator, Image, ModalApp, Module, is_known

# Replaces sys.executable in commands: the replica's Python, not this machine's.
OWN_PYTHON = "python3"

_SAME = {
    "fal.api.function": "fal.function",
    "fal.isolated": "fal.function",
    "fal.api.isolated": "fal.function",
    "fal.container.ContainerImage": "fal.ContainerImage",
    "fal.app.App": "fal.App",
    "fal.api.App": "fal.App",
    "fal.app.endpoint": "fal.endpoint",
    "fal.app.realtime": "fal.realtime",
    "os.environ.setdefault": "os.environ.get",
    "os.environ.pop": "os.environ.get",
    "os.getenv": "os.environ.get",
}

# Methods that read all variables without naming any.
_ALL_VARIABLES = ("os.environ.items", "os.environ.keys", "os.environ.values")


def canonical(name):
    """Returns one name for aliases, and for methods of an aliased class."""
    owner, _, method = name.rpartition(".")
    if name not in _SAME and owner in _SAME:
        return _SAME[owner] + "." + method
    return _SAME.get(name, name)


def is_environment(value):
    return isinstance(value, Module) and value.name in ("os.environ", "os.environb")


def call(name, arguments, keywords, node, reader):
    """Returns the result of a library function, or UNKNOWN. Raises Problem for invalid keywords."""
    name = canonical(name)
    if name == "os.environ.get":
        return _environment_get(arguments, keywords, node, reader)
    if name in _ALL_VARIABLES:
        reader.reads.note(node, UNKNOWN)
        return UNKNOWN
    if name in ("fal.function", "deployctl.app"):
        return decorator(name, arguments, keywords, node.lineno)
    if name in ("fal.ContainerImage", "fal.ContainerImage.from_dockerfile_str"):
        return _image(arguments, keywords, "dockerfile_str", "text")
    if name == "fal.ContainerImage.from_dockerfile":
        return _image_of_file(arguments, keywords, reader.folder)
    if name.startswith("modal."):
        from deployctl_reading import modal_library  # imported late: few scripts need it

        return modal_library.call(name, arguments, keywords, node, reader)
    return UNKNOWN


def has_methods(value):
    """Returns True for a value whose methods `call_method` knows: an object of Modal."""
    return type(value).__module__.startswith("modal.") or isinstance(value, ModalApp)


def call_method(owner, name, arguments, keywords, node):
    """Returns the result of a method of such a value, or UNKNOWN."""
    from deployctl_reading import modal_library

    return modal_library.call_method(owner, name, arguments, keywords, node.lineno)


def decorator(name, arguments, keywords, line):
    """Returns the decorator that @fal.function(...) or @deployctl.app(...) makes."""
    options = dict(keywords)
    if canonical(name) == "deployctl.app":
        return Decorator("deployctl", "function", options, line)
    options["kind"] = arguments[0] if arguments else options.get("kind", "virtualenv")
    if "image" in options:
        options["kind"] = "container"
    return Decorator("fal", "function", options, line)


def _environment_get(arguments, keywords, node, reader):
    name = arguments[0] if arguments else keywords.get("key", UNKNOWN)
    default = arguments[1] if len(arguments) > 1 else keywords.get("default")
    reader.reads.note(node, name, default)
    return reader.environment.get(name, default) if is_known(name) else UNKNOWN


def _image(arguments, keywords, *names):
    text = arguments[0] if arguments else UNKNOWN
    for name in names:
        text = keywords.get(name, text)
    return Image(text, keywords.get("build_args") or {})


def _image_of_file(arguments, keywords, folder):
    path = arguments[0] if arguments else keywords.get("path", UNKNOWN)
    if not isinstance(path, str):
        return Image(UNKNOWN, {})
    file = os.path.join(folder, path)
    try:
        with open(file, encoding="utf-8") as opened:
            return Image(opened.read(), keywords.get("build_args") or {})
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(
            "script_error", "The Dockerfile %s cannot be read: %s." % (file, error)
        ) from error
