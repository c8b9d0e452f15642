"""Version of fal that these names follow."""

__version__ = "1.82.1"
version_tuple = (1, 82, 1)
