"""App of Modal, whose methods are decorators."""

from deployctl import _modal_options
from modal._cls import Cls
from modal._decorators import parts_of
from modal._functions import Function


class App:
    def __init__(self, name=None, *, image=None, secrets=(), **_):
        self.name = name
        self.image = image
        self.secrets = list(secrets)

    def function(self, *unexpected, **keywords):
        """Marks a function that a replica can serve."""
        _check_parentheses("function", unexpected)

        def decorate(decorated):
            parts = parts_of(decorated)
            options = self._options(keywords, parts)
            # A function that starts no server is served here, with its arguments.
            options["serve"] = "web_server" not in parts
            function = getattr(decorated, "raw_func", decorated)
            return Function(function, options, parts, self._secrets(keywords))

        return decorate

    def cls(self, *unexpected, **keywords):
        """Marks a class whose endpoints or methods a replica can serve."""
        _check_parentheses("cls", unexpected)

        def decorate(decorated):
            parts = dict(parts_of(decorated))
            for member in vars(decorated).values():
                if not isinstance(member, type):
                    parts.update(parts_of(member))
            options = self._options(keywords, parts)
            return Cls(decorated, options, self._secrets(keywords))

        return decorate

    def server(self, *unexpected, **keywords):
        """Marks a class that starts a server on `port` when it is entered."""
        return self.cls(*unexpected, **keywords)

    # The older name.
    _experimental_server = server

    def _options(self, keywords, parts):
        options = _modal_options.read_options(keywords, parts, self)
        _modal_options.check(options).tell()
        return options

    def _secrets(self, keywords):
        return self.secrets + list(keywords.get("secrets") or [])

    def local_entrypoint(self, *_, **__):
        """Leaves a function as it is: it belongs to `modal run`."""
        return lambda function: function

    def include(self, _):
        """Returns the app: functions of other apps are called in this process anyway."""
        return self

    def run(self, **_):
        raise NotImplementedError("app.run() starts the app on Modal; use deployctl run")

    deploy = run

    @staticmethod
    def lookup(name, **_):
        raise NotImplementedError("modal.App.lookup(%r) looks up an app on Modal" % (name,))


# The older name.
Stub = App


def _check_parentheses(name, unexpected):
    if unexpected:
        raise TypeError("@app.%s takes keywords only; write @app.%s()" % (name, name))
