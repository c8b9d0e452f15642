"""Names that scripts import from fal.toolkit.image."""

import fal.toolkit


def __getattr__(name):
    return getattr(fal.toolkit, name)
