"""Masking of secret values in documents."""

from deployctl_reading.variable_names import looks_secret

_MASK = "********"
# Shorter values occur in other words by chance.
_SHORTEST = 8


def secrets_of(environment):
    """Returns the environment's values that no document may show."""
    return [
        value
        for name, value in environment.items()
        if looks_secret(name) and len(value) >= _SHORTEST
    ]


def masked(value, secrets):
    """Returns the value with secrets masked."""
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
    """Returns the document with secrets masked, and a warning if the configuration had one."""
    clean = masked(document, secrets)
    if clean.get("config") != document.get("config") or clean.get("image") != document.get("image"):
        sentence = (
            "The configuration contained a secret's value, which was removed. Let the function "
            "read it from its environment."
        )
        warning = {"code": "secret_in_configuration", "sentence": sentence}
        clean["warnings"] = clean["warnings"] + [dict(warning, line=clean["line"])]
    return clean
