"""Environment variables of the served process."""

import os
import re

# The names that replicas inherit on one machine too (source/cloud/inherited-variables.ts). Ray's own
# variables, one of which may be the cluster's token, are not among them.
_INHERITED = [
    r"PATH|HOME|USER|LANG|TZ|TMPDIR|LD_LIBRARY_PATH|HF_HOME",
    r"(?:LC|XDG|CUDA|NVIDIA|HIP|ROCR|MODELCTL)_.*|OLLAMA_MODELS",
    r"(?:https?|ftp|all|no)_proxy|(?:HTTPS?|FTP|ALL|NO)_PROXY",
    r"SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|PIP_CERT|\w+_CA_BUNDLE",
    r"DEPLOYCTL_(?:REAL_FAL|BIND_ANY|MODELCTL)",
]
_NAMES = re.compile("|".join(_INHERITED))


def of_node(variables=None):
    """Returns the variables that replicas inherit, of the given ones or this process's."""
    variables = os.environ if variables is None else variables
    return {name: value for name, value in variables.items() if _NAMES.fullmatch(name)}


def of_process(settings, port, nonce):
    """Returns the variables; later ones win: the node's, the script's, ours.

    `nonce` identifies the replica's processes.
    """
    return {
        "PYTHONUNBUFFERED": "1",
        **of_node(),
        **settings.environment,
        "PORT": str(port),
        "DEPLOYCTL_PORT": str(port),
        "DEPLOYCTL_PORT_MAP": "%d:%d" % (settings.exposed_port, port),
        "DEPLOYCTL_REPLICA": settings.replica,
        "DEPLOYCTL_NONCE": nonce,
    }
