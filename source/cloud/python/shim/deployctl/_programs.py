"""Programs that a script starts; those not in Python get their port through their arguments.

The port map patches Python's sockets, which a server in C++, Go, Rust or JavaScript does not use, so
`--port 8000` becomes `--port 23817` before it starts, and the address it names becomes loopback.
"""

import os
import re
import subprocess

from deployctl import _ports

_PORT_FLAG = re.compile(r"(?i)^(-p|--?([a-z0-9_]+[-_])*port)$")
_HOST_FLAG = re.compile(r"(?i)^--?([a-z0-9_]+[-_])*(host|address|addr|bind|ip|listen)$")
_HOST = r"(?:0\.0\.0\.0|127(?:\.\d+){3}|localhost|\[::1?\]|\*)"
# End of an argument that names an address of this machine: ":8000", "--listen=0.0.0.0:8000".
_ADDRESS = re.compile(r"(?i)(^|[=,/@])(%s?)(:)(\d+)(?=$|[/,?])" % _HOST)


_is_installed = False


def install():
    """Patches how this process starts programs."""
    global _is_installed
    ports = _ports.current_map()
    mode = os.environ.get("DEPLOYCTL_PORT_REWRITE") or "auto"
    if _is_installed or not ports:
        return
    _is_installed = True
    _change_popen(ports, mode)
    _change_exec(ports, mode)
    real_system = os.system
    os.system = lambda command: real_system(rewrite_command(command, ports))


def _change_popen(ports, mode):
    real_init = subprocess.Popen.__init__

    def __init__(self, args, *rest, **options):
        real_init(self, _rewrite_popen(args, options, ports, mode), *rest, **options)

    subprocess.Popen.__init__ = __init__


def _rewrite_popen(args, options, ports, mode):
    if isinstance(args, (str, bytes, os.PathLike)):
        if options.get("shell"):
            return rewrite_command(args, ports)
        return args
    try:
        words = [os.fsdecode(word) for word in args]
    except TypeError:
        return args  # subprocess reports the error
    if not words:
        return args
    environment = options.get("env") or os.environ
    program = os.fsdecode(options.get("executable") or words[0])
    if options.get("shell"):
        return [rewrite_command(words[0], ports)] + words[1:]
    if mode == "argv" or not is_python(program, environment, options.get("cwd")):
        return rewrite_words(words, ports)
    return args


def _change_exec(ports, mode):
    real_execv = os.execv
    real_execve = os.execve

    def execv(path, argv):
        real_execv(path, _of_exec(path, argv, os.environ))

    def execve(path, argv, env):
        real_execve(path, _of_exec(path, argv, env), env)

    def _of_exec(path, argv, env):
        if mode != "argv" and is_python(os.fsdecode(path), env, None):
            return argv
        return rewrite_words([os.fsdecode(word) for word in argv], ports)

    # os.execvp and the like call these two by name.
    os.execv = execv
    os.execve = execve


def is_python(program, environment, folder):
    """Returns True for Python, a Python script, or a program that cannot be found or read."""
    search = environment.get("PATH") if hasattr(environment, "get") else None
    if os.path.dirname(program) and folder is not None:
        program = os.path.join(os.fsdecode(folder), program)
    file = _find(program, os.environ.get("PATH", os.defpath) if search is None else search)
    if file is None:
        return True
    if re.match(r"^(python|pypy)[\d.]*$", os.path.basename(os.path.realpath(file))):
        return True
    try:
        with open(file, "rb") as opened:
            first = opened.read(256).split(b"\n")[0]
    except OSError:
        return True
    return first.startswith(b"#!") and re.search(rb"python|pypy", first) is not None


def _find(program, search):
    """Returns the program's file, as shutil.which does, which takes long to import; or None."""
    folders = [""] if os.path.dirname(program) else os.fsdecode(search).split(os.pathsep)
    for file in [os.path.join(folder, program) for folder in folders]:
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return None


def rewrite_words(words, ports):
    """Returns a program's arguments, including its name, with mapped ports replaced."""
    rewritten = list(words)
    for index in range(1, len(rewritten)):
        before = rewritten[index - 1]
        word = rewritten[index]
        if _PORT_FLAG.match(before) and word.isdigit():
            rewritten[index] = str(ports.get(int(word), word))
        else:
            rewritten[index] = _rewrite_word(word, ports)
    if rewritten == list(words) or _ports.binds_anywhere():
        return rewritten
    return _rewrite_hosts(rewritten)


def rewrite_command(command, ports):
    """Rewrites a shell command word by word, keeping the text in between."""
    import shlex  # imported late, as every Python of a replica loads this file

    text = os.fsdecode(command)
    try:
        words = shlex.split(text)
    except ValueError:
        return command  # the shell reports the error
    # Adds a dummy program, so that the first word is rewritten too.
    changed = rewrite_words([""] + words, ports)[1:]
    position = 0
    for old, new in zip(words, changed):
        place = text.find(old, position)
        if place < 0:
            continue  # hidden by quoting
        text = text[:place] + new + text[place + len(old) :]
        position = place + len(new)
    return text


def _rewrite_word(word, ports):
    flag, equals, value = word.partition("=")
    if equals and _PORT_FLAG.match(flag) and value.isdigit():
        return "%s=%s" % (flag, ports.get(int(value), value))
    return _ADDRESS.sub(lambda match: _rewrite_address(match, ports), word)


def _rewrite_address(match, ports):
    before, host, colon, port = match.groups()
    if int(port) not in ports:
        return match.group(0)
    # A bare ":8000" means every address.
    is_open = host in ("", "*", "0.0.0.0", "[::]") and not _ports.binds_anywhere()
    return before + ("127.0.0.1" if is_open else host) + colon + str(ports[int(port)])


def _rewrite_hosts(words):
    rewritten = list(words)
    for index in range(1, len(rewritten)):
        flag, equals, value = rewritten[index].partition("=")
        if equals and _HOST_FLAG.match(flag) and _is_open(value):
            rewritten[index] = flag + "=127.0.0.1"
        elif _HOST_FLAG.match(rewritten[index - 1]) and _is_open(rewritten[index]):
            rewritten[index] = "127.0.0.1"
    return rewritten


def _is_open(host):
    return host != "" and (_ports.is_wildcard(host) or host in ("*", "[::]"))
