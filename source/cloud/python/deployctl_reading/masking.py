"""Keeps the values of secrets out of documents, wherever they have got to."""

from deployctl_reading.variables import looks_secret

_MASK = "********"
# Shorter values are in many words by chance.
_SHORTEST = 8


def secrets_of(environment):
    """The values of the environment that no document may show."""
    return [
        value
        for name, value in environment.items()
        if looks_secret(name) and len(value) >= _SHORTEST
    ]


def masked(value, secrets):
    """The value without them."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _MASK)
        return value
    if isinstance(value, list):
        return [masked(one, secrets) for one in value]
    if isinstance(value, dict):
        return {masked(key, secrets): masked(one, secrets) for key, one in value.items()}
    return value


def mask_inspection(document, secrets):
    """The document without them; a warning tells when the configuration had one."""
    clean = masked(document, secrets)
    if clean.get("config") != document.get("config") or clean.get("image") != document.get("image"):
        sentence = (
            "The value of a secret is part of the configuration, and was left out; let the function "
            "read it from its environment."
        )
        warning = {"code": "secret_in_configuration", "sentence": sentence}
        clean["warnings"] = clean["warnings"] + [dict(warning, line=clean["line"])]
    return clean
