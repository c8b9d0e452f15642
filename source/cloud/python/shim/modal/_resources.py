"""Resources of Modal: secrets apply, the others can be named but not used."""

import contextlib
import os


class Secret:
    """Variables of a container. `required_keys`: those to be stored as secrets of deployctl;
    `values`: those that the script has itself.
    """

    def __init__(self, name=None, required_keys=(), values=None):
        self.name = name
        self.required_keys = list(required_keys)
        self.values = dict(values or {})

    @staticmethod
    def from_name(name, *, required_keys=(), **_):
        return Secret(name, required_keys)

    @staticmethod
    def from_dict(env_dict=None):
        return Secret(values=env_dict)

    @staticmethod
    def from_local_environ(env_keys):
        """Has no values of its own: variables that a script names are deployed with it."""
        return Secret()

    @staticmethod
    def from_dotenv(path=None, *, filename=".env"):
        """Has no values: the file is not deployed."""
        return Secret(filename)


def apply_secrets(secrets):
    """Sets the variables that a script's secrets contain, except where the app has its own."""
    values = {}
    for secret in secrets:
        values.update(secret.values)
    for name, value in values.items():
        if value is not None:
            os.environ.setdefault(name, str(value))


class _Resource:
    """Can be created and passed on; its methods raise an error."""

    def __init__(self, *_, **__):
        pass

    @classmethod
    def from_name(cls, *_, **__):
        return cls()

    from_id = ephemeral = lookup = from_name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(
            "modal.%s.%s needs Modal's machines" % (type(self).__name__, name)
        )


class Volume(_Resource):
    """Is not mounted: the replica sees the machine's own folders."""

    def commit(self):
        """Does nothing: files are written at once."""

    reload = commit


class NetworkFileSystem(_Resource):
    pass


class CloudBucketMount(_Resource):
    pass


class Dict(_Resource):
    pass


class Queue(_Resource):
    pass


class Proxy(_Resource):
    pass


class Retries(_Resource):
    pass


class Cron(_Resource):
    pass


class Period(_Resource):
    pass


def is_local():
    """Returns False in a replica, and True where the script is only read."""
    return "DEPLOYCTL_PORT" not in os.environ


def enable_output(*_, **__):
    """Does nothing: output goes to the log."""
    return contextlib.nullcontext()
