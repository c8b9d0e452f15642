"""Image of Modal as a list of Dockerfile instructions. No image is built; deployctl reads what it can use."""

import contextlib
import shlex

from modal._resources import is_local

# Methods whose arguments must all be known; of the others only the name matters.
READ_METHODS = frozenset(
    "from_registry from_dockerfile pip_install uv_pip_install pip_install_from_requirements env "
    "run_commands dockerfile_commands from_aws_ecr from_gcp_artifact_registry".split()
)
# Methods without a meaning outside a container, as modules that a script imports are deployed with it.
_WITHOUT_EFFECT = frozenset("entrypoint cmd shell add_local_python_source".split())


class Image:
    """`instructions`: pairs of a Dockerfile instruction and its text. Further names: PIP, with a
    requirement on each line; COMMANDS, with the text of a Dockerfile; DOCKERFILE and REQUIREMENTS,
    with a file's path; IGNORED, with a call.
    """

    def __init__(self, instructions=()):
        self.instructions = tuple(instructions)

    def _with(self, *instructions):
        return Image(self.instructions + instructions)

    @property
    def installs_packages(self):
        """Returns True when the image has Python packages of its own."""
        return any(
            name in ("PIP", "REQUIREMENTS") or "pip install" in text
            for name, text in self.instructions
        )

    @staticmethod
    def debian_slim(python_version=None, **_):
        return Image([("FROM", "debian_slim")])._with(*_python_version(python_version))

    @staticmethod
    def micromamba(python_version=None, **_):
        return Image([("FROM", "micromamba")])._with(*_python_version(python_version))

    @staticmethod
    def from_registry(tag, *_, setup_dockerfile_commands=(), add_python=None, **__):
        commands = [("COMMANDS", "\n".join(_texts(setup_dockerfile_commands)))]
        return Image([("FROM", str(tag))] + commands)._with(*_python_version(add_python))

    from_aws_ecr = from_gcp_artifact_registry = from_registry

    @staticmethod
    def from_scratch(**_):
        return Image([("FROM", "scratch")])

    @staticmethod
    def from_dockerfile(path, *_, add_python=None, **__):
        return Image([("DOCKERFILE", str(path))])._with(*_python_version(add_python))

    def pip_install(self, *packages, requirements=(), **keywords):
        names = _texts(packages)
        installs = [("PIP", "\n".join(names))] if names else []
        files = [("REQUIREMENTS", str(file)) for file in requirements or ()]
        index = {name: value for name, value in keywords.items() if name in _OF_INDEX and value}
        ignored = [("IGNORED", _call_text("pip_install", (), index))] if index else []
        return self._with(*(installs + files + ignored))

    uv_pip_install = pip_install

    def pip_install_from_requirements(self, requirements_txt, **keywords):
        return self.pip_install(requirements=[requirements_txt], **keywords)

    def env(self, vars):
        return self._with(*[("ENV", shlex.quote("%s=%s" % pair)) for pair in vars.items()])

    def run_commands(self, *commands, **_):
        return self._with(*[("RUN", one) for one in _texts(commands)])

    def dockerfile_commands(self, *commands, **_):
        return self._with(("COMMANDS", "\n".join(_texts(commands))))

    def pipe(self, function, *arguments, **keywords):
        return function(self, *arguments, **keywords)

    @contextlib.contextmanager
    def imports(self):
        """Ignores packages that are missing where the script is only read."""
        try:
            yield
        except ImportError:
            if not is_local():
                raise

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _WITHOUT_EFFECT:
            return lambda *_, **__: self
        return lambda *arguments, **keywords: self._with(
            ("IGNORED", _call_text(name, arguments, keywords))
        )


# Keywords of pip_install that change where packages come from.
_OF_INDEX = ("find_links", "index_url", "extra_index_url", "pre", "extra_options")


def _python_version(version):
    return [] if version is None else [("IGNORED", "python_version=%r" % (str(version),))]


def _texts(values):
    """Flattens lists: Modal takes texts and lists of texts."""
    texts = []
    for value in [values] if isinstance(values, str) else values:
        texts += _texts(value) if isinstance(value, (list, tuple)) else [str(value)]
    return texts


def _call_text(name, arguments, keywords):
    """Returns a call as the script has it, without objects."""
    shown = [_shown(one) for one in arguments]
    shown += ["%s=%s" % (key, _shown(one)) for key, one in keywords.items()]
    return "%s(%s)" % (name, ", ".join(shown))


def _shown(value):
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(_shown(one) for one in value)
    if isinstance(value, (str, int, float, bool)) or value is None:
        return repr(value)
    return getattr(value, "__name__", "…")
