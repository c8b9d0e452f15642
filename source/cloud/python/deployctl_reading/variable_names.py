"""Names of environment variables, by what they hold."""

import re

# Variables that the runtime or the machine sets, with another value in each replica.
_GIVEN = re.compile(
    r"^(PORT|DEPLOYCTL_.*|PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|HOSTNAME|TERM|LANG|LC_.*|TMPDIR|TMP"
    r"|TEMP|XDG_.*|PYTHONPATH|PYTHONHOME|PYTHONUNBUFFERED|VIRTUAL_ENV|LD_.*|CUDA_VISIBLE_DEVICES"
    r"|FAL_KEY|FAL_KEY_ID|FAL_KEY_SECRET)$"
)
_SECRET = re.compile(r"(?i)key|token|secret|password|passwd|credential")


def looks_secret(name):
    """Returns True for a variable whose value is encrypted and masked, by its name."""
    return _SECRET.search(name) is not None


def is_given(name):
    """Returns True for a variable of the machine, which is never part of a revision."""
    return _GIVEN.match(name) is not None
