"""Values that are known without running a script."""


class Unknown:
    """Value only known by running the script. Containers may hold it."""

    def __repr__(self):
        return "…"

    def __deepcopy__(self, _):
        return self  # a singleton, compared by identity


UNKNOWN = Unknown()


class Image:
    """fal.ContainerImage, with a text that may be unknown."""

    def __init__(self, dockerfile_str, build_args):
        self.dockerfile_str = dockerfile_str
        self.build_args = build_args


class Decorator:
    """Decorator that makes apps: fal.function(...), deployctl.app(...), app.function(...)."""

    def __init__(self, dialect, kind, options, line, app=None):
        self.dialect = dialect
        self.kind = kind
        self.options = options
        self.line = line
        self.app = app


class ModalApp:
    """modal.App(...), whose methods are decorators. `secrets` may be UNKNOWN."""

    def __init__(self, name, image, secrets):
        self.name = name
        self.image = image
        self.secrets = secrets


class ModalPart:
    """Decorator below @app.function, such as modal.web_server(8000)."""

    def __init__(self, name, keywords):
        self.name = name
        self.keywords = keywords


class Method:
    """Method of a known object, to be called."""

    def __init__(self, owner, name):
        self.owner = owner
        self.name = name


class Function:
    """Function of the script, with its scope. `parts`: keywords of Modal's decorators by name."""

    def __init__(self, node, scope, parts=None):
        self.node = node
        self.scope = scope
        self.parts = parts or {}


class Target:
    """Deployable object. `node` is its def or class, if defined in this file."""

    def __init__(self, name, kind, dialect, line, options, node=None, scope=None):
        self.name = name
        self.kind = kind
        self.dialect = dialect
        self.line = line
        self.options = options
        self.node = node
        self.scope = scope
        self.endpoints = []
        # True for a function of Modal that others call over HTTP.
        self.is_web = False
        # Pairs of a code and a sentence.
        self.warnings = []


class Module:
    """Imported name, such as `os.environ`, by its dotted name."""

    def __init__(self, name):
        self.name = name


def is_known(value):
    """Returns True for plain data without unknown parts."""
    if isinstance(value, dict):
        return all(is_known(key) and is_known(one) for key, one in value.items())
    if isinstance(value, (list, tuple, set)):
        return all(is_known(one) for one in value)
    return value is None or isinstance(value, (str, int, float, bool, bytes))


def to_json(value):
    """Converts plain data for JSON: tuples and sets to lists, bytes to text."""
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
