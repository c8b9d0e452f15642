"""Names of apps."""

import re


def app_name_of(class_name):
    """Returns the name that fal gives a class: my-app for MyApp and for my_app."""
    parts = re.findall(r"[A-Z][a-z]*", class_name) or class_name.split("_")
    return "-".join(part.lower() for part in parts if part)
