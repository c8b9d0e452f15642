"""Version of fal that these names follow."""

__version__ = "1.83.0"
version_tuple = (1, 83, 0)
