"""Parts of fal.toolkit that need no account: types of files and images, and downloads.

The types are pydantic models where the replica has pydantic; elsewhere they work only as
annotations. Uploads need fal's storage and raise an error.
"""

import importlib
import sys

from fal.toolkit._downloads import (
    FAL_MODEL_WEIGHTS_DIR,
    FAL_PERSISTENT_DIR,
    FAL_REPOSITORY_DIR,
    DownloadError,
    clone_repository,
    download_file,
    download_model_weights,
)


class FalTookitException(Exception):  # the name's spelling is fal's
    """Base of the toolkit's exceptions."""


class FileUploadException(FalTookitException):
    pass


class KVStoreException(FalTookitException):
    pass


def get_gpu_type():
    """Returns the name of the first GPU. Raises an error where there is none."""
    import subprocess

    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    return subprocess.check_output(query, universal_newlines=True).splitlines()[0].strip()


class _StandIn(type):
    """Metaclass of types without pydantic: they work as annotations and raise an error otherwise."""

    def __call__(cls, *_, **__):
        _refuse(cls.__name__)

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: _refuse("%s.%s" % (cls.__name__, name))


def _refuse(name):
    raise NotImplementedError(
        "fal.toolkit.%s needs fal's storage, or pydantic, which is not available" % name
    )


_made = {}


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        models = importlib.import_module("fal.toolkit._models")
    except ImportError:  # no pydantic
        models = None
    if hasattr(models, name):
        return getattr(models, name)
    if name not in _made:
        _made[name] = _StandIn(name, (), {"__get_pydantic_core_schema__": classmethod(_any_schema)})
    return _made[name]


def _any_schema(cls, source, handler):
    """Lets a field of an unavailable type accept any value."""
    from pydantic_core import core_schema

    return core_schema.any_schema()


# Modules of fal.toolkit that scripts import names from; all names are in this one.
for _module in "audio exceptions file image pydantic types utils utils.download_utils video".split():
    sys.modules["fal.toolkit." + _module] = sys.modules[__name__]
    globals()[_module.rpartition(".")[2]] = sys.modules[__name__]
