"""Loads an installed package in place of our module of the same name."""

import importlib.machinery
import importlib.util
import os
import sys


def load(name, shim):
    """Loads the package found outside the folder `shim`. Raises ImportError."""
    rest = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != shim]
    spec = importlib.machinery.PathFinder.find_spec(name, rest)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(
            "DEPLOYCTL_REAL_FAL=1 requires an installed %s, which is missing" % name, name=name
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
