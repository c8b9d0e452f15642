"""fal.toolkit can be imported; its functions need fal's storage and raise an error."""


def _refuse(name):
    raise NotImplementedError(
        "fal.toolkit.%s needs fal's storage, which is not available; use your own files" % name
    )


class _StandIn(type):
    """Metaclass of toolkit classes: usable in annotations, and raising an error otherwise."""

    def __call__(cls, *_, **__):
        _refuse(cls.__name__)

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: _refuse("%s.%s" % (cls.__name__, name))


def _stand_in(name):
    def schema(cls, source, handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    # Schema for pydantic: a field of this type accepts any value.
    return _StandIn(name, (), {"__get_pydantic_core_schema__": classmethod(schema)})


class _Folder(str):
    """Path on fal's machines."""


FAL_PERSISTENT_DIR = _Folder("/data")
FAL_MODEL_WEIGHTS_DIR = _Folder("/data/.fal/model_weights")
FAL_REPOSITORY_DIR = _Folder("/data/.fal/repositories")

_made = {}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in _made:
        _made[name] = _stand_in(name)
    return _made[name]
