"""Stubs for packages that the script imports and this Python lacks."""

import importlib.abc
import importlib.machinery
import os
import sys
import types


class StubBase:
    """Base of classes that derive from a stub."""

    def __init_subclass__(cls, **_):
        super().__init_subclass__()


class Stub:
    """Part of a missing package: accepts every use; its value is unknown."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub("%s.%s" % (self._name, name))

    def __setattr__(self, name, value):
        pass

    def __call__(self, *arguments, **_):
        # Returns a decorated object unchanged.
        if len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type)):
            return arguments[0]
        return Stub(self._name + "()")

    def __getitem__(self, _):
        return Stub(self._name + "[]")

    def __setitem__(self, *_):
        pass

    def __contains__(self, _):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __mro_entries__(self, _):
        return (StubBase,)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __repr__(self):
        return "<%s, which is not installed here>" % self._name

    def _other(self, *_):
        return Stub(self._name)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = _other
    __rtruediv__ = __mod__ = __pow__ = __or__ = __ror__ = __and__ = __neg__ = __matmul__ = _other

    def _compare(self, _):
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _compare


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder of last resort. `names` lists the replaced packages."""

    def __init__(self, folder):
        self._folder = os.path.join(folder, "")
        self.names = []

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top not in self.names and not self._is_imported_by_script():
            return None  # Python's own modules probe for optional ones
        if "." in name and top not in self.names:
            return None
        if top not in self.names:
            self.names.append(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _StubModule(spec.name)

    def exec_module(self, module):
        module.__path__ = []

    def _is_imported_by_script(self):
        frame = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith("<frozen importlib") and os.path.basename(file) != "stubs.py":
                return file.startswith(self._folder)
            frame = frame.f_back
        return False


class _StubModule(types.ModuleType):
    __version__ = "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub("%s.%s" % (self.__name__, name))
