"""Images of fal and Modal, as part of an inspection document."""

import os

from deployctl_reading import dockerfile
from deployctl_reading.problem import Problem


def document_of(image, folder):
    """Returns an image's document, as dockerfile.read does; None for another value, or a partly
    unknown image.

    image: fal.ContainerImage, or modal.Image. folder: the script's, for files that an image names.
    """
    text = getattr(image, "dockerfile_str", None)
    if isinstance(text, str):
        return dockerfile.read(text, image.build_args)
    instructions = getattr(image, "instructions", None)
    if isinstance(instructions, tuple):
        return dockerfile.read_instructions(_resolved(instructions, folder), {})
    return None


def _resolved(instructions, folder):
    """Yields Dockerfile instructions for those of modal.Image."""
    for name, text in instructions:
        if name == "COMMANDS":
            yield from dockerfile.instructions_of(text)
        elif name == "DOCKERFILE":
            yield from dockerfile.instructions_of(_read(folder, text))
        elif name == "REQUIREMENTS":
            lines = [line.split(" #")[0].strip() for line in _read(folder, text).splitlines()]
            options = [one for one in lines if one.startswith("-")]
            packages = [one for one in lines if one and one[0] not in "-#"]
            yield from [("IGNORED", "%s of %s" % (one, text)) for one in options]
            yield "PIP", "\n".join(packages)
        else:
            yield name, text


def _read(folder, path):
    try:
        with open(os.path.join(folder, path), encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem("script_error", "%s cannot be read: %s." % (path, error)) from error
