"""What a part of a script can be known to be without running it."""


class Unknown:
    """Only running the script can tell. Containers may hold it."""

    def __repr__(self):
        return "…"

    def __deepcopy__(self, _):
        return self  # there is but one, and it is told by identity


UNKNOWN = Unknown()


class Image:
    """A fal.ContainerImage; its text may be unknown."""

    def __init__(self, text, build_args):
        self.text = text
        self.build_args = build_args


class Decorator:
    """A decorator that makes apps: fal.function(...), deployctl.app(...), app.function(...)."""

    def __init__(self, dialect, kind, options, line):
        self.dialect = dialect
        self.kind = kind
        self.options = options
        self.line = line


class ModalApp:
    """A modal.App(...), whose methods are decorators."""


class Function:
    """A function of the script, with the scope that it sees."""

    def __init__(self, node, scope):
        self.node = node
        self.scope = scope


class Target:
    """Something that can be deployed. `node` is its def or class, where it has one in this file."""

    def __init__(self, name, kind, dialect, line, options, node=None, scope=None):
        self.name = name
        self.kind = kind
        self.dialect = dialect
        self.line = line
        self.options = options
        self.node = node
        self.scope = scope
        self.endpoints = []


class Module:
    """A name of an import, such as `os.environ`: the dotted name it stands for."""

    def __init__(self, name):
        self.name = name


def is_known(value):
    """Whether a value is plain data to its last part."""
    if isinstance(value, dict):
        return all(is_known(key) and is_known(one) for key, one in value.items())
    if isinstance(value, (list, tuple, set)):
        return all(is_known(one) for one in value)
    return value is None or isinstance(value, (str, int, float, bool, bytes))


def to_json(value):
    """Plain data as JSON has it: tuples and sets are lists, bytes are text."""
    if isinstance(value, dict):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, set):
        return sorted(to_json(one) for one in value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not _is_finite(value):
        return str(value)
    return value


def _is_finite(number):
    return number == number and number not in (float("inf"), float("-inf"))
