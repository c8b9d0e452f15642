"""Modal's functions and objects, evaluated with the shim's own `modal`."""

from modal._image import READ_METHODS
from modal import Image, Secret

from deployctl_reading.values import UNKNOWN, Decorator, ModalApp, ModalPart, is_known

_PARTS = frozenset(
    "web_server asgi_app wsgi_app fastapi_endpoint web_endpoint concurrent batched clustered method "
    "enter exit".split()
)
# Decorators of an app, with the kind of target that they make.
_KINDS = {"function": "function", "cls": "app", "server": "app", "_experimental_server": "app"}
# Keywords of an image that do not change its packages and variables.
_WITHOUT_EFFECT = ("secret", "secrets", "gpu", "force_build", "volumes", "context_dir", "context_mount")


def call(name, arguments, keywords, node, reader):
    """Returns the result of a function such as modal.Image.debian_slim, or UNKNOWN."""
    owner, _, method = name.rpartition(".")
    if name in ("modal.App", "modal.Stub"):
        return _app(arguments, keywords)
    if name == "modal.is_local":
        return True
    if owner == "modal.Image":
        return _of_image(Image, method, arguments, keywords)
    if owner == "modal.Secret" and is_known([arguments, keywords]):
        if method == "from_local_environ":
            for variable in arguments[0] if arguments else keywords["env_keys"]:
                reader.reads.note(node, variable, is_required=True)
        return getattr(Secret, method)(*arguments, **keywords)
    if owner == "modal" and method in _PARTS:
        if method == "web_server" and arguments:
            keywords = dict(keywords, port=arguments[0])
        return ModalPart(method, keywords)
    return UNKNOWN


def call_method(owner, name, arguments, keywords, line):
    """Returns the result of a method of an app or an image, or UNKNOWN."""
    if isinstance(owner, Image):
        return _of_image(owner, name, arguments, keywords)
    if isinstance(owner, ModalApp) and name in _KINDS:
        return Decorator("modal", _KINDS[name], keywords, line, owner)
    return UNKNOWN


def _app(arguments, keywords):
    name = arguments[0] if arguments else keywords.get("name")
    return ModalApp(name, keywords.get("image"), keywords.get("secrets") or [])


def _of_image(owner, method, arguments, keywords):
    keywords = {key: value for key, value in keywords.items() if key not in _WITHOUT_EFFECT}
    if method in READ_METHODS and not is_known([arguments, keywords]):
        return UNKNOWN
    if method in ("pipe", "imports"):
        return UNKNOWN
    return getattr(owner, method)(*arguments, **keywords)
