"""fal.toolkit can be imported; what it does needs fal's storage, and says so when it is used."""


def _refuse(name):
    raise NotImplementedError(
        "fal.toolkit.%s needs fal's own storage, which is not here; use files of your own" % name
    )


class _StandIn(type):
    """A class of the toolkit: it may be named in annotations, and refuses everything else."""

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

    # Only pydantic asks for it: a field of this type takes any value.
    return _StandIn(name, (), {"__get_pydantic_core_schema__": classmethod(schema)})


class _Folder(str):
    """A path of fal's machines."""


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
