"""@app.function and its result."""

from deployctl import _loop
from deployctl._decorated import DecoratedFunction
from modal._calls import Calls
from modal._resources import apply_secrets


class Function(Calls, DecoratedFunction):
    """Function of an app. Calls run it here: the replica is the container."""

    dialect = "modal"

    def __init__(self, raw_func, options, parts, secrets):
        super().__init__(raw_func, options)
        self.parts = parts
        self._secrets = secrets

    def __deployctl_run__(self):
        """Runs in a replica."""
        apply_secrets(self._secrets)
        if "web_server" in self.parts:
            return _loop.run(self.raw_func)
        from modal import _serving

        return _serving.serve([_serving.Served("", self.raw_func, self.parts)])

    def get_web_url(self):
        """Returns None: the gateway knows the URL, its replicas do not."""

    @staticmethod
    def from_name(app_name, name, **_):
        raise NotImplementedError(
            "modal.Function.from_name(%r, %r) calls an app on Modal; call the app's URL over HTTP instead"
            % (app_name, name)
        )
