"""Start-up hook of every Python in a replica: installs the port map, then loads the next hook.

A `sitecustomize` further down the path is loaded afterwards, as if this one did not exist.
"""

import importlib.machinery
import importlib.util
import os
import sys

_shim = os.path.dirname(os.path.abspath(__file__))


def _install():
    from deployctl import _ports, _programs

    _ports.install()
    _programs.install()


def _load_next():
    rest = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != _shim]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if os.environ.get("DEPLOYCTL_PORT_MAP") or os.environ.get("DEPLOYCTL_PORT"):
    _install()
_load_next()
