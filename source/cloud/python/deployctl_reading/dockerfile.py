"""Dockerfile settings that apply without a container: variables and Python packages."""

import re
import shlex

from deployctl_reading.variable_names import looks_secret

# Variables that describe the container's own file system, or would override this machine's.
_OF_CONTAINER = re.compile(
    r"^(PATH|HOME|USER|SHELL|PWD|LD_LIBRARY_PATH|LD_PRELOAD|LIBRARY_PATH|PYTHONPATH|PYTHONHOME"
    r"|VIRTUAL_ENV|UV_.*|PIP_.*|DEBIAN_FRONTEND|LANG|LC_.*|TMPDIR|PORT|CUDA_HOME|CUDA_VISIBLE_DEVICES"
    r"|NVIDIA_.*|CONDA_.*|DEPLOYCTL_.*)$"
)
_QUIET = ("FROM", "ARG", "ENV", "LABEL", "MAINTAINER", "EXPOSE", "SHELL", "STOPSIGNAL")
# Flags of pip that take a value as a separate word.
_WITH_VALUE = (
    "-i --index-url --extra-index-url -f --find-links -c --constraint -p --python -t --target "
    "--prefix --root --index --torch-backend --index-strategy --prerelease --platform"
).split()


def read(text, build_args):
    """Reads the text of a Dockerfile, as read_instructions does."""
    return read_instructions(instructions_of(text), build_args)


def read_instructions(instructions, build_args):
    """Returns {"base", "env", "pip", "ignored", "secrets"}: `pip` holds requirements, `ignored`
    instructions without effect, `secrets` names of variables whose values are not used.

    instructions: pairs of a name and its text; PIP has a requirement on each line, IGNORED a call.
    """
    stages = {}
    current = _Stage(None, {})
    arguments = {}
    for name, rest in instructions:
        if name == "FROM":
            current = _begin_stage(rest, stages, arguments)
        elif name == "ARG":
            key, _, default = rest.partition("=")
            value = build_args.get(key.strip(), _unquoted(default))
            arguments[key.strip()] = current.known[key.strip()] = str(value)
        elif name == "ENV":
            _read_env(rest, current)
        elif name == "RUN":
            _read_run(rest, current)
        elif name == "PIP":
            current.add_packages(rest.split("\n"))
        elif name == "IGNORED":
            current.ignored.append(_shortened(rest))
        elif name not in _QUIET:
            current.ignored.append(_shortened("%s %s" % (name, rest)))
    return {
        "base": current.base,
        "env": current.env,
        "pip": current.pip,
        "ignored": current.ignored,
        "secrets": current.secrets,
    }


class _Stage:
    def __init__(self, base, known):
        self.base = base
        self.known = dict(known)
        self.env = {}
        self.pip = []
        self.ignored = []
        self.secrets = []

    def add_packages(self, packages):
        self.pip += [one for one in packages if one not in self.pip]


def _begin_stage(rest, stages, arguments):
    words = [word for word in rest.split() if not word.startswith("--")]
    base = _filled(words[0], arguments) if words else None
    earlier = stages.get((base or "").lower())
    stage = _Stage(earlier.base if earlier else base, earlier.known if earlier else {})
    if earlier:
        stage.env = dict(earlier.env)
        stage.pip = list(earlier.pip)
        stage.ignored = list(earlier.ignored)
        stage.secrets = list(earlier.secrets)
    if len(words) >= 3 and words[1].lower() == "as":
        stages[words[2].lower()] = stage
    return stage


def instructions_of(text):
    """Yields pairs of an instruction's name and arguments, with continued lines joined."""
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        whole = line.strip()
        while whole.endswith("\\"):
            more = next(lines, "")
            if more.lstrip().startswith("#"):
                continue
            whole = whole[:-1].rstrip() + " " + more.strip()
        for end in re.findall(r"<<-?[\"']?(\w+)", whole):
            body = []
            for more in lines:
                if more.strip() == end:
                    break
                body.append(more.strip())
            whole = re.sub(r"<<-?[\"']?%s[\"']?" % end, "", whole) + " " + " && ".join(body)
        name, _, rest = whole.partition(" ")
        yield name.upper(), rest.strip()


def _read_env(rest, stage):
    for name, value in _pairs(rest):
        filled = _filled(value, stage.known)
        stage.known[name] = filled
        if looks_secret(name):
            stage.secrets.append(name)
        elif _OF_CONTAINER.match(name):
            stage.ignored.append(_shortened("ENV %s=%s" % (name, value)))
        else:
            stage.env[name] = filled


def _pairs(rest):
    first = rest.split(None, 1)
    if len(first) == 2 and "=" not in first[0]:  # ENV NAME value with spaces
        return [(first[0], first[1])]
    return [tuple(word.split("=", 1)) for word in _split(rest) if "=" in word]


def _read_run(rest, stage):
    rest = re.sub(r"^(--\w[\w-]*(=\S+)?\s+)+", "", rest)
    if rest.startswith("["):
        rest = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', rest))
    others = []
    for command in re.split(r"&&|\|\||;", rest):
        packages = _packages(_filled(command, stage.known))
        if packages is None:
            if command.strip():
                others.append(command.strip())
        else:
            stage.add_packages(packages)
    if others:
        stage.ignored.append(_shortened("RUN " + " && ".join(others)))


def _packages(command):
    """Returns the requirements of a `pip install`; None for another command."""
    words = _split(command)
    if words[:1] == ["uv"]:
        words = words[1:]
    elif words and re.match(r"^(.*/)?python[\d.]*$", words[0]) and words[1:2] == ["-m"]:
        words = words[2:]
    if len(words) < 2 or not re.match(r"^(.*/)?pip[\d.]*$", words[0]) or words[1] != "install":
        return None
    packages = []
    skips = False
    for word in words[2:]:
        if skips:
            skips = False
        elif word in ("-r", "--requirement", "-e", "--editable"):
            return None  # files inside the container
        elif word.startswith("-"):
            skips = word in _WITH_VALUE
        else:
            packages.append(word)
    return packages


def _filled(text, known):
    """Substitutes $NAME, ${NAME} and ${NAME:-default} for known names."""

    def value(match):
        name = match.group(1) or match.group(2)
        return known.get(name, match.group(3) or match.group(0))

    return re.sub(r"\$(?:(\w+)|\{(\w+)(?::-([^}]*))?\})", value, text)


def _split(text):
    try:
        return shlex.split(text, comments=False)
    except ValueError:
        return text.split()


def _unquoted(text):
    words = _split(text)
    return words[0] if len(words) == 1 else text


def _shortened(text, limit=120):
    return text if len(text) <= limit else text[: limit - 1] + "…"
