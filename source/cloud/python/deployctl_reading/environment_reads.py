"""Environment variables that a script reads, recorded while it is evaluated."""

from deployctl_reading.values import is_known

# Methods that read all variables without naming any.
ALL_METHODS = ("items", "keys", "values")


class EnvironmentReads:
    """Collects, for each node of the script's tree, the variables it reads."""

    def __init__(self):
        self._reads = {}

    def note(self, node, name, default=None, is_required=False):
        """Adds a read; an unknown name counts as unresolved."""
        read = self._reads.setdefault(id(node), _Read(node))
        if not isinstance(name, str):
            read.is_unresolved = True
        elif name:
            read.names.setdefault(name, default if is_known(default) else None)
            read.is_required = is_required

    def __iter__(self):
        return iter(self._reads.values())


class _Read:
    def __init__(self, node):
        self.node = node
        # Defaults by name.
        self.names = {}
        self.is_required = False
        self.is_unresolved = False
