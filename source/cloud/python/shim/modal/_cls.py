"""@app.cls and its result."""

import functools
import threading

from deployctl import _exits, _loop
from modal._decorators import parts_of
from modal._resources import apply_secrets

_NO_DEFAULT = object()


class Parameter:
    """Field of a class that its caller sets; a replica uses the default."""

    def __init__(self, default):
        self.default = default


def parameter(*, default=_NO_DEFAULT, init=True):
    return Parameter(default)


class Cls:
    """Class of an app. `Model(...)` returns the instance for these arguments, already entered."""

    dialect = "modal"
    kind = "app"

    def __init__(self, user_class, options, secrets):
        functools.update_wrapper(self, user_class, updated=())
        self.options = options
        self._class = user_class
        self._secrets = secrets
        self._instances = {}
        self._lock = threading.RLock()

    def __call__(self, *arguments, **parameters):
        key = (arguments, tuple(sorted(parameters.items())))
        with self._lock:
            if key not in self._instances:
                instance = self._create(arguments, parameters)
                for function in sorted(self._hooks("enter"), key=_is_after_snapshot):
                    _loop.run(function.raw_func, instance)
                self._instances[key] = instance
            return self._instances[key]

    def _create(self, arguments, parameters):
        fields = {
            name: value
            for base in reversed(self._class.__mro__)
            for name, value in vars(base).items()
            if isinstance(value, Parameter)
        }
        if not fields:
            return self._class(*arguments, **parameters)
        values = {name: field.default for name, field in fields.items()}
        values.update(parameters)
        missing = [name for name, value in values.items() if value is _NO_DEFAULT]
        if missing:
            raise ValueError("%s needs a value for %s" % (self.__name__, ", ".join(missing)))
        instance = self._class.__new__(self._class)
        vars(instance).update(values)
        return instance

    def _hooks(self, part):
        """Returns the methods with a decorator, those of base classes first."""
        found = {}
        for base in reversed(self._class.__mro__):
            for name, value in vars(base).items():
                if part in parts_of(value) and not isinstance(value, type):
                    found[name] = value
        return list(found.values())

    def __deployctl_run__(self):
        """Runs in a replica."""
        apply_secrets(self._secrets)
        instance = self()
        starters = self._hooks("web_server")
        if starters or "port" in self.options:  # methods that start a server and return
            _exits.add(self._leave)
            for function in starters:
                _loop.run(function.raw_func, instance)
            return
        from modal import _serving

        try:
            _serving.serve(_serving.of_instance(instance))
        finally:
            self._leave()

    def _leave(self):
        for instance in self._instances.values():
            for function in self._hooks("exit"):
                _loop.run(function.raw_func, instance)

    def with_options(self, **_):
        """Returns the class itself: its options are those of the deployment."""
        return self

    with_concurrency = with_batching = with_options

    @staticmethod
    def from_name(app_name, name, **_):
        raise NotImplementedError(
            "modal.Cls.from_name(%r, %r) calls an app on Modal; call the app's URL over HTTP instead"
            % (app_name, name)
        )


def _is_after_snapshot(function):
    return not function.parts["enter"]["snap"]
