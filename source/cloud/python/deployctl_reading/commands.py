"""Programs that a script runs."""

import os.path
import re
import shlex

from deployctl_reading.library import OWN_PYTHON
from deployctl_reading.values import UNKNOWN

_LISTS = ("run", "Popen", "call", "check_call", "check_output")
_SHELLS = ("os.system", "os.popen", "subprocess.getoutput", "asyncio.create_subprocess_shell")
# Functions that take a file and then its arguments.
_FILES = ("os.execv", "os.execve", "os.execvp", "os.execvpe", "os.posix_spawn", "os.posix_spawnp")
_VARIADIC = ("os.execl", "os.execlp", "os.execle", "os.execlpe")

# Commands that only start another program.
_PREFIXES = ("env", "exec", "nohup", "sudo", "time", "command")
# Builtins and keywords of the shell.
_OF_SHELL = frozenset(
    "cd echo export set unset source . exec trap wait true false test [ ulimit umask eval if then "
    "else fi for while do done case esac return exit shift read printf alias {  } ! : ".split()
)
_SEPARATORS = ("&&", "||", ";", "|", "&")
_SHOWN_UNKNOWN = "…"


class Commands:
    """Collects commands. `executables`: names in the order of their calls. `lists`: the argument
    lists, those of the replica first.
    """

    def __init__(self):
        self.executables = []
        self._lists = []
        self._start = 0

    def begin(self):
        """Marks the start of the commands that a replica runs."""
        self._start = len(self._lists)

    @property
    def lists(self):
        return self._lists[self._start :] + self._lists[: self._start]

    def note(self, function, arguments, keywords):
        """Records a call, if it starts a program."""
        for words in _words_of_call(function, arguments, keywords):
            words = _without_prefixes(words)
            if not words:
                continue
            self._lists.append(words)
            name = words[0]
            if name not in (_SHOWN_UNKNOWN, OWN_PYTHON) and name not in self.executables:
                self.executables.append(name)

    def best(self):
        """Returns the command most likely to serve: the first with a port, or the first of all."""
        for words in self.lists:
            if any(re.match(r"^--?([a-z]+-)*port\b|^-p$", word) for word in words):
                return words
        return self.lists[0] if self.lists else []


def _words_of_call(function, arguments, keywords):
    module, _, name = function.rpartition(".")
    first = arguments[0] if arguments else keywords.get("args", UNKNOWN)
    if function in _SHELLS:
        return _words_of_shell(first)
    if module == "subprocess" and name in _LISTS:
        if keywords.get("shell") is True:
            return _words_of_shell(first[0] if isinstance(first, list) and first else first)
        return [_texts([first] if isinstance(first, str) else first)]
    if function == "asyncio.create_subprocess_exec":
        return [_texts(arguments)]
    if function in _FILES:
        words = _texts(arguments[1] if len(arguments) > 1 else UNKNOWN)
        return [_texts([first]) + words[1:]]
    if function in _VARIADIC:
        return [_texts([first] + list(arguments[2:]))]
    return []


def _texts(words):
    if not isinstance(words, (list, tuple)):
        return []
    return [
        _SHOWN_UNKNOWN if word is UNKNOWN or not isinstance(word, (str, int, float)) else str(word)
        for word in words
    ]


def _words_of_shell(text):
    """Returns the simple commands of a shell line."""
    if not isinstance(text, str):
        return []
    lexer = shlex.shlex(text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []  # the shell reports the error
    commands = [[]]
    for word in words:
        if word in _SEPARATORS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [one for one in commands if one and one[0] not in _OF_SHELL]


def _without_prefixes(words):
    """Strips variables and programs that only start another one."""
    while words and (os.path.basename(words[0]) in _PREFIXES or re.match(r"^\w+=", words[0])):
        words = words[1:]
    return words
