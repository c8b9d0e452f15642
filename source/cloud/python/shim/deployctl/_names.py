"""Names of apps."""

import re


def kebab_case(name):
    """my-app of MyApp."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()
