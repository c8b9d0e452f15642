"""Steps aside for an installed package of the same name."""

import importlib.machinery
import importlib.util
import os
import sys


def load(name, shim):
    """Puts the package found outside the folder `shim` in place of ours. Raises ImportError."""
    rest = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != shim]
    spec = importlib.machinery.PathFinder.find_spec(name, rest)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(
            "DEPLOYCTL_REAL_FAL=1 asks for an installed %s, and there is none" % name, name=name
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
