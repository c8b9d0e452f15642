"""Names of apps."""

import re


def kebab_case(name):
    """Returns my-app for MyApp."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()
